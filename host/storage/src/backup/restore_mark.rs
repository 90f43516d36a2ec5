//! The mark of a database whose rows are restored, while work on them is left. It is a table that only such a database has, so
//! that a backup of any schema can be marked in the transaction of its rows.

use chrono::{DateTime, Utc};

use crate::{PgConnection, Result};

const TABLE: &str = "unfinished_restore";

/// Returns the moment of the backup if its restore is not finished.
pub async fn find_unfinished(db: &mut PgConnection) -> Result<Option<DateTime<Utc>>> {
    let table: Option<String> =
        sqlx::query_scalar("SELECT to_regclass($1)::text").bind(TABLE).fetch_one(&mut *db).await?;
    if table.is_none() {
        return Ok(None);
    }
    Ok(sqlx::query_scalar(&format!("SELECT taken_at FROM {TABLE}")).fetch_optional(db).await?)
}

pub(super) async fn mark(db: &mut PgConnection, taken_at: DateTime<Utc>) -> Result<()> {
    sqlx::query(&format!("CREATE TABLE {TABLE} (taken_at timestamptz NOT NULL)")).execute(&mut *db).await?;
    sqlx::query(&format!("INSERT INTO {TABLE} (taken_at) VALUES ($1)")).bind(taken_at).execute(db).await?;
    Ok(())
}

/// Removes the mark: processes may serve the database.
pub async fn finish(db: &mut PgConnection) -> Result<()> {
    sqlx::query(&format!("DROP TABLE {TABLE}")).execute(db).await?;
    Ok(())
}
