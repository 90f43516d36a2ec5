//! Finds the clients of an SMSC's receipts, and keeps receipts that came before the answer to their submit.

use chrono::{DateTime, Utc};
use domain::{
    delivery::DeliveryState,
    ids::{ClientId, MessageId},
    sms_products::FinalReceipt,
};
use uuid::Uuid;

use super::parts::SmsPart;
use crate::{PgConnection, Result};

/// An SMSC's id of a part: the bind, and the id there.
pub type SmscId<'a> = (&'a str, &'a str);

/// Takes turns with other transactions with these SMSC ids, because a receipt and the answer to its submit may come at
/// once. The ids are locked in one order.
pub async fn lock(db: &mut PgConnection, ids: &[SmscId<'_>]) -> Result<()> {
    let (binds, smsc_ids): (Vec<&str>, Vec<&str>) = ids.iter().copied().unzip();
    sqlx::query(
        "SELECT pg_advisory_xact_lock(key) FROM (
             SELECT hashtextextended(bind || ' ' || smsc_id, 0) AS key
             FROM unnest($1::text[], $2::text[]) AS taken (bind, smsc_id) ORDER BY key OFFSET 0
         ) AS keys",
    )
    .bind(binds)
    .bind(smsc_ids)
    .execute(db)
    .await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct PartRow {
    client_id: Option<Uuid>,
    message_id: Option<Uuid>,
    ordinal: Option<i16>,
    part: Option<i16>,
}

impl PartRow {
    fn read(self) -> Option<(ClientId, SmsPart)> {
        let part = SmsPart { message: MessageId(self.message_id?), ordinal: self.ordinal?, part: self.part? };
        Some((ClientId(self.client_id?), part))
    }
}

/// Returns the client and part of each SMSC id, in order; `None` for an unknown id.
pub async fn find(db: &mut PgConnection, ids: &[SmscId<'_>]) -> Result<Vec<Option<(ClientId, SmsPart)>>> {
    let (binds, smsc_ids): (Vec<&str>, Vec<&str>) = ids.iter().copied().unzip();
    let rows: Vec<PartRow> = sqlx::query_as(
        "SELECT known.client_id, known.message_id, known.ordinal, known.part
         FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS given (bind, smsc_id, position)
         LEFT JOIN LATERAL (
             SELECT client_id, message_id, ordinal, part FROM smsc_message one
             WHERE one.bind = given.bind AND one.smsc_id = given.smsc_id OFFSET 0) known ON true
         ORDER BY given.position",
    )
    .bind(binds)
    .bind(smsc_ids)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(PartRow::read).collect())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParkedReceipt<'a> {
    pub id: Uuid,
    pub about: SmscId<'a>,
    pub state: DeliveryState,
    pub error: Option<&'a str>,
    pub receipt: Option<FinalReceipt>,
}

pub async fn park(db: &mut PgConnection, receipts: &[ParkedReceipt<'_>], now: DateTime<Utc>) -> Result<()> {
    if receipts.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO parked_receipt (bind, smsc_id, id, state, error, receipt, received_at)
         SELECT *, $7 FROM unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[])",
    )
    .bind(receipts.iter().map(|one| one.about.0).collect::<Vec<_>>())
    .bind(receipts.iter().map(|one| one.about.1).collect::<Vec<_>>())
    .bind(receipts.iter().map(|one| one.id).collect::<Vec<_>>())
    .bind(receipts.iter().map(|one| one.state.as_str()).collect::<Vec<_>>())
    .bind(receipts.iter().map(|one| one.error).collect::<Vec<_>>())
    .bind(receipts.iter().map(|one| one.receipt.map(FinalReceipt::as_str)).collect::<Vec<_>>())
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Receipts that no message was found for. A receipt that waited under several names counts once.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct UnmatchedReceipts {
    pub rows: i64,
    pub receipts: i64,
    pub binds: Vec<String>,
}

/// Removes at most `limit` rows from before `before`. Fewer rows than `limit`: this was the last page.
pub async fn forget_unmatched(db: &mut PgConnection, before: DateTime<Utc>, limit: i64) -> Result<UnmatchedReceipts> {
    let forgotten = sqlx::query_as(
        "WITH gone AS (
             DELETE FROM parked_receipt WHERE ctid = ANY (ARRAY(
                 SELECT ctid FROM parked_receipt WHERE received_at < $1 ORDER BY received_at LIMIT $2
                 FOR UPDATE SKIP LOCKED))
             RETURNING bind, id
         )
         SELECT count(*) AS rows, count(DISTINCT id) AS receipts, coalesce(array_agg(DISTINCT bind), '{}') AS binds
         FROM gone",
    )
    .bind(before)
    .bind(limit)
    .fetch_one(db)
    .await?;
    Ok(forgotten)
}
