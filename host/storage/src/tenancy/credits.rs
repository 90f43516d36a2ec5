//! SMS credits of clients: a balance that is never negative, a row per change, and prices by country.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, MessageId, SmsRequestId};
use uuid::Uuid;

use crate::{PgConnection, Result};

pub const PREFIX_MAX: usize = 4;

pub async fn balance(db: &mut PgConnection, client: ClientId) -> Result<i64> {
    let balance = sqlx::query_scalar("SELECT balance FROM credit_account WHERE client_id = $1")
        .bind(client.0)
        .fetch_optional(db)
        .await?;
    Ok(balance.unwrap_or(0))
}

pub async fn top_up(db: &mut PgConnection, client: ClientId, id: Uuid, amount: i64, now: DateTime<Utc>) -> Result<i64> {
    let balance = sqlx::query_scalar(
        "WITH entry AS (
             INSERT INTO credit_entry (client_id, id, reason, amount, units, at) VALUES ($1, $2, 'TOP_UP', $3, $3, $4)
         )
         INSERT INTO credit_account (client_id, balance) VALUES ($1, $3)
         ON CONFLICT (client_id) DO UPDATE SET balance = credit_account.balance + excluded.balance RETURNING balance",
    )
    .bind(client.0)
    .bind(id)
    .bind(amount)
    .bind(now)
    .fetch_one(db)
    .await?;
    Ok(balance)
}

#[derive(Debug, Clone, Copy)]
pub struct Charge {
    pub id: Uuid,
    pub units: i64,
    pub request: SmsRequestId,
}

/// Charges requests together; `false`, and no charge, if the balance is too low.
pub async fn charge(db: &mut PgConnection, client: ClientId, charges: &[Charge], now: DateTime<Utc>) -> Result<bool> {
    let total = charges.iter().fold(0_i64, |total, charge| total.saturating_add(charge.units));
    let done = sqlx::query(
        "WITH taken AS (
             UPDATE credit_account SET balance = balance - $2 WHERE client_id = $1 AND balance >= $2 RETURNING client_id
         )
         INSERT INTO credit_entry (client_id, id, reason, amount, units, subject_id, at)
         SELECT taken.client_id, given.id, 'SEND', -given.units, given.units, given.request_id, $6
         FROM taken CROSS JOIN unnest($3::uuid[], $4::bigint[], $5::uuid[]) AS given (id, units, request_id)",
    )
    .bind(client.0)
    .bind(total)
    .bind(charges.iter().map(|one| one.id).collect::<Vec<_>>())
    .bind(charges.iter().map(|one| one.units).collect::<Vec<_>>())
    .bind(charges.iter().map(|one| one.request.0).collect::<Vec<_>>())
    .bind(now)
    .execute(db)
    .await?;
    Ok(usize::try_from(done.rows_affected()) == Ok(charges.len()))
}

/// Meters messages that are sent with any balance: takes the available credits, once per message.
pub async fn meter(
    db: &mut PgConnection,
    client: ClientId,
    metered: &[(Uuid, MessageId, i64)],
    now: DateTime<Utc>,
) -> Result<()> {
    if metered.is_empty() {
        return Ok(());
    }
    let locked: Option<i64> = sqlx::query_scalar("SELECT balance FROM credit_account WHERE client_id = $1 FOR UPDATE")
        .bind(client.0)
        .fetch_optional(&mut *db)
        .await?;
    let mut left = locked.unwrap_or(0);
    let taken: Vec<i64> = metered
        .iter()
        .map(|(_, _, units)| {
            let taken = left.min(*units);
            left -= taken;
            taken
        })
        .collect();
    sqlx::query(
        "WITH entry AS (
             INSERT INTO credit_entry (client_id, id, reason, amount, units, subject_id, at)
             SELECT $1, id, 'FALLBACK', -taken, units, message_id, $6
             FROM unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::bigint[]) AS given (id, message_id, units, taken)
             ON CONFLICT (client_id, subject_id, reason) WHERE reason IN ('REFUND', 'FALLBACK') DO NOTHING
             RETURNING amount
         )
         UPDATE credit_account SET balance = balance + (SELECT COALESCE(sum(amount), 0) FROM entry) WHERE client_id = $1",
    )
    .bind(client.0)
    .bind(metered.iter().map(|one| one.0).collect::<Vec<_>>())
    .bind(metered.iter().map(|one| one.1.0).collect::<Vec<_>>())
    .bind(metered.iter().map(|one| one.2).collect::<Vec<_>>())
    .bind(taken)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Refunds messages, each once; a repetition changes nothing. `refunds`: id of the row, message and credits.
pub async fn refund(
    db: &mut PgConnection,
    client: ClientId,
    refunds: &[(Uuid, MessageId, i64)],
    now: DateTime<Utc>,
) -> Result<()> {
    if refunds.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "WITH entry AS (
             INSERT INTO credit_entry (client_id, id, reason, amount, units, subject_id, at)
             SELECT $1, id, 'REFUND', units, units, message_id, $5
             FROM unnest($2::uuid[], $3::uuid[], $4::bigint[]) AS given (id, message_id, units)
             ON CONFLICT (client_id, subject_id, reason) WHERE reason IN ('REFUND', 'FALLBACK') DO NOTHING
             RETURNING amount
         )
         INSERT INTO credit_account (client_id, balance) SELECT $1, COALESCE(sum(amount), 0) FROM entry
         ON CONFLICT (client_id) DO UPDATE SET balance = credit_account.balance + excluded.balance",
    )
    .bind(client.0)
    .bind(refunds.iter().map(|one| one.0).collect::<Vec<_>>())
    .bind(refunds.iter().map(|one| one.1.0).collect::<Vec<_>>())
    .bind(refunds.iter().map(|one| one.2).collect::<Vec<_>>())
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Sets the price of a segment to numbers that begin with `prefix`.
pub async fn set_price(db: &mut PgConnection, client: ClientId, prefix: &str, credits: i32) -> Result<()> {
    sqlx::query(
        "INSERT INTO sms_price (client_id, prefix, credits) VALUES ($1, $2, $3)
         ON CONFLICT (client_id, prefix) DO UPDATE SET credits = excluded.credits",
    )
    .bind(client.0)
    .bind(prefix)
    .bind(credits)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn prices(db: &mut PgConnection, client: ClientId, recipients: &[&str]) -> Result<Vec<i64>> {
    let prices = sqlx::query_scalar(
        "SELECT COALESCE((
             SELECT price.credits FROM sms_price price
             WHERE price.client_id = given.client_id
               AND price.prefix = ANY (ARRAY[left(given.recipient, 1), left(given.recipient, 2), left(given.recipient, 3),
                                             left(given.recipient, 4)])
             ORDER BY length(price.prefix) DESC LIMIT 1), 1)::bigint
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::text[]) WITH ORDINALITY AS one (recipient, position)
               OFFSET 0) given ORDER BY given.position",
    )
    .bind(client.0)
    .bind(recipients)
    .fetch_all(db)
    .await?;
    Ok(prices)
}
