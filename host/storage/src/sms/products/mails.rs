use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, SmsRequestId},
    sms_products::email::{AnswerMail, EmailAddress},
};
use uuid::Uuid;

use crate::{Error, PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginMail {
    pub sender: EmailAddress,
    pub message_id: Option<String>,
}

pub async fn insert_origin(
    db: &mut PgConnection,
    client: ClientId,
    request: SmsRequestId,
    origin: &OriginMail,
) -> Result<()> {
    sqlx::query("INSERT INTO email_request (client_id, request_id, sender, message_id) VALUES ($1, $2, $3, $4)")
        .bind(client.0)
        .bind(request.0)
        .bind(origin.sender.as_str())
        .bind(origin.message_id.as_deref())
        .execute(db)
        .await?;
    Ok(())
}

/// Returns the mails of requests. Requests of other products are absent. An error concerns one request alone.
pub async fn origins(
    db: &mut PgConnection,
    client: ClientId,
    requests: &[SmsRequestId],
) -> Result<HashMap<SmsRequestId, Result<OriginMail>>> {
    if requests.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(Uuid, String, Option<String>)> = sqlx::query_as(
        "SELECT mail.request_id, mail.sender, mail.message_id
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[]) AS request_id OFFSET 0) given
         JOIN email_request mail ON mail.client_id = given.client_id AND mail.request_id = given.request_id",
    )
    .bind(client.0)
    .bind(requests.iter().map(|request| request.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let read = |(request, sender, message_id): (Uuid, String, Option<String>)| {
        // The value is personal data, so the error does not name it.
        let value = "no address".to_owned();
        let broken = Error::Inconsistent { table: "email_request", column: "sender", value };
        let sender = EmailAddress::parse(&sender).ok_or(broken);
        (SmsRequestId(request), sender.map(|sender| OriginMail { sender, message_id }))
    };
    Ok(rows.into_iter().map(read).collect())
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct OutgoingMail {
    pub id: Uuid,
    /// The part before the @ of the sender's address.
    pub mailbox: String,
    pub recipient: String,
    pub subject: String,
    pub body: String,
    pub in_reply_to: Option<String>,
    pub attempts: i32,
    pub created_at: DateTime<Utc>,
}

impl OutgoingMail {
    pub fn to(origin: &OriginMail, id: Uuid, answer: AnswerMail, now: DateTime<Utc>) -> Self {
        Self {
            id,
            mailbox: answer.mailbox,
            recipient: origin.sender.as_str().to_owned(),
            subject: answer.subject,
            body: answer.body,
            in_reply_to: origin.message_id.clone(),
            attempts: 0,
            created_at: now,
        }
    }
}

pub async fn insert(db: &mut PgConnection, client: ClientId, mails: &[OutgoingMail]) -> Result<()> {
    if mails.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO email_out (client_id, id, lane_id, mailbox, recipient, subject, body, in_reply_to, created_at, due_at)
         SELECT $1, id, $1, mailbox, recipient, subject, body, in_reply_to, created_at, created_at
         FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[])
             AS given (id, mailbox, recipient, subject, body, in_reply_to, created_at)",
    )
    .bind(client.0)
    .bind(mails.iter().map(|one| one.id).collect::<Vec<_>>())
    .bind(mails.iter().map(|one| one.mailbox.as_str()).collect::<Vec<_>>())
    .bind(mails.iter().map(|one| one.recipient.as_str()).collect::<Vec<_>>())
    .bind(mails.iter().map(|one| one.subject.as_str()).collect::<Vec<_>>())
    .bind(mails.iter().map(|one| one.body.as_str()).collect::<Vec<_>>())
    .bind(mails.iter().map(|one| one.in_reply_to.as_deref()).collect::<Vec<_>>())
    .bind(mails.iter().map(|one| one.created_at).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

pub async fn due(
    db: &mut PgConnection,
    client: ClientId,
    lane: Uuid,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<OutgoingMail>> {
    let rows = sqlx::query_as(
        "SELECT id, mailbox, recipient, subject, body, in_reply_to, attempts, created_at FROM email_out
         WHERE client_id = $1 AND lane_id = $2 AND ready AND due_at <= $3 ORDER BY due_at, id LIMIT $4",
    )
    .bind(client.0)
    .bind(lane)
    .bind(now)
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(rows)
}

pub async fn done(db: &mut PgConnection, client: ClientId, ids: &[Uuid]) -> Result<()> {
    sqlx::query(
        "DELETE FROM email_out mail USING (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[]) AS id OFFSET 0) given
         WHERE mail.client_id = given.client_id AND mail.id = given.id",
    )
    .bind(client.0)
    .bind(ids)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn postpone(db: &mut PgConnection, client: ClientId, again: &[(Uuid, DateTime<Utc>)]) -> Result<()> {
    sqlx::query(
        "UPDATE email_out mail SET attempts = mail.attempts + 1, due_at = given.due_at, ready = false
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[], $3::timestamptz[]) AS one (id, due_at) OFFSET 0) given
         WHERE mail.client_id = given.client_id AND mail.id = given.id",
    )
    .bind(client.0)
    .bind(again.iter().map(|one| one.0).collect::<Vec<_>>())
    .bind(again.iter().map(|one| one.1).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}
