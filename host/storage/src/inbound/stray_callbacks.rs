//! Items of callbacks for numbers, pages and business accounts of no client (`stray_callback`).

use chrono::{DateTime, Utc};
use domain::{
    ids::CallbackId,
    inbound::{CallbackItem, CallbackTarget},
};
use uuid::Uuid;

use crate::{
    Error, PgConnection, Result,
    column_values::{self, UnreadJson},
};

/// Most items of one source. Later ones are dropped.
pub const KEPT_PER_SOURCE: i64 = 1_000;
/// Most items of all sources.
pub const KEPT_MAX: i64 = 10_000;
/// Sources in one answer, at most.
const SOURCES: i64 = 100;

/// An item of a source that no client has. Its target is a number, a page or a business account.
#[derive(Debug, Clone)]
pub struct NewStrayCallback {
    pub id: CallbackId,
    /// The same for each repetition of a fact.
    pub dedupe_hash: [u8; 32],
    pub item: CallbackItem,
}

/// The columns of a source. `None`: it is no id of a provider.
fn source(target: &CallbackTarget) -> Option<(&'static str, &str)> {
    match target {
        CallbackTarget::PhoneNumberId(id) => Some(("PHONE_NUMBER_ID", id.as_str())),
        CallbackTarget::Waba(id) => Some(("WABA", id.as_str())),
        CallbackTarget::Page(id) => Some(("PAGE", id.as_str())),
        CallbackTarget::Inbox(_) | CallbackTarget::Unknown => None,
    }
}

fn target(kind: &str, id: String) -> Result<CallbackTarget> {
    match kind {
        "PHONE_NUMBER_ID" => Ok(CallbackTarget::PhoneNumberId(id)),
        "WABA" => Ok(CallbackTarget::Waba(id)),
        "PAGE" => Ok(CallbackTarget::Page(id)),
        other => Err(Error::Inconsistent { table: "stray_callback", column: "source_kind", value: other.to_owned() }),
    }
}

/// Keeps items within the limits and returns their number. Repetitions are dropped.
pub async fn insert(db: &mut PgConnection, items: &[NewStrayCallback], now: DateTime<Utc>) -> Result<u64> {
    let mut items: Vec<(&str, &str, &NewStrayCallback)> =
        items.iter().filter_map(|one| source(&one.item.target).map(|(kind, id)| (kind, id, one))).collect();
    // Sorted, so that two transactions with the same facts wait for each other and do not deadlock.
    items.sort_by_key(|(kind, id, one)| (*kind, *id, one.dedupe_hash));
    let done = sqlx::query(
        "WITH given AS (
             SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::uuid[], $5::jsonb[])
                 AS t (source_kind, source_id, dedupe_hash, id, item)
         ), source AS MATERIALIZED (
             SELECT named.source_kind, named.source_id,
                    (SELECT count(*) FROM stray_callback known
                     WHERE known.source_kind = named.source_kind AND known.source_id = named.source_id) AS kept
             FROM (SELECT DISTINCT source_kind, source_id FROM given) named
         ), placed AS (
             SELECT given.*, source.kept + row_number() OVER (PARTITION BY source_kind, source_id ORDER BY given.id) AS of_source,
                    (SELECT count(*) FROM stray_callback) + row_number() OVER (ORDER BY given.id) AS of_all
             FROM given JOIN source USING (source_kind, source_id)
         )
         INSERT INTO stray_callback (source_kind, source_id, dedupe_hash, id, item, received_at)
         SELECT source_kind, source_id, dedupe_hash, id, item, $6 FROM placed
         WHERE of_source <= $7 AND of_all <= $8
         ON CONFLICT DO NOTHING",
    )
    .bind(items.iter().map(|(kind, ..)| *kind).collect::<Vec<_>>())
    .bind(items.iter().map(|(_, id, _)| *id).collect::<Vec<_>>())
    .bind(items.iter().map(|(.., one)| one.dedupe_hash.as_slice()).collect::<Vec<_>>())
    .bind(items.iter().map(|(.., one)| one.id.0).collect::<Vec<_>>())
    .bind(items.iter().map(|(.., one)| column_values::write(&one.item)).collect::<Vec<_>>())
    .bind(now)
    .bind(KEPT_PER_SOURCE)
    .bind(KEPT_MAX)
    .execute(db)
    .await?;
    Ok(done.rows_affected())
}

/// Directory: sources with kept items that a client has now.
pub async fn sources_with_an_owner(db: &mut PgConnection) -> Result<Vec<CallbackTarget>> {
    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT stray.source_kind, stray.source_id
         FROM (SELECT DISTINCT source_kind, source_id FROM stray_callback) stray
         CROSS JOIN LATERAL (
             (SELECT 1 FROM phone_number_directory one
              WHERE stray.source_kind = 'PHONE_NUMBER_ID' AND one.phone_number_id = stray.source_id)
             UNION ALL
             (SELECT 1 FROM page_directory one WHERE stray.source_kind = 'PAGE' AND one.page_id = stray.source_id)
             UNION ALL
             (SELECT 1 FROM waba_directory one
              WHERE stray.source_kind = 'WABA' AND one.waba_id = stray.source_id LIMIT 1)
             OFFSET 0) owner
         LIMIT $1",
    )
    .bind(SOURCES)
    .fetch_all(db)
    .await?;
    rows.into_iter().map(|(kind, id)| target(&kind, id)).collect()
}

/// Removes the first items of a source and returns them in the order of arrival. An item that this version cannot read is
/// an error of its own. Items that another process removes are left out.
pub async fn remove_first(
    db: &mut PgConnection,
    target: &CallbackTarget,
    limit: i64,
) -> Result<Vec<Result<CallbackItem>>> {
    let Some((kind, id)) = source(target) else { return Ok(Vec::new()) };
    let mut rows: Vec<(Uuid, UnreadJson)> = sqlx::query_as(
        "DELETE FROM stray_callback stray
         USING (SELECT source_kind, source_id, dedupe_hash FROM stray_callback
                WHERE source_kind = $1 AND source_id = $2 ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED) first
         WHERE stray.source_kind = first.source_kind AND stray.source_id = first.source_id
           AND stray.dedupe_hash = first.dedupe_hash
         RETURNING stray.id, stray.item",
    )
    .bind(kind)
    .bind(id)
    .bind(limit)
    .fetch_all(db)
    .await?;
    rows.sort_by_key(|(id, _)| *id);
    Ok(rows.iter().map(|(_, item)| column_values::read("stray_callback", "item", item)).collect())
}
