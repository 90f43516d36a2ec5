//! What is shown of the chats, messages and people that events name: as they are when the events are sent, read for many at
//! once.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    chat::{ContentType, Direction, ParticipantState},
    content::OutboundContent,
    delivery::DeliveryState,
    ids::{ChatMessageId, ClientId, CustomerId, MediaId, MessageId, ParticipantId, TeamId, UserId},
};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    Result,
    chat::lists::{self, ShownCustomer},
    stored::{self, Stored, known},
};

/// A chat, as far as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownChat {
    /// The `chatParticipantId`.
    pub id: ParticipantId,
    /// Where it takes place.
    pub channel: Channel,
    /// What the business is reached at.
    pub inbox_address: Option<String>,
    /// Who has it.
    pub state: ParticipantState,
    /// Nobody answered in time.
    pub missed: bool,
    /// Began outside business hours.
    pub after_hours: bool,
    /// The customer has been asked for a rating.
    pub send_rating: bool,
    /// The agent who has it.
    pub agent: Option<UserId>,
    /// The agent who had it last.
    pub last_agent: Option<UserId>,
    /// The team that it waits for or belongs to, and its name.
    pub team: Option<(TeamId, String)>,
    /// Messages that no agent has seen.
    pub unread: i32,
    /// When the last message was written.
    pub last_message_at: DateTime<Utc>,
    /// Who writes, as lists of chats show it.
    pub customer: Option<ShownCustomer>,
}

#[derive(sqlx::FromRow)]
struct ChatRow {
    id: Uuid,
    channel: String,
    inbox_address: Option<String>,
    state: String,
    missed: bool,
    after_hours: bool,
    send_rating: bool,
    assigned_agent_id: Option<Uuid>,
    last_assigned_agent_id: Option<Uuid>,
    team_id: Option<Uuid>,
    team_name: Option<String>,
    unread: i32,
    last_message_at: DateTime<Utc>,
    customer_id: Uuid,
}

impl ChatRow {
    fn shown(self, customers: &HashMap<CustomerId, ShownCustomer>) -> Result<ShownChat> {
        let row = self;
        Ok(ShownChat {
            id: ParticipantId(row.id),
            channel: known("participant", "channel", &row.channel, |name| name.parse().ok())?,
            inbox_address: row.inbox_address,
            state: known("participant", "state", &row.state, ParticipantState::from_name)?,
            missed: row.missed,
            after_hours: row.after_hours,
            send_rating: row.send_rating,
            agent: row.assigned_agent_id.map(UserId),
            last_agent: row.last_assigned_agent_id.map(UserId),
            team: row.team_id.map(TeamId).zip(row.team_name),
            unread: row.unread,
            last_message_at: row.last_message_at,
            customer: customers.get(&CustomerId(row.customer_id)).cloned(),
        })
    }
}

/// These chats.
pub async fn chats(db: &mut PgConnection, client: ClientId, ids: &[ParticipantId]) -> Result<Vec<ShownChat>> {
    let rows: Vec<ChatRow> = sqlx::query_as(
        "SELECT chat.id, chat.channel, inbox.address AS inbox_address, chat.state, chat.missed, chat.after_hours,
                chat.send_rating, chat.assigned_agent_id, chat.last_assigned_agent_id, chat.team_id, team.name AS team_name,
                chat.unread, chat.last_message_at, chat.customer_id
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) given
         CROSS JOIN LATERAL (
             SELECT * FROM participant WHERE client_id = given.client_id AND id = given.id OFFSET 0) chat
         CROSS JOIN LATERAL (
             SELECT address FROM inbox WHERE client_id = given.client_id AND id = chat.inbox_id OFFSET 0) inbox
         LEFT JOIN LATERAL (
             SELECT name FROM team WHERE client_id = given.client_id AND id = chat.team_id OFFSET 0) team ON true",
    )
    .bind(client.0)
    .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
    .fetch_all(&mut *db)
    .await?;
    let customers: Vec<CustomerId> = rows.iter().map(|row| CustomerId(row.customer_id)).collect();
    let customers = lists::customers(db, client, &customers).await?;
    rows.into_iter().map(|row| row.shown(&customers)).collect()
}

/// A message, as far as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownMessage {
    /// Its id.
    pub id: ChatMessageId,
    /// The chat.
    pub chat: ParticipantId,
    /// Its place in the chat.
    pub sequence: i64,
    /// From or to the customer.
    pub direction: Direction,
    /// What kind of content it is.
    pub content_type: ContentType,
    /// What people read.
    pub body: Option<String>,
    /// Our file that came with it, and its extension.
    pub media: Option<(MediaId, String)>,
    /// The address of a file that was sent by link.
    pub media_url: Option<String>,
    /// `CUSTOMER`, `BOT`, or the agent's name.
    pub owner: String,
    /// An agent wrote it.
    pub by_agent: bool,
    /// The name that its sender gave it.
    pub temp_id: Option<String>,
    /// The client's tracking id.
    pub ct_id: Option<String>,
    /// The system's tracking id.
    pub gst_id: String,
    /// The provider's id.
    pub provider_id: Option<String>,
    /// Provider id of the message that it quotes.
    pub quoted_provider_id: Option<String>,
    /// Delivery state of an outgoing message.
    pub status: Option<DeliveryState>,
    /// When it was written.
    pub created_at: DateTime<Utc>,
}

impl ShownMessage {
    /// The message on its way to the customer that this is, when it did not arrive.
    pub fn failed(&self) -> Option<MessageId> {
        self.gst_id.parse().ok().filter(|_| self.status == Some(DeliveryState::Failed))
    }
}

#[derive(sqlx::FromRow)]
struct MessageRow {
    id: Uuid,
    participant_id: Uuid,
    sequence_number: i64,
    direction: String,
    content_type: String,
    body: Option<String>,
    content: Option<Stored>,
    media_id: Option<Uuid>,
    extension: Option<String>,
    owner: String,
    by_agent: bool,
    temp_id: Option<String>,
    ct_id: Option<String>,
    gst_id: String,
    provider_id: Option<String>,
    quoted_provider_id: Option<String>,
    state: Option<String>,
    created_at: DateTime<Utc>,
}

impl TryFrom<MessageRow> for ShownMessage {
    type Error = crate::Error;

    fn try_from(row: MessageRow) -> Result<Self> {
        let content: Option<OutboundContent> = stored::read_optional("chat_message", "content", row.content.as_ref())?;
        let media_url = match content {
            Some(OutboundContent::Media(file)) => Some(file.url),
            _ => None,
        };
        let state = |name: String| known("chat_message", "state", &name, |name| name.parse().ok());
        Ok(Self {
            id: ChatMessageId(row.id),
            chat: ParticipantId(row.participant_id),
            sequence: row.sequence_number,
            direction: known("chat_message", "direction", &row.direction, Direction::from_name)?,
            content_type: known("chat_message", "content_type", &row.content_type, ContentType::from_name)?,
            body: row.body,
            media: row.media_id.map(|id| (MediaId(id), row.extension.unwrap_or_default())),
            media_url,
            owner: row.owner,
            by_agent: row.by_agent,
            temp_id: row.temp_id,
            ct_id: row.ct_id,
            gst_id: row.gst_id,
            provider_id: row.provider_id,
            quoted_provider_id: row.quoted_provider_id,
            status: row.state.map(state).transpose()?,
            created_at: row.created_at,
        })
    }
}

/// These messages; those that are forgotten are missing.
pub async fn messages(db: &mut PgConnection, client: ClientId, ids: &[ChatMessageId]) -> Result<Vec<ShownMessage>> {
    let rows: Vec<MessageRow> = sqlx::query_as(
        "SELECT message.id, message.participant_id, message.sequence_number, message.direction, message.content_type,
                message.body, CASE WHEN message.direction = 'OUTGOING' THEN message.content END AS content,
                message.media_id, file.extension, message.owner, message.agent_id IS NOT NULL AS by_agent, message.temp_id,
                message.ct_id, message.gst_id, message.provider_id, message.quoted_provider_id, message.state,
                message.created_at
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) given
         CROSS JOIN LATERAL (
             SELECT * FROM chat_message WHERE client_id = given.client_id AND id = given.id OFFSET 0) message
         LEFT JOIN LATERAL (
             SELECT extension FROM media WHERE client_id = given.client_id AND id = message.media_id OFFSET 0) file ON true",
    )
    .bind(client.0)
    .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    rows.into_iter().map(ShownMessage::try_from).collect()
}

/// A user: name and team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownUser {
    /// The name that people read.
    pub name: String,
    /// The team.
    pub team: Option<TeamId>,
}

/// These users.
pub async fn users(db: &mut PgConnection, client: ClientId, ids: &[UserId]) -> Result<HashMap<UserId, ShownUser>> {
    let rows: Vec<(Uuid, String, Option<Uuid>)> = sqlx::query_as(
        "SELECT member.id, member.name, member.team_id
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) given
         CROSS JOIN LATERAL (
             SELECT id, name, team_id FROM client_user
             WHERE client_id = given.client_id AND id = given.id OFFSET 0) member",
    )
    .bind(client.0)
    .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let user =
        |(id, name, team): (Uuid, String, Option<Uuid>)| (UserId(id), ShownUser { name, team: team.map(TeamId) });
    Ok(rows.into_iter().map(user).collect())
}
