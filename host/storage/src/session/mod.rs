//! Sessions with the database: their settings, limits of waiting, and a silent database (ADR 0048).

mod connection;
mod held_sessions;
mod limit;
mod listener;
mod pool;
mod settings;
mod statement_time;
mod transaction;
mod wait_end;
mod watch;

pub use connection::PgConnection;
pub(crate) use listener::Listener;
pub use pool::{Db, PooledSession, connect, connect_with};
pub use statement_time::in_request;
pub use transaction::Transaction;
pub use watch::Timing;
