//! Messages of live chats (SPEC 2.7), and the messages that provider ids of quotes refer to.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    chat::{ChatContent, ContentType, Direction, ReceivedContent},
    clock::first_id_at,
    content::OutboundContent,
    delivery::DeliveryState,
    ids::{ChatMessageId, ClientId, ConversationId, MediaId, MessageId, ParticipantId, UserId},
};
use serde::Serialize;
use sqlx::types::Json;
use uuid::Uuid;

use crate::{
    Error, PgConnection, Result,
    column_values::{self, UnreadJson, VersionedJson, read_value},
};

#[derive(Debug, Clone)]
pub struct NewChatMessage {
    pub id: ChatMessageId,
    pub participant: ParticipantId,
    pub sequence: i64,
    pub content_type: ContentType,
    pub channel: Channel,
    pub body: Option<String>,
    /// The content; it determines the direction.
    pub content: ChatContent,
    pub media: Option<MediaId>,
    /// `CUSTOMER`, `BOT`, or the agent's name.
    pub owner: String,
    /// The text of a team outside its hours.
    pub after_hours: bool,
    pub agent: Option<UserId>,
    pub ct_id: Option<String>,
    /// The name that the sender gave it (`tempId`).
    pub temp_id: Option<String>,
    pub gst_id: String,
    /// The provider's id. An outgoing message gets it when it is sent.
    pub provider_id: Option<String>,
    pub quoted_provider_id: Option<String>,
    pub state: Option<DeliveryState>,
    pub created_at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ChatMessage {
    pub id: ChatMessageId,
    pub participant: ParticipantId,
    pub sequence: i64,
    pub content_type: ContentType,
    pub body: Option<String>,
    pub content: ChatContent,
    pub media: Option<MediaId>,
    pub gst_id: String,
    pub provider_id: Option<String>,
    pub quoted_provider_id: Option<String>,
    pub created_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct ChatMessageRow {
    id: Uuid,
    participant_id: Uuid,
    sequence_number: i64,
    direction: String,
    content_type: String,
    body: Option<String>,
    content: UnreadJson,
    media_id: Option<Uuid>,
    gst_id: String,
    provider_id: Option<String>,
    quoted_provider_id: Option<String>,
    created_at: DateTime<Utc>,
}

impl TryFrom<ChatMessageRow> for ChatMessage {
    type Error = Error;

    fn try_from(row: ChatMessageRow) -> Result<Self> {
        let direction = read_value("chat_message", "direction", &row.direction, Direction::from_name)?;
        let content = read_content(direction, &row.content)?;
        Ok(Self {
            id: ChatMessageId(row.id),
            participant: ParticipantId(row.participant_id),
            sequence: row.sequence_number,
            content_type: read_value("chat_message", "content_type", &row.content_type, ContentType::from_name)?,
            body: row.body,
            content,
            media: row.media_id.map(MediaId),
            gst_id: row.gst_id,
            provider_id: row.provider_id,
            quoted_provider_id: row.quoted_provider_id,
            created_at: row.created_at,
        })
    }
}

pub(super) fn read_content(direction: Direction, stored: &UnreadJson) -> Result<ChatContent> {
    Ok(match direction {
        Direction::Incoming => {
            let content: ReceivedContent = column_values::read("chat_message", "content", stored)?;
            ChatContent::Incoming(Box::new(content))
        }
        Direction::Outgoing => {
            let content: OutboundContent = column_values::read("chat_message", "content", stored)?;
            ChatContent::Outgoing(Box::new(content))
        }
    })
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ContentColumn<'c> {
    Incoming(&'c ReceivedContent),
    Outgoing(&'c OutboundContent),
}

pub(super) fn content_column(content: &ChatContent) -> Json<VersionedJson<ContentColumn<'_>>> {
    column_values::write(match content {
        ChatContent::Incoming(content) => ContentColumn::Incoming(content),
        ChatContent::Outgoing(content) => ContentColumn::Outgoing(content),
    })
}

pub async fn insert(db: &mut PgConnection, client: ClientId, message: &NewChatMessage) -> Result<()> {
    sqlx::query(
        "INSERT INTO chat_message (client_id, id, participant_id, sequence_number, direction, content_type, channel, body,
             content, media_id, owner, ct_id, gst_id, provider_id, quoted_provider_id, state, created_at,
             agent_id, temp_id, after_hours)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)",
    )
    .bind(client.0)
    .bind(message.id.0)
    .bind(message.participant.0)
    .bind(message.sequence)
    .bind(message.content.direction().as_str())
    .bind(message.content_type.as_str())
    .bind(message.channel.as_str())
    .bind(message.body.as_deref())
    .bind(content_column(&message.content))
    .bind(message.media.map(|media| media.0))
    .bind(&message.owner)
    .bind(message.ct_id.as_deref())
    .bind(&message.gst_id)
    .bind(message.provider_id.as_deref())
    .bind(message.quoted_provider_id.as_deref())
    .bind(message.state.map(DeliveryState::as_str))
    .bind(message.created_at)
    .bind(message.agent.map(|agent| agent.0))
    .bind(message.temp_id.as_deref())
    .bind(message.after_hours)
    .execute(db)
    .await?;
    Ok(())
}

/// Claims provider ids for incoming messages. Returns the messages whose id is new; the others are repetitions.
pub async fn claim_provider_ids(
    db: &mut PgConnection,
    client: ClientId,
    claims: &[(&str, ChatMessageId)],
) -> Result<HashSet<ChatMessageId>> {
    let claimed: Vec<Uuid> = sqlx::query_scalar(
        "INSERT INTO provider_message (client_id, provider_id, chat_message_id)
         SELECT $1, * FROM unnest($2::text[], $3::uuid[]) ON CONFLICT DO NOTHING RETURNING chat_message_id",
    )
    .bind(client.0)
    .bind(claims.iter().map(|(provider_id, _)| *provider_id).collect::<Vec<_>>())
    .bind(claims.iter().map(|(_, message)| message.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(claimed.into_iter().map(ChatMessageId).collect())
}

/// A new delivery state of a message. `provider_id`: kept if the message has none yet.
#[derive(Debug, Clone, Copy)]
pub struct MessageDelivery<'a> {
    pub state: DeliveryState,
    pub at: DateTime<Utc>,
    pub provider_id: Option<&'a str>,
}

pub async fn set_delivery(
    db: &mut PgConnection,
    client: ClientId,
    message: ChatMessageId,
    MessageDelivery { state, at, provider_id }: MessageDelivery<'_>,
) -> Result<()> {
    sqlx::query(
        "UPDATE chat_message SET state = $3, provider_id = COALESCE(provider_id, $4),
             played_at = CASE WHEN $3 = 'PLAYED' THEN COALESCE(played_at, $5) ELSE played_at END
         WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(message.0)
    .bind(state.as_str())
    .bind(provider_id)
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn find(db: &mut PgConnection, client: ClientId, id: ChatMessageId) -> Result<Option<ChatMessage>> {
    let row: Option<ChatMessageRow> = sqlx::query_as(
        "SELECT id, participant_id, sequence_number, direction, content_type, body, content, media_id, gst_id, provider_id,
                quoted_provider_id, created_at
         FROM chat_message WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(id.0)
    .fetch_optional(db)
    .await?;
    row.map(ChatMessage::try_from).transpose()
}

/// Whether a chat has a message with this sequence number that is younger than `since`.
pub async fn is_younger_than(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    sequence: i64,
    since: DateTime<Utc>,
) -> Result<bool> {
    let found = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM chat_message
                        WHERE client_id = $1 AND participant_id = $2 AND sequence_number = $3 AND id >= $4
                          AND created_at > $5)",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(sequence)
    .bind(first_id_at(since))
    .bind(since)
    .fetch_one(db)
    .await?;
    Ok(found)
}

/// The file of a message that the customer wrote in this chat.
pub async fn received_file(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    id: ChatMessageId,
) -> Result<Option<MediaId>> {
    let file: Option<Option<Uuid>> = sqlx::query_scalar(
        "SELECT media_id FROM chat_message
         WHERE client_id = $1 AND id = $2 AND participant_id = $3 AND direction = 'INCOMING'",
    )
    .bind(client.0)
    .bind(id.0)
    .bind(participant.0)
    .fetch_optional(db)
    .await?;
    Ok(file.flatten().map(MediaId))
}

pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<ChatMessage>> {
    let rows: Vec<ChatMessageRow> = sqlx::query_as(
        "SELECT id, participant_id, sequence_number, direction, content_type, body, content, media_id, gst_id, provider_id,
                quoted_provider_id, created_at
         FROM chat_message WHERE client_id = $1 AND participant_id = $2 AND ($3::bigint IS NULL OR sequence_number < $3)
         ORDER BY sequence_number DESC LIMIT $4",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(before)
    .bind(limit)
    .fetch_all(db)
    .await?;
    rows.into_iter().map(ChatMessage::try_from).collect()
}

#[derive(Debug, Clone, PartialEq)]
pub struct QuotedMessage {
    pub chat_message: Option<ChatMessageId>,
    pub outbound_message: Option<MessageId>,
    pub gst_id: String,
    pub ct_id: Option<String>,
    pub conversation: Option<ConversationId>,
    pub body: Option<String>,
    pub content: Option<OutboundContent>,
}

#[derive(sqlx::FromRow)]
struct QuotedRow {
    chat_message_id: Option<Uuid>,
    outbound_message_id: Option<Uuid>,
    gst_id: Option<String>,
    ct_id: Option<String>,
    conversation_id: Option<Uuid>,
    body: Option<String>,
    content: Option<UnreadJson>,
}

pub async fn find_quoted(db: &mut PgConnection, client: ClientId, provider_id: &str) -> Result<Option<QuotedMessage>> {
    let row: Option<QuotedRow> = sqlx::query_as(
        "SELECT known.chat_message_id, known.outbound_message_id, COALESCE(sent.gst_id, chat.gst_id) AS gst_id,
                COALESCE(sent.ct_id, chat.ct_id) AS ct_id, sent.conversation_id, chat.body, part.content
         FROM provider_message known
         LEFT JOIN LATERAL (
             SELECT * FROM chat_message one
             WHERE one.client_id = known.client_id AND one.id = known.chat_message_id OFFSET 0) chat ON true
         LEFT JOIN LATERAL (
             SELECT * FROM outbound_message one
             WHERE one.client_id = known.client_id AND one.id = known.outbound_message_id OFFSET 0) sent ON true
         LEFT JOIN LATERAL (
             SELECT * FROM outbound_part one
             WHERE one.client_id = known.client_id AND one.id = sent.part_id OFFSET 0) part ON true
         WHERE known.client_id = $1 AND known.provider_id = $2",
    )
    .bind(client.0)
    .bind(provider_id)
    .fetch_optional(db)
    .await?;
    quoted_of(row)
}

/// The message that we sent under this id, in the form of [`find_quoted`].
pub async fn quoted_outbound(
    db: &mut PgConnection,
    client: ClientId,
    message: MessageId,
) -> Result<Option<QuotedMessage>> {
    let row: Option<QuotedRow> = sqlx::query_as(
        "SELECT sent.chat_message_id, sent.id AS outbound_message_id, sent.gst_id, sent.ct_id, sent.conversation_id,
                chat.body, part.content
         FROM outbound_message sent
         LEFT JOIN LATERAL (
             SELECT * FROM chat_message one
             WHERE one.client_id = sent.client_id AND one.id = sent.chat_message_id OFFSET 0) chat ON true
         LEFT JOIN LATERAL (
             SELECT * FROM outbound_part one
             WHERE one.client_id = sent.client_id AND one.id = sent.part_id OFFSET 0) part ON true
         WHERE sent.client_id = $1 AND sent.id = $2",
    )
    .bind(client.0)
    .bind(message.0)
    .fetch_optional(db)
    .await?;
    quoted_of(row)
}

/// Returns the given provider ids whose messages the business sent without us.
pub async fn find_imported(db: &mut PgConnection, client: ClientId, provider_ids: &[&str]) -> Result<HashSet<String>> {
    let imported: Vec<String> = sqlx::query_scalar(
        "SELECT known.provider_id
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::text[]) AS id OFFSET 0) wanted
         JOIN provider_message known ON known.client_id = wanted.client_id AND known.provider_id = wanted.id
         WHERE known.outbound_message_id IS NULL",
    )
    .bind(client.0)
    .bind(provider_ids)
    .fetch_all(db)
    .await?;
    Ok(imported.into_iter().collect())
}

fn quoted_of(row: Option<QuotedRow>) -> Result<Option<QuotedMessage>> {
    let Some(row) = row else { return Ok(None) };
    let content = column_values::read_optional("outbound_part", "content", row.content.as_ref())?;
    // The row outlives its message by a little, because retention drops partitions first.
    Ok(row.gst_id.map(|gst_id| QuotedMessage {
        chat_message: row.chat_message_id.map(ChatMessageId),
        outbound_message: row.outbound_message_id.map(MessageId),
        gst_id,
        ct_id: row.ct_id,
        conversation: row.conversation_id.map(ConversationId),
        body: row.body,
        content,
    }))
}
