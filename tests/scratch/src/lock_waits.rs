//! Waits of statements for locks. A test holds a lock, and continues when the program waits for it.

use std::time::Duration;

use sqlx::{Executor, Postgres};
use storage::Db;
use tokio::{
    task::yield_now,
    time::{sleep, timeout},
};

use crate::PATIENCE;

/// Pause before the next look.
const PAUSE: Duration = Duration::from_millis(5);

/// True if a statement with this text waits for a lock in the database of the connection. Every statement has the empty
/// text.
///
/// # Panics
///
/// When the database does not answer.
pub async fn waits_for_lock<'c>(db: impl Executor<'c, Database = Postgres>, text: &str) -> bool {
    let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
                                AND wait_event_type = 'Lock' AND strpos(query, $1) > 0)";
    let answer = sqlx::query_scalar::<_, bool>(waits).bind(text).fetch_one(db).await;
    answer.unwrap_or_else(|error| panic!("the waits for locks cannot be read: {error}"))
}

/// Returns when a statement with this text waits for a lock. Every statement has the empty text.
///
/// # Panics
///
/// When none waits for a long time, or the database does not answer.
pub async fn until_lock_wait(db: &Db, text: &str) {
    let waits = async {
        while !waits_for_lock(db, text).await {
            sleep(PAUSE).await;
        }
    };
    timeout(PATIENCE, waits).await.unwrap_or_else(|_| panic!("no statement with the text `{text}` waits for a lock"));
}

/// Returns when a statement waits for a lock of this table. Looks without a pause: some statements give up soon.
///
/// # Panics
///
/// When none waits for a long time, or the database does not answer.
pub async fn until_table_wait(db: &Db, table: &str) {
    let waits = "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = to_regclass($1) AND NOT granted)";
    let waits = async {
        loop {
            let answer = sqlx::query_scalar::<_, bool>(waits).bind(table).fetch_one(db).await;
            if answer.unwrap_or_else(|error| panic!("the locks of `{table}` cannot be read: {error}")) {
                break;
            }
            yield_now().await;
        }
    };
    timeout(PATIENCE, waits).await.unwrap_or_else(|_| panic!("no statement waits for a lock of `{table}`"));
}
