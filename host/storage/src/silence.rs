//! A database that says nothing any more, because its machine has vanished. It sends no farewell, and a statement that it took and
//! did not answer would be waited for as long as the process lives: the driver asks for no keepalive. So what all work hangs on
//! is given up after a time ([`in_time`]); and for a while after that every connection must answer before it is taken from the
//! pool or given back to it, so that those which are dead keep no place in it.

use std::{
    io,
    pin::pin,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use sqlx::{Connection, PgConnection, PgPool};

use crate::{Error, work::lanes::LEASE};

/// What is not answered in this time never will be: nobody waits longer than a lease for a lock, nor as long for a place in the pool.
pub const SILENCE: Duration = Duration::from_secs(2 * LEASE.as_secs());
/// What is usually answered at once, and is not in this time, makes one doubt.
const STRANGE: Duration = Duration::from_secs(5);
/// How long connections are doubted after a silence: no longer than one lies idle in a pool.
const DOUBT: Duration = Duration::from_secs(600);
/// Time for a connection that is doubted to answer.
const TRIAL: Duration = Duration::from_secs(3);

/// When something was last not answered in this process.
static LAST: Mutex<Option<Instant>> = Mutex::new(None);

/// Does something that the database answers within [`SILENCE`], usually at once, or fails as with a connection that is lost.
pub async fn in_time<T, E: From<Error>>(doing: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let mut doing = pin!(doing);
    let done = match within(STRANGE, doing.as_mut()).await {
        Some(done) => Some(done),
        None => within(SILENCE - STRANGE, doing).await,
    };
    done.unwrap_or_else(|| Err(silent().into()))
}

/// Does something with the database that takes no longer than `time`. `None`: it was given up, and connections are doubted from now
/// on, before those that it had are given back.
pub async fn within<T>(time: Duration, doing: impl Future<Output = T>) -> Option<T> {
    let mut doing = pin!(doing);
    let done = tokio::time::timeout(time, doing.as_mut()).await.ok();
    if done.is_none() {
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
    done
}

/// Whether the database answers a new connection: one that stands still takes connections, and says nothing.
pub async fn answers(pool: &PgPool) -> bool {
    let asking = async {
        let mut db = PgConnection::connect_with(&pool.connect_options()).await?;
        db.ping().await?;
        // It was for this alone: how it ends says nothing.
        drop(db.close().await);
        Ok(())
    };
    match within(TRIAL, asking).await {
        Some(Ok(()) | Err(sqlx::Error::Database(_))) => true,
        Some(Err(_)) | None => false,
    }
}

/// The failure of what was not answered.
pub fn silent() -> Error {
    let said = format!("the database has said nothing for {} s", SILENCE.as_secs());
    Error::Database(sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, said)))
}

/// Whether a connection can be used on; one that is doubted and does not answer is closed without a farewell.
pub(crate) async fn is_well(db: &mut PgConnection) -> sqlx::Result<bool> {
    let last = *LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if last.is_none_or(|at| at.elapsed() > DOUBT) {
        return Ok(true);
    }
    match tokio::time::timeout(TRIAL, db.ping()).await {
        Ok(answered) => answered.map(|()| true),
        Err(_) => Err(sqlx::Error::Io(io::ErrorKind::TimedOut.into())),
    }
}
