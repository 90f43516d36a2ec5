//! Inboxes in lists: without secrets, with the facts that their providers have reported and the faults of calls.

use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    ids::{ClientId, InboxId},
    inbox::InboxKind,
    inbox_fault::{InboxCallFailure, InboxFaults, TokenRefusal},
    page::PageRequest,
};
use uuid::Uuid;

use crate::{Error, PgConnection, Result, column_values::read_value};

/// The most open windows of an inbox that are counted.
const MOST_OPEN_WINDOWS: i64 = 10_000;

/// The moments after which events count for a list of inboxes.
#[derive(Debug, Clone, Copy)]
pub struct CountStarts {
    /// Quarters of an hour that begin after it count for tiers.
    pub tiers: DateTime<Utc>,
    /// Customers that wrote after it have an open window.
    pub windows: DateTime<Utc>,
}

/// An inbox without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxOverview {
    pub id: InboxId,
    pub kind: InboxKind,
    /// Digits of a number, id of a page or a bot.
    pub address: String,
    /// The name that the provider gives an account.
    pub name: Option<String>,
    pub created_at: DateTime<Utc>,
    pub disabled_at: Option<DateTime<Utc>>,
    /// In the provider's words.
    pub quality_rating: Option<String>,
    pub channel_status: Option<String>,
    /// Time of the last look at the quality and the status.
    pub read_at: Option<DateTime<Utc>>,
    pub tier: Option<TierReport>,
    /// Of a number of WhatsApp Cloud: customers whose window is open, at most 10,000.
    pub open_windows: Option<i64>,
    pub faults: InboxFaults,
}

/// The messaging tier of a number, and its use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TierReport {
    /// In the provider's words.
    pub name: String,
    pub told_at: DateTime<Utc>,
    /// Recipients that count within the window.
    pub used: i64,
}

#[derive(sqlx::FromRow)]
struct OverviewRow {
    id: Uuid,
    kind: String,
    address: String,
    name: Option<String>,
    created_at: DateTime<Utc>,
    disabled_at: Option<DateTime<Utc>>,
    quality_rating: Option<String>,
    channel_status: Option<String>,
    read_at: Option<DateTime<Utc>>,
    tier: Option<String>,
    told_at: Option<DateTime<Utc>>,
    used: i64,
    open_windows: Option<i64>,
    refused_code: Option<String>,
    refused_at: Option<DateTime<Utc>>,
    failed_reason: Option<String>,
    failed_at: Option<DateTime<Utc>>,
    next_attempt_at: Option<DateTime<Utc>>,
}

impl TryFrom<OverviewRow> for InboxOverview {
    type Error = Error;

    fn try_from(row: OverviewRow) -> Result<Self> {
        let until = row.next_attempt_at;
        let faults = InboxFaults {
            refusal: row.refused_code.zip(row.refused_at).map(|(code, at)| TokenRefusal { code, at }),
            failed_call: row.failed_reason.zip(row.failed_at).map(|(reason, at)| InboxCallFailure {
                reason,
                at,
                until,
            }),
        };
        Ok(Self {
            id: InboxId(row.id),
            kind: read_value("inbox", "kind", &row.kind, |kind| kind.parse().ok())?,
            address: row.address,
            name: row.name,
            created_at: row.created_at,
            disabled_at: row.disabled_at,
            quality_rating: row.quality_rating,
            channel_status: row.channel_status,
            read_at: row.read_at,
            open_windows: row.open_windows,
            tier: row.tier.zip(row.told_at).map(|(name, told_at)| TierReport { name, told_at, used: row.used }),
            faults,
        })
    }
}

/// A page of the inboxes of these channels, sorted by channel and address, and the number of all.
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    channels: &[Channel],
    starts: CountStarts,
    page: PageRequest,
) -> Result<(Vec<InboxOverview>, i64)> {
    let channels: Vec<&str> = channels.iter().map(|channel| channel.as_str()).collect();
    let total: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM inbox WHERE client_id = $1 AND channel = ANY ($2) AND address IS NOT NULL",
    )
    .bind(client.0)
    .bind(&channels)
    .fetch_one(&mut *db)
    .await?;
    let rows: Vec<OverviewRow> = sqlx::query_as(
        "SELECT inbox.id, inbox.kind, inbox.address, account.name, inbox.created_at, inbox.disabled_at,
                quality.quality_rating, quality.channel_status, quality.read_at, tier.tier, tier.told_at,
                fault.refused_code, fault.refused_at, fault.failed_reason, fault.failed_at, fault.next_attempt_at,
                (SELECT COALESCE(sum(counted.recipients), 0)::bigint FROM tier_count counted
                 WHERE counted.client_id = inbox.client_id AND counted.inbox_id = inbox.id
                   AND counted.counted_at > $3) AS used,
                CASE WHEN inbox.kind = 'WHATSAPP_CLOUD' THEN
                (SELECT count(*) FROM (
                     SELECT FROM inbox_customer one
                     WHERE one.client_id = inbox.client_id AND one.inbox_id = inbox.id AND one.last_inbound_at > $6
                     LIMIT $7) writers) END AS open_windows
         FROM (SELECT * FROM inbox WHERE client_id = $1 AND channel = ANY ($2) AND address IS NOT NULL
               ORDER BY channel, address LIMIT $4 OFFSET $5) inbox
         LEFT JOIN LATERAL (
             SELECT name FROM account_inbox one
             WHERE one.client_id = inbox.client_id AND one.id = inbox.id OFFSET 0) account ON true
         LEFT JOIN LATERAL (
             SELECT quality_rating, channel_status, read_at FROM number_quality one
             WHERE one.client_id = inbox.client_id AND one.inbox_id = inbox.id OFFSET 0) quality ON true
         LEFT JOIN LATERAL (
             SELECT tier, told_at FROM messaging_tier one
             WHERE one.client_id = inbox.client_id AND one.inbox_id = inbox.id OFFSET 0) tier ON true
         LEFT JOIN LATERAL (
             SELECT refused_code, refused_at, failed_reason, failed_at, next_attempt_at FROM inbox_fault one
             WHERE one.client_id = inbox.client_id AND one.inbox_id = inbox.id OFFSET 0) fault ON true
         ORDER BY inbox.channel, inbox.address",
    )
    .bind(client.0)
    .bind(&channels)
    .bind(starts.tiers)
    .bind(page.limit())
    .bind(page.offset())
    .bind(starts.windows)
    .bind(MOST_OPEN_WINDOWS)
    .fetch_all(db)
    .await?;
    let found: Result<Vec<InboxOverview>> = rows.into_iter().map(InboxOverview::try_from).collect();
    Ok((found?, total))
}
