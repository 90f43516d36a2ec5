//! What has to be done to the tables from time to time: partitions ahead, old rows forgotten.

use chrono::Days;
use storage::{
    outbound::idempotency,
    plugins,
    work::{lanes, partitions, retention},
};

use crate::{Context, Result};

/// Weeks of partitions made ahead.
const WEEKS_AHEAD: u64 = 4;
/// How long an idempotency key is remembered (DESIGN 7).
const KEY_DAYS: u64 = 7;
/// Providers repeat callbacks for seven days: fingerprints are kept longer, whatever the retention says.
const CALLBACK_DAYS: u32 = 9;

/// What one round of upkeep did.
#[derive(Debug, Default)]
pub struct Round {
    /// Partitions made.
    pub made: u32,
    /// Partitions dropped.
    pub dropped: u32,
}

/// One round, by one process at a time; a process that finds another at it does nothing.
pub async fn round(ctx: &Context) -> Result<Round> {
    let now = ctx.now();
    let days_ago = |days: u64| now.checked_sub_days(Days::new(days)).unwrap_or(now);
    let keep = &ctx.settings.retention;
    let mut done = Round::default();
    let mut tx = ctx.db.begin().await?;
    if !retention::try_lock(&mut tx).await? {
        return Ok(done);
    }
    done.made = partitions::ensure(&mut tx, now, WEEKS_AHEAD).await?;
    let limits = [
        ("outbound_part", keep.messages_days),
        ("outbound_message", keep.messages_days),
        ("outbound_leg", keep.messages_days),
        ("chat_message", keep.messages_days),
        ("delivery_receipt", keep.receipts_days),
        ("webhook_delivery", keep.webhooks_days),
        ("webhook_attempt", keep.webhooks_days),
        ("plugin_invocation", keep.invocations_days),
        ("plugin_difference", keep.invocations_days),
        ("plugin_recording", keep.recordings_days),
        ("routing_decision", keep.messages_days),
    ];
    for (table, days) in limits {
        done.dropped += partitions::drop_before(&mut tx, table, days_ago(u64::from(days))).await?;
    }
    retention::forget_message_directories(&mut tx, days_ago(u64::from(keep.messages_days))).await?;
    let callback_days = keep.callbacks_days.max(CALLBACK_DAYS);
    retention::forget_callbacks(&mut tx, days_ago(u64::from(callback_days))).await?;
    retention::forget_parked_receipts(&mut tx, days_ago(1)).await?;
    plugins::events::forget(&mut tx, days_ago(u64::from(keep.invocations_days))).await?;
    plugins::skipped::forget(&mut tx, days_ago(u64::from(keep.invocations_days))).await?;
    idempotency::forget(&mut tx, days_ago(KEY_DAYS)).await?;
    lanes::forget_idle(&mut tx).await?;
    tx.commit().await?;
    Ok(done)
}
