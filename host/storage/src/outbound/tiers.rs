//! The messaging tiers of Cloud numbers, and who was counted within them.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, InboxId};
use sqlx::PgConnection;

use crate::Result;

/// Keeps what the provider says of a number.
pub async fn set(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    tier: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO messaging_tier (client_id, inbox_id, tier, told_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (client_id, inbox_id) DO UPDATE SET tier = excluded.tier, told_at = excluded.told_at",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(tier)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Keeps the count of a number to this transaction until it ends, and answers it as it is then.
pub async fn lock(db: &mut PgConnection, client: ClientId, inbox: InboxId, since: DateTime<Utc>) -> Result<u32> {
    sqlx::query("SELECT 1 FROM messaging_tier WHERE client_id = $1 AND inbox_id = $2 FOR UPDATE")
        .bind(client.0)
        .bind(inbox.0)
        .execute(&mut *db)
        .await?;
    let used: i64 = sqlx::query_scalar(
        "SELECT COALESCE(sum(recipients), 0) FROM tier_count WHERE client_id = $1 AND inbox_id = $2 AND counted_at > $3",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(since)
    .fetch_one(db)
    .await?;
    Ok(u32::try_from(used).unwrap_or(u32::MAX))
}

/// Which of these recipients are counted already.
pub async fn counted(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    recipients: &[&str],
    since: DateTime<Utc>,
) -> Result<Vec<String>> {
    let found = sqlx::query_scalar(
        "SELECT known.recipient
         FROM (SELECT $1::uuid AS client_id, $2::uuid AS inbox_id, recipient FROM unnest($3::text[]) AS recipient OFFSET 0) wanted
         CROSS JOIN LATERAL (
             SELECT * FROM tier_recipient one WHERE one.client_id = wanted.client_id AND one.inbox_id = wanted.inbox_id
                AND one.recipient = wanted.recipient OFFSET 0) known
         WHERE known.counted_at > $4",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(recipients)
    .bind(since)
    .fetch_all(db)
    .await?;
    Ok(found)
}

/// Counts recipients that were not counted within the window, in one statement. `shard`: any small number.
pub async fn count(
    db: &mut PgConnection,
    client: ClientId,
    recipients: &BTreeSet<(InboxId, &str)>,
    quarter: DateTime<Utc>,
    shard: i16,
) -> Result<()> {
    if recipients.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "WITH given AS (SELECT * FROM unnest($2::uuid[], $3::text[]) AS one (inbox_id, recipient)
         ), counted AS (
             INSERT INTO tier_recipient (client_id, inbox_id, recipient, counted_at)
             SELECT $1, inbox_id, recipient, $4 FROM given
             ON CONFLICT (client_id, inbox_id, recipient) DO UPDATE SET counted_at = excluded.counted_at
         )
         INSERT INTO tier_count AS known (client_id, inbox_id, counted_at, shard, recipients)
         SELECT $1, inbox_id, $4, $5, count(*) FROM given GROUP BY inbox_id ORDER BY inbox_id
         ON CONFLICT (client_id, inbox_id, counted_at, shard) DO UPDATE
         SET recipients = known.recipients + excluded.recipients",
    )
    .bind(client.0)
    .bind(recipients.iter().map(|(inbox, _)| inbox.0).collect::<Vec<_>>())
    .bind(recipients.iter().map(|(_, recipient)| *recipient).collect::<Vec<_>>())
    .bind(quarter)
    .bind(shard)
    .execute(db)
    .await?;
    Ok(())
}
