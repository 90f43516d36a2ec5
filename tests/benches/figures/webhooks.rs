//! Webhook deliveries from a full queue to a sink in another process, compared with a bare client loop to the same
//! sink.

use std::time::Duration;

use harness::PatchbaySetup;
use serde_json::json;
use sqlx::Row;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::{
    sink::Sink,
    stage::Stage,
    table::{Bar, Figure, median},
};

const DELIVERIES: usize = 20_000;
/// Deliveries of one conversation go out one after the other, so there must be enough of these.
const CONVERSATIONS: usize = 4_000;
/// `limits.webhook_concurrency_per_endpoint`, as it is by default.
const CONCURRENCY: usize = 32;
const ROUNDS: usize = 3;

pub async fn measure() -> [Figure; 2] {
    let stage = Stage::set(PatchbaySetup::new()).await;
    let sink = Sink::start();
    let body = json!({ "statusUpdateURL": format!("{}/status", sink.url) });
    let reply = stage.client.post("/messaging-service/WhatsApp/WhatsAppClientWebHook", &body).await;
    assert!(matches!(reply.status, 200 | 201), "{}", reply.text);
    let pattern = pattern(&stage, &sink).await;
    let (mut measured, mut loops, mut crowds, mut notes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        sink.reset().await;
        let ours = deliver(&stage, &sink, &pattern).await;
        sink.reset().await;
        let floor_body = vec![b'x'; pattern.body_bytes];
        let single = bare_loop(&sink, &floor_body, 1).await;
        sink.reset().await;
        let crowd = bare_loop(&sink, &floor_body, CONCURRENCY).await;
        notes.push(format!("round {round}: {ours:.0}/s; one loop {single:.0}/s, {CONCURRENCY} loops {crowd:.0}/s"));
        measured.push(ours);
        loops.push(single);
        crowds.push(crowd);
    }
    notes.push(format!(
        "{DELIVERIES} of {} bytes in {CONVERSATIONS} conversations, shaped on the way",
        pattern.body_bytes
    ));
    let measured = median(measured);
    [
        Figure {
            name: "webhook deliveries, 32 in flight",
            unit: "deliveries/s",
            measured,
            floor: Some(median(loops)),
            floor_name: "a bare client loop to the same sink, one request after the other".to_owned(),
            bar: Bar::AtLeast(0.5),
            notes,
        },
        Figure {
            name: "the same",
            unit: "deliveries/s",
            measured,
            floor: Some(median(crowds)),
            floor_name: "32 such loops at once: what the sink can take".to_owned(),
            bar: Bar::Watch,
            notes: Vec::new(),
        },
    ]
}

/// A delivery that really happened, to be repeated.
struct Pattern {
    delivery: Uuid,
    event: String,
    body_bytes: usize,
}

/// Sends one message and catches the event of its first status before it is shaped, by holding the endpoint's lane.
async fn pattern(stage: &Stage, sink: &Sink) -> Pattern {
    hold_endpoint(stage, "1 hour").await;
    stage.client.send(&stage.client.order_ready(&["27820000001"])).await.accepted();
    let (delivery, event) = loop {
        let row =
            sqlx::query("SELECT id, event::text FROM webhook_delivery WHERE event IS NOT NULL ORDER BY id LIMIT 1")
                .fetch_optional(&stage.db)
                .await
                .unwrap();
        if let Some(row) = row {
            break (row.get(0), row.get(1));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    hold_endpoint(stage, "0").await;
    let arrived = sink.wait_for(3).await;
    let body_bytes = usize::try_from(arrived.bytes / arrived.count).unwrap();
    Pattern { delivery, event, body_bytes }
}

/// Keeps the program away from the endpoint, as another process that holds its lane would.
async fn hold_endpoint(stage: &Stage, length: &str) {
    sqlx::query(&format!(
        "INSERT INTO lane (client_id, queue, lane_id, owner, leased_until, fence)
         SELECT client_id, 'webhook', id, gen_random_uuid(), now() + interval '{length}', 1 FROM webhook_endpoint
         ON CONFLICT (client_id, queue, lane_id) DO UPDATE
         SET leased_until = excluded.leased_until, owner = excluded.owner, fence = lane.fence + 1"
    ))
    .execute(&stage.db)
    .await
    .unwrap();
}

/// Queues the deliveries while the endpoint is held, lets go, and answers how many arrived per second.
async fn deliver(stage: &Stage, sink: &Sink, pattern: &Pattern) -> f64 {
    hold_endpoint(stage, "1 hour").await;
    sqlx::query(
        "INSERT INTO webhook_delivery (client_id, id, lane_id, inbox_id, order_key, event, due_at)
         SELECT client_id,
                (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || '7000'
                 || '8000' || lpad(to_hex(n), 12, '0'))::uuid,
                lane_id, inbox_id, n % $2, $3::json, now()
         FROM webhook_delivery, generate_series(1, $4) AS n WHERE id = $1",
    )
    .bind(pattern.delivery)
    .bind(i32::try_from(CONVERSATIONS).unwrap())
    .bind(&pattern.event)
    .bind(i32::try_from(DELIVERIES).unwrap())
    .execute(&stage.db)
    .await
    .unwrap();
    sqlx::query("ANALYZE webhook_delivery").execute(&stage.db).await.unwrap();
    sqlx::query("CHECKPOINT").execute(&stage.db).await.unwrap();
    hold_endpoint(stage, "0").await;
    let count = u64::try_from(DELIVERIES).unwrap();
    let arrived = sink.wait_for(count).await;
    assert_eq!(arrived.count, count, "something was delivered twice");
    rate(arrived.span)
}

/// The same number of requests by this many loops at once, and nothing else.
async fn bare_loop(sink: &Sink, body: &[u8], loops: usize) -> f64 {
    let http = reqwest::Client::new();
    let mut tasks = JoinSet::new();
    for _ in 0..loops {
        let (http, url, body) = (http.clone(), format!("{}/status", sink.url), bytes::Bytes::copy_from_slice(body));
        tasks.spawn(async move {
            for _ in 0..DELIVERIES / loops {
                let request = http.post(&url).header("content-type", "application/json").body(body.clone());
                let response = request.send().await.unwrap();
                assert!(response.status().is_success());
                response.bytes().await.unwrap();
            }
        });
    }
    tasks.join_all().await;
    rate(sink.arrived().await.span)
}

#[expect(clippy::cast_precision_loss, reason = "a count of deliveries")]
fn rate(span: Duration) -> f64 {
    DELIVERIES as f64 / span.as_secs_f64()
}
