//! Settings of the server that keep committed data whole if its machine crashes, and that only its operator can change. Sessions
//! set `synchronous_commit` themselves.

use crate::{PgConnection, Result};

/// Returns the names of those that are off.
pub async fn disabled(db: &mut PgConnection) -> Result<Vec<String>> {
    let names = sqlx::query_scalar(
        "SELECT name FROM unnest(ARRAY['fsync', 'full_page_writes']) AS name WHERE current_setting(name) = 'off'
         ORDER BY name",
    )
    .fetch_all(db)
    .await?;
    Ok(names)
}

/// Returns the danger of one that is off, and its cure.
pub fn advice(name: &str) -> String {
    format!(
        "it is off: if the machine of the database crashes, acknowledged messages can be lost or the database can be damaged. \
         Run `ALTER SYSTEM SET {name} = on` and `SELECT pg_reload_conf()` there"
    )
}
