//! Whether recipients may be written to: one statement for all that a group of sends asks about. It answers those who may
//! not, which are few, and finds each by its key.

use std::{borrow::Cow, collections::HashMap};

use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    ids::{ClientId, InboxId},
};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Result;

/// A recipient that is asked about.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Where it would be written to.
    pub address: &'a Address,
    /// With a marketing template.
    pub marketing: bool,
}

/// Why a recipient may not be written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Barred {
    /// It is on the client's blocklist.
    Blocked,
    /// The customer wants no marketing.
    MarketingStopped,
}

/// The tier of a number, and how much of it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TierUse {
    /// The provider's word for it.
    pub tier: String,
    /// Recipients counted within the window.
    pub used: u32,
}

/// What was asked about.
#[derive(Debug, Default)]
pub struct Standing {
    /// By place in what was asked: those who may not be written to.
    pub barred: HashMap<usize, Barred>,
    /// Of the numbers that were asked about, those that have one.
    pub tiers: HashMap<InboxId, TierUse>,
}

#[derive(sqlx::FromRow)]
struct StandingRow {
    at: Option<i64>,
    blocked: bool,
    inbox_id: Option<Uuid>,
    tier: Option<String>,
    used: i64,
}

/// How recipients and numbers stand. Quarters that begin after `since` count.
pub async fn load(
    db: &mut PgConnection,
    client: ClientId,
    asked: &[Asked<'_>],
    inboxes: &[InboxId],
    since: DateTime<Utc>,
) -> Result<Standing> {
    // A block of one spelling of a number holds for the other.
    let spelled: Vec<(usize, Cow<'_, Address>, bool)> = asked
        .iter()
        .enumerate()
        .flat_map(|(at, one)| {
            let other = one.address.other_spelling().map(|other| (at, Cow::Owned(other), false));
            [Some((at, Cow::Borrowed(one.address), one.marketing)), other].into_iter().flatten()
        })
        .collect();
    let rows: Vec<StandingRow> = sqlx::query_as(
        "SELECT wanted.at, blocked.found IS NOT NULL AS blocked, NULL::uuid AS inbox_id, NULL::text AS tier,
                0::bigint AS used
         FROM (SELECT $1::uuid AS client_id, *
               FROM unnest($2::text[], $3::text[], $4::boolean[], $7::bigint[]) AS one (kind, value, marketing, at)
               OFFSET 0) wanted
         LEFT JOIN LATERAL (
             SELECT true AS found FROM blocked_recipient one
             WHERE one.client_id = wanted.client_id AND one.kind = wanted.kind AND one.value = wanted.value
               AND (SELECT true FROM blocked_recipient WHERE client_id = $1 AND kind >= '' LIMIT 1) OFFSET 0) blocked ON true
         LEFT JOIN LATERAL (
             SELECT true AS found
             FROM (SELECT customer_id FROM customer_address one
                   WHERE one.client_id = wanted.client_id AND one.kind = wanted.kind AND one.value = wanted.value
                     AND wanted.marketing OFFSET 0) address
             CROSS JOIN LATERAL (
                 SELECT 1 FROM marketing_stop one
                 WHERE one.client_id = wanted.client_id AND one.customer_id = address.customer_id OFFSET 0) stop
             OFFSET 0) stopped ON true
         WHERE blocked.found OR stopped.found
         UNION ALL
         SELECT NULL, false, number.id, tier.tier,
                (SELECT COALESCE(sum(counted.recipients), 0) FROM tier_count counted
                 WHERE counted.client_id = $1 AND counted.inbox_id = number.id AND counted.counted_at > $6)
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($5::uuid[]) AS id OFFSET 0) number
         CROSS JOIN LATERAL (
             SELECT * FROM messaging_tier one WHERE one.client_id = number.client_id AND one.inbox_id = number.id OFFSET 0) tier",
    )
    .bind(client.0)
    .bind(spelled.iter().map(|(_, address, _)| address.kind().as_str()).collect::<Vec<_>>())
    .bind(spelled.iter().map(|(_, address, _)| address.value()).collect::<Vec<_>>())
    .bind(spelled.iter().map(|(_, _, marketing)| *marketing).collect::<Vec<_>>())
    .bind(inboxes.iter().map(|inbox| inbox.0).collect::<Vec<_>>())
    .bind(since)
    .bind(spelled.iter().map(|(at, _, _)| i64::try_from(*at).unwrap_or(i64::MAX)).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let mut standing = Standing::default();
    for row in rows {
        if let Some((inbox, tier)) = row.inbox_id.zip(row.tier) {
            let used = u32::try_from(row.used).unwrap_or(u32::MAX);
            standing.tiers.insert(InboxId(inbox), TierUse { tier, used });
        } else if let Some(at) = row.at.and_then(|at| usize::try_from(at).ok()) {
            let barred = if row.blocked { Barred::Blocked } else { Barred::MarketingStopped };
            let known = standing.barred.entry(at).or_insert(barred);
            if row.blocked {
                *known = Barred::Blocked;
            }
        }
    }
    Ok(standing)
}
