use crate::{PgConnection, Result};

/// Returns the known text that was sealed with the master key of this database.
pub async fn master_key_check(db: &mut PgConnection) -> Result<Option<Vec<u8>>> {
    Ok(sqlx::query_scalar("SELECT sealed FROM master_key_check").fetch_optional(db).await?)
}

/// Stores it, unless another process was first.
pub async fn init_master_key_check(db: &mut PgConnection, sealed: &[u8]) -> Result<()> {
    sqlx::query("INSERT INTO master_key_check (sealed) VALUES ($1) ON CONFLICT (only_row) DO NOTHING")
        .bind(sealed)
        .execute(db)
        .await?;
    Ok(())
}

/// Replaces it if it is still this one; `false` if another process was first.
pub async fn replace_master_key_check(db: &mut PgConnection, old: &[u8], new: &[u8]) -> Result<bool> {
    let done = sqlx::query("UPDATE master_key_check SET sealed = $2 WHERE sealed = $1").bind(old).bind(new).execute(db);
    Ok(done.await?.rows_affected() == 1)
}

pub async fn testing_clock_offset(db: &mut PgConnection) -> Result<i64> {
    let offset: Option<i64> = sqlx::query_scalar("SELECT offset_seconds FROM testing_clock").fetch_optional(db).await?;
    Ok(offset.unwrap_or(0))
}

pub async fn advance_testing_clock(db: &mut PgConnection, seconds: i64) -> Result<i64> {
    let offset = sqlx::query_scalar(
        "INSERT INTO testing_clock AS clock (offset_seconds) VALUES ($1)
         ON CONFLICT (only_row) DO UPDATE SET offset_seconds = clock.offset_seconds + excluded.offset_seconds
         RETURNING offset_seconds",
    )
    .bind(seconds)
    .fetch_one(db)
    .await?;
    Ok(offset)
}
