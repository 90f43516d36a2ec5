//! Sessions with the database: how they are set up, how long they are waited for, and what is known of a database that does
//! not answer (ADR 0048). Everything that a process asks goes through here.

mod connection;
mod limit;
mod listener;
mod pool;
mod settings;
mod transaction;
mod wait_end;
mod watch;

pub use connection::PgConnection;
pub(crate) use listener::Listener;
pub use pool::{Db, PooledSession, connect, connect_with};
pub use transaction::Transaction;
pub use watch::Timing;
