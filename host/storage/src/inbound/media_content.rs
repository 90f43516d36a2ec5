//! The bytes of files of customers, in parts numbered from 0.

use domain::ids::{ClientId, MediaId};

use crate::{PgConnection, Result};

/// Begins to store a file: locks it until the transaction ends, and removes its old parts.
pub async fn begin(db: &mut PgConnection, client: ClientId, id: MediaId) -> Result<()> {
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended('media ' || $1::uuid::text, 0))")
        .bind(id.0)
        .execute(&mut *db)
        .await?;
    remove(db, client, id).await?;
    Ok(())
}

pub async fn insert(db: &mut PgConnection, client: ClientId, id: MediaId, part: i32, bytes: &[u8]) -> Result<()> {
    sqlx::query("INSERT INTO media_content (client_id, media_id, part, bytes) VALUES ($1, $2, $3, $4)")
        .bind(client.0)
        .bind(id.0)
        .bind(part)
        .bind(bytes)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn size(db: &mut PgConnection, client: ClientId, id: MediaId) -> Result<Option<i64>> {
    Ok(sqlx::query_scalar(
        "SELECT sum(octet_length(bytes))::bigint FROM media_content WHERE client_id = $1 AND media_id = $2",
    )
    .bind(client.0)
    .bind(id.0)
    .fetch_one(db)
    .await?)
}

pub async fn part(db: &mut PgConnection, client: ClientId, id: MediaId, part: i32) -> Result<Option<Vec<u8>>> {
    let statement = "SELECT bytes FROM media_content WHERE client_id = $1 AND media_id = $2 AND part = $3";
    Ok(sqlx::query_scalar(statement).bind(client.0).bind(id.0).bind(part).fetch_optional(db).await?)
}

pub async fn remove(db: &mut PgConnection, client: ClientId, id: MediaId) -> Result<bool> {
    let statement = "DELETE FROM media_content WHERE client_id = $1 AND media_id = $2";
    Ok(sqlx::query(statement).bind(client.0).bind(id.0).execute(db).await?.rows_affected() > 0)
}
