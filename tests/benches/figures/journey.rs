//! The whole way of a message: taken by the API, sent to a provider, its statuses taken and told to a webhook. Provider and sink
//! are processes of their own.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use harness::PatchbaySetup;
use serde_json::json;
use sqlx::Row;
use tokio::task::JoinSet;

use crate::{
    costs::{self, Processes, Spent},
    load::Connection,
    provider::Provider,
    sink::Sink,
    stage::Stage,
    table::{Bar, Figure, median},
};

const MESSAGES: usize = 20_000;
/// Recipients of a request.
const BATCH: usize = 1000;
const CONNECTIONS: usize = 4;
const ROUNDS: usize = 3;
/// Messages per second: the goal on two processors.
const BAR: f64 = 1500.0;

pub async fn measure() -> [Figure; 2] {
    [with("the whole way, two statuses", 2).await, with("the whole way, three statuses", 3).await]
}

/// A database of its own for each: in the first round nothing was ever analysed.
async fn with(name: &'static str, statuses: usize) -> Figure {
    let scene = Scene::set(statuses).await;
    let (mut measured, mut notes) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        let run = scene.run().await;
        notes.push(format!("round {round}: {run}"));
        measured.push(run.rate);
    }
    if costs::count_statements(&scene.stage.db).await {
        let run = scene.run().await;
        notes.push(format!("while statements are counted: {run}"));
        notes.extend(costs::counted(&scene.stage.db, messages()).await);
    } else {
        notes.push("statements were not counted: this PostgreSQL has no pg_stat_statements".to_owned());
    }
    Figure {
        name,
        unit: "messages/s",
        measured: median(measured),
        floor: None,
        floor_name: "-".to_owned(),
        bar: Bar::From(BAR),
        notes,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a count of messages")]
fn messages() -> f64 {
    MESSAGES as f64
}

struct Scene {
    stage: Stage,
    provider: Provider,
    sink: Sink,
    statuses: usize,
    postmaster: u32,
}

/// The result of a round.
struct Run {
    /// Messages per second, from the first 202 to the last webhook.
    rate: f64,
    /// From the first 202 to the last.
    accepted: Duration,
    /// Each message.
    spent: Spent,
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { rate, accepted, spent: Spent { program, postgresql, provider, sink } } = self;
        write!(
            f,
            "{rate:.0}/s, all taken after {accepted:.1?}; ms of processor time a message: program {program:.2}, PostgreSQL \
             {postgresql:.2}, provider {provider:.2}, sink {sink:.2}"
        )
    }
}

impl Scene {
    async fn set(statuses: usize) -> Self {
        // The rate of a number is the provider's to limit, and this one does not.
        let mut stage = Stage::set(PatchbaySetup::new().set("limits.cloud_rate_per_number", "100000")).await;
        let sink = Sink::start();
        let body = json!({ "statusUpdateURL": format!("{}/status", sink.url) });
        let reply = stage.client.post("/messaging-service/WhatsApp/WhatsAppClientWebHook", &body).await;
        assert!(matches!(reply.status, 200 | 201), "{}", reply.text);
        // A second start takes the port of the first, which the provider is told of.
        let provider = Provider::start(stage.address(), stage.patchbay.app_secret(), statuses);
        stage.send_to(&provider.url).await;
        let postmaster = costs::postmaster(&stage.db).await;
        Self { stage, provider, sink, statuses, postmaster }
    }

    async fn run(&self) -> Run {
        self.stage.clear().await;
        self.sink.reset().await;
        let processes = Processes {
            program: self.stage.patchbay.process_id(),
            postmaster: self.postmaster,
            provider: self.provider.process_id(),
            sink: Some(self.sink.process_id()),
        };
        let before = processes.spent();
        let (first, last) = self.send().await;
        // Each message is told of as accepted, too.
        let expected = u64::try_from(MESSAGES * (self.statuses + 1)).unwrap();
        let arrived = self.sink.wait_for(expected).await;
        let spent = processes.spent().each(&before, messages());
        self.settle().await;
        let after = self.sink.arrived().await;
        assert_eq!(after.count, expected, "something was told twice");
        let rate = messages() / (arrived.last - first).as_secs_f64();
        Run { rate, accepted: last - first, spent }
    }

    /// Sends all messages; answers when the first and the last request were accepted.
    async fn send(&self) -> (Instant, Instant) {
        let body = Arc::new(self.stage.body(BATCH));
        let next = Arc::new(AtomicUsize::new(0));
        let mut tasks = JoinSet::new();
        for _ in 0..CONNECTIONS {
            let mut connection = Connection::open(self.stage.address(), &self.stage.client.key).await;
            let (body, next) = (Arc::clone(&body), Arc::clone(&next));
            tasks.spawn(async move {
                let mut accepted = Vec::new();
                loop {
                    let request = next.fetch_add(1, Ordering::Relaxed);
                    if request >= MESSAGES / BATCH {
                        return accepted;
                    }
                    assert_eq!(connection.post(&body.make(request)).await, 202, "a send was not accepted");
                    accepted.push(Instant::now());
                }
            });
        }
        let accepted: Vec<Instant> = tasks.join_all().await.into_iter().flatten().collect();
        (*accepted.iter().min().unwrap(), *accepted.iter().max().unwrap())
    }

    /// Waits until the program has written down everything that it was told.
    async fn settle(&self) {
        loop {
            let row = sqlx::query(
                "SELECT EXISTS (SELECT 1 FROM outbound_work) OR EXISTS (SELECT 1 FROM callback)
                     OR EXISTS (SELECT 1 FROM webhook_delivery WHERE state = 'PENDING')",
            )
            .fetch_one(&self.stage.db)
            .await
            .unwrap();
            if !row.get::<bool, _>(0) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}
