//! SMS fallbacks: one row per message, so that there is at most one, whatever order things happen in.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, InboxId, MessageId};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Result;

/// A message whose WhatsApp leg ended because the recipient is not there.
pub struct NewFallback {
    /// The message.
    pub message: MessageId,
    /// Its business number: the lane.
    pub number: InboxId,
    /// The provider's code.
    pub error_code: String,
    /// The provider's text.
    pub error_text: String,
    /// When it failed.
    pub failed_at: DateTime<Utc>,
}

/// Asks for a decision; `false` when this message had its fallback already.
pub async fn request(
    db: &mut PgConnection,
    client: ClientId,
    fallback: &NewFallback,
    now: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query(
        "INSERT INTO fallback (client_id, message_id, lane_id, error_code, error_text, failed_at, due_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
    )
    .bind(client.0)
    .bind(fallback.message.0)
    .bind(fallback.number.0)
    .bind(&fallback.error_code)
    .bind(&fallback.error_text)
    .bind(fallback.failed_at)
    .bind(now)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// A decision that is due, with what the deciding plugin is told.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct DueFallback {
    /// The message.
    pub message_id: Uuid,
    /// The provider's code.
    pub error_code: String,
    /// The provider's text.
    pub error_text: String,
    /// When it failed.
    pub failed_at: DateTime<Utc>,
    /// Decisions tried so far.
    pub attempts: i16,
    /// Recipient's phone number in digits.
    pub to_phone: Option<String>,
    /// The sending number.
    pub msisdn: String,
    /// Its id.
    pub number_id: Uuid,
    /// The content of the message.
    pub content: Value,
    /// The request's fallback object.
    pub fallback: Option<Value>,
    /// Source address of the client's SMS.
    pub sms_source: Option<String>,
}

/// Decisions that are due in a lane, oldest first.
pub async fn due(
    db: &mut PgConnection,
    client: ClientId,
    lane: Uuid,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<DueFallback>> {
    let rows = sqlx::query_as(
        "SELECT waiting.message_id, waiting.error_code, waiting.error_text, waiting.failed_at, waiting.attempts,
                message.to_phone, number.msisdn, number.id AS number_id, part.content, part.fallback, client.sms_source
         FROM fallback waiting
         JOIN outbound_message message ON message.client_id = $1 AND message.id = waiting.message_id
         JOIN outbound_part part ON part.client_id = $1 AND part.id = message.part_id
         JOIN whatsapp_number number ON number.client_id = $1 AND number.id = message.number_id
         JOIN client ON client.id = $1
         WHERE waiting.client_id = $1 AND waiting.lane_id = $2 AND waiting.state = 'PENDING' AND waiting.due_at <= $3
         ORDER BY waiting.due_at LIMIT $4",
    )
    .bind(client.0)
    .bind(lane)
    .bind(now)
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(rows)
}

/// Puts a decision off.
pub async fn put_off(db: &mut PgConnection, client: ClientId, message: MessageId, due_at: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "UPDATE fallback SET due_at = $3, attempts = attempts + 1 WHERE client_id = $1 AND message_id = $2 AND state = 'PENDING'",
    )
    .bind(client.0)
    .bind(message.0)
    .bind(due_at)
    .execute(db)
    .await?;
    Ok(())
}

/// Records a decision; `false` when it was taken before. `sent` says whether an SMS follows.
pub async fn decide(
    db: &mut PgConnection,
    client: ClientId,
    message: MessageId,
    sent: bool,
    plugin: &str,
    reason: Option<&str>,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE fallback SET state = $3, plugin = $4, reason = $5
         WHERE client_id = $1 AND message_id = $2 AND state = 'PENDING'",
    )
    .bind(client.0)
    .bind(message.0)
    .bind(if sent { "SENT" } else { "SKIPPED" })
    .bind(plugin)
    .bind(reason)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// What decides whether a failed message may fall back at all (PROVIDERS A.12).
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct FallbackFacts {
    /// `STRICT` or `ANY_131026`.
    pub fallback_mode: String,
    /// The number was seen alive on WhatsApp by this business number.
    pub seen_on_whatsapp: bool,
}

/// The facts for a recipient on a business number.
pub async fn facts(
    db: &mut PgConnection,
    client: ClientId,
    number: InboxId,
    phone: &str,
) -> Result<Option<FallbackFacts>> {
    let facts = sqlx::query_as(
        "SELECT client.fallback_mode,
                EXISTS (SELECT 1 FROM customer_identity identity
                        JOIN number_customer ON number_customer.client_id = $1 AND number_customer.number_id = $2
                             AND number_customer.customer_id = identity.customer_id
                        WHERE identity.client_id = $1 AND identity.kind = 'PHONE' AND identity.value = $3
                          AND number_customer.seen_on_whatsapp) AS seen_on_whatsapp
         FROM client WHERE client.id = $1",
    )
    .bind(client.0)
    .bind(number.0)
    .bind(phone)
    .fetch_optional(db)
    .await?;
    Ok(facts)
}
