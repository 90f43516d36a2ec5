//! Finds the client of an SMSC's receipt, and keeps receipts that came before the answer to their submit.

use chrono::{DateTime, Utc};
use domain::{
    delivery::DeliveryState,
    ids::{ClientId, MessageId},
    sms_products::FinalReceipt,
};
use sqlx::PgConnection;
use uuid::Uuid;

use super::parts::SmsPart;
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

/// Whose part an SMSC id is.
pub async fn find(db: &mut PgConnection, bind: &str, smsc_id: &str) -> Result<Option<(ClientId, SmsPart)>> {
    let row: Option<(Uuid, Uuid, i16, i16)> = sqlx::query_as(
        "SELECT client_id, message_id, ordinal, part FROM smsc_message WHERE bind = $1 AND smsc_id = $2",
    )
    .bind(bind)
    .bind(smsc_id)
    .fetch_optional(db)
    .await?;
    Ok(row.map(|(client, message, ordinal, part)| {
        (ClientId(client), SmsPart { message: MessageId(message), ordinal, part })
    }))
}

/// A receipt whose submit has not been answered yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParkedReceipt {
    /// Its id; tells when it came.
    pub id: Uuid,
    /// The state that it reports.
    pub state: DeliveryState,
    /// The SMSC's error, when it reports one.
    pub error: Option<String>,
    /// Its final state, in the words of receipts.
    pub receipt: Option<FinalReceipt>,
}

/// Keeps a receipt whose submit has not been answered yet.
pub async fn park(
    db: &mut PgConnection,
    (bind, smsc_id): (&str, &str),
    receipt: &ParkedReceipt,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO parked_receipt (bind, smsc_id, id, state, error, received_at, receipt)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(bind)
    .bind(smsc_id)
    .bind(receipt.id)
    .bind(receipt.state.as_str())
    .bind(receipt.error.as_deref())
    .bind(now)
    .bind(receipt.receipt.map(FinalReceipt::as_str))
    .execute(db)
    .await?;
    Ok(())
}
