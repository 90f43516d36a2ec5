//! Statistics of table sizes. Plans are kept ([`crate::connect`]), and PostgreSQL knows nothing of a new table until
//! autovacuum, once a minute.

use crate::{PgConnection, Result};

/// Rows at which a table is first analysed. Below it, no plan is slow.
const FIRST_ANALYZE_ROWS: i64 = 500;
/// From this size on, a minute adds too little to change a plan.
const LAST_ANALYZE_ROWS: i64 = 1_000_000;

/// Statistics target: 300 rows per unit. Plans need only table sizes (ADR 0021).
const CLOSENESS: u32 = 10;

pub async fn list_outgrown(db: &mut PgConnection) -> Result<Vec<String>> {
    let tables = sqlx::query_scalar(
        "SELECT oid::regclass::text FROM pg_class
         WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND reltuples < $2
           AND pg_stat_get_live_tuples(oid) >= GREATEST($1, 2 * reltuples)",
    )
    .bind(FIRST_ANALYZE_ROWS)
    .bind(LAST_ANALYZE_ROWS)
    .fetch_all(db)
    .await?;
    Ok(tables)
}

/// Analyses a table in a transaction of the caller, unless another process does. `table` comes from [`list_outgrown`].
pub async fn analyze_table(db: &mut PgConnection, table: &str) -> Result<()> {
    sqlx::query(&format!("SET LOCAL default_statistics_target = {CLOSENESS}")).execute(&mut *db).await?;
    sqlx::query(&format!("ANALYZE (SKIP_LOCKED) {table}")).execute(db).await?;
    Ok(())
}
