//! Weekly partitions of the tables that grow with traffic. Bounds are UUIDv7 ids, whose first 48 bits are milliseconds.

use chrono::{DateTime, Datelike, Days, NaiveDate, TimeZone, Utc};
use domain::clock::first_id_at;
use sqlx::PgConnection;

use crate::Result;

/// The partitioned tables.
pub const PARTITIONED: [&str; 11] = [
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

/// Makes the partitions of this week and the next `weeks` weeks, where they are missing, and answers how many it made.
/// A week whose rows already lie in the default partition (the clock was moved far ahead) stays there.
pub async fn ensure(db: &mut PgConnection, now: DateTime<Utc>, weeks: u64) -> Result<u32> {
    let mut made = 0;
    for table in PARTITIONED {
        for week in 0..=weeks {
            let first = week_of(now) + Days::new(week * 7);
            made += u32::from(make(db, table, first).await?);
        }
    }
    Ok(made)
}

async fn make(db: &mut PgConnection, table: &str, first: NaiveDate) -> Result<bool> {
    let name = format!("{table}_{}", first.format("%Y%m%d"));
    let known: Option<String> =
        sqlx::query_scalar("SELECT to_regclass($1)::text").bind(&name).fetch_one(&mut *db).await?;
    if known.is_some() {
        return Ok(false);
    }
    let (from, to) = (first_id_at(midnight(first)), first_id_at(midnight(first + Days::new(7))));
    let key = if table == "outbound_leg" { "message_id" } else { "id" };
    let astray: bool =
        sqlx::query_scalar(&format!("SELECT EXISTS (SELECT 1 FROM {table}_default WHERE {key} >= $1 AND {key} < $2)"))
            .bind(from)
            .bind(to)
            .fetch_one(&mut *db)
            .await?;
    if astray {
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

/// Drops the partitions of `table` that lie wholly before `before`, and answers how many those were.
pub async fn drop_before(db: &mut PgConnection, table: &'static str, before: DateTime<Utc>) -> Result<u32> {
    let names: Vec<String> = sqlx::query_scalar(
        "SELECT child.relname::text FROM pg_inherits
         JOIN pg_class child ON child.oid = inhrelid JOIN pg_class parent ON parent.oid = inhparent
         WHERE parent.relname = $1",
    )
    .bind(table)
    .fetch_all(&mut *db)
    .await?;
    let mut dropped = 0;
    for name in names {
        let week = name.strip_prefix(table).and_then(|rest| rest.strip_prefix('_'));
        let Some(first) = week.and_then(|week| NaiveDate::parse_from_str(week, "%Y%m%d").ok()) else { continue };
        if midnight(first + Days::new(7)) <= before {
            sqlx::query(&format!("DROP TABLE {name}")).execute(&mut *db).await?;
            dropped += 1;
        }
    }
    Ok(dropped)
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
