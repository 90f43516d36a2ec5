use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::{
    content::{OutboundContent, SmsContent},
    delivery::DeliveryState,
    ids::{ClientId, MessageId, PartId, SmsRequestId},
    sms_products::FinalReceipt,
};
use uuid::Uuid;

use crate::{
    PgConnection, Result,
    column_values::{self, read_value},
};

#[derive(Debug, Clone)]
pub struct NewSms {
    /// Its id, and that of the outbound message.
    pub id: MessageId,
    pub request: SmsRequestId,
    pub part: PartId,
    pub recipient: String,
    pub source: String,
    pub ct_id: Option<String>,
    pub identifier: Option<String>,
    pub units: i64,
    /// True if it is not sent, because the recipient stopped the messages.
    pub blocked: bool,
    /// Digest for "sent before"; `None` without a tracking id.
    pub digest: Option<[u8; 32]>,
}

pub async fn insert(db: &mut PgConnection, client: ClientId, messages: &[&NewSms], now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "INSERT INTO sms_message (client_id, id, request_id, part_id, recipient, source, ct_id, identifier, units, state,
                                  receipt, moved_at, digest)
         SELECT $1, id, request_id, part_id, recipient, source, ct_id, identifier, units,
                CASE WHEN blocked THEN 'FAILED' ELSE 'QUEUED' END, CASE WHEN blocked THEN 'REJECTD' END, $3, digest
         FROM unnest($4::uuid[], $2::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[],
                     $11::boolean[], $12::bytea[])
             AS given (id, request_id, part_id, recipient, source, ct_id, identifier, units, blocked, digest)",
    )
    .bind(client.0)
    .bind(messages.iter().map(|one| one.request.0).collect::<Vec<_>>())
    .bind(now)
    .bind(messages.iter().map(|one| one.id.0).collect::<Vec<_>>())
    .bind(messages.iter().map(|one| one.part.0).collect::<Vec<_>>())
    .bind(messages.iter().map(|one| one.recipient.as_str()).collect::<Vec<_>>())
    .bind(messages.iter().map(|one| one.source.as_str()).collect::<Vec<_>>())
    .bind(messages.iter().map(|one| one.ct_id.as_deref()).collect::<Vec<_>>())
    .bind(messages.iter().map(|one| one.identifier.as_deref()).collect::<Vec<_>>())
    .bind(messages.iter().map(|one| one.units).collect::<Vec<_>>())
    .bind(messages.iter().map(|one| one.blocked).collect::<Vec<_>>())
    .bind(messages.iter().map(|one| one.digest.as_ref().map(<[u8; 32]>::as_slice)).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

#[derive(Debug, Clone)]
pub struct SmsStep {
    pub message: MessageId,
    pub state: DeliveryState,
    pub receipt: Option<FinalReceipt>,
    pub at: DateTime<Utc>,
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct SteppedMessage {
    pub id: Uuid,
    pub request_id: Uuid,
    pub recipient: String,
    pub ct_id: Option<String>,
    pub identifier: Option<String>,
    pub units: i64,
    pub part_id: Uuid,
    pub receipt_url: Option<String>,
    pub forgets: bool,
    pub by_mail: bool,
    pub digest: Option<Vec<u8>>,
}

pub async fn step(db: &mut PgConnection, client: ClientId, steps: &[SmsStep]) -> Result<Vec<SteppedMessage>> {
    let moved = sqlx::query_as(
        "WITH moved AS (
             UPDATE sms_message sms SET state = given.state, receipt = COALESCE(given.receipt, sms.receipt), moved_at = given.at
             FROM (SELECT $1::uuid AS client_id, *
                   FROM unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[]) AS one (id, state, receipt, at)
                   OFFSET 0) given
             WHERE sms.client_id = given.client_id AND sms.id = given.id
             RETURNING sms.client_id, sms.id, sms.request_id, sms.recipient, sms.ct_id, sms.identifier, sms.units, sms.part_id,
                       sms.digest
         )
         SELECT moved.id, moved.request_id, moved.recipient, moved.ct_id, moved.identifier, moved.units, moved.part_id,
                moved.digest, request.receipt_url, request.forgets, request.product = 'EMAIL' AS by_mail
         FROM moved CROSS JOIN LATERAL (
             SELECT receipt_url, forgets, product FROM sms_request one
             WHERE one.client_id = moved.client_id AND one.id = moved.request_id OFFSET 0) request",
    )
    .bind(client.0)
    .bind(steps.iter().map(|one| one.message.0).collect::<Vec<_>>())
    .bind(steps.iter().map(|one| one.state.as_str()).collect::<Vec<_>>())
    .bind(steps.iter().map(|one| one.receipt.map(FinalReceipt::as_str)).collect::<Vec<_>>())
    .bind(steps.iter().map(|one| one.at).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(moved)
}

/// Returns the messages of a request without a final state, with their parts.
pub async fn endless(
    db: &mut PgConnection,
    client: ClientId,
    request: SmsRequestId,
) -> Result<(Vec<MessageId>, Vec<PartId>)> {
    let rows: Vec<(Uuid, Uuid)> = sqlx::query_as(
        "SELECT id, part_id FROM sms_message
         WHERE client_id = $1 AND request_id = $2 AND state IN ('QUEUED', 'ACCEPTED', 'SENT') ORDER BY request_id, id",
    )
    .bind(client.0)
    .bind(request.0)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(message, part)| (MessageId(message), PartId(part))).unzip())
}

pub async fn forget(db: &mut PgConnection, client: ClientId, parts: &[PartId]) -> Result<()> {
    if parts.is_empty() {
        return Ok(());
    }
    let nothing = OutboundContent::Sms(SmsContent::default());
    sqlx::query(
        "UPDATE outbound_part part SET content = $3
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[]) AS id OFFSET 0) given
         WHERE part.client_id = given.client_id AND part.id = given.id",
    )
    .bind(client.0)
    .bind(parts.iter().map(|part| part.0).collect::<Vec<_>>())
    .bind(column_values::write(&nothing))
    .execute(db)
    .await?;
    Ok(())
}

/// The number of accepted parts of each message, and final states of failures. Others are absent.
pub async fn accepted_parts(
    db: &mut PgConnection,
    client: ClientId,
    messages: &[MessageId],
) -> Result<HashMap<MessageId, (i64, Option<FinalReceipt>)>> {
    let rows: Vec<(Uuid, i64, Option<String>)> = sqlx::query_as(
        "SELECT part.message_id, count(*), min(part.receipt) FILTER (WHERE part.receipt <> 'DELIVRD')
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[]) AS message_id OFFSET 0) given
         JOIN sms_part part ON part.client_id = given.client_id AND part.message_id = given.message_id
         GROUP BY part.message_id",
    )
    .bind(client.0)
    .bind(messages.iter().map(|message| message.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let read = |(message, parts, receipt): (Uuid, i64, Option<String>)| {
        let receipt = receipt.map(|name| read_value("sms_part", "receipt", &name, FinalReceipt::of)).transpose()?;
        Ok((MessageId(message), (parts, receipt)))
    };
    rows.into_iter().map(read).collect()
}

pub async fn waiting(
    db: &mut PgConnection,
    client: ClientId,
    source: &str,
    recipient: &str,
    limit: i64,
) -> Result<Vec<MessageId>> {
    let found: Vec<Uuid> = sqlx::query_scalar(
        "SELECT sms.id FROM (
             SELECT client_id, id FROM sms_message
             WHERE client_id = $1 AND recipient = $2 AND source = $3 AND state = 'QUEUED' ORDER BY id DESC LIMIT $4) sms
         CROSS JOIN LATERAL (
             SELECT 1 FROM outbound_work work
             WHERE work.client_id = sms.client_id AND work.message_id = sms.id AND work.phase IN ('READY', 'PACED')
             OFFSET 0) work",
    )
    .bind(client.0)
    .bind(recipient)
    .bind(source)
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(found.into_iter().map(MessageId).collect())
}
