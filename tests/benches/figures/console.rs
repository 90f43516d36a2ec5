//! The console in a browser: the first paint of its pages, the frames while a chat of 10,000 messages is scrolled, the delay of keys
//! while 200 events a second come into the open inbox, and the memory of its page. Needs Node.js, npm and Chromium.
//!
//! `CONSOLE=3600` says for how many seconds the events come, 60 otherwise.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
    time::Duration,
};

use harness::{PatchbaySetup, eventually, inbound_text};
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::Row;
use tokio::task::JoinSet;

use crate::{
    stage::Stage,
    table::{Bar, Figure},
};

const MESSAGES: i64 = 10_000;
const SECONDS: u64 = 60;
/// After this time the memory of the page has a bar. Before, it has grown by what is loaded once.
const LONG: u64 = 600;
const PER_SECOND: u32 = 200;
/// Customers who write, so few that the list shows most of their chats.
const CUSTOMERS: u32 = 100;

/// The figures of `tests/peers/console/pace.mjs`, in milliseconds and megabytes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageFigures {
    loads: u64,
    login_p50: f64,
    login_p95: f64,
    login_longest: f64,
    inbox_p50: f64,
    inbox_p95: f64,
    inbox_longest: f64,
    frames: u64,
    frame_p50: f64,
    frame_p95: f64,
    frame_longest: f64,
    messages: u64,
    keys: u64,
    delay_p50: f64,
    delay_p99: f64,
    delay_longest: f64,
    heap_before: f64,
    heap_after: f64,
}

pub async fn measure() -> Vec<Figure> {
    let stage = Stage::set(PatchbaySetup::new()).await;
    let seconds = std::env::var("CONSOLE").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(SECONDS);
    let chat = long_chat(&stage).await;
    let given = json!({
        "base": stage.patchbay.url(),
        "clientRef": stage.client.client_ref,
        "admin": { "email": format!("{}@example.com", stage.client.client_ref), "password": "correct horse" },
        "chat": chat,
        "messages": MESSAGES,
        "seconds": seconds,
    });
    let painted = play("paint", given.clone()).await;
    let scrolled = play("scroll", given.clone()).await;
    let typed = tokio::select! {
        typed = play("type", given) => typed,
        never = write_for_ever(&stage) => never,
    };
    let page: PageFigures = serde_json::from_value(join([painted, scrolled, typed])).unwrap();
    figures(&page, seconds)
}

fn figures(page: &PageFigures, seconds: u64) -> Vec<Figure> {
    let paint = |p50: f64, longest: f64| format!("{} loads: p50 {p50:.0} ms, longest {longest:.0} ms", page.loads);
    vec![
        figure(
            "console: first paint of the login, with an empty cache",
            "ms, 95th percentile",
            page.login_p95,
            Bar::AtMost(300.0),
            paint(page.login_p50, page.login_longest),
        ),
        figure(
            "console: first paint of the inbox, loaded again",
            "ms, 95th percentile",
            page.inbox_p95,
            Bar::AtMost(300.0),
            paint(page.inbox_p50, page.inbox_longest),
        ),
        figure(
            "console: a frame while a chat is scrolled",
            "ms, 95th percentile",
            page.frame_p95,
            Bar::AtMost(17.0),
            format!(
                "{} messages, {} frames: p50 {:.1} ms, longest {:.1} ms",
                page.messages, page.frames, page.frame_p50, page.frame_longest
            ),
        ),
        figure(
            "console: delay of a key at 200 events a second",
            "ms, 99th percentile",
            page.delay_p99,
            Bar::AtMost(50.0),
            format!("{} keys: p50 {:.1} ms, longest {:.1} ms", page.keys, page.delay_p50, page.delay_longest),
        ),
        figure(
            "console: growth of the page at 200 events a second",
            "MB",
            page.heap_after - page.heap_before,
            if seconds >= LONG { Bar::AtMost(10.0) } else { Bar::Watch },
            format!("in {seconds} s, from {:.1} to {:.1} MB", page.heap_before, page.heap_after),
        ),
    ]
}

fn figure(name: &'static str, unit: &'static str, measured: f64, bar: Bar, note: String) -> Figure {
    Figure { name, unit, measured, floor: None, floor_name: "-".to_owned(), bar, notes: vec![note] }
}

/// The fields of all objects in one.
fn join(objects: [Value; 3]) -> Value {
    let fields = objects.into_iter().flat_map(|object| object.as_object().unwrap().clone());
    Value::Object(fields.collect())
}

/// A chat of the administrator with many messages, like one that a customer really wrote.
async fn long_chat(stage: &Stage) -> String {
    let body = stage.client.callback(inbound_text("wamid.console", Some("27849999998"), None, "hello there"));
    assert_eq!(stage.patchbay.callback(&body).await.status, 200);
    let list = "/chat-service/api/v2/chats?scope=all";
    let first = |page: Value| page["content"][0]["id"].as_str().map(str::to_owned);
    let chat = eventually("the chat", || async { first(stage.client.get(list).await.ok()) }).await;
    stage.client.post(&format!("/chat-service/api/v2/chats/{chat}/assign"), &json!({})).await.ok();
    let added = "INSERT INTO chat_message (client_id, id, participant_id, sequence_number, direction, content_type, channel, body,
                                           content, owner, gst_id, provider_id, state, created_at)
                 SELECT one.client_id, given.id, one.participant_id, one.sequence_number + n, one.direction, one.content_type,
                        one.channel, 'message ' || n, one.content, one.owner, given.id::text, 'wamid.console.' || n, one.state,
                        one.created_at + interval '1 millisecond' * n
                 FROM (SELECT * FROM chat_message WHERE participant_id = $1::uuid ORDER BY sequence_number LIMIT 1) one
                 CROSS JOIN generate_series(1, $2::bigint) AS n
                 CROSS JOIN LATERAL (SELECT (left(replace(one.id::text, '-', ''), 12) || '70008'
                                             || lpad(to_hex(n), 15, '0'))::uuid AS id) given";
    sqlx::query(added).bind(&chat).bind(MESSAGES).execute(&stage.db).await.unwrap();
    let counted = "UPDATE participant SET next_sequence = (SELECT max(sequence_number) + 1 FROM chat_message
                                                            WHERE participant_id = $1::uuid)
                   WHERE id = $1::uuid RETURNING next_sequence";
    let next: i64 = sqlx::query(counted).bind(&chat).fetch_one(&stage.db).await.unwrap().get(0);
    assert!(next > MESSAGES, "the chat has {next} messages");
    chat
}

/// Customers write at an even pace, in turn.
async fn write_for_ever(stage: &Stage) -> Value {
    let http = reqwest::Client::new();
    let webhook = format!("{}/providers/whatsapp-cloud/webhook", stage.patchbay.url());
    let mut pace = tokio::time::interval(Duration::from_secs(1) / PER_SECOND);
    let mut posts = JoinSet::new();
    for event in 0_u32.. {
        pace.tick().await;
        let (text, phone) = (format!("pace.{event}"), format!("2786{:07}", event % CUSTOMERS));
        let body = stage.client.callback(inbound_text(&text, Some(&phone), None, &text)).to_string();
        let signature = stage.patchbay.sign_callback(body.as_bytes());
        let request = http.post(&webhook).header("Content-Type", "application/json");
        let request = request.header("X-Hub-Signature-256", signature).body(body);
        posts.spawn(async move { assert!(request.send().await.unwrap().status().is_success()) });
        while let Some(done) = posts.try_join_next() {
            done.unwrap();
        }
    }
    Value::Null
}

/// Plays a part of the story, and returns its figures.
async fn play(part: &'static str, given: Value) -> Value {
    let played = tokio::task::spawn_blocking(move || {
        let peers = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("peers");
        let install = Command::new("sh").arg(peers.join("browser/install.sh")).output().unwrap();
        assert!(install.status.success(), "{}", String::from_utf8_lossy(&install.stderr));
        let driver = String::from_utf8(install.stdout).unwrap();
        let mut node = Command::new("node");
        node.arg(peers.join("console/pace.mjs")).arg(driver.trim()).arg(given.to_string()).arg(part);
        node.stdin(Stdio::null()).output().unwrap()
    });
    let output = played.await.unwrap();
    assert!(output.status.success(), "{part}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}
