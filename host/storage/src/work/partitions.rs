//! Weekly partitions of the tables that grow with traffic. Bounds are UUIDv7 ids, whose first 48 bits are milliseconds.

use chrono::{DateTime, Datelike, Days, NaiveDate, TimeZone, Utc};
use domain::clock::first_id_at;
use sqlx::PgConnection;

use crate::{Error, Result};

/// The partitioned tables.
pub const PARTITIONED: [&str; 12] = [
    "outbound_part",
    "outbound_message",
    "outbound_leg",
    "delivery_receipt",
    "chat_message",
    "webhook_delivery",
    "webhook_attempt",
    "plugin_invocation",
    "plugin_difference",
    "plugin_recording",
    "routing_decision",
    "live_event",
];

/// Percent of a page that new rows fill where each is changed a few times soon after: a change in its own page writes no index.
const CHANGED_SOON: u8 = 60;
/// The same where rows stay as they are, or change what an index holds anyway.
const WRITTEN_ONCE: u8 = 100;

/// Monday of the week of `moment`.
fn week_of(moment: DateTime<Utc>) -> NaiveDate {
    let day = moment.date_naive();
    day - Days::new(u64::from(day.weekday().num_days_from_monday()))
}

fn midnight(day: NaiveDate) -> DateTime<Utc> {
    Utc.from_utc_datetime(&day.and_time(chrono::NaiveTime::MIN))
}

/// The column by which a table is partitioned.
pub(super) fn key_of(table: &str) -> &'static str {
    if table == "outbound_leg" { "message_id" } else { "id" }
}

/// A partition: a table and its week.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    table: &'static str,
    first: NaiveDate,
}

impl Partition {
    /// The name of the table that it is.
    pub fn name(&self) -> String {
        format!("{}_{}", self.table, self.first.format("%Y%m%d"))
    }

    fn parse(table: &'static str, name: &str) -> Option<Self> {
        let week = name.strip_prefix(table)?.strip_prefix('_')?;
        Some(Self { table, first: NaiveDate::parse_from_str(week, "%Y%m%d").ok()? })
    }

    fn end(&self) -> DateTime<Utc> {
        midnight(self.first + Days::new(7))
    }
}

/// The partitions of `table` that are there.
async fn existing(db: &mut PgConnection, table: &'static str) -> Result<Vec<Partition>> {
    let names: Vec<String> = sqlx::query_scalar(
        "SELECT child.relname::text FROM pg_inherits
         JOIN pg_class child ON child.oid = inhrelid JOIN pg_class parent ON parent.oid = inhparent
         WHERE parent.oid = to_regclass($1)",
    )
    .bind(table)
    .fetch_all(db)
    .await?;
    Ok(names.iter().filter_map(|name| Partition::parse(table, name)).collect())
}

/// Partitions of this week and the next `weeks` weeks that are not there yet.
pub async fn missing(db: &mut PgConnection, now: DateTime<Utc>, weeks: u64) -> Result<Vec<Partition>> {
    let mut missing = Vec::new();
    for table in PARTITIONED {
        let known = existing(db, table).await?;
        let wanted = (0..=weeks).map(|week| Partition { table, first: week_of(now) + Days::new(week * 7) });
        missing.extend(wanted.filter(|partition| !known.contains(partition)));
    }
    Ok(missing)
}

/// Partitions of `table` that lie wholly before `before`.
pub async fn wholly_before(
    db: &mut PgConnection,
    table: &'static str,
    before: DateTime<Utc>,
) -> Result<Vec<Partition>> {
    let known = existing(db, table).await?;
    Ok(known.into_iter().filter(|partition| partition.end() <= before).collect())
}

/// Makes a partition; `false` when rows of its week already lie in the default partition (the clock was moved far ahead, or
/// nobody did the upkeep for weeks): they stay there, and are deleted by age.
///
/// Changes the schema: call it in a transaction of its own, which fails rather than keep others waiting
/// ([`is_postponed`]).
pub async fn make(db: &mut PgConnection, partition: &Partition) -> Result<bool> {
    let (table, name, key) = (partition.table, partition.name(), key_of(partition.table));
    let (from, to) = (first_id_at(midnight(partition.first)), first_id_at(partition.end()));
    be_brief(db).await?;
    let astray = format!("SELECT EXISTS (SELECT 1 FROM {table}_default WHERE {key} >= $1 AND {key} < $2)");
    if sqlx::query_scalar(&astray).bind(from).bind(to).fetch_one(&mut *db).await? {
        return Ok(false);
    }
    let fillfactor = if table == "outbound_leg" { CHANGED_SOON } else { WRITTEN_ONCE };
    sqlx::query(&format!(
        "CREATE TABLE IF NOT EXISTS {name} PARTITION OF {table} FOR VALUES FROM ('{from}') TO ('{to}')
         WITH (fillfactor = {fillfactor})"
    ))
    .execute(db)
    .await?;
    Ok(true)
}

/// Drops a partition with all that is in it. Changes the schema, as [`make`] does.
pub async fn drop(db: &mut PgConnection, partition: &Partition) -> Result<()> {
    be_brief(db).await?;
    sqlx::query(&format!("DROP TABLE IF EXISTS {}", partition.name())).execute(db).await?;
    Ok(())
}

/// A change of the schema needs a table to itself. Until it has it, everybody who comes later waits behind it, and
/// afterwards as long as it takes: both are bounded for this transaction. No request may notice more than 50 ms of it.
async fn be_brief(db: &mut PgConnection) -> Result<()> {
    sqlx::query("SELECT set_config('lock_timeout', '20ms', true), set_config('statement_timeout', '1s', true)")
        .execute(db)
        .await?;
    Ok(())
}

/// True for a change of the schema that gave way to others: it is to be tried again.
pub fn is_postponed(error: &Error) -> bool {
    let Error::Database(sqlx::Error::Database(error)) = error else { return false };
    // `lock_not_available` and `query_canceled`.
    error.code().is_some_and(|code| code == "55P03" || code == "57014")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_week_begins_on_monday() {
        let friday = Utc.with_ymd_and_hms(2026, 11, 20, 23, 0, 0).unwrap();
        assert_eq!(week_of(friday), NaiveDate::from_ymd_opt(2026, 11, 16).unwrap());
        let monday = Utc.with_ymd_and_hms(2026, 11, 16, 0, 0, 0).unwrap();
        assert_eq!(week_of(monday), NaiveDate::from_ymd_opt(2026, 11, 16).unwrap());
    }
}
