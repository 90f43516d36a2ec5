//! What PostgreSQL knows of the size of its tables. A statement keeps its plan ([`crate::connect`]) until that changes, and of a
//! table that was made just now, or of the partition of a new week, it knows nothing. PostgreSQL looks by itself once a
//! minute; in that minute a table grows by a hundred thousand rows.

use sqlx::PgConnection;

use crate::Result;

/// A table is looked at for the first time with so many rows: below, no plan is slow.
const FIRST_LOOK: i64 = 500;
/// From here on a minute adds too little to change a plan.
const LAST_LOOK: i64 = 1_000_000;

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

/// Has PostgreSQL look at a table, unless somebody does. `table` is one that [`outgrown`] named.
pub async fn look_at(db: &mut PgConnection, table: &str) -> Result<()> {
    sqlx::query(&format!("ANALYZE (SKIP_LOCKED) {table}")).execute(db).await?;
    Ok(())
}
