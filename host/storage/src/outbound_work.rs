//! The queue of outbound legs. A row is `READY`, or `SENDING` while a provider call is in flight, or `UNKNOWN` after a
//! call whose answer never came; the last two are due again when a status had time to arrive.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::ids::{ChatMessageId, ClientId, InboxId, MessageId, PartId};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Result;

/// A leg that is due, with all that its provider call needs.
#[derive(Debug, Clone)]
pub struct DueLeg {
    /// The message.
    pub message: MessageId,
    /// Which leg.
    pub ordinal: i16,
    /// It may have reached the provider before.
    pub unanswered: bool,
    /// It was already sent again once after an answer that never came.
    pub ambiguous: bool,
    /// Provider calls made so far.
    pub attempts: i16,
    /// What it says.
    pub part: PartId,
    /// The sending number.
    pub number: InboxId,
    /// Recipient's phone number in digits.
    pub to_phone: Option<String>,
    /// Recipient's BSUID.
    pub to_bsuid: Option<String>,
    /// `domain::content::OutboundContent` as JSON.
    pub content: Value,
    /// Provider id of the quoted message.
    pub quoted_provider_id: Option<String>,
    /// What an SMS leg says.
    pub sms: Option<Value>,
    /// The chat message it carries.
    pub chat_message: Option<ChatMessageId>,
}

#[derive(sqlx::FromRow)]
struct DueLegRow {
    message_id: Uuid,
    ordinal: i16,
    phase: String,
    ambiguous: bool,
    attempts: i16,
    part_id: Uuid,
    number_id: Uuid,
    to_phone: Option<String>,
    to_bsuid: Option<String>,
    content: Value,
    quoted_provider_id: Option<String>,
    sms: Option<Value>,
    chat_message_id: Option<Uuid>,
}

impl From<DueLegRow> for DueLeg {
    fn from(row: DueLegRow) -> Self {
        Self {
            message: MessageId(row.message_id),
            ordinal: row.ordinal,
            unanswered: row.phase != "READY",
            ambiguous: row.ambiguous,
            attempts: row.attempts,
            part: PartId(row.part_id),
            number: InboxId(row.number_id),
            to_phone: row.to_phone,
            to_bsuid: row.to_bsuid,
            content: row.content,
            quoted_provider_id: row.quoted_provider_id,
            sms: row.sms,
            chat_message: row.chat_message_id.map(ChatMessageId),
        }
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
        "SELECT work.message_id, work.ordinal, work.phase, work.attempts, leg.ambiguous, leg.sms, message.part_id,
                message.number_id, message.to_phone, message.to_bsuid, message.chat_message_id, part.content,
                part.quoted_provider_id
         FROM (SELECT * FROM outbound_work WHERE client_id = $1 AND lane_id = $2 AND due_at <= $3
               ORDER BY priority, message_id LIMIT $4) work
         JOIN outbound_message message ON message.client_id = $1 AND message.id = work.message_id
         JOIN outbound_leg leg ON leg.client_id = $1 AND leg.message_id = work.message_id AND leg.ordinal = work.ordinal
         JOIN outbound_part part ON part.client_id = $1 AND part.id = message.part_id
         ORDER BY work.priority, work.message_id",
    )
    .bind(client.0)
    .bind(lane)
    .bind(now)
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(DueLeg::from).collect())
}

/// When the lane's next leg is due; `None` when it is empty.
pub async fn next_due(db: &mut PgConnection, client: ClientId, lane: Uuid) -> Result<Option<DateTime<Utc>>> {
    let next = sqlx::query_scalar("SELECT min(due_at) FROM outbound_work WHERE client_id = $1 AND lane_id = $2")
        .bind(client.0)
        .bind(lane)
        .fetch_one(db)
        .await?;
    Ok(next)
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
    sqlx::query(
        "UPDATE outbound_work work
         SET phase = 'SENDING', attempts = work.attempts + 1, due_at = $4::timestamptz + make_interval(secs => $5)
         FROM unnest($2::uuid[], $3::smallint[]) AS given (message_id, ordinal)
         WHERE work.client_id = $1 AND work.message_id = ANY($2)
           AND work.message_id = given.message_id AND work.ordinal = given.ordinal",
    )
    .persistent(false)
    .bind(client.0)
    .bind(legs.iter().map(|leg| leg.0.0).collect::<Vec<_>>())
    .bind(legs.iter().map(|leg| leg.1).collect::<Vec<_>>())
    .bind(now)
    .bind(unknown_after.as_secs_f64())
    .execute(db)
    .await?;
    Ok(())
}

/// Marks legs whose answer never came; they stay due when their mark said.
pub async fn mark_unknown(db: &mut PgConnection, client: ClientId, legs: &[(MessageId, i16)]) -> Result<()> {
    if legs.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "UPDATE outbound_work work SET phase = 'UNKNOWN'
         FROM unnest($2::uuid[], $3::smallint[]) AS given (message_id, ordinal)
         WHERE work.client_id = $1 AND work.message_id = ANY($2)
           AND work.message_id = given.message_id AND work.ordinal = given.ordinal",
    )
    .persistent(false)
    .bind(client.0)
    .bind(legs.iter().map(|leg| leg.0.0).collect::<Vec<_>>())
    .bind(legs.iter().map(|leg| leg.1).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// Puts legs back: they have surely not reached the provider, and are due again at the given times.
pub async fn put_back(db: &mut PgConnection, client: ClientId, legs: &[(MessageId, i16, DateTime<Utc>)]) -> Result<()> {
    if legs.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "UPDATE outbound_work work SET phase = 'READY', due_at = given.due_at
         FROM unnest($2::uuid[], $3::smallint[], $4::timestamptz[]) AS given (message_id, ordinal, due_at)
         WHERE work.client_id = $1 AND work.message_id = ANY($2)
           AND work.message_id = given.message_id AND work.ordinal = given.ordinal",
    )
    .persistent(false)
    .bind(client.0)
    .bind(legs.iter().map(|leg| leg.0.0).collect::<Vec<_>>())
    .bind(legs.iter().map(|leg| leg.1).collect::<Vec<_>>())
    .bind(legs.iter().map(|leg| leg.2).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// Removes legs that are done: the provider has them, or never will.
pub async fn finish(db: &mut PgConnection, client: ClientId, legs: &[(MessageId, i16)]) -> Result<()> {
    if legs.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "DELETE FROM outbound_work work USING unnest($2::uuid[], $3::smallint[]) AS given (message_id, ordinal)
         WHERE work.client_id = $1 AND work.message_id = ANY($2)
           AND work.message_id = given.message_id AND work.ordinal = given.ordinal",
    )
    .persistent(false)
    .bind(client.0)
    .bind(legs.iter().map(|leg| leg.0.0).collect::<Vec<_>>())
    .bind(legs.iter().map(|leg| leg.1).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// Queues the SMS leg of a fallback in the client's SMS lane.
pub async fn insert_sms(db: &mut PgConnection, client: ClientId, message: MessageId, now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "INSERT INTO outbound_work (client_id, message_id, ordinal, lane_id, priority, due_at) VALUES ($1, $2, 1, $1, 1, $3)",
    )
    .bind(client.0)
    .bind(message.0)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Legs waiting, over all clients: a figure for `/metrics`.
pub async fn depth(db: &mut PgConnection) -> Result<i64> {
    Ok(sqlx::query_scalar("SELECT count(*) FROM outbound_work").fetch_one(db).await?)
}
