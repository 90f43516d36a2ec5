//! From an event to the sink: 200 events a second over twenty numbers with an address each, and the same with one of
//! twenty addresses dead.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{Router, extract::State, routing::post};
use harness::{PatchbaySetup, TestClient, inbound_text};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::mpsc, task::JoinSet};

use crate::{
    costs,
    stage::Stage,
    table::{Bar, Figure},
    timing::Times,
};

const NUMBERS: usize = 20;
/// One of twenty is 5%.
const DEAD: usize = 0;
const PER_SECOND: u32 = 200;
/// The first seconds fill caches, and let the program find out about the dead one.
const WARM_UP: u32 = 30;
const LENGTH: u32 = 20;
/// The round in which statements are counted does not count itself, and is shorter.
const COUNTED: u32 = 5;
/// An event that has not arrived by then counts with this time.
const PATIENCE: Duration = Duration::from_secs(10);
const WEBHOOKS: &str = "/messaging-service/WhatsApp/WhatsAppClientWebHook";

/// Events in a second; `EVENTS` sets another number, for a machine that does not keep up.
fn rate() -> u32 {
    std::env::var("EVENTS").map_or(PER_SECOND, |rate| rate.parse().unwrap())
}

pub async fn measure() -> [Figure; 2] {
    let mut scene = Scene::set().await;
    let alive = scene.run("alive", LENGTH).await;
    let mut notes = vec![format!("all addresses answer: {alive}")];
    if costs::count_statements(&scene.stage.db).await {
        scene.run("counted", COUNTED).await;
        notes.extend(costs::counted(&scene.stage.db, f64::from(rate() * (WARM_UP + COUNTED))).await);
    }
    scene.kill_one().await;
    let with_dead = scene.run("dead", LENGTH).await;
    [
        Figure {
            name: "from an event to the sink, 200 a second",
            unit: "ms, 95th percentile",
            measured: alive.p95(),
            floor: None,
            floor_name: "-".to_owned(),
            bar: Bar::AtMost(50.0),
            notes,
        },
        Figure {
            name: "the same with 5% dead addresses",
            unit: "ms, 99th percentile",
            measured: with_dead.p99(),
            floor: Some(alive.p99()),
            floor_name: "while all of them answer".to_owned(),
            bar: Bar::AtMostTimes(2.0),
            notes: vec![format!("one of {NUMBERS} takes connections and never answers: {with_dead}")],
        },
    ]
}

struct Scene {
    stage: Stage,
    numbers: Vec<TestClient>,
    /// Configurations of the numbers.
    webhooks: Vec<Value>,
    arrivals: mpsc::UnboundedReceiver<(String, Instant)>,
    dead: Option<String>,
}

impl Scene {
    async fn set() -> Self {
        let stage = Stage::set(PatchbaySetup::new()).await;
        let (url, arrivals) = sink().await;
        let (mut numbers, mut webhooks) = (Vec::new(), Vec::new());
        for at in 0..NUMBERS {
            let number = stage.patchbay.client(&format!("client-{at}"), &format!("2712000{at:04}")).await;
            let body = json!({ "incomingMessageURL": format!("{url}/{at}") });
            let reply = number.post(WEBHOOKS, &body).await;
            assert!(matches!(reply.status, 200 | 201), "{}", reply.text);
            webhooks.push(reply.json());
            numbers.push(number);
        }
        Self { stage, numbers, webhooks, arrivals, dead: None }
    }

    /// From now on one address accepts connections and gives no answer.
    async fn kill_one(&mut self) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/dead", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let mut kept = Vec::new();
            while let Ok((stream, _)) = listener.accept().await {
                kept.push(stream);
            }
        });
        let body = json!({ "id": self.webhooks[DEAD]["id"], "incomingMessageURL": url });
        let reply = self.numbers[DEAD].request(Method::PUT, WEBHOOKS, Some(&body), &[]).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        self.dead = Some(url);
    }

    /// Customers write at an even pace, independent of earlier messages. Returns the times of their messages.
    async fn run(&mut self, round: &str, seconds: u32) -> Times {
        let patchbay = Arc::new(self.stage.patchbay.url());
        let all = usize::try_from(rate() * (WARM_UP + seconds)).unwrap();
        let measured_from = usize::try_from(rate() * WARM_UP).unwrap();
        let http = reqwest::Client::new();
        let (mut began, mut posts) = (Vec::with_capacity(all), JoinSet::new());
        let mut pace = tokio::time::interval(Duration::from_secs(1) / rate());
        for event in 0..all {
            pace.tick().await;
            let number = &self.numbers[event % NUMBERS];
            let (id, phone) = (format!("{round}.{event}"), format!("2786{:07}", event % 2000));
            let body = number.callback(inbound_text(&id, Some(&phone), None, &id)).to_string();
            let signature = self.stage.patchbay.sign_callback(body.as_bytes());
            let request = http
                .post(format!("{patchbay}/providers/whatsapp-cloud/webhook"))
                .header("Content-Type", "application/json")
                .header("X-Hub-Signature-256", signature)
                .body(body);
            began.push(Instant::now());
            posts.spawn(async move { assert!(request.send().await.unwrap().status().is_success()) });
        }
        posts.join_all().await;
        let counts = |event: usize| event >= measured_from && (self.dead.is_none() || event % NUMBERS != DEAD);
        let mut took: Vec<Option<Duration>> = vec![None; all];
        let mut missing = (0..all).filter(|event| counts(*event)).count();
        let until = Instant::now() + PATIENCE;
        while missing > 0 {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(Some((text, when))) = tokio::time::timeout(left, self.arrivals.recv()).await else { break };
            let Some(event) = text.strip_prefix(round).and_then(|rest| rest.strip_prefix('.')?.parse::<usize>().ok())
            else {
                continue;
            };
            if counts(event) && took[event].is_none() {
                missing -= 1;
            }
            took[event].get_or_insert(when - began[event]);
        }
        let times = (0..all).filter(|event| counts(*event)).map(|event| took[event].unwrap_or(PATIENCE));
        Times::from(times.collect())
    }
}

/// A receiver that notes when each text came.
pub async fn sink() -> (String, mpsc::UnboundedReceiver<(String, Instant)>) {
    async fn take(
        State(arrivals): State<mpsc::UnboundedSender<(String, Instant)>>,
        axum::Json(body): axum::Json<Value>,
    ) {
        let now = Instant::now();
        drop(arrivals.send((body["text"].as_str().unwrap_or_default().to_owned(), now)));
    }
    let (sender, arrivals) = mpsc::unbounded_channel();
    let router = Router::new().route("/{number}", post(take)).with_state(sender);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (url, arrivals)
}
