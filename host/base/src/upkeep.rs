//! Regular upkeep of the tables: makes partitions ahead and deletes old rows. It uses small transactions, so that it
//! never blocks other work for long. A change of the schema never shares a transaction with deletes, and it is
//! postponed rather than delay messages.

use std::{collections::BTreeSet, time::Duration};

use chrono::{DateTime, Days, Utc};
use settings::Retention;
use storage::{
    Db, Transaction,
    chat::{chatbot_value_lists, conversations},
    live_events::streams,
    sms::{
        directory,
        products::{messages, requests},
        routes,
    },
    work::{
        message_counts,
        partitions::{self, PARTITIONED, Partition},
        retention::{self, AgingRows},
        statistics,
    },
};

use crate::Result;

/// Lifetime of an idempotency key (DESIGN 7).
const KEY_DAYS: u64 = 7;
/// Least lifetime of callback fingerprints, because providers repeat callbacks for seven days.
const CALLBACK_DAYS: u32 = 9;
/// Least lifetime of receipts that wait for the answers to their submits.
const RECEIPT_DAYS: u64 = 1;
/// Time in which a callback for no client waits for one that adds its number or page.
const STRAY_DAYS: u64 = 7;
const UPLOAD_DAYS: u64 = 1;
const COPY_DAYS: u64 = 1;
/// Recipients count for the tier of a number for one day and a quarter of an hour.
const TIER_DAYS: u64 = 2;
const PAGE: i64 = 2000;
/// Most requests whose texts are deleted in one transaction. Each can have a thousand messages.
const REQUESTS: i64 = 20;
/// Attempts of one round at a change of the schema while others use the table.
const TRIES: u32 = 5;
const BETWEEN_TRIES: Duration = Duration::from_millis(50);

#[derive(Debug, Default, PartialEq, Eq)]
pub struct UpkeepRound {
    pub made: u32,
    pub dropped: u32,
    pub postponed: u32,
    pub expired: u64,
    /// Rows deleted, without those of dropped partitions.
    pub forgotten: u64,
    /// Receipts of SMSCs among them that matched no message.
    pub unmatched_receipts: u64,
}

/// Runs one round. If another process is doing upkeep, this one leaves the rest to it.
pub async fn round(db: &Db, now: DateTime<Utc>, retention: &Retention) -> Result<UpkeepRound> {
    let mut upkeep = Upkeep { db, now, done: UpkeepRound::default() };
    upkeep.make_partitions(retention).await?;
    upkeep.drop_partitions(retention).await?;
    upkeep.close_expired_conversations().await?;
    upkeep.forget_rows(retention).await?;
    upkeep.forget_unmatched_receipts().await?;
    upkeep.forget_expired_values().await?;
    upkeep.forget_texts().await?;
    upkeep.forget_idle_lanes().await?;
    upkeep.forget_unwanted_live_events().await?;
    Ok(upkeep.done)
}

pub async fn renew_statistics(db: &Db) -> Result<usize> {
    let tables = statistics::list_outgrown(&mut *db.acquire().await?).await?;
    for table in &tables {
        let mut tx = db.begin().await?;
        statistics::analyze_table(&mut tx, table).await?;
        tx.commit().await?;
    }
    Ok(tables.len())
}

/// Folds changes of message counts into the counts and returns the number of changes. If another process is doing this,
/// this one leaves the rest to it.
pub async fn fold_message_counts(db: &Db) -> Result<i64> {
    let mut folded = 0;
    loop {
        let mut tx = db.begin().await?;
        if !message_counts::try_lock(&mut tx).await? {
            return Ok(folded);
        }
        let page = message_counts::fold(&mut tx, PAGE).await?;
        tx.commit().await?;
        folded += page;
        if page < PAGE {
            return Ok(folded);
        }
    }
}

fn partition_lengths(retention: &Retention) -> [(&'static str, u32); PARTITIONED.len()] {
    [
        ("outbound_part", retention.message_days),
        ("outbound_message", retention.message_days),
        ("outbound_leg", retention.message_days),
        ("chat_message", retention.message_days),
        ("message_version", retention.message_days),
        ("delivery_receipt", retention.receipt_days),
        ("webhook_delivery", retention.webhook_attempt_days),
        ("webhook_attempt", retention.webhook_attempt_days),
        ("plugin_invocation", retention.invocation_days),
        ("plugin_difference", retention.invocation_days),
        ("plugin_recording", retention.recording_days),
        ("routing_decision", retention.message_days),
        ("live_event", retention.live_event_days),
        ("request_log", retention.request_log_days),
    ]
}

#[derive(Debug, Clone, Copy)]
enum Change {
    Make,
    Drop,
}

impl Change {
    fn count(self, done: &mut UpkeepRound) -> &mut u32 {
        match self {
            Self::Make => &mut done.made,
            Self::Drop => &mut done.dropped,
        }
    }
}

struct Upkeep<'a> {
    db: &'a Db,
    now: DateTime<Utc>,
    done: UpkeepRound,
}

impl Upkeep<'_> {
    async fn begin(&self) -> Result<Option<Transaction<'static>>> {
        let mut tx = self.db.begin().await?;
        Ok(if retention::try_lock(&mut tx).await? { Some(tx) } else { None })
    }

    fn days_ago(&self, days: u64) -> DateTime<Utc> {
        self.now.checked_sub_days(Days::new(days)).unwrap_or(self.now)
    }

    async fn make_partitions(&mut self, retention: &Retention) -> Result<()> {
        for (table, days) in partition_lengths(retention) {
            let weeks = partitions::length(days);
            let missing = partitions::missing(&mut *self.db.acquire().await?, table, self.now, weeks).await?;
            for partition in missing {
                if !self.change(Change::Make, &partition).await? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    async fn drop_partitions(&mut self, retention: &Retention) -> Result<()> {
        for (table, days) in partition_lengths(retention) {
            let before = self.days_ago(u64::from(days));
            let old = partitions::wholly_before(&mut *self.db.acquire().await?, table, before).await?;
            for partition in old {
                if !self.change(Change::Drop, &partition).await? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Changes the schema in a transaction of its own. It gives way to other work and is tried again afterwards. If all
    /// attempts fail, the next round continues: partitions are made a week ahead, so there is time. `false` if another
    /// process is doing upkeep.
    async fn change(&mut self, change: Change, partition: &Partition) -> Result<bool> {
        for _ in 0..TRIES {
            let Some(mut tx) = self.begin().await? else { return Ok(false) };
            let changed = match change {
                Change::Make => partitions::make(&mut tx, partition).await,
                Change::Drop => partitions::drop(&mut tx, partition).await.map(|()| true),
            };
            match changed {
                Ok(changed) => {
                    tx.commit().await?;
                    *change.count(&mut self.done) += u32::from(changed);
                    return Ok(true);
                }
                Err(error) if partitions::is_postponed(&error) => tx.rollback().await?,
                Err(error) => return Err(error.into()),
            }
            tokio::time::sleep(BETWEEN_TRIES).await;
        }
        tracing::warn!(
            partition = partition.name(),
            "a partition could not be created or dropped, because its table is in use; the next round tries again"
        );
        self.done.postponed += 1;
        Ok(true)
    }

    /// Keeps the index of open conversations small. Readers compare the end of a conversation with the clock and do not
    /// depend on this.
    async fn close_expired_conversations(&mut self) -> Result<()> {
        loop {
            let Some(mut tx) = self.begin().await? else { return Ok(()) };
            let expired = conversations::close_expired(&mut tx, self.now, PAGE).await?;
            tx.commit().await?;
            self.done.expired += expired;
            if expired < PAGE.unsigned_abs() {
                return Ok(());
            }
        }
    }

    async fn forget_rows(&mut self, retention: &Retention) -> Result<()> {
        let astray =
            partition_lengths(retention).map(|(table, days)| (retention::in_default_partition(table), u64::from(days)));
        let (messages, invocations) = (u64::from(retention.message_days), u64::from(retention.invocation_days));
        let callbacks = u64::from(retention.callback_days.max(CALLBACK_DAYS));
        let others = retention::OF_MESSAGES.map(|aging| (aging, messages)).into_iter();
        let others = others.chain(retention::OF_CALLBACKS.map(|aging| (aging, callbacks)));
        let others = others.chain(retention::OF_PLUGINS.map(|aging| (aging, invocations)));
        let others = others.chain(retention::OF_TIERS.map(|aging| (aging, TIER_DAYS)));
        let others = others.chain([(retention::PLUGIN_UPLOADS, UPLOAD_DAYS)]);
        let others = others.chain([(retention::IDEMPOTENCY_KEYS, KEY_DAYS), (retention::CONVERSATIONS, messages)]);
        let others = others.chain([(retention::MESSAGE_COUNTS, messages), (retention::TRACKING_USES, 1)]);
        let others = others.chain([(retention::WEBHOOK_COPIES, COPY_DAYS), (retention::SESSION_KEYS, 0)]);
        let others = others.chain([(retention::CHAT_VIEWERS, 0), (retention::SESSION_LINKS, 0)]);
        let others = others.chain([(retention::OPENID_LOGINS, 0), (retention::STRAY_CALLBACKS, STRAY_DAYS)]);
        for (aging, days) in others.chain(astray) {
            self.forget(aging, self.days_ago(days)).await?;
        }
        Ok(())
    }

    async fn forget(&mut self, aging: AgingRows, before: DateTime<Utc>) -> Result<()> {
        loop {
            let Some(mut tx) = self.begin().await? else { return Ok(()) };
            let forgotten = retention::forget(&mut tx, aging, before, PAGE).await?;
            tx.commit().await?;
            self.done.forgotten += forgotten;
            if forgotten < PAGE.unsigned_abs() {
                return Ok(());
            }
        }
    }

    /// Deletes receipts that no message was found for, and says so once in a round: their messages stay at `SENT`.
    async fn forget_unmatched_receipts(&mut self) -> Result<()> {
        let before = self.days_ago(RECEIPT_DAYS);
        let mut binds: BTreeSet<String> = BTreeSet::new();
        while let Some(mut tx) = self.begin().await? {
            let page = directory::forget_unmatched(&mut tx, before, PAGE).await?;
            tx.commit().await?;
            self.done.forgotten += page.rows.unsigned_abs();
            self.done.unmatched_receipts += page.receipts.unsigned_abs();
            binds.extend(page.binds);
            if page.rows < PAGE {
                break;
            }
        }
        if self.done.unmatched_receipts > 0 {
            tracing::warn!(
                receipts = self.done.unmatched_receipts,
                ?binds,
                "receipts of SMS centres matched no SMS for a day and were deleted; check `ids=` and `name=` of the binds"
            );
        }
        Ok(())
    }

    async fn forget_expired_values(&mut self) -> Result<()> {
        loop {
            let Some(mut tx) = self.begin().await? else { return Ok(()) };
            let forgotten = chatbot_value_lists::forget_expired(&mut tx, self.now, PAGE).await?;
            tx.commit().await?;
            self.done.forgotten += forgotten;
            if forgotten < PAGE.unsigned_abs() {
                return Ok(());
            }
        }
    }

    /// Deletes texts of SMS that must not be stored and whose final state never came.
    async fn forget_texts(&mut self) -> Result<()> {
        loop {
            let Some(mut tx) = self.begin().await? else { return Ok(()) };
            let due = requests::to_forget(&mut tx, self.now, REQUESTS).await?;
            for (client, request) in &due {
                let (unheard, parts) = messages::endless(&mut tx, *client, *request).await?;
                messages::forget(&mut tx, *client, &parts).await?;
                routes::forget_texts(&mut tx, *client, &unheard).await?;
                requests::texts_are_forgotten(&mut tx, *client, *request).await?;
            }
            tx.commit().await?;
            if i64::try_from(due.len()).is_ok_and(|count| count < REQUESTS) {
                return Ok(());
            }
        }
    }

    /// Deletes unnumbered live events of clients without readers. A reader that comes back later starts afresh.
    async fn forget_unwanted_live_events(&mut self) -> Result<()> {
        loop {
            let unwanted = streams::find_unwanted(&mut *self.db.acquire().await?, PAGE).await?;
            let Some(client) = unwanted.first() else { return Ok(()) };
            let Some(mut tx) = self.begin().await? else { return Ok(()) };
            let forgotten = streams::forget_unwanted(&mut tx, *client, PAGE).await?;
            tx.commit().await?;
            self.done.forgotten += forgotten;
            if forgotten == 0 {
                return Ok(());
            }
        }
    }

    async fn forget_idle_lanes(&mut self) -> Result<()> {
        let mut after = None;
        loop {
            let Some(mut tx) = self.begin().await? else { return Ok(()) };
            after = retention::forget_idle_lanes(&mut tx, after, PAGE).await?;
            tx.commit().await?;
            if after.is_none() {
                return Ok(());
            }
        }
    }
}
