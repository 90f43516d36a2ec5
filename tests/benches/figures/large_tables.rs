//! Tables with millions of messages, compared with empty ones: a send, a status callback, and the story of a message. Also
//! the effect of a dropped partition on a request.
//!
//! `FILLED=500000` fills them with so many messages where the disk is small; five million otherwise.

use std::time::{Duration, Instant};

use harness::{PatchbaySetup, status};
use sqlx::Row;
use uuid::Uuid;

use crate::{
    stage::Stage,
    table::{Bar, Figure},
    timing::Times,
};

const MESSAGES: i64 = 5_000_000;
/// Messages in one statement of the filling.
const STEP: i64 = 250_000;
const SAMPLES: usize = 300;
const PATIENCE: Duration = Duration::from_secs(10);
/// Requests that are made while a partition goes.
const WHILE_DROPPING: usize = 200;

pub async fn measure() -> Vec<Figure> {
    // Partitions of a week, so that those of the filling stand next to the program's.
    let weekly = PatchbaySetup::new().set("retention.message_days", "56").set("retention.receipt_days", "56");
    let stage = Stage::set(weekly).await;
    // Twice: the first pass fills every cache.
    pace(&stage).await;
    let empty = pace(&stage).await;
    let filled = std::env::var("FILLED").ok().and_then(|count| count.parse().ok()).unwrap_or(MESSAGES);
    let began = Instant::now();
    fill(&stage, filled).await;
    let filling = format!("{filled} messages with legs and receipts, filled in {:.0?}", began.elapsed());
    pace(&stage).await;
    let full = pace(&stage).await;
    let figure = |name, empty: &Times, full: &Times| Figure {
        name,
        unit: "ms, median",
        measured: full.p50(),
        floor: Some(empty.p50()),
        floor_name: "the same with empty tables".to_owned(),
        bar: Bar::AtMostTimes(1.2),
        notes: vec![filling.clone(), format!("empty: {empty}"), format!("filled: {full}")],
    };
    let mut figures = vec![
        figure("a send with filled tables", &empty.send, &full.send),
        figure("a status with filled tables", &empty.status, &full.status),
        figure("the story of a message with filled tables", &empty.story, &full.story),
        Figure {
            name: "the story of a message",
            unit: "ms, 99th percentile",
            measured: full.story.p99(),
            floor: None,
            floor_name: "-".to_owned(),
            bar: Bar::AtMost(50.0),
            notes: Vec::new(),
        },
    ];
    figures.push(dropping(&stage).await);
    figures
}

/// The times of requests of each kind.
struct Paces {
    send: Times,
    status: Times,
    story: Times,
}

async fn pace(stage: &Stage) -> Paces {
    let number = std::cell::Cell::new(0_usize);
    let send = Times::of(SAMPLES, PATIENCE, async |_| {
        number.set(number.get() + 1);
        let payload = stage.client.order_ready(&[&format!("2786{:07}", number.get())]);
        let began = Instant::now();
        stage.client.send(&payload).await.accepted();
        Some(began.elapsed())
    })
    .await;
    let sent = settled(stage).await;
    let status = Times::of(sent.len().min(SAMPLES), PATIENCE, async |at| {
        // Phones of the simulator deliver, and read only on request: so each of these moves its message.
        let body = stage.client.callback(status(&sent[at].1, "read", None));
        let began = Instant::now();
        let reply = stage.patchbay.callback(&body).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        Some(began.elapsed())
    })
    .await;
    let story = Times::of(sent.len().min(SAMPLES), PATIENCE, async |at| {
        let began = Instant::now();
        let reply = stage.client.get(&format!("/messaging-service/WhatsApp/messages/{}", sent[at].0)).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        Some(began.elapsed())
    })
    .await;
    Paces { send, status, story }
}

/// The messages that were really sent last, with the provider's ids, once nothing waits any more.
async fn settled(stage: &Stage) -> Vec<(Uuid, String)> {
    loop {
        let row = sqlx::query("SELECT EXISTS (SELECT 1 FROM outbound_work) OR EXISTS (SELECT 1 FROM callback)");
        if !row.fetch_one(&stage.db).await.unwrap().get::<bool, _>(0) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let rows = sqlx::query(
        "SELECT message_id, provider_id FROM outbound_leg WHERE provider_id NOT LIKE 'wamid.filled.%'
         ORDER BY message_id DESC LIMIT 300",
    );
    let rows = rows.fetch_all(&stage.db).await.unwrap();
    rows.into_iter().map(|row| (row.get(0), row.get(1))).collect()
}

/// Puts messages into the tables as if they had been sent over the past three weeks: one part, message, leg and provider's id
/// each, and three receipts. Their ids are of those moments, so that they lie in the partitions where they would.
async fn fill(stage: &Stage, messages: i64) {
    let weeks = "SELECT date_trunc('week', now()) - interval '1 week' * n AS week FROM generate_series(1, 3) AS n";
    for row in sqlx::query(weeks).fetch_all(&stage.db).await.unwrap() {
        let week: chrono::DateTime<chrono::Utc> = row.get(0);
        make_partitions(stage, week).await;
    }
    let (mut first, like) = (0, pattern(stage).await);
    while first < messages {
        let count = STEP.min(messages - first);
        for statement in FILLING {
            sqlx::query(statement)
                .bind(like)
                .bind(first)
                .bind(first + count - 1)
                .bind(messages)
                .execute(&stage.db)
                .await
                .unwrap();
        }
        first += count;
    }
    for table in ["outbound_part", "outbound_message", "outbound_leg", "provider_message", "delivery_receipt"] {
        sqlx::query(&format!("ANALYZE {table}")).execute(&stage.db).await.unwrap();
    }
    sqlx::query("CHECKPOINT").execute(&stage.db).await.unwrap();
}

/// A message that was really sent: the others are like it.
async fn pattern(stage: &Stage) -> Uuid {
    settled(stage).await[0].0
}

/// `$1` = the pattern, `$2` and `$3` = the numbers of the messages, `$4` = how many there will be.
const FILLING: [&str; 5] = [
    "INSERT INTO outbound_part (client_id, id, batch_id, inbox_id, message_type, content, request_id, category)
     SELECT part.client_id, given.id, given.id, part.inbox_id, part.message_type, part.content, part.request_id,
            part.category
     FROM bench_ids($2, $3, $4) given,
          (SELECT one.* FROM outbound_part one
           JOIN outbound_message message ON message.client_id = one.client_id AND message.part_id = one.id
           WHERE message.id = $1) part",
    "INSERT INTO outbound_message (client_id, id, part_id, inbox_id, address_kind, address_value, ct_id, gst_id, order_key)
     SELECT like_it.client_id, given.id, given.id, like_it.inbox_id, 'PHONE', given.phone, 'ct-' || given.number,
            given.id::text, given.number
     FROM bench_ids($2, $3, $4) given, (SELECT * FROM outbound_message WHERE id = $1) like_it",
    "INSERT INTO outbound_leg (client_id, message_id, ordinal, channel, inbox_id, address_kind, address_value, state,
                               provider_id, updated_at, sent_at, delivered_at)
     SELECT like_it.client_id, given.id, 0, 'WHATSAPP', like_it.inbox_id, 'PHONE', given.phone, 'DELIVERED',
            'wamid.filled.' || given.number, given.at, given.at, given.at
     FROM bench_ids($2, $3, $4) given, (SELECT * FROM outbound_message WHERE id = $1) like_it",
    "INSERT INTO provider_message (client_id, provider_id, outbound_message_id)
     SELECT like_it.client_id, 'wamid.filled.' || given.number, given.id
     FROM bench_ids($2, $3, $4) given, (SELECT * FROM outbound_message WHERE id = $1) like_it",
    "INSERT INTO delivery_receipt (client_id, id, message_id, channel, state, happened_at)
     SELECT like_it.client_id,
            (substr(given.id::text, 1, 14) || '700' || step.n || substr(given.id::text, 19))::uuid,
            given.id, 'WHATSAPP', step.state, given.at
     FROM bench_ids($2, $3, $4) given, (SELECT * FROM outbound_message WHERE id = $1) like_it,
          (VALUES (1, 'ACCEPTED'), (2, 'SENT'), (3, 'DELIVERED')) AS step (n, state)",
];

/// The partitions of a week that is over, and the function that names the messages of the filling.
async fn make_partitions(stage: &Stage, week: chrono::DateTime<chrono::Utc>) {
    sqlx::raw_sql(
        "CREATE OR REPLACE FUNCTION bench_ids(first bigint, last bigint, messages bigint)
         RETURNS TABLE (number bigint, id uuid, at timestamptz, phone text) LANGUAGE sql AS $$
             SELECT n, (lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') || '7000' || '9000'
                        || lpad(to_hex(n), 12, '0'))::uuid,
                    moment, '2784' || lpad((n % 10000000)::text, 7, '0')
             FROM generate_series(first, last) AS n,
                  LATERAL (SELECT date_trunc('week', now()) - interval '3 weeks'
                                  + interval '3 weeks' * (n::float8 / messages)) AS of (moment)
         $$",
    )
    .execute(&stage.db)
    .await
    .unwrap();
    let bound = |at: chrono::DateTime<chrono::Utc>| format!("{:012x}-0000-0000-000000000000", at.timestamp_millis());
    let as_id = |at| {
        let text = bound(at);
        format!("{}-{}-{}", &text[..8], &text[8..12], &text[13..])
    };
    for table in ["outbound_part", "outbound_message", "outbound_leg", "delivery_receipt"] {
        let name = format!("{table}_bench_{}", week.format("%Y%m%d"));
        let (from, to) = (as_id(week), as_id(week + chrono::TimeDelta::weeks(1)));
        let statement =
            format!("CREATE TABLE IF NOT EXISTS {name} PARTITION OF {table} FOR VALUES FROM ('{from}') TO ('{to}')");
        sqlx::raw_sql(&statement).execute(&stage.db).await.unwrap();
    }
}

/// The oldest week goes, as upkeep drops it, while requests are made one after the other.
async fn dropping(stage: &Stage) -> Figure {
    let oldest = "SELECT to_char(date_trunc('week', now()) - interval '3 weeks', 'YYYYMMDD')";
    let oldest: String = sqlx::query(oldest).fetch_one(&stage.db).await.unwrap().get(0);
    let db = stage.db.clone();
    let drop_it = async move {
        let mut db = db.acquire().await.unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
        let began = Instant::now();
        for table in ["delivery_receipt", "outbound_leg", "outbound_message", "outbound_part"] {
            // As `storage::work::partitions` does: it gives way to others, and is tried again.
            let drop = format!(
                "BEGIN; SET LOCAL lock_timeout = '20ms'; SET LOCAL statement_timeout = '1s';
                 DROP TABLE {table}_bench_{oldest}; COMMIT"
            );
            while sqlx::raw_sql(&drop).execute(&mut *db).await.is_err() {
                sqlx::raw_sql("ROLLBACK").execute(&mut *db).await.unwrap();
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        began.elapsed()
    };
    let sends = Times::of(WHILE_DROPPING, PATIENCE, async |number| {
        let payload = stage.client.order_ready(&[&format!("2785{number:07}")]);
        let began = Instant::now();
        stage.client.send(&payload).await.accepted();
        Some(began.elapsed())
    });
    let (took, times) = tokio::join!(drop_it, sends);
    Figure {
        name: "a send while a week of messages is dropped",
        unit: "ms, the longest",
        measured: times.longest(),
        floor: None,
        floor_name: "-".to_owned(),
        bar: Bar::AtMost(50.0),
        notes: vec![format!("dropped in {took:.0?}; {times}")],
    }
}
