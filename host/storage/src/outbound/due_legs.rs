use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    content::{LegContent, OutboundContent},
    ids::{ChatMessageId, ClientId, InboxId, MessageId, PartId},
    recipient::Recipient,
    send::FallbackRequest,
    sms_route::SmsRoute,
};
use uuid::Uuid;

use super::legs;
use crate::{
    Error, PgConnection, Result,
    column_values::{self, UnreadJson, read_value},
};

#[derive(Debug, Clone)]
pub struct DueLeg {
    pub message: MessageId,
    pub ordinal: i16,
    pub channel: Channel,
    pub inbox: InboxId,
    /// True if an earlier call may have reached the provider.
    pub unanswered: bool,
    /// Turn of the last leg to the same recipient that is before it and has stepped aside.
    pub behind: Option<DateTime<Utc>>,
    pub held: Option<EarlierMessages>,
    /// True if it was sent again after a call without an answer.
    pub ambiguous: bool,
    /// Provider calls until now, up to the maximum of the column.
    pub attempts: i16,
    /// Calls that the provider refused for a passing reason.
    pub refusals: i16,
    pub queued_at: DateTime<Utc>,
    pub part: PartId,
    /// Billing category, if its part has one: the category of its template.
    pub category: Option<String>,
    /// Its recipient. The second address is present only if the leg is sent from the inbox of its message.
    pub recipient: Recipient,
    pub content: Arc<OutboundContent>,
    /// Its own content, which replaces that of the part.
    pub own_content: Option<LegContent>,
    pub quoted_provider_id: Option<String>,
    pub chat_message: Option<ChatMessageId>,
    /// The decision of routers, after they were asked.
    pub route: Option<SmsRoute>,
}

/// Earlier messages of the same chat that are still tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlierMessages {
    /// Turn of the last of them.
    pub turn: DateTime<Utc>,
    /// End of the wait for them.
    pub bound: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct DueLegRow {
    message_id: Uuid,
    ordinal: i16,
    channel: String,
    inbox_id: Uuid,
    phase: String,
    behind: Option<DateTime<Utc>>,
    held_turn: Option<DateTime<Utc>>,
    held_bound: Option<DateTime<Utc>>,
    ambiguous: bool,
    attempts: i16,
    refusals: i16,
    queued_at: DateTime<Utc>,
    part_id: Uuid,
    category: Option<String>,
    address_kind: String,
    address_value: String,
    other_kind: Option<String>,
    other_value: Option<String>,
    content: UnreadJson,
    fallback: Option<UnreadJson>,
    own_content: Option<UnreadJson>,
    quoted_provider_id: Option<String>,
    chat_message_id: Option<Uuid>,
    sms_route: Option<UnreadJson>,
}

impl DueLegRow {
    /// `contents`: contents of the parts of this page that were read already.
    fn read(self, contents: &mut HashMap<Uuid, Arc<OutboundContent>>) -> Result<DueLeg> {
        let address = legs::leg_address(&self.address_kind, &self.address_value)?;
        let other = self.other_kind.as_deref().zip(self.other_value.as_deref());
        let other = other.map(|(kind, value)| legs::other_address(kind, value)).transpose()?;
        let content = match contents.entry(self.part_id) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(place) => {
                // The settlement of the call reads this, so an unreadable value must be found before the call.
                let _: Option<FallbackRequest> =
                    column_values::read_optional("outbound_part", "fallback", self.fallback.as_ref())?;
                Arc::clone(place.insert(Arc::new(column_values::read("outbound_part", "content", &self.content)?)))
            }
        };
        Ok(DueLeg {
            message: MessageId(self.message_id),
            ordinal: self.ordinal,
            channel: legs::channel(&self.channel)?,
            inbox: InboxId(self.inbox_id),
            unanswered: read_value("outbound_work", "phase", &self.phase, may_have_been_sent)?,
            behind: self.behind,
            held: self.held_turn.zip(self.held_bound).map(|(turn, bound)| EarlierMessages { turn, bound }),
            ambiguous: self.ambiguous,
            attempts: self.attempts,
            refusals: self.refusals,
            queued_at: self.queued_at,
            part: PartId(self.part_id),
            category: self.category,
            recipient: Recipient::new(address, other),
            content,
            own_content: column_values::read_optional("outbound_leg", "content", self.own_content.as_ref())?,
            quoted_provider_id: self.quoted_provider_id,
            chat_message: self.chat_message_id.map(ChatMessageId),
            route: column_values::read_optional("outbound_leg", "sms_route", self.sms_route.as_ref())?,
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

#[derive(Debug)]
pub struct UnreadableLeg {
    pub message: MessageId,
    pub ordinal: i16,
    pub error: Error,
}

#[derive(Debug, Default)]
pub struct DueLegs {
    pub legs: Vec<DueLeg>,
    /// Legs that cannot be sent from here. The others do not wait for them.
    pub unreadable: Vec<UnreadableLeg>,
}

/// Returns the next legs of a lane: chat replies first, then in the order of acceptance.
pub async fn due(
    db: &mut PgConnection,
    client: ClientId,
    lane: Uuid,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<DueLegs> {
    let rows: Vec<DueLegRow> = sqlx::query_as(
        "SELECT work.message_id, work.ordinal, work.phase, work.attempts, work.refusals,
                (SELECT max(paced.due_at) FROM outbound_work paced
                 WHERE paced.client_id = $1 AND paced.lane_id = $2 AND paced.recipient = work.recipient
                   AND paced.paced AND NOT paced.ready
                   AND (paced.priority, paced.message_id) < (work.priority, work.message_id)
                ) AS behind, held.turn AS held_turn, held.bound AS held_bound, leg.ambiguous, leg.channel, leg.inbox_id, leg.updated_at AS queued_at,
                leg.address_kind, leg.address_value, leg.content AS own_content, leg.sms_route,
                CASE WHEN leg.inbox_id = message.inbox_id THEN message.other_kind END AS other_kind,
                CASE WHEN leg.inbox_id = message.inbox_id THEN message.other_value END AS other_value,
                message.part_id, message.chat_message_id, part.content, part.category, part.fallback, part.quoted_provider_id
         FROM (SELECT * FROM outbound_work WHERE client_id = $1 AND lane_id = $2 AND ready AND due_at <= $3
               ORDER BY priority, message_id LIMIT $4) work
         CROSS JOIN LATERAL (
             SELECT * FROM outbound_leg one WHERE one.client_id = work.client_id
                AND one.message_id = work.message_id AND one.ordinal = work.ordinal OFFSET 0) leg
         CROSS JOIN LATERAL (
             SELECT * FROM outbound_message one
             WHERE one.client_id = work.client_id AND one.id = work.message_id OFFSET 0) message
         CROSS JOIN LATERAL (
             SELECT * FROM outbound_part one WHERE one.client_id = work.client_id AND one.id = message.part_id OFFSET 0) part
         CROSS JOIN LATERAL (
             SELECT max(least(one.due_at, one.holds_until)) AS turn, max(one.holds_until) AS bound FROM outbound_work one
             WHERE message.chat_message_id IS NOT NULL AND one.client_id = work.client_id AND one.lane_id = $2
               AND one.recipient = work.recipient AND one.holds_until IS NOT NULL AND one.holds_until > $3
               AND NOT one.ready AND (one.priority, one.message_id) < (work.priority, work.message_id)) held
         ORDER BY work.priority, work.message_id",
    )
    .bind(client.0)
    .bind(lane)
    .bind(now)
    .bind(limit)
    .fetch_all(db)
    .await?;
    let mut contents = HashMap::new();
    let mut due = DueLegs::default();
    for row in rows {
        let (message, ordinal) = (MessageId(row.message_id), row.ordinal);
        match row.read(&mut contents) {
            Ok(leg) => due.legs.push(leg),
            Err(error) => due.unreadable.push(UnreadableLeg { message, ordinal, error }),
        }
    }
    Ok(due)
}
