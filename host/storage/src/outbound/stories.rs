//! All stored facts of one message, for people. Every row is found by id.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, MessageId},
    sms_route::SmsRoute,
};
use uuid::Uuid;

use crate::{
    PgConnection, Result,
    column_values::{self, UnreadJson},
};

/// Returns the message of a tracking id: its own id, or an id of the client; of several messages the newest.
pub async fn find(db: &mut PgConnection, client: ClientId, gst_id: &str) -> Result<Option<MessageId>> {
    let by_id: Option<Uuid> = match gst_id.parse::<Uuid>() {
        Ok(id) => {
            sqlx::query_scalar("SELECT id FROM outbound_message WHERE client_id = $1 AND id = $2")
                .bind(client.0)
                .bind(id)
                .fetch_optional(&mut *db)
                .await?
        }
        Err(_) => None,
    };
    if by_id.is_some() {
        return Ok(by_id.map(MessageId));
    }
    let by_own: Option<Uuid> = sqlx::query_scalar(
        "SELECT id FROM (SELECT id FROM outbound_message WHERE client_id = $1 AND gst_id = $2 AND gst_id <> id::text
                         OFFSET 0) found
         ORDER BY id DESC LIMIT 1",
    )
    .bind(client.0)
    .bind(gst_id)
    .fetch_optional(db)
    .await?;
    Ok(by_own.map(MessageId))
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryMessage {
    pub gst_id: String,
    pub ct_id: Option<String>,
    pub receiver: Option<String>,
    pub recipient_user_id: Option<String>,
    pub chat_message_id: Option<Uuid>,
    pub sender: Option<String>,
    pub channel: String,
    pub message_type: Option<String>,
    pub batch_id: Option<Uuid>,
    pub request_id: Option<Uuid>,
    pub category: Option<String>,
    pub template_name: Option<String>,
    pub has_fallback: Option<bool>,
}

pub async fn message(db: &mut PgConnection, client: ClientId, message: MessageId) -> Result<Option<StoryMessage>> {
    let found = sqlx::query_as(
        "SELECT message.gst_id, message.ct_id, message.chat_message_id,
                CASE 'PHONE' WHEN message.address_kind THEN message.address_value
                             WHEN message.other_kind THEN message.other_value END AS receiver,
                CASE WHEN message.address_kind <> 'PHONE' THEN message.address_value
                     WHEN message.other_kind <> 'PHONE' THEN message.other_value END AS recipient_user_id,
                inbox.address AS sender, inbox.channel, part.message_type, part.batch_id, part.request_id, part.category,
                CASE part.content -> 'value' ->> 'kind' WHEN 'template' THEN part.content -> 'value' ->> 'name' END
                    AS template_name,
                part.fallback IS NOT NULL AS has_fallback
         FROM (SELECT * FROM outbound_message WHERE client_id = $1 AND id = $2 OFFSET 0) message
         JOIN inbox ON inbox.client_id = $1 AND inbox.id = message.inbox_id
         LEFT JOIN LATERAL (
             SELECT * FROM outbound_part one WHERE one.client_id = $1 AND one.id = message.part_id OFFSET 0) part ON true",
    )
    .bind(client.0)
    .bind(message.0)
    .fetch_optional(db)
    .await?;
    Ok(found)
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryLeg {
    pub ordinal: i16,
    pub channel: String,
    pub address_value: String,
    pub state: String,
    pub provider_id: Option<String>,
    pub ambiguous: bool,
    /// Calls until now, while it is queued.
    pub attempts: Option<i16>,
    pub due_at: Option<DateTime<Utc>>,
}

pub async fn legs(db: &mut PgConnection, client: ClientId, message: MessageId) -> Result<Vec<StoryLeg>> {
    let found = sqlx::query_as(
        "SELECT leg.ordinal, leg.channel, leg.address_value, leg.state, leg.provider_id, leg.ambiguous, work.attempts,
                work.due_at
         FROM (SELECT * FROM outbound_leg WHERE client_id = $1 AND message_id = $2 OFFSET 0) leg
         LEFT JOIN LATERAL (
             SELECT attempts, due_at FROM outbound_work one
             WHERE one.client_id = $1 AND one.message_id = $2 AND one.ordinal = leg.ordinal OFFSET 0) work ON true
         ORDER BY leg.ordinal",
    )
    .bind(client.0)
    .bind(message.0)
    .fetch_all(db)
    .await?;
    Ok(found)
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryReceipt {
    /// UUIDv7 of the time of storage; also the id of the step's webhook.
    pub id: Uuid,
    pub channel: String,
    pub state: String,
    pub happened_at: DateTime<Utc>,
    pub error_code: Option<String>,
    pub error_text: Option<String>,
}

pub async fn receipts(db: &mut PgConnection, client: ClientId, message: MessageId) -> Result<Vec<StoryReceipt>> {
    let found = sqlx::query_as(
        "SELECT id, channel, state, happened_at, error_code, error_text
         FROM (SELECT * FROM delivery_receipt WHERE client_id = $1 AND message_id = $2 OFFSET 0) step ORDER BY id",
    )
    .bind(client.0)
    .bind(message.0)
    .fetch_all(db)
    .await?;
    Ok(found)
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryCall {
    pub ordinal: i16,
    pub outcome: String,
    pub error_code: Option<String>,
    pub error_text: String,
    pub called_at: DateTime<Utc>,
}

pub async fn failed_calls(db: &mut PgConnection, client: ClientId, message: MessageId) -> Result<Vec<StoryCall>> {
    let found = sqlx::query_as(
        "SELECT ordinal, outcome, error_code, error_text, called_at FROM provider_call
         WHERE client_id = $1 AND message_id = $2 ORDER BY id",
    )
    .bind(client.0)
    .bind(message.0)
    .fetch_all(db)
    .await?;
    Ok(found)
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryDecision {
    pub state: String,
    pub failed_at: DateTime<Utc>,
    pub decided_at: Option<DateTime<Utc>>,
    pub plugin: Option<String>,
    pub version: Option<i32>,
    pub sha256: Option<String>,
    pub reason: Option<String>,
}

pub async fn decision(db: &mut PgConnection, client: ClientId, message: MessageId) -> Result<Option<StoryDecision>> {
    let found = sqlx::query_as(
        "SELECT state, failed_at, decided_at, plugin, version, sha256, reason FROM fallback
         WHERE client_id = $1 AND message_id = $2",
    )
    .bind(client.0)
    .bind(message.0)
    .fetch_optional(db)
    .await?;
    Ok(found)
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryPart {
    pub ordinal: i16,
    /// Number of the part, from 1.
    pub part: i16,
    pub smsc_id: String,
    pub state: String,
}

pub async fn parts(db: &mut PgConnection, client: ClientId, message: MessageId) -> Result<Vec<StoryPart>> {
    let found = sqlx::query_as(
        "SELECT ordinal, part, smsc_id, state FROM sms_part WHERE client_id = $1 AND message_id = $2
         ORDER BY ordinal, part",
    )
    .bind(client.0)
    .bind(message.0)
    .fetch_all(db)
    .await?;
    Ok(found)
}

pub async fn routes(db: &mut PgConnection, client: ClientId, message: MessageId) -> Result<Vec<(i16, SmsRoute)>> {
    let found: Vec<(i16, UnreadJson)> = sqlx::query_as(
        "SELECT ordinal, sms_route FROM outbound_leg WHERE client_id = $1 AND message_id = $2 AND sms_route IS NOT NULL
         ORDER BY ordinal",
    )
    .bind(client.0)
    .bind(message.0)
    .fetch_all(db)
    .await?;
    let read =
        |(ordinal, route): (i16, UnreadJson)| Ok((ordinal, column_values::read("outbound_leg", "sms_route", &route)?));
    found.into_iter().map(read).collect()
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryWebhook {
    pub id: Uuid,
    /// `PENDING`, `DELIVERED`, `DROPPED`, `EXHAUSTED`.
    pub state: String,
    pub url: Option<String>,
    /// The client's shaper of its body; `None` for a shipped one.
    pub shaper: Option<String>,
    /// Its version; `None` for a shipped shaper that was activated.
    pub shaper_version: Option<i32>,
    pub shaper_sha256: Option<String>,
}

pub async fn webhooks(db: &mut PgConnection, client: ClientId, receipts: &[Uuid]) -> Result<Vec<StoryWebhook>> {
    let found = sqlx::query_as(
        "SELECT delivery.id, delivery.state, endpoint.url, delivery.shaper, delivery.shaper_version, delivery.shaper_sha256
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) wanted
         CROSS JOIN LATERAL (
             SELECT id, state, lane_id, shaper, shaper_version, shaper_sha256 FROM webhook_delivery one
             WHERE one.client_id = wanted.client_id AND one.id = wanted.id OFFSET 0) delivery
         LEFT JOIN LATERAL (
             SELECT url FROM webhook_endpoint one
             WHERE one.client_id = wanted.client_id AND one.id = delivery.lane_id OFFSET 0) endpoint ON true
         ORDER BY delivery.id",
    )
    .bind(client.0)
    .bind(receipts)
    .fetch_all(db)
    .await?;
    Ok(found)
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryAttempt {
    pub delivery_id: Uuid,
    /// Number of the attempt, from 1.
    pub attempt: i16,
    pub status_code: Option<i16>,
    pub error: Option<String>,
    pub duration_millis: i32,
    pub attempted_at: DateTime<Utc>,
}

pub async fn attempts(db: &mut PgConnection, client: ClientId, webhooks: &[Uuid]) -> Result<Vec<StoryAttempt>> {
    let found = sqlx::query_as(
        "SELECT attempt.delivery_id, attempt.attempt, attempt.status_code, attempt.error, attempt.duration_millis,
                attempt.attempted_at
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) wanted
         CROSS JOIN LATERAL (
             SELECT * FROM webhook_attempt one
             WHERE one.client_id = wanted.client_id AND one.delivery_id = wanted.id OFFSET 0) attempt
         ORDER BY attempt.id",
    )
    .bind(client.0)
    .bind(webhooks)
    .fetch_all(db)
    .await?;
    Ok(found)
}
