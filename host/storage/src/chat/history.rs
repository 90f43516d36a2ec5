//! Messages of a chat for agents (SPEC 2.7), with author, quoted message and delivery state.

use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    chat::{ChatContent, ContentType, Direction},
    delivery::DeliveryState,
    ids::{ChatMessageId, ClientId, MediaId, MessageId, ParticipantId, UserId},
};
use uuid::Uuid;

use super::{chat_messages, participants};
use crate::{
    Error, PgConnection, Result,
    column_values::{UnreadJson, read_value},
};

#[derive(Debug, Clone, PartialEq)]
pub struct PastMessage {
    pub id: ChatMessageId,
    pub participant: ParticipantId,
    pub sequence: i64,
    pub content_type: ContentType,
    pub channel: Channel,
    pub body: Option<String>,
    pub content: ChatContent,
    /// Its file, and the extension of the file's name.
    pub file: Option<(MediaId, String)>,
    /// `CUSTOMER`, `BOT`, or the agent's name.
    pub owner: String,
    /// The text of a team outside its hours.
    pub after_hours: bool,
    pub agent: Option<UserId>,
    pub ct_id: Option<String>,
    pub gst_id: String,
    pub provider_id: Option<String>,
    pub quoted_provider_id: Option<String>,
    /// The quoted message and its text, if it is known.
    pub quoted: Option<(ChatMessageId, Option<String>)>,
    pub state: Option<DeliveryState>,
    /// The name that the sender gave it (`tempId`).
    pub temp_id: Option<String>,
    pub played_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub edited_at: Option<DateTime<Utc>>,
    /// When its author deleted it. It has no content then.
    pub deleted_at: Option<DateTime<Utc>>,
}

impl PastMessage {
    pub fn failed(&self) -> Option<MessageId> {
        self.gst_id.parse().ok().filter(|_| self.state == Some(DeliveryState::Failed))
    }

    /// True if the customer played it; `None` if it is not our voice note.
    pub fn played(&self) -> Option<bool> {
        let was_played = self.played_at.is_some() || self.state == Some(DeliveryState::Played);
        self.content.details().is_voice.then_some(was_played)
    }

    pub fn extension(&self) -> Option<&str> {
        self.file.as_ref().map(|(_, extension)| extension.as_str()).filter(|extension| !extension.is_empty())
    }
}

#[derive(sqlx::FromRow)]
struct PastRow {
    id: Uuid,
    participant_id: Uuid,
    sequence_number: i64,
    direction: String,
    content_type: String,
    channel: String,
    body: Option<String>,
    content: UnreadJson,
    media_id: Option<Uuid>,
    extension: Option<String>,
    owner: String,
    after_hours: bool,
    agent_id: Option<Uuid>,
    ct_id: Option<String>,
    gst_id: String,
    provider_id: Option<String>,
    quoted_provider_id: Option<String>,
    quoted_id: Option<Uuid>,
    quoted_body: Option<String>,
    state: Option<String>,
    temp_id: Option<String>,
    played_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    edited_at: Option<DateTime<Utc>>,
    deleted_at: Option<DateTime<Utc>>,
}

impl TryFrom<PastRow> for PastMessage {
    type Error = Error;

    fn try_from(row: PastRow) -> Result<Self> {
        let direction = read_value("chat_message", "direction", &row.direction, Direction::from_name)?;
        let state = |text: &str| read_value("chat_message", "state", text, |name| name.parse().ok());
        Ok(Self {
            id: ChatMessageId(row.id),
            participant: ParticipantId(row.participant_id),
            sequence: row.sequence_number,
            content_type: read_value("chat_message", "content_type", &row.content_type, ContentType::from_name)?,
            channel: participants::chat_channel(&row.channel)?,
            body: row.body,
            content: chat_messages::read_content(direction, &row.content)?,
            file: row.media_id.map(|id| (MediaId(id), row.extension.unwrap_or_default())),
            owner: row.owner,
            after_hours: row.after_hours,
            agent: row.agent_id.map(UserId),
            ct_id: row.ct_id,
            gst_id: row.gst_id,
            provider_id: row.provider_id,
            quoted_provider_id: row.quoted_provider_id,
            quoted: row.quoted_id.map(|id| (ChatMessageId(id), row.quoted_body)),
            state: row.state.as_deref().map(state).transpose()?,
            temp_id: row.temp_id,
            played_at: row.played_at,
            created_at: row.created_at,
            edited_at: row.edited_at,
            deleted_at: row.deleted_at,
        })
    }
}

fn messages(rows: Vec<PastRow>) -> Result<Vec<PastMessage>> {
    rows.into_iter().map(PastMessage::try_from).collect()
}

pub const PART_BYTES: i64 = 2 * 1024 * 1024;

/// Up to `limit` messages before `before`, or at the end, oldest first, of at most [`PART_BYTES`] or one message.
pub async fn before(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<PastMessage>> {
    let rows: Vec<PastRow> = sqlx::query_as(
        "SELECT one.client_id, one.id, one.participant_id, one.sequence_number, one.direction, one.channel,
                one.content_type, one.body, one.content, one.media_id, one.owner, one.agent_id, one.temp_id,
                one.ct_id, one.gst_id, one.provider_id, one.quoted_provider_id, one.state, one.played_at,
                one.edited_at, one.deleted_at, one.created_at, one.after_hours,
                media.extension, quoted.id AS quoted_id, quoted.body AS quoted_body
         FROM (SELECT latest.*,
                      sum(coalesce(octet_length(latest.body), 0) + octet_length(latest.content::text))
                          OVER (ORDER BY latest.sequence_number DESC) AS bytes,
                      row_number() OVER (ORDER BY latest.sequence_number DESC) AS place
               FROM (SELECT * FROM chat_message
                     WHERE client_id = $1 AND participant_id = $2
                       AND sequence_number < COALESCE($3::bigint, 9223372036854775807)
                     ORDER BY sequence_number DESC LIMIT $4) latest) one
         LEFT JOIN media ON media.client_id = one.client_id AND media.id = one.media_id
         LEFT JOIN provider_message named
                ON named.client_id = one.client_id AND named.provider_id = one.quoted_provider_id
         LEFT JOIN LATERAL (
             SELECT id, body FROM chat_message other
             WHERE other.client_id = named.client_id AND other.id = named.chat_message_id OFFSET 0) quoted ON true
         WHERE one.bytes <= $5 OR one.place = 1
         ORDER BY one.sequence_number",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(before)
    .bind(limit)
    .bind(PART_BYTES)
    .fetch_all(db)
    .await?;
    messages(rows)
}

pub async fn of_ids(db: &mut PgConnection, client: ClientId, ids: &[ChatMessageId]) -> Result<Vec<PastMessage>> {
    let rows: Vec<PastRow> = sqlx::query_as(
        "SELECT one.client_id, one.id, one.participant_id, one.sequence_number, one.direction, one.channel,
                one.content_type, one.body, one.content, one.media_id, one.owner, one.agent_id, one.temp_id,
                one.ct_id, one.gst_id, one.provider_id, one.quoted_provider_id, one.state, one.played_at,
                one.edited_at, one.deleted_at, one.created_at, one.after_hours,
                media.extension, quoted.id AS quoted_id, quoted.body AS quoted_body
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[]) AS asked (id) OFFSET 0) wanted
         JOIN chat_message one ON one.client_id = wanted.client_id AND one.id = wanted.id
         LEFT JOIN media ON media.client_id = one.client_id AND media.id = one.media_id
         LEFT JOIN provider_message named
                ON named.client_id = one.client_id AND named.provider_id = one.quoted_provider_id
         LEFT JOIN LATERAL (
             SELECT id, body FROM chat_message other
             WHERE other.client_id = named.client_id AND other.id = named.chat_message_id OFFSET 0) quoted ON true
         ORDER BY one.id",
    )
    .bind(client.0)
    .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    messages(rows)
}

pub async fn one(db: &mut PgConnection, client: ClientId, id: ChatMessageId) -> Result<Option<PastMessage>> {
    Ok(of_ids(db, client, &[id]).await?.pop())
}

pub async fn by_tracking_id(db: &mut PgConnection, client: ClientId, id: Uuid) -> Result<Option<PastMessage>> {
    let delivers: Option<Uuid> = sqlx::query_scalar(
        "SELECT chat_message_id FROM outbound_message WHERE client_id = $1 AND id = $2 AND chat_message_id IS NOT NULL",
    )
    .bind(client.0)
    .bind(id)
    .fetch_optional(&mut *db)
    .await?;
    one(db, client, ChatMessageId(delivers.unwrap_or(id))).await
}

pub async fn by_ct_id(db: &mut PgConnection, client: ClientId, ct_id: &str) -> Result<Option<PastMessage>> {
    let newest: Option<Uuid> = sqlx::query_scalar(
        "SELECT id FROM chat_message WHERE client_id = $1 AND ct_id = $2 AND ct_id IS NOT NULL ORDER BY id DESC LIMIT 1",
    )
    .bind(client.0)
    .bind(ct_id)
    .fetch_optional(&mut *db)
    .await?;
    match newest {
        Some(id) => one(db, client, ChatMessageId(id)).await,
        None => Ok(None),
    }
}

/// Returns the message of a chat with this `tempId`. With the lock of the chat the answer is final.
pub async fn by_temp_id(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    temp_id: &str,
) -> Result<Option<PastMessage>> {
    let sent: Option<Uuid> = sqlx::query_scalar(
        "SELECT id FROM chat_message WHERE client_id = $1 AND participant_id = $2 AND temp_id = $3 AND temp_id IS NOT NULL
         LIMIT 1",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(temp_id)
    .fetch_optional(&mut *db)
    .await?;
    match sent {
        Some(id) => one(db, client, ChatMessageId(id)).await,
        None => Ok(None),
    }
}

pub async fn last_incoming(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
) -> Result<Option<String>> {
    Ok(sqlx::query_scalar(
        "SELECT provider_id FROM chat_message
         WHERE client_id = $1 AND participant_id = $2 AND direction = 'INCOMING' AND provider_id IS NOT NULL
         ORDER BY sequence_number DESC LIMIT 1",
    )
    .bind(client.0)
    .bind(participant.0)
    .fetch_optional(db)
    .await?)
}

/// Marks all messages of a chat as seen. With `only_of`, changes nothing if another agent has the chat.
pub async fn mark_seen(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    only_of: Option<UserId>,
) -> Result<()> {
    sqlx::query(
        "UPDATE participant SET unread = 0
         WHERE client_id = $1 AND id = $2 AND unread <> 0
           AND ($3::uuid IS NULL OR state <> 'ACTIVE' OR assigned_agent_id = $3)",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(only_of.map(|agent| agent.0))
    .execute(db)
    .await?;
    Ok(())
}
