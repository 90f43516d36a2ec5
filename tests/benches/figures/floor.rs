//! Rows as the program stores them, written by nothing but PostgreSQL.

use std::{
    process::Command,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use sqlx::PgPool;
use uuid::Uuid;

/// One message with its part, leg and work in one transaction, which is one statement and one round trip: the least that
/// a service could do that stores each request by itself. Ids grow with time, as the program's do.
const INSERT_ONE: &str = "\
\\set phone random(1000000, 9999999)
WITH minted AS MATERIALIZED (
    SELECT (head || substr(tail, 13))::uuid AS part, (head || substr(other, 13))::uuid AS message FROM (
        SELECT lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') AS head,
               replace(gen_random_uuid()::text, '-', '') AS tail, replace(gen_random_uuid()::text, '-', '') AS other
    ) texts
), part AS (
    INSERT INTO outbound_part (client_id, id, batch_id, inbox_id, message_type, content)
    SELECT :client, part, part, :number, 'NOTIFICATION', :content FROM minted
), message AS (
    INSERT INTO outbound_message (client_id, id, part_id, inbox_id, address_kind, address_value, ct_id, gst_id, order_key)
    SELECT :client, message, part, :number, 'PHONE', '2782' || :phone, 'ct-' || :phone, message::text, :phone FROM minted
), leg AS (
    INSERT INTO outbound_leg (client_id, message_id, ordinal, channel, inbox_id, address_kind, address_value, updated_at)
    SELECT :client, message, 0, 'WHATSAPP', :number, 'PHONE', '2782' || :phone, now() FROM minted
)
INSERT INTO outbound_work (client_id, message_id, ordinal, lane_id, recipient, priority, due_at)
SELECT :client, message, 0, :number, '27820000001', 1, now() FROM minted;
";

/// Transactions per second of `pgbench` that inserts one message in each.
pub fn pgbench(database_url: &str, clients: usize, content: &str, length: Duration) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("insert.sql");
    std::fs::write(&script, INSERT_ONE).unwrap();
    let output = Command::new(scratch::programs().unwrap().join("pgbench"))
        .args(["--no-vacuum", "--protocol=prepared", "--jobs=2"])
        .arg(format!("--client={clients}"))
        .arg(format!("--time={}", length.as_secs()))
        .arg(format!("--define=client={}", Uuid::from_u128(1)))
        .arg(format!("--define=number={}", Uuid::from_u128(2)))
        .arg(format!("--define=content={content}"))
        .arg("--file")
        .arg(&script)
        .arg(database_url)
        .output()
        .expect("pgbench runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "pgbench failed: {}", String::from_utf8_lossy(&output.stderr));
    let rate = text.lines().find_map(|line| line.strip_prefix("tps = ")).expect("pgbench says its rate");
    rate.split_whitespace().next().unwrap().parse().unwrap()
}

/// Rows of `size` messages in one transaction, again and again on each of `connections`: messages per second.
pub async fn bulk(db: &PgPool, connections: usize, size: usize, content: &str, length: Duration) -> f64 {
    let content: serde_json::Value = serde_json::from_str(content).unwrap();
    let began = std::time::Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..connections {
        let (db, content) = (db.clone(), content.clone());
        tasks.spawn(async move {
            let mut stored = 0;
            while began.elapsed() < length {
                insert(&db, size, &content).await;
                stored += size;
            }
            stored
        });
    }
    let stored: usize = tasks.join_all().await.into_iter().sum();
    #[expect(clippy::cast_precision_loss, reason = "a count of messages")]
    let stored = stored as f64;
    stored / began.elapsed().as_secs_f64()
}

async fn insert(db: &PgPool, size: usize, content: &serde_json::Value) {
    let (client, number, part) = (Uuid::from_u128(1), Uuid::from_u128(2), new_id());
    let ids: Vec<Uuid> = (0..size).map(|_| new_id()).collect();
    let phones: Vec<String> = (0..size).map(|at| format!("2782{at:07}")).collect();
    let ct_ids: Vec<String> = (0..size).map(|at| format!("ct-{at}")).collect();
    let gst_ids: Vec<String> = ids.iter().map(Uuid::to_string).collect();
    let mut tx = db.begin().await.unwrap();
    sqlx::query(
        "INSERT INTO outbound_part (client_id, id, batch_id, inbox_id, message_type, content)
         VALUES ($1, $2, $2, $3, 'NOTIFICATION', $4)",
    )
    .bind(client)
    .bind(part)
    .bind(number)
    .bind(content)
    .execute(&mut *tx)
    .await
    .unwrap();
    sqlx::query(
        "WITH given AS (
             SELECT * FROM unnest($4::uuid[], $5::text[], $6::text[], $7::text[]) AS given (id, phone, ct_id, gst_id)
         ), message AS (
             INSERT INTO outbound_message (client_id, id, part_id, inbox_id, address_kind, address_value, ct_id, gst_id,
                                           order_key)
             SELECT $1, id, $2, $3, 'PHONE', phone, ct_id, gst_id, 7 FROM given
         ), leg AS (
             INSERT INTO outbound_leg (client_id, message_id, ordinal, channel, inbox_id, address_kind, address_value,
                                       updated_at)
             SELECT $1, id, 0, 'WHATSAPP', $3, 'PHONE', phone, now() FROM given
         )
         INSERT INTO outbound_work (client_id, message_id, ordinal, lane_id, recipient, priority, due_at)
         SELECT $1, id, 0, $3, phone, 1, now() FROM given",
    )
    .bind(client)
    .bind(part)
    .bind(number)
    .bind(ids)
    .bind(phones)
    .bind(ct_ids)
    .bind(gst_ids)
    .execute(&mut *tx)
    .await
    .unwrap();
    tx.commit().await.unwrap();
}

/// An id of this moment, after all earlier ones.
fn new_id() -> Uuid {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let millis = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let count = u128::from(COUNTER.fetch_add(1, Ordering::Relaxed));
    Uuid::from_u128((millis << 80) | (7 << 76) | (2 << 62) | count)
}
