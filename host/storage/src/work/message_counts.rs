//! Message counts: upkeep adds the changes to the counts, and readers read counts and changes in one snapshot.

use chrono::{DateTime, Utc};
use domain::{
    analytics::{CountedType, MessageCounts, Period},
    ids::ClientId,
};

use crate::{PgConnection, Result};

/// Key of the advisory lock that lets one process at a time add changes. Two would wait for each other's counts.
const FOLDING_LOCK: i64 = 0x7061_7463_6863_6e74;

pub async fn try_lock(db: &mut PgConnection) -> Result<bool> {
    Ok(sqlx::query_scalar("SELECT pg_try_advisory_xact_lock($1)").bind(FOLDING_LOCK).fetch_one(db).await?)
}

/// Folds at most `limit` changes and returns their number. Fewer: this was the last page.
pub async fn fold(db: &mut PgConnection, limit: i64) -> Result<i64> {
    let folded = sqlx::query_scalar(
        "WITH taken AS (
             DELETE FROM message_count_change WHERE ctid = ANY (ARRAY(
                 SELECT ctid FROM message_count_change ORDER BY client_id, id LIMIT $1 FOR UPDATE SKIP LOCKED))
             RETURNING *
         ), added AS (
             INSERT INTO message_count AS known (client_id, grain, at, message_type, submitted, sent, delivered, read, failed)
             SELECT client_id, grain, CASE grain WHEN 'HOUR' THEN date_trunc('hour', at, 'UTC') ELSE at END, message_type,
                    sum(submitted), sum(sent), sum(delivered), sum(read), sum(failed)
             FROM taken CROSS JOIN unnest(ARRAY['SECOND', 'HOUR']) AS grain
             GROUP BY 1, 2, 3, 4
             ON CONFLICT (client_id, grain, at, message_type) DO UPDATE
             SET submitted = known.submitted + excluded.submitted, sent = known.sent + excluded.sent,
                 delivered = known.delivered + excluded.delivered, read = known.read + excluded.read,
                 failed = known.failed + excluded.failed
         )
         SELECT count(*) FROM taken",
    )
    .bind(limit)
    .fetch_one(db)
    .await?;
    Ok(folded)
}

#[derive(sqlx::FromRow)]
struct CountsRow {
    submitted: i64,
    sent: i64,
    delivered: i64,
    read: i64,
    failed: i64,
}

pub async fn of_period(
    db: &mut PgConnection,
    client: ClientId,
    period: Period,
    of: Option<CountedType>,
) -> Result<MessageCounts> {
    let (first_hour, end_of_hours): (DateTime<Utc>, DateTime<Utc>) = period.whole_hours();
    let row: CountsRow = sqlx::query_as(
        "SELECT COALESCE(sum(submitted), 0)::bigint AS submitted, COALESCE(sum(sent), 0)::bigint AS sent,
                COALESCE(sum(delivered), 0)::bigint AS delivered, COALESCE(sum(read), 0)::bigint AS read,
                COALESCE(sum(failed), 0)::bigint AS failed
         FROM (SELECT message_type, submitted, sent, delivered, read, failed FROM message_count
               WHERE client_id = $1 AND grain = 'SECOND' AND at >= $2 AND at < $3
               UNION ALL
               SELECT message_type, submitted, sent, delivered, read, failed FROM message_count
               WHERE client_id = $1 AND grain = 'HOUR' AND at >= $3 AND at < $4
               UNION ALL
               SELECT message_type, submitted, sent, delivered, read, failed FROM message_count
               WHERE client_id = $1 AND grain = 'SECOND' AND at >= $4 AND at < $5
               UNION ALL
               SELECT message_type, submitted, sent, delivered, read, failed FROM message_count_change
               WHERE client_id = $1 AND at >= $2 AND at < $5) counted
         WHERE $6::text IS NULL OR message_type = $6",
    )
    .bind(client.0)
    .bind(period.from)
    .bind(first_hour)
    .bind(end_of_hours)
    .bind(period.before)
    .bind(of.map(CountedType::as_str))
    .fetch_one(db)
    .await?;
    let CountsRow { submitted, sent, delivered, read, failed } = row;
    Ok(MessageCounts { submitted, sent, delivered, read, failed })
}
