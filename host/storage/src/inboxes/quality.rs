//! Quality, tier and status of Cloud numbers at the provider, and when they are read again (PROVIDERS 0.4).

use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::{ClientId, InboxId};
use uuid::Uuid;

use crate::{PgConnection, Result};

/// A number is read again after this time without a callback.
pub const READ_INTERVAL: TimeDelta = TimeDelta::hours(1);

/// The provider's facts about a number, in its own words.
#[derive(Debug, Clone, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct NumberQuality {
    /// `GREEN`, `YELLOW`, `RED`.
    pub quality_rating: Option<String>,
    /// `TIER_250`, `TIER_2K`, and others.
    pub messaging_limit: Option<String>,
    /// `CONNECTED`, `BANNED`, and others.
    pub channel_status: Option<String>,
}

#[derive(sqlx::FromRow)]
struct OfInbox {
    inbox_id: Uuid,
    #[sqlx(flatten)]
    quality: NumberQuality,
}

/// Makes a new number due at once, because its messaging tier applies from the first template.
pub(super) async fn begin(db: &mut PgConnection, client: ClientId, inbox: InboxId, now: DateTime<Utc>) -> Result<()> {
    sqlx::query("INSERT INTO number_quality (client_id, inbox_id, look_due_at) VALUES ($1, $2, $3)")
        .bind(client.0)
        .bind(inbox.0)
        .bind(now)
        .execute(db)
        .await?;
    Ok(())
}

/// Makes Cloud numbers due after a report of the provider. `limit`: its limit of customers, if the callback names it.
pub async fn ask(
    db: &mut PgConnection,
    client: ClientId,
    inboxes: &[InboxId],
    limit: Option<&str>,
    now: DateTime<Utc>,
) -> Result<()> {
    // A number that an earlier release added has no row yet.
    sqlx::query(
        "INSERT INTO number_quality (client_id, inbox_id, messaging_limit, look_due_at, asked)
         SELECT client_id, id, $3, $4, 1 FROM whatsapp_cloud_inbox WHERE client_id = $1 AND id = ANY($2)
         ON CONFLICT (client_id, inbox_id) DO UPDATE
         SET asked = number_quality.asked + 1, failures = 0,
             messaging_limit = COALESCE(excluded.messaging_limit, number_quality.messaging_limit),
             look_due_at = LEAST(number_quality.look_due_at, excluded.look_due_at)",
    )
    .bind(client.0)
    .bind(inboxes.iter().map(|inbox| inbox.0).collect::<Vec<_>>())
    .bind(limit)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Stores the status of Cloud numbers of the client, and returns the known facts of each.
pub async fn set_status(
    db: &mut PgConnection,
    client: ClientId,
    inboxes: &[InboxId],
    status: &str,
    now: DateTime<Utc>,
) -> Result<Vec<(InboxId, NumberQuality)>> {
    let rows: Vec<OfInbox> = sqlx::query_as(
        "INSERT INTO number_quality (client_id, inbox_id, channel_status, look_due_at)
         SELECT client_id, id, $3, $4 FROM whatsapp_cloud_inbox WHERE client_id = $1 AND id = ANY($2)
         ON CONFLICT (client_id, inbox_id) DO UPDATE SET channel_status = excluded.channel_status
         RETURNING inbox_id, quality_rating, messaging_limit, channel_status",
    )
    .bind(client.0)
    .bind(inboxes.iter().map(|inbox| inbox.0).collect::<Vec<_>>())
    .bind(status)
    .bind(now)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|row| (InboxId(row.inbox_id), row.quality)).collect())
}

pub async fn due(db: &mut PgConnection, now: DateTime<Utc>, limit: i64) -> Result<Vec<(ClientId, InboxId)>> {
    let rows: Vec<(Uuid, Uuid)> = sqlx::query_as(
        "SELECT client_id, inbox_id FROM number_quality WHERE look_due_at <= $1 ORDER BY look_due_at LIMIT $2",
    )
    .bind(now)
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(client, inbox)| (ClientId(client), InboxId(inbox))).collect())
}

/// Claims a due number until `retry_at`. Returns the number of reported changes; `None`: another process was first.
pub async fn claim(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    now: DateTime<Utc>,
    retry_at: DateTime<Utc>,
) -> Result<Option<i32>> {
    let asked = sqlx::query_scalar(
        "UPDATE number_quality SET look_due_at = $4 WHERE client_id = $1 AND inbox_id = $2 AND look_due_at <= $3
         RETURNING asked",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(now)
    .bind(retry_at)
    .fetch_optional(db)
    .await?;
    Ok(asked)
}

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct QualityFacts {
    #[sqlx(flatten)]
    pub quality: NumberQuality,
    pub known: bool,
    /// Changes that were reported to the client.
    pub told: i32,
    /// Failed reads since the last reported change.
    pub failures: i16,
}

pub async fn lock(db: &mut PgConnection, client: ClientId, inbox: InboxId) -> Result<Option<QualityFacts>> {
    let known = sqlx::query_as(
        "SELECT quality_rating, messaging_limit, channel_status, known, told, failures FROM number_quality
         WHERE client_id = $1 AND inbox_id = $2 FOR UPDATE",
    )
    .bind(client.0)
    .bind(inbox.0)
    .fetch_optional(db)
    .await?;
    Ok(known)
}

/// The facts about a number as they were read.
#[derive(Debug, Clone, Copy)]
pub struct QualityReading<'a> {
    pub quality: &'a NumberQuality,
    /// Changes that are reported to the client with it.
    pub told: i32,
    pub at: DateTime<Utc>,
}

/// Stores a reading. If a change came after it, the number stays due.
pub async fn store_reading(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    QualityReading { quality, told, at }: QualityReading<'_>,
) -> Result<()> {
    sqlx::query(
        "UPDATE number_quality
         SET quality_rating = $3, messaging_limit = $4, channel_status = $5, known = true, failures = 0,
             read_at = $7, told = GREATEST(told, $6),
             look_due_at = CASE WHEN asked > $6 THEN $7::timestamptz ELSE $8::timestamptz END
         WHERE client_id = $1 AND inbox_id = $2",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(quality.quality_rating.as_deref())
    .bind(quality.messaging_limit.as_deref())
    .bind(quality.channel_status.as_deref())
    .bind(told)
    .bind(at)
    .bind(at + READ_INTERVAL)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn count_failure(db: &mut PgConnection, client: ClientId, inbox: InboxId, told: i32) -> Result<()> {
    sqlx::query(
        "UPDATE number_quality SET failures = failures + 1, told = GREATEST(told, $3)
         WHERE client_id = $1 AND inbox_id = $2",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(told)
    .execute(db)
    .await?;
    Ok(())
}
