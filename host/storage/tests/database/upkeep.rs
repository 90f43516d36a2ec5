//! The deletes of retention, and partitions: neither makes other work wait.

use std::time::Duration;

use chrono::{DateTime, Days, TimeZone, Utc};
use domain::{
    clock::first_id_at,
    ids::{ClientId, NodeId},
};
use storage::{
    PgConnection, Queue,
    work::{
        lanes::{self, LaneKey},
        partitions, retention, statistics,
    },
};
use uuid::Uuid;

const CLIENT: ClientId = ClientId(Uuid::from_u128(1));

fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 18, 12, 0, 0).unwrap()
}

fn days_ago(days: u64) -> DateTime<Utc> {
    now() - Days::new(days)
}

/// Runs an operation that must not wait.
async fn at_once<T>(doing: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(10), doing).await.unwrap_or_else(|_| panic!("it waits for a lock"))
}

/// An idempotency key of each of these ages.
async fn keys(db: &mut PgConnection, ages: &[u64]) {
    for days in ages {
        sqlx::query("INSERT INTO idempotency (client_id, key, response, created_at) VALUES ($1, $2, $3, $4)")
            .bind(CLIENT.0)
            .bind(days.to_string())
            .bind(b"{}".as_slice())
            .bind(days_ago(*days))
            .execute(&mut *db)
            .await
            .unwrap();
    }
}

async fn ages_left(db: &mut PgConnection) -> Vec<String> {
    sqlx::query_scalar("SELECT key FROM idempotency ORDER BY created_at DESC").fetch_all(db).await.unwrap()
}

#[tokio::test]
async fn all_rows_deleted_by_age_are_found_by_an_index() {
    let scratch = scratch::database().await;
    let mut db = scratch.pool(1).await.acquire().await.unwrap().detach();
    let mut scans = Vec::new();
    for aging in retention::all() {
        let statement = aging.statement();
        let is_moment = ["_at < $1", " at < $1", "_until < $1"].iter().any(|age| statement.contains(age));
        let parameter = if is_moment { "now()" } else { "'01980000-0000-7000-8000-000000000000'::uuid" };
        let explained = format!("EXPLAIN {}", statement.replace("$1", parameter).replace("$2", "100"));
        let plan: Vec<String> = sqlx::query_scalar(&explained).fetch_all(&mut db).await.unwrap();
        let plan = plan.join("\n");
        if plan.contains("Seq Scan") || !plan.contains("Index Cond") {
            scans.push(format!("{statement}\n{plan}"));
        }
    }
    assert!(retention::all().count() > 20, "the list is not whole");
    assert!(scans.is_empty(), "{}", scans.join("\n\n"));
}

#[tokio::test]
async fn old_rows_are_deleted_page_by_page_and_young_ones_stay() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    keys(db, &[1, 6, 7, 8, 9, 10]).await;

    let forget = |limit| (retention::IDEMPOTENCY_KEYS, days_ago(7), limit);
    let (aging, before, limit) = forget(2);
    assert_eq!(retention::forget(db, aging, before, limit).await.unwrap(), 2, "the oldest first");
    assert_eq!(ages_left(db).await, ["1", "6", "7", "8"]);
    assert_eq!(retention::forget(db, aging, before, limit).await.unwrap(), 1);
    assert_eq!(ages_left(db).await, ["1", "6", "7"], "exactly seven days old is not older than that");
}

#[tokio::test]
async fn a_locked_row_is_left_for_another_round() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    keys(db, &[8, 9]).await;
    let mut other = scratch.connection().await;
    let mut tx = other.begin().await.unwrap();
    sqlx::query("SELECT 1 FROM idempotency WHERE key = '9' FOR UPDATE").execute(&mut *tx).await.unwrap();

    let (aging, before) = (retention::IDEMPOTENCY_KEYS, days_ago(7));
    assert_eq!(at_once(retention::forget(db, aging, before, 100)).await.unwrap(), 1);
    assert_eq!(ages_left(db).await, ["9"]);

    tx.rollback().await.unwrap();
    assert_eq!(retention::forget(db, aging, before, 100).await.unwrap(), 1);
}

#[tokio::test]
async fn rows_in_a_default_partition_are_deleted_by_age() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    for days in [10, 100] {
        sqlx::query(
            "INSERT INTO outbound_part (client_id, id, batch_id, inbox_id, message_type, content)
             VALUES ($1, $2, $2, $1, 'CHAT', '{}')",
        )
        .bind(CLIENT.0)
        .bind(first_id_at(days_ago(days)))
        .execute(&mut *db)
        .await
        .unwrap();
    }

    let astray = retention::in_default_partition("outbound_part");
    assert_eq!(retention::forget(db, astray, days_ago(90), 100).await.unwrap(), 1);

    let left: Vec<Uuid> = sqlx::query_scalar("SELECT id FROM outbound_part_default").fetch_all(db).await.unwrap();
    assert_eq!(left, [first_id_at(days_ago(10))]);
}

#[tokio::test]
async fn a_partition_is_not_made_while_others_are_at_its_table_and_is_made_afterwards() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let missing = partitions::missing(db, "outbound_part", now(), 1).await.unwrap();
    let part = missing.iter().find(|partition| partition.name() == "outbound_part_20261116").unwrap();
    let mut reader = scratch.connection().await;
    let mut reading = reader.begin().await.unwrap();
    sqlx::query("SELECT count(*) FROM outbound_part").execute(&mut *reading).await.unwrap();

    let mut tx = db.begin().await.unwrap();
    let refused = at_once(partitions::make(&mut tx, part)).await.unwrap_err();
    assert!(partitions::is_postponed(&refused), "{refused:?}");
    tx.rollback().await.unwrap();

    reading.rollback().await.unwrap();
    let mut tx = db.begin().await.unwrap();
    assert!(partitions::make(&mut tx, part).await.unwrap());
    tx.commit().await.unwrap();
    assert!(!partitions::missing(db, "outbound_part", now(), 1).await.unwrap().contains(part));
    assert_eq!(partitions::wholly_before(db, "outbound_part", days_ago(0)).await.unwrap(), []);
    let week_later = now() + Days::new(7);
    assert_eq!(
        partitions::wholly_before(db, "outbound_part", week_later).await.unwrap().as_slice(),
        std::slice::from_ref(part)
    );
}

/// The partitions of the parts of messages, as they are called.
async fn parts(db: &mut PgConnection) -> Vec<String> {
    let known = "SELECT inhrelid::regclass::text FROM pg_inherits
                 WHERE inhparent = 'outbound_part'::regclass AND inhrelid <> 'outbound_part_default'::regclass ORDER BY 1";
    sqlx::query_scalar(known).fetch_all(db).await.unwrap()
}

async fn make_missing(db: &mut PgConnection, moment: DateTime<Utc>, weeks: u64) {
    for partition in partitions::missing(db, "outbound_part", moment, weeks).await.unwrap() {
        assert!(partitions::make(db, &partition).await.unwrap());
    }
}

#[tokio::test]
async fn longer_partitions_take_the_time_that_shorter_ones_leave() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    make_missing(db, now(), 1).await;
    assert_eq!(parts(db).await, ["outbound_part_20261116", "outbound_part_20261123"]);
    make_missing(db, now(), 4).await;
    make_missing(db, now(), 4).await;
    // Four weeks are from 9 November and from 7 December; two of the first are there.
    let all = ["20261109", "20261116", "20261123", "20261130", "20261207"].map(|day| format!("outbound_part_{day}"));
    assert_eq!(parts(db).await, all);
}

#[tokio::test]
async fn a_partition_begins_behind_the_rows_that_came_before_it() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let insert = "INSERT INTO outbound_part (client_id, id, batch_id, inbox_id, message_type, content)
                  VALUES ($1, $2, $1, $1, 'CHAT', '{}')";
    sqlx::query(insert).bind(CLIENT.0).bind(first_id_at(now())).execute(&mut *db).await.unwrap();
    make_missing(db, now(), 4).await;
    // Of the four weeks from 9 November two are left, behind the week of that row.
    assert_eq!(parts(db).await, ["outbound_part_20261123", "outbound_part_20261207"]);
    assert_eq!(partitions::missing(db, "outbound_part", now(), 4).await.unwrap(), []);
}

#[tokio::test]
async fn lanes_that_were_not_held_for_a_day_are_deleted_page_by_page() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    for lane in 1..=5 {
        let (lane, node) = (Uuid::from_u128(lane), NodeId(Uuid::from_u128(9)));
        let lane = LaneKey { client: CLIENT, queue: Queue::Participant, lane };
        lanes::claim(db, lane, node, Duration::from_secs(60)).await.unwrap();
    }
    sqlx::query("UPDATE lane SET leased_until = now() - interval '25 hours' WHERE lane_id <> $1")
        .bind(Uuid::from_u128(3))
        .execute(&mut *db)
        .await
        .unwrap();

    let mut after = None;
    let mut pages = 0;
    loop {
        after = retention::forget_idle_lanes(db, after, 2).await.unwrap();
        pages += 1;
        if after.is_none() {
            break;
        }
    }

    let left: Vec<Uuid> = sqlx::query_scalar("SELECT lane_id FROM lane").fetch_all(db).await.unwrap();
    assert_eq!((left, pages), (vec![Uuid::from_u128(3)], 3));
}

#[tokio::test]
async fn a_table_that_has_grown_is_looked_at_once_and_again_when_it_has_doubled() {
    let scratch = scratch::database().await;
    let mut db = scratch.connection().await;
    keys(&mut db, &[1]).await;
    assert_eq!(outgrown(&mut db).await, Vec::<String>::new(), "one row is no reason to look");

    grow(&mut db, 1..=600).await;
    assert_eq!(outgrown(&mut db).await, ["idempotency"]);
    look_at(&mut db, "idempotency").await;
    assert_eq!(outgrown(&mut db).await, Vec::<String>::new());

    grow(&mut db, 601..=1100).await;
    assert_eq!(outgrown(&mut db).await, Vec::<String>::new(), "it has not doubled");
    grow(&mut db, 1101..=1300).await;
    assert_eq!(outgrown(&mut db).await, ["idempotency"]);
}

#[tokio::test]
async fn the_check_of_a_fast_growing_table_is_a_quick_one() {
    let scratch = scratch::database().await;
    let mut db = scratch.connection().await;
    grow(&mut db, 1..=600).await;
    look_at(&mut db, "idempotency").await;
    let parts = "SELECT cardinality(histogram_bounds::text::text[]) FROM pg_stats
                 WHERE schemaname = current_schema() AND tablename = 'idempotency' AND attname = 'key'";
    let parts: i32 = sqlx::query_scalar(parts).fetch_one(&mut db).await.unwrap();
    assert_eq!(parts, 11);
    let usual: String = sqlx::query_scalar("SHOW default_statistics_target").fetch_one(&mut db).await.unwrap();
    assert_eq!(usual, "100", "other looks are as close as PostgreSQL is set to");
}

/// As upkeep does it.
async fn look_at(db: &mut PgConnection, table: &str) {
    let mut tx = db.begin().await.unwrap();
    statistics::analyze_table(&mut tx, table).await.unwrap();
    tx.commit().await.unwrap();
}

/// Keys that are numbers from 1000 on.
async fn grow(db: &mut PgConnection, numbers: std::ops::RangeInclusive<i32>) {
    sqlx::query(
        "INSERT INTO idempotency (client_id, key, response, created_at)
         SELECT $1, (1000 + i)::text, '', $2 FROM generate_series($3, $4) AS i",
    )
    .bind(CLIENT.0)
    .bind(now())
    .bind(numbers.start())
    .bind(numbers.end())
    .execute(&mut *db)
    .await
    .unwrap();
}

/// PostgreSQL counts rows with a delay: here it is told to count at once.
async fn outgrown(db: &mut PgConnection) -> Vec<String> {
    sqlx::query("SELECT pg_stat_force_next_flush()").execute(&mut *db).await.unwrap();
    statistics::list_outgrown(db).await.unwrap()
}
