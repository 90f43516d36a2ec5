//! The parts of an SMS leg, the directory that finds them by SMSC id, and receipts that came too early.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, MessageId};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Result;

/// Takes turns with everybody who stores or looks for this SMSC id, until the transaction ends: a receipt and the answer
/// to its submit may arrive at the same moment.
pub async fn lock_smsc_id(db: &mut PgConnection, bind: &str, smsc_id: &str) -> Result<()> {
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0))")
        .bind(bind)
        .bind(smsc_id)
        .execute(db)
        .await?;
    Ok(())
}

/// The numbers of the parts that the SMSC has taken.
pub async fn submitted(db: &mut PgConnection, client: ClientId, message: MessageId) -> Result<Vec<i16>> {
    let parts = sqlx::query_scalar("SELECT part FROM sms_part WHERE client_id = $1 AND message_id = $2 ORDER BY part")
        .bind(client.0)
        .bind(message.0)
        .fetch_all(db)
        .await?;
    Ok(parts)
}

/// Remembers a part that the SMSC took under `smsc_id`.
pub async fn insert(
    db: &mut PgConnection,
    client: ClientId,
    message: MessageId,
    part: i16,
    bind: &str,
    smsc_id: &str,
) -> Result<()> {
    sqlx::query(
        "WITH part AS (
             INSERT INTO sms_part (client_id, message_id, part, bind, smsc_id, state)
             VALUES ($1, $2, $3, $4, $5, 'ACCEPTED') ON CONFLICT DO NOTHING
         )
         INSERT INTO smsc_message (bind, smsc_id, client_id, message_id, part) VALUES ($4, $5, $1, $2, $3)
         ON CONFLICT (bind, smsc_id) DO UPDATE
         SET client_id = excluded.client_id, message_id = excluded.message_id, part = excluded.part",
    )
    .bind(client.0)
    .bind(message.0)
    .bind(part)
    .bind(bind)
    .bind(smsc_id)
    .execute(db)
    .await?;
    Ok(())
}

/// Whose part an SMSC id is.
pub async fn find(db: &mut PgConnection, bind: &str, smsc_id: &str) -> Result<Option<(ClientId, MessageId, i16)>> {
    let row: Option<(Uuid, Uuid, i16)> =
        sqlx::query_as("SELECT client_id, message_id, part FROM smsc_message WHERE bind = $1 AND smsc_id = $2")
            .bind(bind)
            .bind(smsc_id)
            .fetch_optional(db)
            .await?;
    Ok(row.map(|(client, message, part)| (ClientId(client), MessageId(message), part)))
}

/// Writes what a receipt said of a part; a final state stays.
pub async fn set_state(
    db: &mut PgConnection,
    client: ClientId,
    message: MessageId,
    part: i16,
    state: &str,
) -> Result<()> {
    sqlx::query(
        "UPDATE sms_part SET state = $4 WHERE client_id = $1 AND message_id = $2 AND part = $3
         AND state NOT IN ('DELIVERED', 'FAILED')",
    )
    .bind(client.0)
    .bind(message.0)
    .bind(part)
    .bind(state)
    .execute(db)
    .await?;
    Ok(())
}

/// The states of all parts of a message that the SMSC has taken.
pub async fn states(db: &mut PgConnection, client: ClientId, message: MessageId) -> Result<Vec<String>> {
    let states = sqlx::query_scalar("SELECT state FROM sms_part WHERE client_id = $1 AND message_id = $2")
        .bind(client.0)
        .bind(message.0)
        .fetch_all(db)
        .await?;
    Ok(states)
}

/// Keeps a receipt whose submit has not been answered yet.
pub async fn park(
    db: &mut PgConnection,
    id: Uuid,
    bind: &str,
    smsc_id: &str,
    state: &str,
    error: Option<&str>,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO parked_receipt (bind, smsc_id, id, state, error, received_at) VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(bind)
    .bind(smsc_id)
    .bind(id)
    .bind(state)
    .bind(error)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Takes the parked receipts of an SMSC id, oldest first: state and error.
pub async fn take_parked(db: &mut PgConnection, bind: &str, smsc_id: &str) -> Result<Vec<(String, Option<String>)>> {
    let mut rows: Vec<(Uuid, String, Option<String>)> =
        sqlx::query_as("DELETE FROM parked_receipt WHERE bind = $1 AND smsc_id = $2 RETURNING id, state, error")
            .bind(bind)
            .bind(smsc_id)
            .fetch_all(db)
            .await?;
    rows.sort_by_key(|row| row.0);
    Ok(rows.into_iter().map(|(_, state, error)| (state, error)).collect())
}

/// An SMS from a subscriber.
pub struct InboundSms<'a> {
    /// Its id.
    pub id: Uuid,
    /// The bind it came over.
    pub bind: &'a str,
    /// Subscriber.
    pub sender: &'a str,
    /// Our number or short code.
    pub receiver: &'a str,
    /// What it says.
    pub body: &'a str,
}

/// Stores an SMS from a subscriber.
pub async fn insert_inbound(db: &mut PgConnection, sms: &InboundSms<'_>, now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "INSERT INTO sms_inbound (id, bind, sender, receiver, body, received_at) VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(sms.id)
    .bind(sms.bind)
    .bind(sms.sender)
    .bind(sms.receiver)
    .bind(sms.body)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}
