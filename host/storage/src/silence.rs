//! The limit for several statements together. One statement has its own ([`Timing`](crate::Timing)).

use std::{io, time::Duration};

use crate::{Error, work::lanes::LEASE};

/// An answer that takes longer never comes: no wait for a lock or the pool is longer than a lease.
pub const SILENCE: Duration = Duration::from_secs(2 * LEASE.as_secs());

pub async fn in_time<T, E: From<Error>>(doing: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    within(SILENCE, doing).await.unwrap_or_else(|| Err(silent().into()))
}

/// Does something with the database that takes no longer than `time`; `None`: it was given up.
pub async fn within<T>(time: Duration, doing: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(time, doing).await.ok()
}

pub fn silent() -> Error {
    let said = format!("the database has said nothing for {} s", SILENCE.as_secs());
    Error::Database(sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, said)))
}
