use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, SmsRequestId},
    sms_products::SmsProduct,
};
use uuid::Uuid;

use crate::{PgConnection, Result, column_values::read_value};

#[derive(Debug, Clone)]
pub struct NewRequest<'a> {
    pub id: SmsRequestId,
    pub product: SmsProduct,
    pub receipt_url: Option<&'a str>,
    pub reply_url: Option<&'a str>,
    pub posts_replies: bool,
    pub due_at: Option<DateTime<Utc>>,
    /// Texts are removed at the final state, and at this time at the latest; `None`: they are kept.
    pub forget_at: Option<DateTime<Utc>>,
    /// `batchref` and `batchid`.
    pub batch: Option<(&'a str, &'a str)>,
    pub wants_receipts: bool,
    pub wants_replies: bool,
    pub response: Option<&'a str>,
}

/// Stores requests; `false` if a batch with the name of one of them exists.
pub async fn insert(db: &mut PgConnection, client: ClientId, new: &[&NewRequest<'_>]) -> Result<bool> {
    let done = sqlx::query(
        "INSERT INTO sms_request (client_id, id, product, receipt_url, reply_url, posts_replies, forgets, forget_at, batch_ref,
                                  batch_id, wants_receipts, wants_replies, response, due_at)
         SELECT $1, id, product, receipt_url, reply_url, posts_replies, forget_at IS NOT NULL, forget_at, batch_ref, batch_id,
                wants_receipts, wants_replies, response, due_at
         FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::timestamptz[], $8::text[], $9::text[],
                     $10::boolean[], $11::boolean[], $12::text[], $13::timestamptz[])
             AS given (id, product, receipt_url, reply_url, posts_replies, forget_at, batch_ref, batch_id, wants_receipts,
                       wants_replies, response, due_at)
         ON CONFLICT (client_id, batch_ref, batch_id) WHERE product = 'BATCH' DO NOTHING",
    )
    .bind(client.0)
    .bind(new.iter().map(|one| one.id.0).collect::<Vec<_>>())
    .bind(new.iter().map(|one| one.product.as_str()).collect::<Vec<_>>())
    .bind(new.iter().map(|one| one.receipt_url).collect::<Vec<_>>())
    .bind(new.iter().map(|one| one.reply_url).collect::<Vec<_>>())
    .bind(new.iter().map(|one| one.posts_replies).collect::<Vec<_>>())
    .bind(new.iter().map(|one| one.forget_at).collect::<Vec<_>>())
    .bind(new.iter().map(|one| one.batch.map(|batch| batch.0)).collect::<Vec<_>>())
    .bind(new.iter().map(|one| one.batch.map(|batch| batch.1)).collect::<Vec<_>>())
    .bind(new.iter().map(|one| one.wants_receipts).collect::<Vec<_>>())
    .bind(new.iter().map(|one| one.wants_replies).collect::<Vec<_>>())
    .bind(new.iter().map(|one| one.response).collect::<Vec<_>>())
    .bind(new.iter().map(|one| one.due_at).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(usize::try_from(done.rows_affected()) == Ok(new.len()))
}

#[derive(Debug, Clone)]
pub struct StoredRequest {
    pub id: SmsRequestId,
    pub product: SmsProduct,
    pub reply_url: Option<String>,
    pub posts_replies: bool,
    pub wants_receipts: bool,
    pub wants_replies: bool,
    pub response: Option<String>,
    pub due_at: Option<DateTime<Utc>>,
}

#[derive(sqlx::FromRow)]
struct RequestRow {
    id: Uuid,
    product: String,
    reply_url: Option<String>,
    posts_replies: bool,
    wants_receipts: bool,
    wants_replies: bool,
    response: Option<String>,
    due_at: Option<DateTime<Utc>>,
}

impl RequestRow {
    fn read(self) -> Result<StoredRequest> {
        Ok(StoredRequest {
            id: SmsRequestId(self.id),
            product: read_value("sms_request", "product", &self.product, SmsProduct::of)?,
            reply_url: self.reply_url,
            posts_replies: self.posts_replies,
            wants_receipts: self.wants_receipts,
            wants_replies: self.wants_replies,
            response: self.response,
            due_at: self.due_at,
        })
    }
}

pub async fn batch(
    db: &mut PgConnection,
    client: ClientId,
    batch_ref: &str,
    batch_id: &str,
) -> Result<Option<StoredRequest>> {
    let row: Option<RequestRow> = sqlx::query_as(
        "SELECT id, product, reply_url, posts_replies, wants_receipts, wants_replies, response, due_at
         FROM sms_request
         WHERE client_id = $1 AND batch_ref = $2 AND batch_id = $3 AND product = 'BATCH'",
    )
    .bind(client.0)
    .bind(batch_ref)
    .bind(batch_id)
    .fetch_optional(db)
    .await?;
    row.map(RequestRow::read).transpose()
}

pub async fn get(db: &mut PgConnection, client: ClientId, id: SmsRequestId) -> Result<Option<StoredRequest>> {
    let row: Option<RequestRow> = sqlx::query_as(
        "SELECT id, product, reply_url, posts_replies, wants_receipts, wants_replies, response, due_at
         FROM sms_request
         WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(id.0)
    .fetch_optional(db)
    .await?;
    row.map(RequestRow::read).transpose()
}

pub async fn sent_before(
    db: &mut PgConnection,
    client: ClientId,
    digests: &[[u8; 32]],
) -> Result<HashMap<[u8; 32], SmsRequestId>> {
    if digests.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(Vec<u8>, Uuid)> = sqlx::query_as(
        "SELECT once.digest, once.request_id
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::bytea[]) AS digest OFFSET 0) given
         CROSS JOIN LATERAL (
             SELECT digest, request_id FROM sms_sent_once one
             WHERE one.client_id = given.client_id AND one.digest = given.digest OFFSET 0) once",
    )
    .bind(client.0)
    .bind(digests.iter().map(<[u8; 32]>::as_slice).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let read = |(digest, request): (Vec<u8>, Uuid)| Some((digest.try_into().ok()?, SmsRequestId(request)));
    Ok(rows.into_iter().filter_map(read).collect())
}

/// Records digests as sent. Returns those that are new, and the request of the first known one.
pub async fn send_once(
    db: &mut PgConnection,
    client: ClientId,
    digests: &[([u8; 32], SmsRequestId)],
) -> Result<(HashSet<[u8; 32]>, Option<SmsRequestId>)> {
    if digests.is_empty() {
        return Ok((HashSet::new(), None));
    }
    // In one order, so that two requests with common digests do not deadlock.
    let mut sorted: Vec<(&[u8], Uuid)> =
        digests.iter().map(|(digest, request)| (digest.as_slice(), request.0)).collect();
    sorted.sort_unstable();
    sorted.dedup_by_key(|(digest, _)| *digest);
    let (sorted, requests): (Vec<&[u8]>, Vec<Uuid>) = sorted.into_iter().unzip();
    let new: Vec<Vec<u8>> = sqlx::query_scalar(
        "INSERT INTO sms_sent_once (client_id, digest, request_id)
         SELECT $1, digest, request_id FROM unnest($2::bytea[], $3::uuid[]) AS given (digest, request_id) ON CONFLICT DO NOTHING RETURNING digest",
    )
    .bind(client.0)
    .bind(&sorted)
    .bind(requests)
    .fetch_all(&mut *db)
    .await?;
    let new: HashSet<[u8; 32]> = new.into_iter().filter_map(|digest| digest.try_into().ok()).collect();
    let mut once = new.clone();
    // Known from before, or given twice: then the first one counts.
    let known = digests.iter().map(|(digest, _)| digest).find(|digest| !once.remove(*digest));
    let before: Option<Uuid> = match known {
        None => None,
        Some(known) => {
            sqlx::query_scalar("SELECT request_id FROM sms_sent_once WHERE client_id = $1 AND digest = $2")
                .bind(client.0)
                .bind(known.as_slice())
                .fetch_optional(db)
                .await?
        }
    };
    Ok((new, before.map(SmsRequestId)))
}

/// Removes digests with their requests, so that they may be sent again.
pub async fn unsend(db: &mut PgConnection, client: ClientId, unsent: &[(Vec<u8>, SmsRequestId)]) -> Result<()> {
    if unsent.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "DELETE FROM sms_sent_once once
         USING (SELECT $1::uuid AS client_id, * FROM unnest($2::bytea[], $3::uuid[]) AS one (digest, request_id) OFFSET 0) given
         WHERE once.client_id = given.client_id AND once.digest = given.digest AND once.request_id = given.request_id",
    )
    .bind(client.0)
    .bind(unsent.iter().map(|(digest, _)| digest.as_slice()).collect::<Vec<_>>())
    .bind(unsent.iter().map(|(_, request)| request.0).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

pub async fn to_forget(db: &mut PgConnection, now: DateTime<Utc>, limit: i64) -> Result<Vec<(ClientId, SmsRequestId)>> {
    let found: Vec<(Uuid, Uuid)> = sqlx::query_as(
        "SELECT client_id, id FROM sms_request WHERE forget_at <= $1 ORDER BY forget_at LIMIT $2 FOR UPDATE SKIP LOCKED",
    )
    .bind(now)
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(found.into_iter().map(|(client, request)| (ClientId(client), SmsRequestId(request))).collect())
}

pub async fn texts_are_forgotten(db: &mut PgConnection, client: ClientId, request: SmsRequestId) -> Result<()> {
    sqlx::query("UPDATE sms_request SET forget_at = NULL WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(request.0)
        .execute(db)
        .await?;
    Ok(())
}
