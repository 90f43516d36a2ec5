//! Edits and deletions of messages: `chat_message` has the present content, `message_version` the earlier ones.

use chrono::{DateTime, Utc};
use domain::{
    chat::{ChatContent, ContentType, Direction},
    ids::{ChatMessageId, ClientId, MediaId, ParticipantId},
};
use uuid::Uuid;

use super::chat_messages;
use crate::{
    PgConnection, Result,
    column_values::{UnreadJson, read_value},
};

#[derive(Debug, Clone, PartialEq)]
pub struct DatedContent {
    pub content_type: ContentType,
    pub body: Option<String>,
    pub content: ChatContent,
    pub media: Option<MediaId>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ChangeableMessage {
    pub id: ChatMessageId,
    pub participant: ParticipantId,
    pub wording: DatedContent,
    pub created_at: DateTime<Utc>,
    pub edited_at: Option<DateTime<Utc>>,
    pub deleted_at: Option<DateTime<Utc>>,
}

impl ChangeableMessage {
    pub fn since(&self) -> DateTime<Utc> {
        self.deleted_at.or(self.edited_at).unwrap_or(self.created_at)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct MessageVersion {
    pub wording: DatedContent,
    pub written_at: DateTime<Utc>,
    pub replaced_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct WordingRow {
    direction: String,
    content_type: String,
    body: Option<String>,
    content: UnreadJson,
    media_id: Option<Uuid>,
}

impl WordingRow {
    /// `table`: the table of the row, for errors.
    fn read(self, table: &'static str) -> Result<DatedContent> {
        let direction = read_value("chat_message", "direction", &self.direction, Direction::from_name)?;
        Ok(DatedContent {
            content_type: read_value(table, "content_type", &self.content_type, ContentType::from_name)?,
            body: self.body,
            content: chat_messages::read_content(direction, &self.content)?,
            media: self.media_id.map(MediaId),
        })
    }
}

#[derive(sqlx::FromRow)]
struct ChangingRow {
    id: Uuid,
    participant_id: Uuid,
    #[sqlx(flatten)]
    wording: WordingRow,
    created_at: DateTime<Utc>,
    edited_at: Option<DateTime<Utc>>,
    deleted_at: Option<DateTime<Utc>>,
}

#[derive(sqlx::FromRow)]
struct VersionRow {
    #[sqlx(flatten)]
    wording: WordingRow,
    written_at: DateTime<Utc>,
    replaced_at: DateTime<Utc>,
}

pub async fn by_provider_id(
    db: &mut PgConnection,
    client: ClientId,
    provider_id: &str,
) -> Result<Option<ChangeableMessage>> {
    let row: Option<ChangingRow> = sqlx::query_as(
        "SELECT id, participant_id, direction, content_type, body, content, media_id, created_at, edited_at, deleted_at
         FROM chat_message
         WHERE client_id = $1 AND id = (SELECT chat_message_id FROM provider_message WHERE client_id = $1 AND provider_id = $2)",
    )
    .bind(client.0)
    .bind(provider_id)
    .fetch_optional(db)
    .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(ChangeableMessage {
        id: ChatMessageId(row.id),
        participant: ParticipantId(row.participant_id),
        wording: row.wording.read("chat_message")?,
        created_at: row.created_at,
        edited_at: row.edited_at,
        deleted_at: row.deleted_at,
    }))
}

/// Stores an earlier content of a message after those that are stored. The caller has locked the chat.
pub async fn keep(
    db: &mut PgConnection,
    client: ClientId,
    message: ChatMessageId,
    version: &MessageVersion,
) -> Result<()> {
    let MessageVersion { wording, written_at, replaced_at } = version;
    sqlx::query(
        "INSERT INTO message_version (client_id, message_id, ordinal, content_type, body, content, media_id, written_at,
             replaced_at)
         SELECT $1, $2, COALESCE(max(ordinal), 0) + 1, $3, $4, $5, $6, $7, $8
         FROM message_version WHERE client_id = $1 AND message_id = $2",
    )
    .bind(client.0)
    .bind(message.0)
    .bind(wording.content_type.as_str())
    .bind(wording.body.as_deref())
    .bind(chat_messages::content_column(&wording.content))
    .bind(wording.media.map(|media| media.0))
    .bind(written_at)
    .bind(replaced_at)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn replace(db: &mut PgConnection, client: ClientId, message: &ChangeableMessage) -> Result<()> {
    let DatedContent { content_type, body, content, media } = &message.wording;
    sqlx::query(
        "UPDATE chat_message SET content_type = $3, body = $4, content = $5, media_id = $6, edited_at = $7, deleted_at = $8
         WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(message.id.0)
    .bind(content_type.as_str())
    .bind(body.as_deref())
    .bind(chat_messages::content_column(content))
    .bind(media.map(|media| media.0))
    .bind(message.edited_at)
    .bind(message.deleted_at)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn of_message(
    db: &mut PgConnection,
    client: ClientId,
    message: ChatMessageId,
) -> Result<Vec<MessageVersion>> {
    let rows: Vec<VersionRow> = sqlx::query_as(
        "SELECT now.direction, was.content_type, was.body, was.content, was.media_id, was.written_at, was.replaced_at
         FROM message_version was JOIN chat_message now ON now.client_id = was.client_id AND now.id = was.message_id
         WHERE was.client_id = $1 AND was.message_id = $2 AND now.id = $2 ORDER BY was.written_at, was.ordinal",
    )
    .bind(client.0)
    .bind(message.0)
    .fetch_all(db)
    .await?;
    let version = |row: VersionRow| {
        Ok(MessageVersion {
            wording: row.wording.read("message_version")?,
            written_at: row.written_at,
            replaced_at: row.replaced_at,
        })
    };
    rows.into_iter().map(version).collect()
}
