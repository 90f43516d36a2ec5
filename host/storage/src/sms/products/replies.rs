use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, MessageId, SmsRequestId};
use uuid::Uuid;

use crate::{PgConnection, Result};

/// A source as subscribers answer it: an SMSC names our numbers without `+`.
pub(crate) fn bare(source: &str) -> &str {
    let source = source.trim();
    source.strip_prefix('+').unwrap_or(source)
}

/// Records the messages that subscribers answer: source, subscriber, message. Of one client the latest send counts, of two
/// clients the one whose row is stored last. A trigger keeps the other (`sms_other_correspondent`).
pub async fn correspond(
    db: &mut PgConnection,
    client: ClientId,
    sent: &[(&str, &str, MessageId)],
    now: DateTime<Utc>,
) -> Result<()> {
    note(db, client, sent, now, &format!("{REPLACE} {IF_LATER}")).await
}

/// The same for messages that are sent now: a fallback, a reply in a chat, a scheduled message.
pub async fn correspond_now(
    db: &mut PgConnection,
    client: ClientId,
    sent: &[(&str, &str, MessageId)],
    now: DateTime<Utc>,
) -> Result<()> {
    note(db, client, sent, now, REPLACE).await
}

/// The same for messages that are still to be sent. If a subscriber has another message to answer, the client is one of the
/// others that STOP is for.
pub async fn correspond_at_last(
    db: &mut PgConnection,
    client: ClientId,
    sent: &[(&str, &str, MessageId)],
    now: DateTime<Utc>,
) -> Result<()> {
    if sent.is_empty() {
        return Ok(());
    }
    let latest = pick_latest(sent);
    sqlx::query(
        "WITH sent AS (
             SELECT source, subscriber, message_id
             FROM unnest($2::text[], $3::text[], $4::uuid[]) AS one (source, subscriber, message_id)
         ), answerable AS (
             INSERT INTO sms_correspondent (source, subscriber, client_id, message_id, at)
             SELECT source, subscriber, $1, message_id, $5 FROM sent ORDER BY source, subscriber
             ON CONFLICT (source, subscriber) DO NOTHING
             RETURNING source, subscriber
         )
         INSERT INTO sms_other_correspondent (source, subscriber, client_id, message_id, at)
         SELECT source, subscriber, $1, message_id, $5 FROM sent
         WHERE NOT EXISTS (SELECT FROM answerable
                           WHERE answerable.source = sent.source AND answerable.subscriber = sent.subscriber)
         ORDER BY source, subscriber
         ON CONFLICT (source, subscriber, client_id) DO UPDATE
         SET at = greatest(sms_other_correspondent.at, excluded.at)",
    )
    .bind(client.0)
    .bind(latest.keys().map(|key| key.0).collect::<Vec<_>>())
    .bind(latest.keys().map(|key| key.1).collect::<Vec<_>>())
    .bind(latest.values().copied().collect::<Vec<_>>())
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

const REPLACE: &str =
    "DO UPDATE SET client_id = excluded.client_id, message_id = excluded.message_id, at = excluded.at";
const IF_LATER: &str = "WHERE known.message_id < excluded.message_id OR known.client_id <> excluded.client_id";

/// A statement may write a row only once, and two statements must write several rows in the same order.
fn pick_latest<'a>(sent: &[(&'a str, &'a str, MessageId)]) -> BTreeMap<(&'a str, &'a str), Uuid> {
    sent.iter().map(|(source, subscriber, message)| ((bare(source), *subscriber), message.0)).collect()
}

/// Writes correspondents, which retention removes by time. `known`: the effect on an existing entry.
async fn note(
    db: &mut PgConnection,
    client: ClientId,
    sent: &[(&str, &str, MessageId)],
    now: DateTime<Utc>,
    known: &str,
) -> Result<()> {
    if sent.is_empty() {
        return Ok(());
    }
    let latest = pick_latest(sent);
    let statement = format!(
        "INSERT INTO sms_correspondent AS known (source, subscriber, client_id, message_id, at)
         SELECT source, subscriber, $1, message_id, $5
         FROM unnest($2::text[], $3::text[], $4::uuid[]) AS sent (source, subscriber, message_id)
         ON CONFLICT (source, subscriber) {known}"
    );
    sqlx::query(&statement)
        .bind(client.0)
        .bind(latest.keys().map(|key| key.0).collect::<Vec<_>>())
        .bind(latest.keys().map(|key| key.1).collect::<Vec<_>>())
        .bind(latest.values().copied().collect::<Vec<_>>())
        .bind(now)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn find_answered(
    db: &mut PgConnection,
    source: &str,
    subscriber: &str,
) -> Result<Option<(ClientId, MessageId)>> {
    let found: Option<(Uuid, Uuid)> =
        sqlx::query_as("SELECT client_id, message_id FROM sms_correspondent WHERE source = $1 AND subscriber = $2")
            .bind(bare(source))
            .bind(subscriber)
            .fetch_optional(db)
            .await?;
    Ok(found.map(|(client, message)| (ClientId(client), MessageId(message))))
}

/// Directory: the clients except `last` that wrote to a subscriber from a source or will write, each with a message, in the
/// order of their ids.
pub async fn find_others(
    db: &mut PgConnection,
    source: &str,
    subscriber: &str,
    last: Option<ClientId>,
) -> Result<Vec<(ClientId, MessageId)>> {
    let found: Vec<(Uuid, Uuid)> = sqlx::query_as(
        "SELECT client_id, message_id FROM sms_other_correspondent
         WHERE source = $1 AND subscriber = $2 AND client_id IS DISTINCT FROM $3 ORDER BY client_id",
    )
    .bind(bare(source))
    .bind(subscriber)
    .bind(last.map(|client| client.0))
    .fetch_all(db)
    .await?;
    Ok(found.into_iter().map(|(client, message)| (ClientId(client), MessageId(message))).collect())
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct RepliedMessage {
    pub request_id: Uuid,
    pub source: String,
    pub ct_id: Option<String>,
    pub identifier: Option<String>,
}

/// Returns the facts of an answered message; `None` if it is not of a product.
pub async fn message(db: &mut PgConnection, client: ClientId, message: MessageId) -> Result<Option<RepliedMessage>> {
    let row = sqlx::query_as(
        "SELECT request_id, source, ct_id, identifier FROM sms_message WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(message.0)
    .fetch_optional(db)
    .await?;
    Ok(row)
}

#[derive(Debug, Clone)]
pub struct SmsProductReply {
    pub id: Uuid,
    pub request: SmsRequestId,
    pub message: MessageId,
    pub subscriber: String,
    pub source: String,
    pub body: String,
    pub received_at: DateTime<Utc>,
}

pub async fn insert(db: &mut PgConnection, client: ClientId, reply: &SmsProductReply) -> Result<()> {
    sqlx::query(
        "INSERT INTO sms_reply (client_id, id, request_id, message_id, subscriber, source, body, received_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(client.0)
    .bind(reply.id)
    .bind(reply.request.0)
    .bind(reply.message.0)
    .bind(&reply.subscriber)
    .bind(&reply.source)
    .bind(&reply.body)
    .bind(reply.received_at)
    .execute(db)
    .await?;
    Ok(())
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct PulledReply {
    pub subscriber: String,
    pub identifier: Option<String>,
    pub body: String,
    pub received_at: DateTime<Utc>,
}

pub async fn of_request(
    db: &mut PgConnection,
    client: ClientId,
    request: SmsRequestId,
    limit: i64,
) -> Result<Vec<PulledReply>> {
    let rows = sqlx::query_as(
        "SELECT reply.subscriber, sms.identifier, reply.body, reply.received_at
         FROM (SELECT * FROM sms_reply WHERE client_id = $1 AND request_id = $2 ORDER BY id LIMIT $3) reply
         LEFT JOIN LATERAL (
             SELECT identifier FROM sms_message one
             WHERE one.client_id = reply.client_id AND one.id = reply.message_id OFFSET 0) sms ON true
         ORDER BY reply.id",
    )
    .bind(client.0)
    .bind(request.0)
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(rows)
}
