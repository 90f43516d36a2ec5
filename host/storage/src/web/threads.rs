//! A chat as its visitor sees it. Messages get their numbers under the lock of the chat, so a reader misses none.

use chrono::{DateTime, Utc};
use domain::{
    chat::{ChatContent, ContentType, Direction, ParticipantState, ReceivedContent},
    content::OutboundContent,
    delivery::DeliveryState,
    ids::{ChatMessageId, ClientId, InboxId, MediaId, ParticipantId},
};
use uuid::Uuid;

use crate::{
    Error, PgConnection, Result,
    column_values::{self, UnreadJson, read_value},
};

#[derive(Debug, Clone, PartialEq)]
pub struct Thread {
    pub visitor: String,
    pub participant: ParticipantId,
    pub next_sequence: i64,
    pub state: ParticipantState,
    pub agent: Option<String>,
    pub after_hours: bool,
    pub unread: i32,
    /// Increases if its messages are renumbered.
    pub epoch: i32,
    pub typing_until: Option<DateTime<Utc>>,
    /// True if the visitor has become a user of the site: its token is no longer valid.
    pub joined: bool,
}

#[derive(sqlx::FromRow)]
struct ThreadRow {
    value: String,
    id: Uuid,
    next_sequence: i64,
    state: String,
    agent: Option<String>,
    after_hours: bool,
    unread: i32,
    epoch: Option<i32>,
    agent_typing_until: Option<DateTime<Utc>>,
    joined: bool,
}

/// Returns the chats of visitors of one site. Visitors without a chat are absent.
pub async fn of_visitors(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    visitors: &[String],
) -> Result<Vec<Thread>> {
    let rows: Vec<ThreadRow> = sqlx::query_as(
        "SELECT wanted.value, chat.id, chat.next_sequence, chat.state, agent.name AS agent, chat.after_hours, chat.unread,
                visitor.epoch, visitor.agent_typing_until, visitor.joined_to IS NOT NULL AS joined
         FROM (SELECT $1::uuid AS client_id, $2::uuid AS inbox_id, * FROM unnest($3::text[]) AS one (value) OFFSET 0) wanted
         JOIN customer_address known
              ON known.client_id = wanted.client_id AND known.kind = 'VISITOR' AND known.value = wanted.value
         JOIN participant chat
              ON chat.client_id = wanted.client_id AND chat.inbox_id = wanted.inbox_id
                 AND chat.customer_id = known.customer_id
         LEFT JOIN client_user agent ON agent.client_id = chat.client_id AND agent.id = chat.assigned_agent_id
         LEFT JOIN web_visitor visitor
              ON visitor.client_id = wanted.client_id AND visitor.inbox_id = wanted.inbox_id
                 AND visitor.visitor = wanted.value",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(visitors)
    .fetch_all(db)
    .await?;
    let read = |row: ThreadRow| {
        Ok(Thread {
            visitor: row.value,
            participant: ParticipantId(row.id),
            next_sequence: row.next_sequence,
            state: read_value("participant", "state", &row.state, ParticipantState::from_name)?,
            agent: row.agent,
            after_hours: row.after_hours,
            unread: row.unread,
            epoch: row.epoch.unwrap_or_default(),
            typing_until: row.agent_typing_until,
            joined: row.joined,
        })
    };
    rows.into_iter().map(read).collect()
}

#[derive(Debug, Clone, PartialEq)]
pub struct ThreadMessage {
    pub id: ChatMessageId,
    pub sequence: i64,
    pub content_type: ContentType,
    pub content: ChatContent,
    pub media: Option<MediaId>,
    pub owner: String,
    pub gst_id: String,
    pub provider_id: Option<String>,
    pub state: Option<DeliveryState>,
    pub quoted: Option<QuotedInThread>,
    pub created_at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotedInThread {
    pub id: ChatMessageId,
    pub body: Option<String>,
}

#[derive(sqlx::FromRow)]
struct MessageRow {
    id: Uuid,
    sequence_number: i64,
    direction: String,
    content_type: String,
    content: UnreadJson,
    media_id: Option<Uuid>,
    owner: String,
    gst_id: String,
    provider_id: Option<String>,
    state: Option<String>,
    quoted_id: Option<Uuid>,
    quoted_body: Option<String>,
    created_at: DateTime<Utc>,
    found: i64,
}

impl TryFrom<MessageRow> for ThreadMessage {
    type Error = Error;

    fn try_from(row: MessageRow) -> Result<Self> {
        let content = match read_value("chat_message", "direction", &row.direction, Direction::from_name)? {
            Direction::Incoming => {
                let content: ReceivedContent = column_values::read("chat_message", "content", &row.content)?;
                ChatContent::Incoming(Box::new(content))
            }
            Direction::Outgoing => {
                let content: OutboundContent = column_values::read("chat_message", "content", &row.content)?;
                ChatContent::Outgoing(Box::new(content))
            }
        };
        let state = row.state.as_deref();
        Ok(Self {
            id: ChatMessageId(row.id),
            sequence: row.sequence_number,
            content_type: read_value("chat_message", "content_type", &row.content_type, ContentType::from_name)?,
            content,
            media: row.media_id.map(MediaId),
            owner: row.owner,
            gst_id: row.gst_id,
            provider_id: row.provider_id,
            state: state
                .map(|state| read_value("chat_message", "state", state, |state| state.parse().ok()))
                .transpose()?,
            quoted: row.quoted_id.map(|id| QuotedInThread { id: ChatMessageId(id), body: row.quoted_body }),
            created_at: row.created_at,
        })
    }
}

/// How much of a chat is read at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadExtent {
    pub messages: usize,
    /// Most bytes of contents and quotes. One message may have more.
    pub bytes: usize,
}

fn rows_at_most(extent: ThreadExtent) -> i64 {
    i64::try_from(extent.messages).unwrap_or(i64::MAX)
}

fn bytes_at_most(extent: ThreadExtent) -> i64 {
    i64::try_from(extent.bytes).unwrap_or(i64::MAX)
}

#[derive(Debug, Clone, PartialEq)]
pub struct ThreadPage {
    pub messages: Vec<ThreadMessage>,
    /// True if there may be more in the direction of reading.
    pub more: bool,
}

impl ThreadPage {
    fn of(rows: Vec<MessageRow>, extent: ThreadExtent) -> Result<Self> {
        let found = rows.first().map_or(0, |row| row.found);
        let is_cut = i64::try_from(rows.len()).is_ok_and(|shown| shown < found);
        let more = is_cut || found >= rows_at_most(extent);
        Ok(Self { messages: rows.into_iter().map(ThreadMessage::try_from).collect::<Result<_>>()?, more })
    }
}

/// Returns the messages after a sequence number in order, as many as the extent allows.
pub async fn after(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    after: i64,
    extent: ThreadExtent,
) -> Result<ThreadPage> {
    let rows: Vec<MessageRow> = sqlx::query_as(
        "SELECT page.* FROM (
             SELECT one.id, one.sequence_number, one.direction, one.content_type, one.content, one.media_id, one.owner,
                    one.gst_id, one.provider_id, one.state, one.created_at, quoted.id AS quoted_id,
                    quoted.body AS quoted_body, count(*) OVER () AS found,
                    coalesce(sum(octet_length(one.content::text) + coalesce(octet_length(quoted.body), 0)) OVER (
                        ORDER BY one.sequence_number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
                        AS bytes_before
             FROM (SELECT * FROM chat_message
                   WHERE client_id = $1 AND participant_id = $2 AND sequence_number > $3
                   ORDER BY sequence_number LIMIT $4) one
             LEFT JOIN provider_message named
                    ON named.client_id = one.client_id AND named.provider_id = one.quoted_provider_id
             LEFT JOIN LATERAL (
                 SELECT id, body FROM chat_message other
                 WHERE other.client_id = named.client_id AND other.id = named.chat_message_id OFFSET 0) quoted ON true
         ) page
         WHERE page.bytes_before < $5
         ORDER BY page.sequence_number",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(after)
    .bind(rows_at_most(extent))
    .bind(bytes_at_most(extent))
    .fetch_all(db)
    .await?;
    ThreadPage::of(rows, extent)
}

/// Returns the last messages before a sequence number in order, as many as the extent allows.
pub async fn before(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    before: i64,
    extent: ThreadExtent,
) -> Result<ThreadPage> {
    let rows: Vec<MessageRow> = sqlx::query_as(
        "SELECT page.* FROM (
             SELECT one.id, one.sequence_number, one.direction, one.content_type, one.content, one.media_id, one.owner,
                    one.gst_id, one.provider_id, one.state, one.created_at, quoted.id AS quoted_id,
                    quoted.body AS quoted_body, count(*) OVER () AS found,
                    coalesce(sum(octet_length(one.content::text) + coalesce(octet_length(quoted.body), 0)) OVER (
                        ORDER BY one.sequence_number DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
                        AS bytes_before
             FROM (SELECT * FROM chat_message
                   WHERE client_id = $1 AND participant_id = $2 AND sequence_number < $3
                   ORDER BY sequence_number DESC LIMIT $4) one
             LEFT JOIN provider_message named
                    ON named.client_id = one.client_id AND named.provider_id = one.quoted_provider_id
             LEFT JOIN LATERAL (
                 SELECT id, body FROM chat_message other
                 WHERE other.client_id = named.client_id AND other.id = named.chat_message_id OFFSET 0) quoted ON true
         ) page
         WHERE page.bytes_before < $5
         ORDER BY page.sequence_number",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(before)
    .bind(rows_at_most(extent))
    .bind(bytes_at_most(extent))
    .fetch_all(db)
    .await?;
    ThreadPage::of(rows, extent)
}

/// Messages with numbers `(after, up_to]` that are still being sent, by id and tracking id.
pub async fn on_their_way(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    after: i64,
    up_to: i64,
) -> Result<Vec<(ChatMessageId, String)>> {
    let rows: Vec<(Uuid, String)> = sqlx::query_as(
        "SELECT id, gst_id FROM chat_message
         WHERE client_id = $1 AND participant_id = $2 AND sequence_number > $3 AND sequence_number <= $4
           AND direction = 'OUTGOING' AND state IS DISTINCT FROM 'FAILED' AND state IS DISTINCT FROM 'READ'
         ORDER BY sequence_number",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(after)
    .bind(up_to)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(id, gst_id)| (ChatMessageId(id), gst_id)).collect())
}

pub async fn place_of(
    db: &mut PgConnection,
    client: ClientId,
    provider_id: &str,
) -> Result<Option<(ChatMessageId, i64)>> {
    let row: Option<(Uuid, i64)> = sqlx::query_as(
        "SELECT message.id, message.sequence_number
         FROM provider_message known
         JOIN LATERAL (
             SELECT * FROM chat_message one
             WHERE one.client_id = known.client_id AND one.id = known.chat_message_id OFFSET 0) message ON true
         WHERE known.client_id = $1 AND known.provider_id = $2",
    )
    .bind(client.0)
    .bind(provider_id)
    .fetch_optional(db)
    .await?;
    Ok(row.map(|(id, sequence)| (ChatMessageId(id), sequence)))
}
