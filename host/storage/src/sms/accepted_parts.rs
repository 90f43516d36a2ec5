//! Parts that SMSCs accepted: stored many at once, with the receipts that came before them.

use std::collections::BTreeMap;

use domain::{
    delivery::DeliveryState,
    ids::{ClientId, MessageId},
    sms_products::FinalReceipt,
};
use uuid::Uuid;

use super::{
    directory,
    parts::{self, PartReport, SmsPart},
};
use crate::{PgConnection, Result, column_values::read_value};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenPart {
    pub part: SmsPart,
    pub bind: String,
    /// The SMSC's id; empty if it gave none.
    pub smsc_id: String,
}

#[derive(sqlx::FromRow)]
struct ParkedRow {
    bind: String,
    smsc_id: String,
    id: Uuid,
    state: String,
    receipt: Option<String>,
}

/// Stores parts and applies the receipts that came before them. Returns the legs of such receipts.
pub async fn enter(db: &mut PgConnection, client: ClientId, taken: &[TakenPart]) -> Result<Vec<(MessageId, i16)>> {
    if taken.is_empty() {
        return Ok(Vec::new());
    }
    // A statement may write a row only once. If an SMSC gave an id twice, the later part has it. A part without an id
    // gets no receipts.
    let named = taken.iter().filter(|taken| !taken.smsc_id.is_empty());
    let by_id: BTreeMap<(&str, &str), SmsPart> =
        named.map(|taken| ((taken.bind.as_str(), taken.smsc_id.as_str()), taken.part)).collect();
    directory::lock(db, &by_id.keys().copied().collect::<Vec<_>>()).await?;
    let mut parked = insert_all(db, client, taken, &by_id).await?;
    // In the order of arrival.
    parked.sort_by_key(|receipt| receipt.id);
    // A receipt that waited under the names of several parts counts once.
    parked.dedup_by_key(|receipt| receipt.id);
    let mut reports = Vec::with_capacity(parked.len());
    for parked in parked {
        let Some(part) = by_id.get(&(parked.bind.as_str(), parked.smsc_id.as_str())).copied() else { continue };
        let state = read_value("parked_receipt", "state", &parked.state, |state| state.parse().ok())?;
        let receipt = parked.receipt.as_deref().and_then(FinalReceipt::of);
        reports.push(PartReport { part, state, receipt });
    }
    parts::report(db, client, &reports).await?;
    let mut legs: Vec<_> = reports.iter().map(|report| (report.part.message, report.part.ordinal)).collect();
    legs.sort_unstable();
    legs.dedup();
    Ok(legs)
}

/// Stores parts and their ids, and removes the receipts that were parked for them, under all of their names.
async fn insert_all(
    db: &mut PgConnection,
    client: ClientId,
    taken: &[TakenPart],
    by_id: &BTreeMap<(&str, &str), SmsPart>,
) -> Result<Vec<ParkedRow>> {
    let parked = sqlx::query_as(
        "WITH part AS (
             INSERT INTO sms_part (client_id, message_id, ordinal, part, bind, smsc_id, state)
             SELECT $1, *, $7 FROM unnest($2::uuid[], $3::smallint[], $4::smallint[], $5::text[], $6::text[])
             ON CONFLICT DO NOTHING
         ), known AS (
             INSERT INTO smsc_message (bind, smsc_id, client_id, message_id, ordinal, part)
             SELECT bind, smsc_id, $1, message_id, ordinal, part
             FROM unnest($8::text[], $9::text[], $10::uuid[], $11::smallint[], $12::smallint[])
                 AS taken (bind, smsc_id, message_id, ordinal, part)
             ON CONFLICT (bind, smsc_id) DO UPDATE
             SET client_id = excluded.client_id, message_id = excluded.message_id, ordinal = excluded.ordinal,
                 part = excluded.part
         ), joined AS (
             DELETE FROM parked_receipt USING unnest($8::text[], $9::text[]) AS taken (bind, smsc_id)
             WHERE parked_receipt.bind = taken.bind AND parked_receipt.smsc_id = taken.smsc_id
               AND parked_receipt.smsc_id = ANY($9)
             RETURNING parked_receipt.bind, parked_receipt.smsc_id, parked_receipt.id, parked_receipt.state,
                       parked_receipt.receipt
         ), others AS (
             DELETE FROM parked_receipt WHERE id = ANY (ARRAY(SELECT id FROM joined))
         )
         SELECT bind, smsc_id, id, state, receipt FROM joined",
    )
    .bind(client.0)
    .bind(taken.iter().map(|taken| taken.part.message.0).collect::<Vec<_>>())
    .bind(taken.iter().map(|taken| taken.part.ordinal).collect::<Vec<_>>())
    .bind(taken.iter().map(|taken| taken.part.part).collect::<Vec<_>>())
    .bind(taken.iter().map(|taken| taken.bind.as_str()).collect::<Vec<_>>())
    .bind(taken.iter().map(|taken| taken.smsc_id.as_str()).collect::<Vec<_>>())
    .bind(DeliveryState::Accepted.as_str())
    .bind(by_id.keys().map(|key| key.0).collect::<Vec<_>>())
    .bind(by_id.keys().map(|key| key.1).collect::<Vec<_>>())
    .bind(by_id.values().map(|part| part.message.0).collect::<Vec<_>>())
    .bind(by_id.values().map(|part| part.ordinal).collect::<Vec<_>>())
    .bind(by_id.values().map(|part| part.part).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(parked)
}
