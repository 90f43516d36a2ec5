//! SIGKILL at random moments under load: nothing acknowledged is lost, and nothing is doubled except in the cases of
//! ground rule 2 of the design. `PATCHBAY_KILL_SEED` repeats a run; the test prints the seed and the counts.

mod load;
pub mod verdict;

use std::time::{Duration, Instant};

use harness::{Patchbay, PatchbaySetup, TestClient, WebhookSink};
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::json;
use sqlx::PgPool;

pub use load::Load;

/// Kills of the process in the test; `make soak` continues for minutes.
pub const KILLS: usize = 3;
/// Minimum of requests that are acknowledged between two kills.
const REQUESTS: usize = 20;
const IN_FLIGHT: usize = 16;
/// Windows of calls that one kill can leave undecided: calls in flight, and outcomes that are not stored yet
/// (docs/rules/faults.md, `outcomes`). On a slow machine the second window fills too.
const WINDOWS: usize = 2;
/// If a send has no answer after this time, it is repeated once.
const UNKNOWN_AFTER: &str = "3s";
/// If callbacks are this late, they come after the second send: a double that cannot be avoided.
const LATE_MILLIS: u64 = 5000;
/// Limit of a step on a busy machine; the usual time is seconds.
const PATIENCE: Duration = Duration::from_secs(180);
/// Business numbers, one per client.
const NUMBERS: [&str; 2] = ["27110000001", "27110000002"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_when_the_process_is_killed_at_random() {
    let seed = std::env::var("PATCHBAY_KILL_SEED").map_or(20_251_121, |seed| seed.parse().unwrap());
    println!("{}", killed_at_random(seed, |kills| kills < KILLS).await);
}

/// Kills the process under load while `goes_on` is true for the number of kills. Then checks all promises and returns
/// the counts.
///
/// # Panics
///
/// If a message is lost, or doubled for another reason than a call in flight.
pub async fn killed_at_random(seed: u64, goes_on: impl Fn(usize) -> bool) -> String {
    let mut random = StdRng::seed_from_u64(seed);
    let mut patchbay = start().await;
    let sink = WebhookSink::start().await;
    let clients = clients(&patchbay, &sink).await;
    let db = PgPool::connect(patchbay.database_url()).await.unwrap();

    let began = Instant::now();
    let load = Load::start(&patchbay, &clients, seed);
    let mut kills = 0;
    while goes_on(kills) {
        let late = if kills % 2 == 1 { LATE_MILLIS } else { 0 };
        patchbay.simulate("/simulator/faults", &json!({ "delayMillis": late })).await;
        tokio::time::sleep(Duration::from_millis(random.random_range(0..2000))).await;
        load.until(REQUESTS * (kills + 1), PATIENCE).await;
        tokio::time::sleep(Duration::from_millis(random.random_range(0..300))).await;
        patchbay.kill();
        tokio::time::sleep(Duration::from_millis(random.random_range(0..200))).await;
        patchbay.launch().await;
        kills += 1;
    }
    let ledger = load.stop().await;
    let under_fire = began.elapsed();
    drain(&db, &patchbay).await;

    let counts = verdict::judge(&patchbay, &db, &clients, &sink, &ledger).await;
    let undecided = kills * WINDOWS * IN_FLIGHT * NUMBERS.len();
    assert!(counts.ambiguous <= undecided, "{} legs were in doubt, at most {undecided} may be", counts.ambiguous);
    let drained = began.elapsed() - under_fire;
    format!("kill test: seed {seed}, {kills} kills in {under_fire:.1?}, drained after {drained:.1?}; {counts}")
}

/// A server that repeats a send of unknown outcome once after three seconds.
pub async fn start() -> Patchbay {
    let patchbay = PatchbaySetup::new()
        .set("limits.unknown_after", UNKNOWN_AFTER)
        .set("limits.cloud_in_flight_per_number", &IN_FLIGHT.to_string())
        .set("limits.cloud_rate_per_number", "400")
        .start()
        .await;
    // Answers are delayed, so that a kill finds calls in flight.
    let faults = json!({ "holdAnswersMillis": 60, "enforceLimits": false });
    patchbay.simulate("/simulator/faults", &faults).await;
    patchbay
}

/// Two clients with webhooks. The first has a chatbot, so its chats contain replies.
pub async fn clients(patchbay: &Patchbay, sink: &WebhookSink) -> Vec<TestClient> {
    let mut clients = Vec::new();
    for (client_ref, number) in ["acme", "bravo"].into_iter().zip(NUMBERS) {
        let client = patchbay.client(client_ref, number).await;
        client.webhooks_to(sink, "v2").await;
        clients.push(client);
    }
    clients[0].activate("default-chatbot").await;
    clients
}

pub async fn drain(db: &PgPool, patchbay: &Patchbay) {
    let began = Instant::now();
    patchbay.simulate("/simulator/faults", &json!({ "delayMillis": 0, "holdAnswersMillis": 0 })).await;
    let mut quiet = 0;
    while quiet < 3 {
        let left = waiting(db).await;
        quiet = if left.iter().all(|(_, count)| *count == 0) { quiet + 1 } else { 0 };
        assert!(began.elapsed() < PATIENCE, "after {PATIENCE:?} there is still work: {left:?}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

async fn waiting(db: &PgPool) -> Vec<(String, i64)> {
    sqlx::query_as(
        "SELECT 'outbound', count(*) FROM outbound_work
         UNION ALL SELECT 'callback', count(*) FROM callback
         UNION ALL SELECT 'participant', count(*) FROM participant_event WHERE kind <> 'TIMER'
         UNION ALL SELECT 'webhook', count(*) FROM webhook_delivery WHERE state = 'PENDING'
         UNION ALL SELECT 'receipt', count(*) FROM outbound_message message
                   WHERE chat_message_id IS NULL AND NOT EXISTS (
                       SELECT 1 FROM outbound_leg leg WHERE leg.client_id = message.client_id
                          AND leg.message_id = message.id AND leg.state IN ('DELIVERED', 'READ'))",
    )
    .fetch_all(db)
    .await
    .unwrap()
}
