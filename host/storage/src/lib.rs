//! All SQL statements, as functions on a connection, one file per table or aggregate. Only the calling use case begins
//! and commits transactions. `client_id` is the first argument after the connection.

pub mod backup;
pub mod chat;
mod column_values;
mod error;
pub mod inbound;
pub mod inboxes;
pub mod live_events;
mod migration;
pub mod outbound;
pub mod people;
pub mod personal_data;
pub mod plugins;
pub mod read_only_session;
mod session;
pub mod silence;
pub mod sms;
pub mod tenancy;
pub mod web;
pub mod webhooks;
pub mod work;

pub use error::{Error, Result, violates};
pub use migration::{MIGRATOR, is_current, migrate, migrate_to, migrate_with, own_schema, schema};
pub use session::{Db, PgConnection, PooledSession, Timing, Transaction, connect, connect_with, in_request};
pub use work::queues::Queue;
