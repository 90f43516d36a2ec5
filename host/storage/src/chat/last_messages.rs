//! The last message of each chat of a list, in one statement.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::{
    chat::{ContentType, Direction},
    ids::{ChatMessageId, ClientId, ParticipantId},
};
use uuid::Uuid;

use crate::{Error, PgConnection, Result, column_values::read_value};

/// Characters of a text that are read. A preview shows fewer.
const TEXT_READ: i32 = 400;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastMessage {
    pub id: ChatMessageId,
    pub sequence: i64,
    pub direction: Direction,
    pub content_type: ContentType,
    /// The beginning of its text.
    pub text: Option<String>,
    pub is_deleted: bool,
    pub created_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct LastRow {
    participant_id: Uuid,
    id: Uuid,
    sequence_number: i64,
    direction: String,
    content_type: String,
    text: Option<String>,
    is_deleted: bool,
    created_at: DateTime<Utc>,
}

impl TryFrom<LastRow> for LastMessage {
    type Error = Error;

    fn try_from(row: LastRow) -> Result<Self> {
        Ok(Self {
            id: ChatMessageId(row.id),
            sequence: row.sequence_number,
            direction: read_value("chat_message", "direction", &row.direction, Direction::from_name)?,
            content_type: read_value("chat_message", "content_type", &row.content_type, ContentType::from_name)?,
            text: row.text,
            is_deleted: row.is_deleted,
            created_at: row.created_at,
        })
    }
}

/// Returns the last message of each chat. A reaction is no message of its own. Chats without messages are absent.
pub async fn of_chats(
    db: &mut PgConnection,
    client: ClientId,
    chats: &[ParticipantId],
) -> Result<HashMap<ParticipantId, LastMessage>> {
    let rows: Vec<LastRow> = sqlx::query_as(
        "SELECT wanted.id AS participant_id, last.id, last.sequence_number, last.direction, last.content_type, last.text,
                last.is_deleted, last.created_at
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[]) AS one (id) OFFSET 0) wanted
         CROSS JOIN LATERAL (
             SELECT message.id, message.sequence_number, message.direction, message.content_type,
                    left(message.body, $3) AS text, message.deleted_at IS NOT NULL AS is_deleted, message.created_at
             FROM chat_message message
             WHERE message.client_id = wanted.client_id AND message.participant_id = wanted.id
               AND message.content->'value'->>'kind' IS DISTINCT FROM 'reaction'
             ORDER BY message.sequence_number DESC LIMIT 1) last",
    )
    .bind(client.0)
    .bind(chats.iter().map(|chat| chat.0).collect::<Vec<_>>())
    .bind(TEXT_READ)
    .fetch_all(db)
    .await?;
    rows.into_iter().map(|row| Ok((ParticipantId(row.participant_id), LastMessage::try_from(row)?))).collect()
}
