//! All that is stored of one message, for people who ask what became of it. Every statement finds its rows by the id of the
//! message, or by ids that were found so: the cost is that of the message, however many there are.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, MessageId},
    sms_route::SmsRoute,
};
use uuid::Uuid;

use crate::{
    PgConnection, Result,
    stored::{self, Stored},
};

/// The message that a tracking id names: its own id, or one that the client brought along; of several with one such id the
/// newest.
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

/// A message with what it came with.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryMessage {
    /// The system's tracking id.
    pub gst_id: String,
    /// The client's tracking id.
    pub ct_id: Option<String>,
    /// The number that it goes to; `None` = to a user id alone.
    pub receiver: Option<String>,
    /// The user id that it goes to, or that was given beside the number.
    pub recipient_user_id: Option<String>,
    /// The chat message that it carries.
    pub chat_message_id: Option<Uuid>,
    /// What it is sent from; `None` = the operator's source of SMS.
    pub sender: Option<String>,
    /// The channel of that.
    pub channel: String,
    /// `NOTIFICATION`, `CHAT` and others.
    pub message_type: Option<String>,
    /// The send that it is part of.
    pub batch_id: Option<Uuid>,
    /// The HTTP request that it came with.
    pub request_id: Option<Uuid>,
    /// What it is billed as.
    pub category: Option<String>,
    /// Name of its template.
    pub template_name: Option<String>,
    /// Whether an SMS may follow.
    pub has_fallback: Option<bool>,
}

/// A message; `None` when the client has no such message.
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

/// One attempt to deliver a message.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryLeg {
    /// Its place among those of the message.
    pub ordinal: i16,
    /// What it travels over.
    pub channel: String,
    /// Where it goes.
    pub address_value: String,
    /// Where it stands.
    pub state: String,
    /// The provider's id of it.
    pub provider_id: Option<String>,
    /// The provider may have got it twice.
    pub ambiguous: bool,
    /// Calls made so far, while it is queued.
    pub attempts: Option<i16>,
    /// When it is due next, while it is queued.
    pub due_at: Option<DateTime<Utc>>,
}

/// The legs of a message, in order.
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

/// A step that a leg made.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryReceipt {
    /// UUIDv7 of the moment it was stored; also the id of the webhook that tells of it.
    pub id: Uuid,
    /// Channel of the leg.
    pub channel: String,
    /// The state reached.
    pub state: String,
    /// When, by the provider.
    pub happened_at: DateTime<Utc>,
    /// Code of a failure.
    pub error_code: Option<String>,
    /// Text of a failure.
    pub error_text: Option<String>,
}

/// The steps of a message, as they were stored.
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

/// A call of a provider that did not take a leg.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryCall {
    /// Which leg.
    pub ordinal: i16,
    /// `REFUSED`, `RETRY`, `UNANSWERED`.
    pub outcome: String,
    /// The provider's code.
    pub error_code: Option<String>,
    /// Why, in words.
    pub error_text: String,
    /// When it ended.
    pub called_at: DateTime<Utc>,
}

/// The calls that did not take a leg of a message, in order.
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

/// The decision about a fallback.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryDecision {
    /// `PENDING`, `SENT`, `SKIPPED`.
    pub state: String,
    /// When the leg before it failed.
    pub failed_at: DateTime<Utc>,
    /// When it was taken.
    pub decided_at: Option<DateTime<Utc>>,
    /// The plugin that took it.
    pub plugin: Option<String>,
    /// Its version; `None` for one that ships.
    pub version: Option<i32>,
    /// Hash of its component.
    pub sha256: Option<String>,
    /// Why no SMS follows.
    pub reason: Option<String>,
}

/// The decision about the fallback of a message, if one was asked for.
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

/// A part of an SMS leg.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryPart {
    /// Which leg.
    pub ordinal: i16,
    /// Which part, from 1.
    pub part: i16,
    /// The SMSC's id of it.
    pub smsc_id: String,
    /// How far it has come.
    pub state: String,
}

/// The parts of the SMS legs of a message that an SMSC has, in order.
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

/// What routers decided about the legs of a message that are SMS, in order.
pub async fn routes(db: &mut PgConnection, client: ClientId, message: MessageId) -> Result<Vec<(i16, SmsRoute)>> {
    let found: Vec<(i16, Stored)> = sqlx::query_as(
        "SELECT ordinal, sms_route FROM outbound_leg WHERE client_id = $1 AND message_id = $2 AND sms_route IS NOT NULL
         ORDER BY ordinal",
    )
    .bind(client.0)
    .bind(message.0)
    .fetch_all(db)
    .await?;
    let read = |(ordinal, route): (i16, Stored)| Ok((ordinal, stored::read("outbound_leg", "sms_route", &route)?));
    found.into_iter().map(read).collect()
}

/// A webhook that tells of a step.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryWebhook {
    /// Its id: that of the step.
    pub id: Uuid,
    /// `PENDING`, `DELIVERED`, `DROPPED`, `EXHAUSTED`.
    pub state: String,
    /// Where it goes; `None` when that was deleted.
    pub url: Option<String>,
    /// The client's shaper that made it; `None` for one that ships.
    pub shaper: Option<String>,
    /// Its version; `None` for one that ships and was put in charge.
    pub shaper_version: Option<i32>,
    /// Hash of its component.
    pub shaper_sha256: Option<String>,
}

/// The webhooks that tell of these steps.
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

/// One request of a webhook.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryAttempt {
    /// The webhook.
    pub delivery_id: Uuid,
    /// Which attempt, from 1.
    pub attempt: i16,
    /// Status of the answer.
    pub status_code: Option<i16>,
    /// Why there was none.
    pub error: Option<String>,
    /// How long it took.
    pub duration_millis: i32,
    /// When it was made.
    pub attempted_at: DateTime<Utc>,
}

/// The requests of these webhooks.
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
