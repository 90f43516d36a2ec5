//! A server that has become read-only, such as a primary after a failover, still answers. Once a change is refused,
//! each older session must show that it takes changes before it is used again.

use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

use sqlx::{Executor, Postgres};
use tokio::sync::watch;

use crate::{PgConnection, Result};

/// SQLSTATE of a change in a transaction that is read-only.
const READ_ONLY: &str = "25006";
/// A younger session is kept. A server without a writable successor would otherwise get a new session for each request.
const MIN_AGE: Duration = Duration::from_millis(500);
/// How long sessions that had begun before a refusal are asked: no longer than a session lives in a pool.
const DOUBT: Duration = Duration::from_secs(1800);

/// When a change was last refused in this process.
static REFUSED: LazyLock<watch::Sender<Option<Instant>>> = LazyLock::new(|| watch::Sender::new(None));

pub(crate) fn is_refusal(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == READ_ONLY)
}

pub(crate) fn note_refusal() {
    REFUSED.send_replace(Some(Instant::now()));
}

/// Whether a change was refused after `begun`, not too long ago.
fn is_doubted(begun: Instant) -> bool {
    REFUSED.borrow().is_some_and(|refused| begun <= refused && refused.elapsed() <= DOUBT)
}

pub(crate) async fn takes_changes(db: &mut sqlx::PgConnection, age: Duration) -> sqlx::Result<bool> {
    let begun = Instant::now().checked_sub(age);
    if age < MIN_AGE || begun.is_some_and(|begun| !is_doubted(begun)) {
        return Ok(true);
    }
    shows_it(db).await
}

/// Asks the server, outside a transaction.
pub(crate) async fn shows_it<'c>(db: impl Executor<'c, Database = Postgres>) -> sqlx::Result<bool> {
    sqlx::query_scalar("SELECT NOT current_setting('transaction_read_only')::boolean").fetch_one(db).await
}

/// Since when a session that is kept outside a pool is trusted.
#[derive(Debug, Clone, Copy)]
pub struct TrustedSince(Instant);

impl TrustedSince {
    pub fn from_now() -> Self {
        Self(Instant::now())
    }

    /// Whether the session can be used on; one that shows it is trusted again.
    pub async fn holds(&mut self, db: &mut PgConnection) -> Result<bool> {
        let now = Instant::now();
        if !is_doubted(self.0) {
            return Ok(true);
        }
        let holds = shows_it(db).await?;
        if holds {
            self.0 = now;
        }
        Ok(holds)
    }

    pub(crate) async fn wait_until_expired(self) {
        // The sender lives as long as the process.
        let _ = REFUSED.subscribe().wait_for(|_| is_doubted(self.0)).await;
    }
}
