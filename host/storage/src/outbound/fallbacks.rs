//! Fallbacks to SMS: one row per message, so that there is at most one, in any order of events.

use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    chat::FallbackMode,
    content::OutboundContent,
    ids::{ClientId, InboxId, MessageId},
    recipient::Recipient,
    send::FallbackRequest,
};
use uuid::Uuid;

use super::legs;
use crate::{
    Error, PgConnection, Result,
    column_values::{self, UnreadJson, read_value},
};

/// Part of a statement over `message` and its last `leg`, of client `$1`. `undecided.state` is the last reported state
/// while it is not decided if an SMS follows, else null.
pub(super) const UNDECIDED: &str = "
         LEFT JOIN LATERAL (
             SELECT CASE one.state WHEN 'PENDING' THEN
                        COALESCE((SELECT step.state
                                  FROM (SELECT id, state FROM delivery_receipt one
                                        WHERE one.client_id = $1 AND one.message_id = message.id OFFSET 0) step
                                  WHERE step.state <> 'FAILED' ORDER BY step.id DESC LIMIT 1), 'QUEUED') END AS state
             FROM fallback one
             WHERE one.client_id = $1 AND one.message_id = message.id AND leg.state = 'FAILED' OFFSET 0) undecided ON true";

#[derive(Debug, Clone)]
pub struct NewFallback {
    pub message: MessageId,
    pub inbox: InboxId,
    pub error_code: String,
    pub error_text: String,
    pub failed_at: DateTime<Utc>,
}

pub async fn request(
    db: &mut PgConnection,
    client: ClientId,
    fallback: &NewFallback,
    now: DateTime<Utc>,
) -> Result<bool> {
    insert(db, client, fallback, None, now).await
}

/// Records without a question that no SMS follows. Changes nothing if this message had its fallback already.
pub async fn refuse(
    db: &mut PgConnection,
    client: ClientId,
    fallback: &NewFallback,
    reason: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    insert(db, client, fallback, Some(reason), now).await.map(drop)
}

/// Inserts the only fallback of a message, decided if there is a reason against an SMS. False if it had one before.
async fn insert(
    db: &mut PgConnection,
    client: ClientId,
    fallback: &NewFallback,
    refused: Option<&str>,
    now: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query(
        "INSERT INTO fallback (client_id, message_id, lane_id, error_code, error_text, failed_at, due_at, state, reason,
                               decided_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING",
    )
    .bind(client.0)
    .bind(fallback.message.0)
    .bind(fallback.inbox.0)
    .bind(&fallback.error_code)
    .bind(&fallback.error_text)
    .bind(fallback.failed_at)
    .bind(now)
    .bind(refused.map_or("PENDING", |_| "SKIPPED"))
    .bind(refused)
    .bind(refused.map(|_| now))
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

#[derive(Debug, Clone)]
pub struct DueFallback {
    pub message: MessageId,
    pub error_code: String,
    pub error_text: String,
    pub attempts: i16,
    pub recipient: Recipient,
    /// True if a message of the client reached the recipient on WhatsApp, or the recipient wrote to one of its numbers.
    pub seen_on_whatsapp: bool,
    pub inbox: InboxId,
    pub sender: Option<String>,
    pub content: OutboundContent,
    pub fallback: Option<FallbackRequest>,
    pub sms_inbox: InboxId,
    /// Source address of that inbox; `None`: the operator's default.
    pub sms_source: Option<String>,
}

#[derive(sqlx::FromRow)]
struct DueFallbackRow {
    message_id: Uuid,
    error_code: String,
    error_text: String,
    attempts: i16,
    seen_on_whatsapp: bool,
    address_kind: String,
    address_value: String,
    other_kind: Option<String>,
    other_value: Option<String>,
    inbox_id: Uuid,
    sender: Option<String>,
    content: UnreadJson,
    fallback: Option<UnreadJson>,
    sms_inbox_id: Uuid,
    sms_source: Option<String>,
}

impl TryFrom<DueFallbackRow> for DueFallback {
    type Error = Error;

    fn try_from(row: DueFallbackRow) -> Result<Self> {
        let address = (row.address_kind.as_str(), row.address_value.as_str());
        Ok(Self {
            message: MessageId(row.message_id),
            error_code: row.error_code,
            error_text: row.error_text,
            attempts: row.attempts,
            recipient: legs::recipient(address, row.other_kind.as_deref().zip(row.other_value.as_deref()))?,
            seen_on_whatsapp: row.seen_on_whatsapp,
            inbox: InboxId(row.inbox_id),
            sender: row.sender,
            content: column_values::read("outbound_part", "content", &row.content)?,
            fallback: column_values::read_optional("outbound_part", "fallback", row.fallback.as_ref())?,
            sms_inbox: InboxId(row.sms_inbox_id),
            sms_source: row.sms_source,
        })
    }
}

#[derive(Debug)]
pub struct UnreadableFallback {
    pub message: MessageId,
    pub error: Error,
}

#[derive(Debug, Default)]
pub struct DueFallbacks {
    pub fallbacks: Vec<DueFallback>,
    /// Fallbacks that cannot be decided here. The others do not wait for them.
    pub unreadable: Vec<UnreadableFallback>,
}

pub async fn due(
    db: &mut PgConnection,
    client: ClientId,
    lane: Uuid,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<DueFallbacks> {
    let rows: Vec<DueFallbackRow> = sqlx::query_as(
        "SELECT waiting.message_id, waiting.error_code, waiting.error_text, waiting.attempts,
                message.address_kind, message.address_value, message.other_kind, message.other_value, message.inbox_id,
                inbox.address AS sender, part.content, part.fallback, sms.id AS sms_inbox_id,
                sms_address.address AS sms_source,
                EXISTS (SELECT 1
                        FROM (SELECT customer_id FROM customer_address one
                              WHERE one.client_id = waiting.client_id AND one.kind = 'PHONE'
                                AND one.value = CASE 'PHONE' WHEN message.address_kind THEN message.address_value
                                                             WHEN message.other_kind THEN message.other_value END
                              OFFSET 0) person
                        CROSS JOIN LATERAL (
                            SELECT id FROM inbox one
                            WHERE one.client_id = waiting.client_id AND one.channel = 'WHATSAPP' OFFSET 0) place
                        CROSS JOIN LATERAL (
                            SELECT reached FROM inbox_customer one
                            WHERE one.client_id = waiting.client_id AND one.inbox_id = place.id
                              AND one.customer_id = person.customer_id OFFSET 0) known
                        WHERE known.reached) AS seen_on_whatsapp
         FROM (SELECT * FROM fallback WHERE client_id = $1 AND lane_id = $2 AND state = 'PENDING' AND ready AND due_at <= $3
               ORDER BY due_at LIMIT $4) waiting
         CROSS JOIN LATERAL (
             SELECT * FROM outbound_message one
             WHERE one.client_id = waiting.client_id AND one.id = waiting.message_id OFFSET 0) message
         CROSS JOIN LATERAL (
             SELECT * FROM outbound_part one
             WHERE one.client_id = waiting.client_id AND one.id = message.part_id OFFSET 0) part
         JOIN inbox ON inbox.client_id = waiting.client_id AND inbox.id = message.inbox_id
         JOIN sms_inbox sms ON sms.client_id = waiting.client_id AND sms.is_default
         JOIN inbox sms_address ON sms_address.client_id = waiting.client_id AND sms_address.id = sms.id
         ORDER BY waiting.due_at",
    )
    .bind(client.0)
    .bind(lane)
    .bind(now)
    .bind(limit)
    .fetch_all(db)
    .await?;
    let mut due = DueFallbacks::default();
    for row in rows {
        let message = MessageId(row.message_id);
        match DueFallback::try_from(row) {
            Ok(fallback) => due.fallbacks.push(fallback),
            Err(error) => due.unreadable.push(UnreadableFallback { message, error }),
        }
    }
    Ok(due)
}

/// Puts off a decision. `failed` counts the attempt; without it the plugin did not fail.
pub async fn postpone(
    db: &mut PgConnection,
    client: ClientId,
    message: MessageId,
    failed: bool,
    due_at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "UPDATE fallback SET due_at = $3, ready = false, attempts = attempts + CASE WHEN $4 THEN 1 ELSE 0 END
         WHERE client_id = $1 AND message_id = $2 AND state = 'PENDING'",
    )
    .bind(client.0)
    .bind(message.0)
    .bind(due_at)
    .bind(failed)
    .execute(db)
    .await?;
    Ok(())
}

#[derive(Debug, Clone, Copy)]
pub struct FallbackDecision<'a> {
    pub sent: bool,
    pub plugin: &'a str,
    /// Its version; `None` for a shipped plugin.
    pub version: Option<i32>,
    pub sha256: Option<&'a str>,
    pub reason: Option<&'a str>,
    pub at: DateTime<Utc>,
}

pub async fn are_enabled(db: &mut PgConnection, client: ClientId) -> Result<bool> {
    let enabled: Option<bool> = sqlx::query_scalar("SELECT sms_fallback_enabled FROM client WHERE id = $1")
        .bind(client.0)
        .fetch_optional(db)
        .await?;
    Ok(enabled.unwrap_or(false))
}

/// Records a decision; `false` if it was made before.
pub async fn decide(
    db: &mut PgConnection,
    client: ClientId,
    message: MessageId,
    decided: &FallbackDecision<'_>,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE fallback SET state = $3, plugin = $4, reason = $5, version = $6, sha256 = $7, decided_at = $8
         WHERE client_id = $1 AND message_id = $2 AND state = 'PENDING'",
    )
    .bind(client.0)
    .bind(message.0)
    .bind(if decided.sent { "SENT" } else { "SKIPPED" })
    .bind(decided.plugin)
    .bind(decided.reason)
    .bind(decided.version)
    .bind(decided.sha256)
    .bind(decided.at)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The facts that decide if a failed message may fall back (PROVIDERS A.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FallbackRow {
    pub mode: FallbackMode,
    /// True if the customer was seen alive on the channel of this inbox.
    pub reached: bool,
    pub enabled: bool,
    pub accepted_at: Option<DateTime<Utc>>,
}

pub async fn facts(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    message: MessageId,
    phone: Option<&Address>,
) -> Result<Option<FallbackRow>> {
    let row: Option<(String, bool, bool, Option<DateTime<Utc>>)> = sqlx::query_as(
        "SELECT client.fallback_mode, client.sms_fallback_enabled,
                EXISTS (SELECT 1 FROM (SELECT customer_id FROM customer_address
                                       WHERE client_id = $1 AND kind = $3 AND value = $4 OFFSET 0) address
                        CROSS JOIN LATERAL (
                            SELECT reached FROM inbox_customer one
                            WHERE one.client_id = $1 AND one.inbox_id = $2 AND one.customer_id = address.customer_id OFFSET 0
                        ) known
                        WHERE known.reached),
                (SELECT min(step.happened_at)
                 FROM (SELECT state, happened_at FROM delivery_receipt one
                       WHERE one.client_id = $1 AND one.message_id = $5 OFFSET 0) step
                 WHERE step.state = 'ACCEPTED')
         FROM client WHERE client.id = $1",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(phone.map(|phone| phone.kind().as_str()))
    .bind(phone.map(Address::value))
    .bind(message.0)
    .fetch_optional(db)
    .await?;
    let facts = |(mode, enabled, reached, accepted_at): (String, bool, bool, Option<DateTime<Utc>>)| {
        let mode = read_value("client", "fallback_mode", &mode, |mode| mode.parse().ok())?;
        Ok(FallbackRow { mode, reached, enabled, accepted_at })
    };
    row.map(facts).transpose()
}
