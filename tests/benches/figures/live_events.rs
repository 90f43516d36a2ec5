//! Live events for 500 connected agents: from the message of a customer to the socket of the agent that has the chat,
//! at 200 events a second; and the memory of a connection. The chats and agents are those of `inbox`.

use std::time::{Duration, Instant};

use futures::StreamExt;
use harness::inbound_text;
use serde::Deserialize;
use tokio::{net::TcpStream, sync::mpsc, task::JoinSet};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async_with_config,
    tungstenite::{Message, client::IntoClientRequest, protocol::WebSocketConfig},
};

use crate::{
    costs,
    inbox::{AGENTS, key_of, number_of},
    memory::resident,
    stage::Stage,
    table::{Bar, Figure},
    timing::Times,
};

const PER_SECOND: u32 = 200;
/// The first seconds fill caches.
const WARM_UP: u32 = 5;
const LENGTH: u32 = 20;
/// The round in which statements are counted does not count itself, and is shorter.
const COUNTED: u32 = 5;
/// An event that has not arrived by then counts with this time.
const PATIENCE: Duration = Duration::from_secs(10);
/// Every twentieth chat is with an agent (`inbox`).
const ACTIVE: i64 = 20;

pub async fn measure(stage: &Stage, chats: i64) -> [Figure; 2] {
    let before = resident(stage);
    let (arrived, mut arrivals) = mpsc::unbounded_channel();
    let mut sockets = JoinSet::new();
    for agent in 0..AGENTS {
        sockets.spawn(listen(connect(stage, agent).await, arrived.clone()));
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    #[expect(clippy::cast_precision_loss, reason = "some hundreds")]
    let each = (resident(stage) - before) * 1024.0 / AGENTS as f64;
    let times = run(stage, chats, &mut arrivals, ("live", WARM_UP + LENGTH)).await;
    let after = resident(stage);
    let mut notes = vec![format!("{AGENTS} agents, {PER_SECOND} events a second: {times}")];
    if costs::count_statements(&stage.db).await {
        run(stage, chats, &mut arrivals, ("counted", WARM_UP + COUNTED)).await;
        notes.extend(costs::counted(&stage.db, f64::from(PER_SECOND * (WARM_UP + COUNTED))).await);
    }
    sockets.abort_all();
    [
        Figure {
            name: "inbox: from what a customer wrote to the agent's socket",
            unit: "ms, 99th percentile",
            measured: times.p99(),
            floor: None,
            floor_name: "-".to_owned(),
            bar: Bar::AtMost(200.0),
            notes,
        },
        Figure {
            name: "inbox: memory of a connected agent",
            unit: "KB resident",
            measured: each,
            floor: None,
            floor_name: "-".to_owned(),
            bar: Bar::Watch,
            notes: vec![format!("{before:.0} MB without agents, {after:.0} MB after the events")],
        },
    ]
}

async fn connect(stage: &Stage, agent: i64) -> WebSocketStream<MaybeTlsStream<TcpStream>> {
    let url = format!("{}/chat-service/api/v2/events", stage.patchbay.url().replace("http://", "ws://"));
    let mut request = url.into_client_request().unwrap();
    request.headers_mut().insert("authorization", key_of(agent).parse().unwrap());
    // The buffer is cleared before each read: with its 128 KiB that was half of the processor time of this side.
    let config = WebSocketConfig::default().read_buffer_size(4096);
    connect_async_with_config(request, Some(config), true).await.expect("an agent connects").0
}

/// The fields of an event that are read.
#[derive(Deserialize)]
struct Said<'text> {
    r#type: &'text str,
    #[serde(borrow, default)]
    message: Option<SaidMessage<'text>>,
}

#[derive(Deserialize)]
struct SaidMessage<'text> {
    #[serde(default)]
    text: &'text str,
}

/// Tells which messages came, and when.
async fn listen(
    mut socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    arrived: mpsc::UnboundedSender<(String, Instant)>,
) {
    while let Some(Ok(message)) = socket.next().await {
        let now = Instant::now();
        let Message::Text(text) = message else { continue };
        let said: Said<'_> = serde_json::from_str(&text).unwrap();
        if said.r#type == "message.received" {
            let text = said.message.map_or("", |message| message.text);
            drop(arrived.send((text.to_owned(), now)));
        }
    }
}

/// Customers write at an even pace, each to another agent than the one before.
async fn run(
    stage: &Stage,
    chats: i64,
    arrivals: &mut mpsc::UnboundedReceiver<(String, Instant)>,
    (round, seconds): (&str, u32),
) -> Times {
    let http = reqwest::Client::new();
    let webhook = format!("{}/providers/whatsapp-cloud/webhook", stage.patchbay.url());
    let (all, warm) = (PER_SECOND * seconds, PER_SECOND * WARM_UP);
    let active = chats / ACTIVE;
    let (mut began, mut posts) = (Vec::new(), JoinSet::new());
    let mut pace = tokio::time::interval(Duration::from_secs(1) / PER_SECOND);
    for event in 0..all {
        pace.tick().await;
        let phone = number_of(ACTIVE - 1 + ACTIVE * (i64::from(event) % active));
        let text = format!("{round}.{event}");
        let body = stage.client.callback(inbound_text(&text, Some(&phone), None, &text)).to_string();
        let signature = stage.patchbay.sign_callback(body.as_bytes());
        let request = http.post(&webhook).header("Content-Type", "application/json");
        let request = request.header("X-Hub-Signature-256", signature).body(body);
        began.push(Instant::now());
        posts.spawn(async move { assert!(request.send().await.unwrap().status().is_success()) });
    }
    posts.join_all().await;
    let mut took: Vec<Option<Duration>> = vec![None; began.len()];
    let mut missing = began.len();
    let until = Instant::now() + PATIENCE;
    while missing > 0 {
        let left = until.saturating_duration_since(Instant::now());
        let Ok(Some((text, when))) = tokio::time::timeout(left, arrivals.recv()).await else { break };
        let of_round = text.strip_prefix(round).and_then(|rest| rest.strip_prefix('.'));
        let Some(event) = of_round.and_then(|event| event.parse::<usize>().ok()) else { continue };
        // An agent's teammates hear of it, too: the first counts.
        if took[event].is_none() {
            missing -= 1;
            took[event] = Some(when - began[event]);
        }
    }
    Times::from(took.into_iter().skip(warm as usize).map(|one| one.unwrap_or(PATIENCE)).collect())
}
