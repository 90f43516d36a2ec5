//! Files that chatbots wrote and that no message names yet.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, MediaId, ParticipantId};
use uuid::Uuid;

use crate::{PgConnection, Result};

/// Notes the chat of a file. If its turn is repeated, the time of the file begins again.
pub async fn note(
    db: &mut PgConnection,
    client: ClientId,
    file: MediaId,
    participant: ParticipantId,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO unsent_file (client_id, media_id, participant_id, stored_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (client_id, media_id)
         DO UPDATE SET participant_id = EXCLUDED.participant_id, stored_at = EXCLUDED.stored_at",
    )
    .bind(client.0)
    .bind(file.0)
    .bind(participant.0)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Removes the note of a file that was stored before this time. `false` if its turn has stored it again since.
pub async fn remove_old(db: &mut PgConnection, client: ClientId, file: MediaId, before: DateTime<Utc>) -> Result<bool> {
    let statement = "DELETE FROM unsent_file WHERE client_id = $1 AND media_id = $2 AND stored_at < $3";
    let removed = sqlx::query(statement).bind(client.0).bind(file.0).bind(before).execute(db).await?;
    Ok(removed.rows_affected() > 0)
}

/// Removes the notes of files that are sent or gone.
pub async fn remove(db: &mut PgConnection, client: ClientId, files: &[MediaId]) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let files: Vec<Uuid> = files.iter().map(|file| file.0).collect();
    let statement = "DELETE FROM unsent_file WHERE client_id = $1 AND media_id = ANY ($2::uuid[])";
    sqlx::query(statement).bind(client.0).bind(files).execute(db).await?;
    Ok(())
}

/// A file that no message names, and the chat of its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnsentFile {
    pub client: ClientId,
    pub file: MediaId,
    pub participant: ParticipantId,
}

/// At most `limit` files that were stored before this time, the oldest first, without the first `skipped` ones.
pub async fn older_than(
    db: &mut PgConnection,
    before: DateTime<Utc>,
    limit: i64,
    skipped: i64,
) -> Result<Vec<UnsentFile>> {
    let statement = "SELECT client_id, media_id, participant_id FROM unsent_file
                     WHERE stored_at < $1 ORDER BY stored_at LIMIT $2 OFFSET $3";
    let rows: Vec<(Uuid, Uuid, Uuid)> =
        sqlx::query_as(statement).bind(before).bind(limit).bind(skipped).fetch_all(db).await?;
    let unsent = |(client, file, participant)| UnsentFile {
        client: ClientId(client),
        file: MediaId(file),
        participant: ParticipantId(participant),
    };
    Ok(rows.into_iter().map(unsent).collect())
}

/// True if the note of a file is there and was written before this time.
pub async fn is_old(db: &mut PgConnection, client: ClientId, file: MediaId, before: DateTime<Utc>) -> Result<bool> {
    let old = sqlx::query_scalar(
        "SELECT EXISTS (SELECT FROM unsent_file WHERE client_id = $1 AND media_id = $2 AND stored_at < $3)",
    );
    Ok(old.bind(client.0).bind(file.0).bind(before).fetch_one(db).await?)
}

/// True if a message of its chat, or of the chat with which that was merged, names a file. A process of an earlier release sends
/// a file and leaves its note.
pub async fn is_sent(db: &mut PgConnection, client: ClientId, file: MediaId) -> Result<bool> {
    let sent = sqlx::query_scalar(
        "SELECT EXISTS (SELECT FROM unsent_file unsent
                        JOIN chat_message message ON message.client_id = unsent.client_id
                             AND message.participant_id IN (
                                 unsent.participant_id,
                                 (SELECT merged_into FROM participant chat
                                  WHERE chat.client_id = unsent.client_id AND chat.id = unsent.participant_id))
                             AND message.media_id = unsent.media_id
                        WHERE unsent.client_id = $1 AND unsent.media_id = $2)",
    );
    Ok(sent.bind(client.0).bind(file.0).fetch_one(db).await?)
}
