//! What PostgreSQL knows of the size of its tables. A statement keeps its plan ([`crate::connect`]) until that changes, and of a
//! table that was made just now, or of the partition of a new week, it knows nothing. PostgreSQL looks by itself once a
//! minute; in that minute a table grows by a hundred thousand rows.

use crate::{PgConnection, Result};

/// A table is looked at for the first time with so many rows: below, no plan is slow.
const FIRST_LOOK: i64 = 500;
/// From here on a minute adds too little to change a plan.
const LAST_LOOK: i64 = 1_000_000;

/// PostgreSQL reads 300 rows for each unit of this, and sorts what it finds in every column: at its own 100 that is 30,000 events
/// and bodies each time that a table doubles. Statements are written so that their plans need no more than sizes (ADR 0021), and
/// what PostgreSQL looks at by itself it looks at as closely as it is set to.
const CLOSENESS: u32 = 10;

/// Tables that have at least doubled since PostgreSQL looked at them.
pub async fn outgrown(db: &mut PgConnection) -> Result<Vec<String>> {
    let tables = sqlx::query_scalar(
        "SELECT oid::regclass::text FROM pg_class
         WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND reltuples < $2
           AND pg_stat_get_live_tuples(oid) >= GREATEST($1, 2 * reltuples)",
    )
    .bind(FIRST_LOOK)
    .bind(LAST_LOOK)
    .fetch_all(db)
    .await?;
    Ok(tables)
}

/// Has PostgreSQL look at a table, unless somebody does, in a transaction of the caller. `table` is one that [`outgrown`] named.
pub async fn look_at(db: &mut PgConnection, table: &str) -> Result<()> {
    sqlx::query(&format!("SET LOCAL default_statistics_target = {CLOSENESS}")).execute(&mut *db).await?;
    sqlx::query(&format!("ANALYZE (SKIP_LOCKED) {table}")).execute(db).await?;
    Ok(())
}
