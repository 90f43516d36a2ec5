//! Tests if the database takes writes, by a write: no other check shows it.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{PgConnection, Result, read_only_session};

/// Writes a record into the write-ahead log and nothing else. `false` if the database is read-only.
pub async fn write_ahead(db: &mut PgConnection) -> Result<bool> {
    let reads_only: bool =
        sqlx::query_scalar("SELECT current_setting('transaction_read_only')::boolean").fetch_one(&mut *db).await?;
    if reads_only {
        // Another server may have taken its place.
        read_only_session::note_refusal();
    } else {
        sqlx::query("SELECT pg_logical_emit_message(true, 'patchbay', 'ready?')").execute(db).await?;
    }
    Ok(!reads_only)
}

/// Pages that [`store_a_send`] writes into its own file: a megabyte.
const ROOM_PAGES: i32 = 128;

/// Stores the beginning of a send with id `id` and no client, and a megabyte that needs disk space. Roll it back.
pub async fn store_a_send(db: &mut PgConnection, id: Uuid, now: DateTime<Utc>) -> Result<()> {
    let no_client = Uuid::nil();
    sqlx::query("INSERT INTO idempotency (client_id, key, response, created_at) VALUES ($1, $2, '', $3)")
        .bind(no_client)
        .bind(id.to_string())
        .bind(now)
        .execute(&mut *db)
        .await?;
    sqlx::query(
        "INSERT INTO outbound_part (client_id, id, batch_id, inbox_id, message_type, content)
         VALUES ($1, $2, $2, $1, 'CHAT', '{}')",
    )
    .bind(no_client)
    .bind(id)
    .execute(&mut *db)
    .await?;
    find_room(db).await
}

/// A table of this connection, whose file has nothing to reuse. Left out where the account may not have any.
async fn find_room(db: &mut PgConnection) -> Result<()> {
    let may: bool = sqlx::query_scalar("SELECT has_database_privilege(current_database(), 'TEMPORARY')")
        .fetch_one(&mut *db)
        .await?;
    if !may {
        return Ok(());
    }
    let statements = [
        "CREATE TEMPORARY TABLE room (filler char(8000)) ON COMMIT DROP".to_owned(),
        "ALTER TABLE room ALTER COLUMN filler SET STORAGE PLAIN".to_owned(),
        format!("INSERT INTO room SELECT 'x' FROM generate_series(1, {ROOM_PAGES})"),
    ];
    for statement in &statements {
        sqlx::query(statement).persistent(false).execute(&mut *db).await?;
    }
    Ok(())
}
