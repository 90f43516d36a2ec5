//! Batches. A batch has the id of its first part; its messages lie between two ids. Counts are made on request.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::{
    clock::minted_at,
    delivery::DeliveryState,
    ids::{BatchId, ClientId, InboxId, MessageId},
    page::{Page, PageRequest},
};
use uuid::Uuid;

use super::fallbacks::UNDECIDED;
use crate::{PgConnection, Result, column_values::read_value};

/// Due time of the legs of a paused batch: never, until it is resumed.
const HELD_UNTIL: &str = "9999-01-01T00:00:00Z";

/// Most batches that are counted. The total of a longer list exceeds the pages up to the requested one.
pub const COUNTED_MAX: i64 = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    Paused,
    Cancelled,
}

impl Hold {
    pub const ALL: [Self; 2] = [Self::Paused, Self::Cancelled];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Paused => "PAUSED",
            Self::Cancelled => "CANCELLED",
        }
    }

    fn read(name: &str) -> Result<Self> {
        read_value("batch_hold", "state", name, |name| Self::ALL.into_iter().find(|one| one.as_str() == name))
    }
}

pub fn held_until() -> DateTime<Utc> {
    HELD_UNTIL.parse().unwrap_or(DateTime::<Utc>::MAX_UTC)
}

#[derive(Debug, Clone)]
pub struct Batch {
    pub id: BatchId,
    pub request: Option<Uuid>,
    /// `NOTIFICATION`, `CHAT` and others.
    pub message_type: String,
    pub inbox: InboxId,
    /// Address of that inbox; `None`: the operator's source of SMS.
    pub sender: Option<String>,
    pub channel: String,
    pub category: Option<String>,
    pub template_name: Option<String>,
    pub accepted: i32,
    pub rejected: i32,
    pub hold: Option<Hold>,
    /// True while a message waits to be sent, or for the decision about its SMS.
    pub waits: bool,
    last_part: Uuid,
    messages: Option<(Uuid, Uuid)>,
}

impl Batch {
    pub fn accepted_at(&self) -> DateTime<Utc> {
        minted_at(self.id.0)
    }

    /// Returns the ids between which its messages and parts lie; `None` if it has no messages.
    pub fn extent(&self) -> Option<IdRange> {
        let (first, last) = self.messages?;
        Some(IdRange { messages: (first, last), parts: (self.id.0, self.last_part) })
    }
}

/// Ids between which messages and their parts lie, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdRange {
    pub messages: (Uuid, Uuid),
    pub parts: (Uuid, Uuid),
}

#[derive(sqlx::FromRow)]
struct BatchRow {
    id: Uuid,
    request_id: Option<Uuid>,
    message_type: String,
    inbox_id: Uuid,
    sender: Option<String>,
    channel: String,
    category: Option<String>,
    template_name: Option<String>,
    accepted: i32,
    rejected: i32,
    last_part_id: Option<Uuid>,
    first_message_id: Option<Uuid>,
    last_message_id: Option<Uuid>,
    hold: Option<String>,
    waits: bool,
}

/// True while a message of the batch `part` waits. Other batches can have messages between its first and its last one.
const WAITS: &str = "EXISTS (
    SELECT 1 FROM outbound_work work
    JOIN outbound_message message ON message.client_id = work.client_id AND message.id = work.message_id
    WHERE work.client_id = $1 AND work.message_id BETWEEN part.first_message_id AND part.last_message_id
        AND message.id BETWEEN part.first_message_id AND part.last_message_id
        AND message.part_id BETWEEN part.id AND part.last_part_id)
OR EXISTS (
    SELECT 1 FROM fallback
    JOIN outbound_message message ON message.client_id = fallback.client_id AND message.id = fallback.message_id
    WHERE fallback.client_id = $1 AND fallback.message_id BETWEEN part.first_message_id AND part.last_message_id
        AND fallback.state = 'PENDING'
        AND message.id BETWEEN part.first_message_id AND part.last_message_id
        AND message.part_id BETWEEN part.id AND part.last_part_id)";

impl TryFrom<BatchRow> for Batch {
    type Error = crate::Error;

    fn try_from(row: BatchRow) -> Result<Self> {
        Ok(Self {
            id: BatchId(row.id),
            request: row.request_id,
            message_type: row.message_type,
            inbox: InboxId(row.inbox_id),
            sender: row.sender,
            channel: row.channel,
            category: row.category,
            template_name: row.template_name,
            accepted: row.accepted,
            rejected: row.rejected,
            hold: row.hold.as_deref().map(Hold::read).transpose()?,
            waits: row.waits,
            last_part: row.last_part_id.unwrap_or(row.id),
            messages: row.first_message_id.zip(row.last_message_id),
        })
    }
}

/// A page of the batches that were accepted between two ids of moments (the second excluded), newest first.
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    (from, to): (Uuid, Uuid),
    page: PageRequest,
) -> Result<Page<Batch>> {
    let counted: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM (SELECT 1 FROM outbound_part
                               WHERE client_id = $1 AND id >= $2 AND id < $3 AND accepted IS NOT NULL LIMIT $4) counted",
    )
    .bind(client.0)
    .bind(from)
    .bind(to)
    .bind(COUNTED_MAX)
    .fetch_one(&mut *db)
    .await?;
    let rows: Vec<BatchRow> = sqlx::query_as(&format!(
        "SELECT part.id, part.request_id, part.message_type, part.inbox_id, inbox.address AS sender, inbox.channel,
                part.category,
                CASE part.content -> 'value' ->> 'kind' WHEN 'template' THEN part.content -> 'value' ->> 'name' END
                    AS template_name,
                part.accepted, part.rejected, part.last_part_id, part.first_message_id, part.last_message_id,
                hold.state AS hold, ({WAITS}) AS waits
         FROM (SELECT * FROM outbound_part
               WHERE client_id = $1 AND id >= $2 AND id < $3 AND accepted IS NOT NULL
               ORDER BY id DESC LIMIT $4 OFFSET $5) part
         CROSS JOIN LATERAL (
             SELECT address, channel FROM inbox one
             WHERE one.client_id = $1 AND one.id = part.inbox_id OFFSET 0) inbox
         LEFT JOIN LATERAL (
             SELECT state FROM batch_hold one WHERE one.client_id = $1 AND one.batch_id = part.id OFFSET 0) hold ON true
         ORDER BY part.id DESC",
    ))
    .bind(client.0)
    .bind(from)
    .bind(to)
    // One more, which shows if there is another page.
    .bind(page.limit() + 1)
    .bind(page.offset())
    .fetch_all(db)
    .await?;
    let seen = page.offset() + i64::try_from(rows.len()).unwrap_or_default();
    let total = if counted < COUNTED_MAX || rows.is_empty() { counted } else { seen.max(counted) };
    let size = usize::try_from(page.size).unwrap_or(usize::MAX);
    let items = rows.into_iter().take(size).map(Batch::try_from).collect::<Result<_>>()?;
    Ok(Page::of(items, total))
}

pub async fn find(db: &mut PgConnection, client: ClientId, batch: BatchId) -> Result<Option<Batch>> {
    let row: Option<BatchRow> = sqlx::query_as(&format!(
        "SELECT part.id, part.request_id, part.message_type, part.inbox_id, inbox.address AS sender, inbox.channel,
                part.category,
                CASE part.content -> 'value' ->> 'kind' WHEN 'template' THEN part.content -> 'value' ->> 'name' END
                    AS template_name,
                part.accepted, part.rejected, part.last_part_id, part.first_message_id, part.last_message_id,
                (SELECT state FROM batch_hold one WHERE one.client_id = $1 AND one.batch_id = $2) AS hold,
                ({WAITS}) AS waits
         FROM (SELECT * FROM outbound_part WHERE client_id = $1 AND id = $2 AND accepted IS NOT NULL OFFSET 0) part
         CROSS JOIN LATERAL (
             SELECT address, channel FROM inbox one
             WHERE one.client_id = $1 AND one.id = part.inbox_id OFFSET 0) inbox",
    ))
    .bind(client.0)
    .bind(batch.0)
    .fetch_optional(db)
    .await?;
    row.map(Batch::try_from).transpose()
}

/// Counts messages by the state of their last leg. While a fallback is undecided, the last reported state counts.
pub async fn progress(db: &mut PgConnection, client: ClientId, extent: IdRange) -> Result<HashMap<DeliveryState, i64>> {
    let rows: Vec<(String, i64)> = sqlx::query_as(&format!(
        "SELECT COALESCE(undecided.state, leg.state), count(*)
         FROM (SELECT id FROM outbound_message WHERE client_id = $1 AND id BETWEEN $2 AND $3 AND part_id BETWEEN $4 AND $5
               OFFSET 0) message
         CROSS JOIN LATERAL (
             SELECT state FROM outbound_leg one WHERE one.client_id = $1 AND one.message_id = message.id
                AND one.message_id BETWEEN $2 AND $3
             ORDER BY ordinal DESC LIMIT 1) leg
         {UNDECIDED}
         GROUP BY 1",
    ))
    .bind(client.0)
    .bind(extent.messages.0)
    .bind(extent.messages.1)
    .bind(extent.parts.0)
    .bind(extent.parts.1)
    .fetch_all(db)
    .await?;
    let state = |(state, count): (String, i64)| {
        Ok((read_value("outbound_leg", "state", &state, |name| name.parse().ok())?, count))
    };
    rows.into_iter().map(state).collect()
}

pub async fn hold(
    db: &mut PgConnection,
    client: ClientId,
    batch: BatchId,
    hold: Hold,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO batch_hold AS known (client_id, batch_id, state, changed_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (client_id, batch_id) DO UPDATE SET state = excluded.state, changed_at = excluded.changed_at
         WHERE known.state <> 'CANCELLED'",
    )
    .bind(client.0)
    .bind(batch.0)
    .bind(hold.as_str())
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn release(db: &mut PgConnection, client: ClientId, batch: BatchId) -> Result<()> {
    sqlx::query("DELETE FROM batch_hold WHERE client_id = $1 AND batch_id = $2 AND state = 'PAUSED'")
        .bind(client.0)
        .bind(batch.0)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn unsent(db: &mut PgConnection, client: ClientId, extent: IdRange) -> Result<Vec<MessageId>> {
    let found: Vec<Uuid> = sqlx::query_scalar(
        "SELECT work.message_id
         FROM (SELECT id FROM outbound_message WHERE client_id = $1 AND id BETWEEN $2 AND $3 AND part_id BETWEEN $4 AND $5
               OFFSET 0) message
         CROSS JOIN LATERAL (
             SELECT * FROM outbound_work one
             WHERE one.client_id = $1 AND one.message_id = message.id AND one.ordinal = 0 OFFSET 0) work
         WHERE work.phase IN ('READY', 'PACED')
         ORDER BY work.message_id",
    )
    .bind(client.0)
    .bind(extent.messages.0)
    .bind(extent.messages.1)
    .bind(extent.parts.0)
    .bind(extent.parts.1)
    .fetch_all(db)
    .await?;
    Ok(found.into_iter().map(MessageId).collect())
}

pub async fn postpone(db: &mut PgConnection, client: ClientId, extent: IdRange) -> Result<()> {
    sqlx::query(
        "UPDATE outbound_work work SET due_at = $6, ready = false, phase = 'READY'
         FROM (SELECT id FROM outbound_message WHERE client_id = $1 AND id BETWEEN $2 AND $3 AND part_id BETWEEN $4 AND $5
               OFFSET 0) message
         WHERE work.client_id = $1 AND work.message_id = message.id AND work.ordinal = 0
           AND work.phase IN ('READY', 'PACED')",
    )
    .bind(client.0)
    .bind(extent.messages.0)
    .bind(extent.messages.1)
    .bind(extent.parts.0)
    .bind(extent.parts.1)
    .bind(held_until())
    .execute(db)
    .await?;
    Ok(())
}

pub async fn take_up(db: &mut PgConnection, client: ClientId, extent: IdRange, now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "WITH message AS MATERIALIZED (
             SELECT id FROM outbound_message WHERE client_id = $1 AND id BETWEEN $2 AND $3 AND part_id BETWEEN $4 AND $5
         ), leg AS (
             UPDATE outbound_leg leg SET updated_at = $7
             FROM message, outbound_work held
             WHERE leg.client_id = $1 AND leg.message_id = message.id AND leg.ordinal = 0
               AND held.client_id = $1 AND held.message_id = message.id AND held.ordinal = 0 AND held.due_at = $6
         )
         UPDATE outbound_work work SET due_at = $7, ready = true
         FROM message
         WHERE work.client_id = $1 AND work.message_id = message.id AND work.ordinal = 0 AND work.due_at = $6",
    )
    .bind(client.0)
    .bind(extent.messages.0)
    .bind(extent.messages.1)
    .bind(extent.parts.0)
    .bind(extent.parts.1)
    .bind(held_until())
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn find_holds(
    db: &mut PgConnection,
    client: ClientId,
    messages: &[MessageId],
) -> Result<HashMap<MessageId, Hold>> {
    if messages.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(Uuid, String)> = sqlx::query_as(
        "SELECT wanted.id, hold.state
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) wanted
         CROSS JOIN LATERAL (
             SELECT part_id FROM outbound_message one
             WHERE one.client_id = wanted.client_id AND one.id = wanted.id OFFSET 0) message
         CROSS JOIN LATERAL (
             SELECT batch_id FROM outbound_part one
             WHERE one.client_id = wanted.client_id AND one.id = message.part_id OFFSET 0) part
         CROSS JOIN LATERAL (
             SELECT state FROM batch_hold one
             WHERE one.client_id = wanted.client_id AND one.batch_id = part.batch_id OFFSET 0) hold",
    )
    .bind(client.0)
    .bind(messages.iter().map(|message| message.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    rows.into_iter().map(|(message, state)| Ok((MessageId(message), Hold::read(&state)?))).collect()
}
