//! Partitions of growing tables, of one or several whole weeks, bounded by UUIDv7 ids (milliseconds in 48 bits). A
//! table has about [`MOST_KEPT`], because each statement is planned for all: 52 took 90 ms per connection.

use std::{cmp::max, ops::Range};

use chrono::{DateTime, Datelike, Days, NaiveDate, TimeZone, Utc};
use domain::clock::{first_id_at, minted_at};
use uuid::Uuid;

use crate::{Error, PgConnection, Result};

pub const PARTITIONED: [&str; 14] = [
    "outbound_part",
    "outbound_message",
    "outbound_leg",
    "delivery_receipt",
    "chat_message",
    "message_version",
    "webhook_delivery",
    "webhook_attempt",
    "plugin_invocation",
    "plugin_difference",
    "plugin_recording",
    "routing_decision",
    "live_event",
    "request_log",
];

/// Partitions of a table. Rows are removed with their whole partition, so they may be kept longer by one partition.
const MOST_KEPT: u32 = 8;
const WEEK: u64 = 7;

/// Percent of a page for new rows if each is changed soon after: a change within its page writes no index.
const CHANGED_SOON: u8 = 60;
/// The same if rows do not change, or if each change writes an index anyway.
const WRITTEN_ONCE: u8 = 100;

fn week_of(moment: DateTime<Utc>) -> NaiveDate {
    let day = moment.date_naive();
    day - Days::new(u64::from(day.weekday().num_days_from_monday()))
}

fn midnight(day: NaiveDate) -> DateTime<Utc> {
    Utc.from_utc_datetime(&day.and_time(chrono::NaiveTime::MIN))
}

pub(super) fn key_of(table: &str) -> &'static str {
    match table {
        "outbound_leg" | "message_version" => "message_id",
        _ => "id",
    }
}

pub fn length(days_kept: u32) -> u64 {
    max(1, u64::from(days_kept.div_ceil(MOST_KEPT)).div_ceil(WEEK))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    table: &'static str,
    first: NaiveDate,
    end: NaiveDate,
}

impl Partition {
    pub fn name(&self) -> String {
        format!("{}_{}", self.table, self.first.format("%Y%m%d"))
    }

    /// Reads the bounds from PostgreSQL; `None` for the default partition, which has none.
    fn parse(table: &'static str, bounds: &str) -> Option<Self> {
        let (from, to) = bounds.strip_prefix("FOR VALUES FROM ('")?.strip_suffix("')")?.split_once("') TO ('")?;
        let day = |bound: &str| Some(minted_at(bound.parse::<Uuid>().ok()?).date_naive());
        Some(Self { table, first: day(from)?, end: day(to)? })
    }

    fn bounds(&self) -> (Uuid, Uuid) {
        (first_id_at(midnight(self.first)), first_id_at(midnight(self.end)))
    }

    fn without(&self, taken: &[Self]) -> Vec<Self> {
        let (mut first, mut left) = (self.first, Vec::new());
        for other in taken.iter().filter(|other| other.end > self.first && other.first < self.end) {
            left.extend((other.first > first).then(|| Self { first, end: other.first, ..self.clone() }));
            first = max(first, other.end);
        }
        left.extend((first < self.end).then(|| Self { first, ..self.clone() }));
        left
    }
}

async fn existing(db: &mut PgConnection, table: &'static str) -> Result<Vec<Partition>> {
    let bounds: Vec<String> = sqlx::query_scalar(
        "SELECT pg_get_expr(child.relpartbound, child.oid) FROM pg_inherits
         JOIN pg_class child ON child.oid = inhrelid JOIN pg_class parent ON parent.oid = inhparent
         WHERE parent.oid = to_regclass($1)",
    )
    .bind(table)
    .fetch_all(db)
    .await?;
    let mut known: Vec<Partition> = bounds.iter().filter_map(|bounds| Partition::parse(table, bounds)).collect();
    known.sort_unstable_by_key(|partition| partition.first);
    Ok(known)
}

/// The number of partitions with these bounds, and the time from the begin of the first to the end of the last one.
pub(super) fn period(table: &'static str, bounds: &[String]) -> (usize, Option<Range<DateTime<Utc>>>) {
    let known: Vec<Partition> = bounds.iter().filter_map(|bounds| Partition::parse(table, bounds)).collect();
    let first = known.iter().map(|partition| partition.first).min();
    let end = known.iter().map(|partition| partition.end).max();
    (known.len(), first.zip(end).map(|(first, end)| midnight(first)..midnight(end)))
}

/// The missing partitions, present and next, or the parts that others leave. They begin after stray rows.
pub async fn missing(
    db: &mut PgConnection,
    table: &'static str,
    now: DateTime<Utc>,
    weeks: u64,
) -> Result<Vec<Partition>> {
    let known = existing(db, table).await?;
    let present = present(table, now, weeks);
    let next = Partition { first: present.end, end: present.end + Days::new(WEEK * weeks), table };
    let mut missing = Vec::new();
    for left in [present, next].iter().flat_map(|wanted| wanted.without(&known)) {
        missing.extend(behind_stray_rows(db, left).await?);
    }
    Ok(missing)
}

/// Returns the partition of `moment`. All partitions of a length begin at the same Mondays.
fn present(table: &'static str, moment: DateTime<Utc>, weeks: u64) -> Partition {
    let monday = week_of(moment);
    let since_the_first = u64::from(monday.num_days_from_ce().unsigned_abs()) / WEEK;
    let first = monday - Days::new(since_the_first % weeks * WEEK);
    Partition { table, first, end: first + Days::new(WEEK * weeks) }
}

/// The part of a partition after rows of its time in the default partition, which are deleted by age.
async fn behind_stray_rows(db: &mut PgConnection, partition: Partition) -> Result<Option<Partition>> {
    let (table, key, (from, to)) = (partition.table, key_of(partition.table), partition.bounds());
    let last =
        format!("SELECT {key} FROM {table}_default WHERE {key} >= $1 AND {key} < $2 ORDER BY {key} DESC LIMIT 1");
    let last: Option<Uuid> = sqlx::query_scalar(&last).bind(from).bind(to).fetch_optional(db).await?;
    let first = last.map_or(partition.first, |last| week_of(minted_at(last)) + Days::new(WEEK));
    Ok((first < partition.end).then_some(Partition { first, ..partition }))
}

pub async fn wholly_before(
    db: &mut PgConnection,
    table: &'static str,
    before: DateTime<Utc>,
) -> Result<Vec<Partition>> {
    let known = existing(db, table).await?;
    Ok(known.into_iter().filter(|partition| midnight(partition.end) <= before).collect())
}

/// Creates a partition; `false` if rows of its time are in the default partition. Call it in its own transaction, which
/// fails instead of making others wait ([`is_postponed`]).
pub async fn make(db: &mut PgConnection, partition: &Partition) -> Result<bool> {
    let (table, name, key) = (partition.table, partition.name(), key_of(partition.table));
    let (from, to) = partition.bounds();
    be_brief(db).await?;
    let astray = format!("SELECT EXISTS (SELECT 1 FROM {table}_default WHERE {key} >= $1 AND {key} < $2)");
    if sqlx::query_scalar(&astray).bind(from).bind(to).fetch_one(&mut *db).await? {
        return Ok(false);
    }
    // `statistics` tells PostgreSQL the size as it doubles. A more frequent analysis would plan all statements again.
    let fillfactor = if table == "outbound_leg" { CHANGED_SOON } else { WRITTEN_ONCE };
    sqlx::query(&format!(
        "CREATE TABLE IF NOT EXISTS {name} PARTITION OF {table} FOR VALUES FROM ('{from}') TO ('{to}')
         WITH (fillfactor = {fillfactor}, autovacuum_analyze_scale_factor = 1)"
    ))
    .execute(db)
    .await?;
    Ok(true)
}

/// Creates a partition with the bounds of another database. `false` if they are none of ours. Call it as [`make`].
pub async fn remake(db: &mut PgConnection, table: &str, bounds: &str) -> Result<bool> {
    let Some(table) = PARTITIONED.into_iter().find(|known| *known == table) else { return Ok(false) };
    let Some(partition) = Partition::parse(table, bounds) else { return Ok(false) };
    for missing in partition.without(&existing(db, table).await?) {
        make(db, &missing).await?;
    }
    Ok(true)
}

pub async fn drop(db: &mut PgConnection, partition: &Partition) -> Result<()> {
    be_brief(db).await?;
    sqlx::query(&format!("DROP TABLE IF EXISTS {}", partition.name())).execute(db).await?;
    Ok(())
}

/// Bounds the wait for the exclusive lock and the work, so that no request waits for more than 50 ms.
async fn be_brief(db: &mut PgConnection) -> Result<()> {
    sqlx::query("SELECT set_config('lock_timeout', '20ms', true), set_config('statement_timeout', '1s', true)")
        .execute(db)
        .await?;
    Ok(())
}

/// True for a change of the schema that gave way to others. Try it again.
pub fn is_postponed(error: &Error) -> bool {
    let Error::Database(sqlx::Error::Database(error)) = error else { return false };
    // `lock_not_available` and `query_canceled`.
    error.code().is_some_and(|code| code == "55P03" || code == "57014")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(month: u32, day: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, month, day).unwrap()
    }

    fn partition(first: NaiveDate, end: NaiveDate) -> Partition {
        Partition { table: "outbound_part", first, end }
    }

    #[test]
    fn a_week_begins_on_monday() {
        let friday = Utc.with_ymd_and_hms(2026, 11, 20, 23, 0, 0).unwrap();
        assert_eq!(week_of(friday), day(11, 16));
        let monday = Utc.with_ymd_and_hms(2026, 11, 16, 0, 0, 0).unwrap();
        assert_eq!(week_of(monday), day(11, 16));
    }

    #[test]
    fn partitions_are_as_long_as_an_eighth_of_the_time_that_rows_are_kept_in_whole_weeks() {
        assert_eq!([0, 1, 30, 56, 57, 90, 365, 3650].map(length), [1, 1, 1, 1, 2, 2, 7, 66]);
    }

    #[test]
    fn partitions_of_a_length_follow_each_other_without_gaps() {
        for weeks in [1, 2, 7] {
            let mut last = present("outbound_part", midnight(day(1, 1)), weeks);
            for days in 0..365 {
                let moment = midnight(day(1, 1)) + chrono::TimeDelta::days(days);
                let one = present("outbound_part", moment, weeks);
                assert!(midnight(one.first) <= moment && moment < midnight(one.end), "{moment}: {one:?}");
                assert!(one == last || one.first == last.end, "{one:?} behind {last:?}");
                last = one;
            }
        }
    }

    #[test]
    fn a_partition_gets_the_part_of_its_period_that_others_leave() {
        let all = partition(day(6, 1), day(7, 20));
        assert_eq!(all.without(&[]), std::slice::from_ref(&all));
        let taken = [
            partition(day(5, 18), day(6, 8)),
            partition(day(6, 15), day(6, 22)),
            partition(day(6, 22), day(6, 29)),
            partition(day(7, 20), day(7, 27)),
        ];
        assert_eq!(all.without(&taken), [partition(day(6, 8), day(6, 15)), partition(day(6, 29), day(7, 20))]);
        assert_eq!(all.without(&[partition(day(5, 1), day(8, 1))]), []);
    }

    #[test]
    fn bounds_are_read_as_they_are_written() {
        let one = partition(day(6, 1), day(7, 20));
        let (from, to) = one.bounds();
        let said = format!("FOR VALUES FROM ('{from}') TO ('{to}')");
        assert_eq!(Partition::parse("outbound_part", &said), Some(one));
        assert_eq!(Partition::parse("outbound_part", "DEFAULT"), None);
    }
}
