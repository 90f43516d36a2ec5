//! Retention of single rows, for tables without partitions. A use case commits after each page.

use chrono::{DateTime, Utc};
use domain::clock::first_id_at;
use uuid::Uuid;

use super::partitions::{PARTITIONED, key_of};
use crate::{PgConnection, Result};

/// Key of the advisory lock that lets one process at a time do the upkeep.
const UPKEEP_LOCK: i64 = 0x7061_7463_6862_6179;

/// Takes the lock for this transaction; `false` if another process has it.
pub async fn try_lock(db: &mut PgConnection) -> Result<bool> {
    Ok(sqlx::query_scalar("SELECT pg_try_advisory_xact_lock($1)").bind(UPKEEP_LOCK).fetch_one(db).await?)
}

#[derive(Debug, Clone, Copy)]
enum Age {
    Moment(&'static str),
    Id(&'static str),
}

#[derive(Debug, Clone, Copy)]
pub struct AgingRows {
    table: &'static str,
    of_default: bool,
    age: Age,
    only: &'static str,
}

const fn aging(table: &'static str, age: Age) -> AgingRows {
    AgingRows { table, of_default: false, age, only: "true" }
}

/// Small rows of messages whose partitions were dropped.
pub const OF_MESSAGES: [AgingRows; 17] = [
    aging("provider_message", Age::Id("COALESCE(outbound_message_id, chat_message_id)")),
    aging("message_original", Age::Id("message_id")),
    aging("fallback", Age::Id("message_id")),
    aging("smsc_message", Age::Id("message_id")),
    aging("sms_part", Age::Id("message_id")),
    aging("batch_hold", Age::Id("batch_id")),
    aging("provider_call", Age::Id("message_id")),
    aging("messenger_unread", Age::Id("message_id")),
    aging("sms_inbound", Age::Moment("received_at")),
    aging("sms_request", Age::Id("id")),
    aging("sms_message", Age::Id("id")),
    aging("sms_sent_once", Age::Id("request_id")),
    aging("sms_correspondent", Age::Moment("at")),
    aging("sms_other_correspondent", Age::Moment("at")),
    aging("sms_reply", Age::Id("id")),
    aging("email_request", Age::Id("request_id")),
    aging("chat_episode", Age::Id("id")),
];
pub const CONVERSATIONS: AgingRows = aging("conversation", Age::Moment("closed_at"));
pub const MESSAGE_COUNTS: AgingRows = aging("message_count", Age::Moment("at"));
/// Facts from providers: fingerprints, failed callbacks, unreadable items, and referrals without a message.
pub const OF_CALLBACKS: [AgingRows; 4] = [
    aging("callback_seen", Age::Moment("seen_at")),
    AgingRows { only: "failure IS NOT NULL", ..aging("callback", Age::Moment("received_at")) },
    aging("failed_callback", Age::Moment("received_at")),
    aging("waiting_referral", Age::Moment("came_at")),
];
pub const OF_PLUGINS: [AgingRows; 2] =
    [aging("plugin_event", Age::Moment("at")), aging("plugin_shadow_skip", Age::Moment("last_at"))];
pub const OF_TIERS: [AgingRows; 2] =
    [aging("tier_recipient", Age::Moment("counted_at")), aging("tier_count", Age::Moment("counted_at"))];
pub const STRAY_CALLBACKS: AgingRows = aging("stray_callback", Age::Moment("received_at"));
pub const PLUGIN_UPLOADS: AgingRows = aging("plugin_upload", Age::Moment("created_at"));
/// Counts of tracking queries. Queries from ten minutes ago do not count.
pub const TRACKING_USES: AgingRows = aging("sms_tracking_use", Age::Moment("last_at"));
pub const SESSION_KEYS: AgingRows = aging("session_key", Age::Moment("expires_at"));
pub const SESSION_LINKS: AgingRows = aging("session_link", Age::Moment("expires_at"));
pub const OPENID_LOGINS: AgingRows = aging("openid_login", Age::Moment("expires_at"));
pub const CHAT_VIEWERS: AgingRows = aging("chat_viewer", Age::Moment("seen_until"));
pub const WEBHOOK_COPIES: AgingRows = aging("webhook_copy", Age::Moment("copied_at"));
pub const IDEMPOTENCY_KEYS: AgingRows = aging("idempotency", Age::Moment("created_at"));

/// Rows in the default partition of `table`, which is never dropped.
pub fn in_default_partition(table: &'static str) -> AgingRows {
    AgingRows { of_default: true, ..aging(table, Age::Id(key_of(table))) }
}

pub fn all() -> impl Iterator<Item = AgingRows> {
    let named = OF_MESSAGES.into_iter().chain(OF_CALLBACKS).chain(OF_PLUGINS).chain(OF_TIERS);
    named
        .chain([CONVERSATIONS, MESSAGE_COUNTS, PLUGIN_UPLOADS, IDEMPOTENCY_KEYS, TRACKING_USES])
        .chain([WEBHOOK_COPIES, SESSION_KEYS, SESSION_LINKS, OPENID_LOGINS, CHAT_VIEWERS, STRAY_CALLBACKS])
        .chain(PARTITIONED.into_iter().map(in_default_partition))
}

impl AgingRows {
    pub fn statement(&self) -> String {
        let Self { table, only, .. } = self;
        let default = if self.of_default { "_default" } else { "" };
        let (Age::Moment(age) | Age::Id(age)) = self.age;
        format!(
            "DELETE FROM {table}{default} WHERE ctid = ANY (ARRAY(
                 SELECT ctid FROM {table}{default} WHERE {age} < $1 AND {only} ORDER BY {age} LIMIT $2
                 FOR UPDATE SKIP LOCKED))"
        )
    }
}

/// Removes at most `limit` rows from before `before`. Fewer than `limit`: this was the last page.
pub async fn forget(db: &mut PgConnection, aging: AgingRows, before: DateTime<Utc>, limit: i64) -> Result<u64> {
    let statement = aging.statement();
    let query = sqlx::query(&statement);
    let query = match aging.age {
        Age::Moment(_) => query.bind(before),
        Age::Id(_) => query.bind(first_id_at(before)),
    };
    Ok(query.bind(limit).execute(db).await?.rows_affected())
}

/// The position of [`forget_idle_lanes`]: the primary key of a lane.
pub type IdleLane = (Uuid, String, Uuid);

/// Removes lanes without a lease for a day, among the `limit` lanes after `after`. Returns the next position. An index
/// by age would be written at every renewal.
pub async fn forget_idle_lanes(db: &mut PgConnection, after: Option<IdleLane>, limit: i64) -> Result<Option<IdleLane>> {
    let (client, queue, lane) = after.unwrap_or_default();
    let last: Option<IdleLane> = sqlx::query_as(
        "WITH page AS MATERIALIZED (
             SELECT client_id, queue, lane_id, leased_until FROM lane WHERE (client_id, queue, lane_id) > ($1, $2, $3)
             ORDER BY client_id, queue, lane_id LIMIT $4
         ), idle AS (
             SELECT lane.client_id, lane.queue, lane.lane_id FROM page JOIN lane USING (client_id, queue, lane_id)
             WHERE page.leased_until < now() - interval '1 day' AND lane.leased_until < now() - interval '1 day'
             FOR UPDATE OF lane SKIP LOCKED
         ), gone AS (
             DELETE FROM lane USING idle
             WHERE lane.client_id = idle.client_id AND lane.queue = idle.queue AND lane.lane_id = idle.lane_id
         )
         SELECT client_id, queue, lane_id FROM page ORDER BY client_id, queue, lane_id OFFSET $4 - 1",
    )
    .bind(client)
    .bind(queue)
    .bind(lane)
    .bind(limit)
    .fetch_optional(db)
    .await?;
    Ok(last)
}
