//! The queue of outbound legs. A row is `READY`, or `PACED` while its recipient may not be written to faster, or `SENDING` while a provider call is in flight, or `UNKNOWN` after a
//! call whose answer never came; the last two are due again when a status had time to arrive.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
    time::Duration,
};

use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    content::{LegContent, OutboundContent},
    ids::{ChatMessageId, ClientId, InboxId, MessageId, PartId},
    recipient::Recipient,
};
use sqlx::PgConnection;
use uuid::Uuid;

use super::{keys::LegKeys, legs};
use crate::{
    Result,
    stored::{self, Stored, known},
};

/// A leg that is due, with all that its provider call needs.
#[derive(Debug, Clone)]
pub struct DueLeg {
    /// The message.
    pub message: MessageId,
    /// Which leg.
    pub ordinal: i16,
    /// What it travels over.
    pub channel: Channel,
    /// The inbox that it goes out from.
    pub inbox: InboxId,
    /// It may have reached the provider before.
    pub unanswered: bool,
    /// When the last of those to the same recipient that go out before it, and have stepped aside, has its turn.
    pub behind: Option<DateTime<Utc>>,
    /// It was already sent again once after an answer that never came.
    pub ambiguous: bool,
    /// Provider calls made so far.
    pub attempts: i16,
    /// What its message says.
    pub part: PartId,
    /// Where it goes; the other address only where the leg goes out from the inbox of its message.
    pub recipient: Recipient,
    /// What its part says; legs of one part share it.
    pub content: Arc<OutboundContent>,
    /// What it says in the place of that.
    pub own_content: Option<LegContent>,
    /// Provider id of the quoted message.
    pub quoted_provider_id: Option<String>,
    /// The chat message it carries.
    pub chat_message: Option<ChatMessageId>,
}

#[derive(sqlx::FromRow)]
struct DueLegRow {
    message_id: Uuid,
    ordinal: i16,
    channel: String,
    inbox_id: Uuid,
    phase: String,
    behind: Option<DateTime<Utc>>,
    ambiguous: bool,
    attempts: i16,
    part_id: Uuid,
    address_kind: String,
    address_value: String,
    other_kind: Option<String>,
    other_value: Option<String>,
    content: Stored,
    own_content: Option<Stored>,
    quoted_provider_id: Option<String>,
    chat_message_id: Option<Uuid>,
}

impl DueLegRow {
    /// `contents`: what was read of the parts of this page.
    fn read(self, contents: &mut HashMap<Uuid, Arc<OutboundContent>>) -> Result<DueLeg> {
        let address = legs::leg_address(&self.address_kind, &self.address_value)?;
        let other = self.other_kind.as_deref().zip(self.other_value.as_deref());
        let other = other.map(|(kind, value)| legs::other_address(kind, value)).transpose()?;
        let content = match contents.entry(self.part_id) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(place) => {
                Arc::clone(place.insert(Arc::new(stored::read("outbound_part", "content", &self.content)?)))
            }
        };
        Ok(DueLeg {
            message: MessageId(self.message_id),
            ordinal: self.ordinal,
            channel: legs::channel(&self.channel)?,
            inbox: InboxId(self.inbox_id),
            unanswered: known("outbound_work", "phase", &self.phase, may_have_been_sent)?,
            behind: self.behind,
            ambiguous: self.ambiguous,
            attempts: self.attempts,
            part: PartId(self.part_id),
            recipient: Recipient::new(address, other),
            content,
            own_content: stored::read_optional("outbound_leg", "content", self.own_content.as_ref())?,
            quoted_provider_id: self.quoted_provider_id,
            chat_message: self.chat_message_id.map(ChatMessageId),
        })
    }
}

fn may_have_been_sent(phase: &str) -> Option<bool> {
    match phase {
        "READY" | "PACED" => Some(false),
        "SENDING" | "UNKNOWN" => Some(true),
        _ => None,
    }
}

/// The next legs of a lane, chat replies first, then in the order they were accepted.
pub async fn due(
    db: &mut PgConnection,
    client: ClientId,
    lane: Uuid,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<DueLeg>> {
    let rows: Vec<DueLegRow> = sqlx::query_as(
        "SELECT work.message_id, work.ordinal, work.phase, work.attempts,
                (SELECT max(paced.due_at) FROM outbound_work paced
                 WHERE paced.client_id = $1 AND paced.lane_id = $2 AND paced.recipient = work.recipient
                   AND paced.phase = 'PACED' AND NOT paced.ready
                   AND (paced.priority, paced.message_id) < (work.priority, work.message_id)
                ) AS behind, leg.ambiguous, leg.channel, leg.inbox_id,
                leg.address_kind, leg.address_value, leg.content AS own_content,
                CASE WHEN leg.inbox_id = message.inbox_id THEN message.other_kind END AS other_kind,
                CASE WHEN leg.inbox_id = message.inbox_id THEN message.other_value END AS other_value,
                message.part_id, message.chat_message_id, part.content, part.quoted_provider_id
         FROM (SELECT * FROM outbound_work WHERE client_id = $1 AND lane_id = $2 AND ready AND due_at <= $3
               ORDER BY priority, message_id LIMIT $4) work
         CROSS JOIN LATERAL (
             SELECT * FROM outbound_leg one WHERE one.client_id = work.client_id
                AND one.message_id = work.message_id AND one.ordinal = work.ordinal OFFSET 0) leg
         CROSS JOIN LATERAL (
             SELECT * FROM outbound_message one WHERE one.client_id = work.client_id AND one.id = work.message_id OFFSET 0
             ) message
         CROSS JOIN LATERAL (
             SELECT * FROM outbound_part one WHERE one.client_id = work.client_id AND one.id = message.part_id OFFSET 0) part
         ORDER BY work.priority, work.message_id",
    )
    .bind(client.0)
    .bind(lane)
    .bind(now)
    .bind(limit)
    .fetch_all(db)
    .await?;
    let mut contents = HashMap::new();
    rows.into_iter().map(|row| row.read(&mut contents)).collect()
}

/// Marks legs as being sent. Committed before the provider is called: whoever finds the mark after a crash waits until
/// `unknown_after` has passed before it sends once more.
pub async fn mark_sending(
    db: &mut PgConnection,
    client: ClientId,
    legs: &[(MessageId, i16)],
    now: DateTime<Utc>,
    unknown_after: Duration,
) -> Result<()> {
    if legs.is_empty() {
        return Ok(());
    }
    let keys = LegKeys::from(legs);
    sqlx::query(
        "UPDATE outbound_work work
         SET phase = 'SENDING', attempts = work.attempts + 1, due_at = $4::timestamptz + make_interval(secs => $5)
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[], $3::smallint[]) AS leg (message_id, ordinal)
               OFFSET 0) given
         WHERE work.client_id = given.client_id AND work.message_id = given.message_id AND work.ordinal = given.ordinal",
    )
    .bind(client.0)
    .bind(keys.messages)
    .bind(keys.ordinals)
    .bind(now)
    .bind(unknown_after.as_secs_f64())
    .execute(db)
    .await?;
    Ok(())
}

/// Lets legs step aside until their turns, for their recipient's sake. One that may have reached the provider stays known as
/// such.
pub async fn pace(db: &mut PgConnection, client: ClientId, legs: &[(MessageId, i16, DateTime<Utc>)]) -> Result<()> {
    if legs.is_empty() {
        return Ok(());
    }
    let keys: LegKeys = legs.iter().map(|leg| (leg.0, leg.1)).collect();
    sqlx::query(
        "UPDATE outbound_work work SET phase = CASE phase WHEN 'READY' THEN 'PACED' ELSE phase END, due_at = given.due_at,
             ready = false
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[], $3::smallint[], $4::timestamptz[]) AS leg (message_id, ordinal, due_at)
               OFFSET 0) given
         WHERE work.client_id = given.client_id AND work.message_id = given.message_id AND work.ordinal = given.ordinal",
    )
    .bind(client.0)
    .bind(keys.messages)
    .bind(keys.ordinals)
    .bind(legs.iter().map(|leg| leg.2).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// Marks legs whose answer never came; they stay due when their mark said.
pub async fn mark_unknown(db: &mut PgConnection, client: ClientId, legs: &[(MessageId, i16)]) -> Result<()> {
    if legs.is_empty() {
        return Ok(());
    }
    let keys = LegKeys::from(legs);
    sqlx::query(
        "UPDATE outbound_work work SET phase = 'UNKNOWN', ready = false
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[], $3::smallint[]) AS leg (message_id, ordinal)
               OFFSET 0) given
         WHERE work.client_id = given.client_id AND work.message_id = given.message_id AND work.ordinal = given.ordinal",
    )
    .bind(client.0)
    .bind(keys.messages)
    .bind(keys.ordinals)
    .execute(db)
    .await?;
    Ok(())
}

/// Puts legs back: they have surely not reached the provider, and are due again at the given times.
pub async fn put_back(db: &mut PgConnection, client: ClientId, legs: &[(MessageId, i16, DateTime<Utc>)]) -> Result<()> {
    if legs.is_empty() {
        return Ok(());
    }
    let keys: LegKeys = legs.iter().map(|leg| (leg.0, leg.1)).collect();
    sqlx::query(
        "UPDATE outbound_work work SET phase = 'READY', due_at = given.due_at, ready = false
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[], $3::smallint[], $4::timestamptz[]) AS leg (message_id, ordinal, due_at)
               OFFSET 0) given
         WHERE work.client_id = given.client_id AND work.message_id = given.message_id AND work.ordinal = given.ordinal",
    )
    .bind(client.0)
    .bind(keys.messages)
    .bind(keys.ordinals)
    .bind(legs.iter().map(|leg| leg.2).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// Legs waiting, over all clients: a figure for `/metrics`.
pub async fn depth(db: &mut PgConnection) -> Result<i64> {
    Ok(sqlx::query_scalar("SELECT count(*) FROM outbound_work").fetch_one(db).await?)
}
