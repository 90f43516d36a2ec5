//! Sessions with the database: their settings, the time that they wait for an answer, and the treatment of a database that
//! does not answer (ADR 0048). All statements of a process go through here.

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
