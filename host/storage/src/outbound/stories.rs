//! All stored facts of one message, for people. Every statement finds its rows by the id of the message, or by ids that
//! were found so. The cost does not depend on the number of messages.

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

/// A message with the facts of its send.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryMessage {
    /// The system's tracking id.
    pub gst_id: String,
    /// The client's tracking id.
    pub ct_id: Option<String>,
    /// The recipient's number; `None` if only a user id was given.
    pub receiver: Option<String>,
    /// The recipient's user id.
    pub recipient_user_id: Option<String>,
    /// The chat message that it carries.
    pub chat_message_id: Option<Uuid>,
    /// Address of the sending inbox; `None`: the operator's source of SMS.
    pub sender: Option<String>,
    /// Channel of that inbox.
    pub channel: String,
    /// `NOTIFICATION`, `CHAT` and others.
    pub message_type: Option<String>,
    /// Its send.
    pub batch_id: Option<Uuid>,
    /// The HTTP request of the send.
    pub request_id: Option<Uuid>,
    /// Billing category.
    pub category: Option<String>,
    /// Name of its template.
    pub template_name: Option<String>,
    /// True if an SMS may follow.
    pub has_fallback: Option<bool>,
}

/// Returns a message; `None` if the client has no such message.
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
    /// Its position among the legs of the message.
    pub ordinal: i16,
    /// Its channel.
    pub channel: String,
    /// Its address.
    pub address_value: String,
    /// State.
    pub state: String,
    /// The provider's id of it.
    pub provider_id: Option<String>,
    /// True if the provider may have got it twice.
    pub ambiguous: bool,
    /// Calls until now, while it is queued.
    pub attempts: Option<i16>,
    /// Next due time, while it is queued.
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

/// A step of a leg.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryReceipt {
    /// UUIDv7 of the time of storage; also the id of the step's webhook.
    pub id: Uuid,
    /// Channel of the leg.
    pub channel: String,
    /// The state reached.
    pub state: String,
    /// Its time, from the provider.
    pub happened_at: DateTime<Utc>,
    /// Code of a failure.
    pub error_code: Option<String>,
    /// Text of a failure.
    pub error_text: Option<String>,
}

/// Returns the steps of a message in the order of storage.
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

/// A provider call that did not take a leg.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryCall {
    /// Number of the leg.
    pub ordinal: i16,
    /// `REFUSED`, `RETRY`, `UNANSWERED`.
    pub outcome: String,
    /// The provider's code.
    pub error_code: Option<String>,
    /// The reason, in words.
    pub error_text: String,
    /// When it ended.
    pub called_at: DateTime<Utc>,
}

/// Returns the provider calls that did not take a leg of a message, in order.
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
    /// When it was decided.
    pub decided_at: Option<DateTime<Utc>>,
    /// The deciding plugin.
    pub plugin: Option<String>,
    /// Its version; `None` for a shipped plugin.
    pub version: Option<i32>,
    /// Hash of its component.
    pub sha256: Option<String>,
    /// The reason why no SMS follows.
    pub reason: Option<String>,
}

/// Returns the decision about the fallback of a message, if one was requested.
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
    /// Number of the leg.
    pub ordinal: i16,
    /// Number of the part, from 1.
    pub part: i16,
    /// The SMSC's id.
    pub smsc_id: String,
    /// State.
    pub state: String,
}

/// Returns the parts of the SMS legs of a message that an SMSC has, in order.
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

/// Returns the decisions of routers about the SMS legs of a message, in order.
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

/// A webhook of a step.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoryWebhook {
    /// Its id: that of the step.
    pub id: Uuid,
    /// `PENDING`, `DELIVERED`, `DROPPED`, `EXHAUSTED`.
    pub state: String,
    /// Its address; `None` if it was deleted.
    pub url: Option<String>,
    /// The client's shaper of its body; `None` for a shipped one.
    pub shaper: Option<String>,
    /// Its version; `None` for a shipped shaper that was activated.
    pub shaper_version: Option<i32>,
    /// Hash of its component.
    pub shaper_sha256: Option<String>,
}

/// Returns the webhooks of steps.
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
    /// Number of the attempt, from 1.
    pub attempt: i16,
    /// Status of the answer.
    pub status_code: Option<i16>,
    /// The reason why there was no answer.
    pub error: Option<String>,
    /// Its duration.
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
