//! SMS of the JSON gateway from HTTP to `submit_sm`, on disk before they are acknowledged. Kannel, with a spool that is as
//! durable, and with one that is not, is measured between the same client and SMSC. Also receipts, the time to the SMSC, and priorities if much is due at once.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use harness::{Patchbay, PatchbaySetup, TestClient};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::{
    costs::{self, Processes},
    kannel::{Kannel, Spool},
    load::Connection,
    smsc::Npm,
    stage::Stage,
    table::{Bar, Figure, median},
    timing::Times,
};

/// The window of the bind, here and there; `SMS_WINDOW` sets another one.
const WINDOW: usize = 32;
const ROUNDS: usize = 3;
/// Messages of a round of single sends.
const SINGLES: usize = 8_000;
/// Requests of a thousand in a round, over so many connections.
const THOUSANDS: usize = 20;
const THOUSANDS_AT_ONCE: usize = 4;
const TEXT: &str = "Your order 4711 is ready. Show this message at the counter.";
/// Requests per second while the time to the SMSC is taken, and how many.
const PACE: u64 = 200;
const PACED: usize = 4_000;
/// Scheduled messages of the busy client; `PATCHBAY_BENCH_SCHEDULED` sets another number.
const SCHEDULED: usize = 20_000;
/// Clients with little that is due at the same time, and how much of it.
const OTHERS: usize = 4;
const LITTLE: usize = 200;

fn window() -> usize {
    std::env::var("SMS_WINDOW").map_or(WINDOW, |window| window.parse().unwrap())
}

pub async fn measure() -> Vec<Figure> {
    let mut npm = Npm::start();
    let stage = Stage::set(PatchbaySetup::new().set("smpp.url", &npm.account.url(window()))).await;
    stage.patchbay.credits(&stage.client, 1_000_000_000);
    let mut figures = Vec::new();
    if is_asked("kannel") {
        for connections in [16, 64] {
            figures.push(singles(&stage, &mut npm, connections).await);
        }
        figures.push(thousands(&stage, &mut npm).await);
    }
    if is_asked("router") {
        figures.push(routed(&stage, &mut npm, (64, SINGLES, 1)).await);
        figures.push(routed(&stage, &mut npm, (THOUSANDS_AT_ONCE, THOUSANDS, 1_000)).await);
    }
    if is_asked("receipts") {
        figures.push(receipts(&stage, &mut npm).await);
    }
    if is_asked("paced") {
        figures.push(to_the_smsc(&stage, &mut npm).await);
    }
    if is_asked("due") {
        figures.push(due_at_once(&stage, &mut npm).await);
    }
    figures
}

/// Whether these figures are measured: all are, or those that `SMS` names.
fn is_asked(figures: &str) -> bool {
    std::env::var("SMS").map_or(true, |asked| asked.split(',').any(|one| one == figures))
}

async fn clear(stage: &Stage, npm: &mut Npm) {
    stage.clear().await;
    sqlx::query("TRUNCATE sms_part, smsc_message, parked_receipt, sms_request, sms_message, sms_correspondent")
        .execute(&stage.db)
        .await
        .unwrap();
    npm.ask("forget");
}

fn number(at: usize) -> String {
    format!("2782{at:07}")
}

fn body(numbers: impl Iterator<Item = usize>, text: &str) -> String {
    let recipients: Vec<Value> = numbers.map(|at| json!({ "to": number(at) })).collect();
    json!({ "recipients": recipients, "messageText": text }).to_string()
}

async fn ours(patchbay: &Patchbay) -> Connection {
    Connection::open_at(patchbay.url().trim_start_matches("http://").parse().unwrap(), "/sms/json").await
}

/// The receiver of requests, and the numbers in each request.
#[derive(Clone)]
enum Way {
    Ours { key: String, each: usize },
    Kannel { each: usize },
}

impl Way {
    /// Makes the request that is the `at`-th, over all connections.
    async fn request(&self, connection: &mut Connection, at: usize) {
        match self {
            Self::Ours { key, each } => {
                let body = body(at * each..(at + 1) * each, TEXT);
                let status = connection.post_with(&format!("X-API-Key: {key}\r\n"), &body).await;
                assert_eq!(status, 200, "a request was not taken");
            }
            Self::Kannel { each } => {
                let numbers: Vec<String> = (at * each..(at + 1) * each).map(number).collect();
                let status = connection.get(&Kannel::path(&numbers, TEXT)).await;
                assert_eq!(status, 202, "Kannel did not take a request");
            }
        }
    }

    fn each(&self) -> usize {
        match self {
            Self::Ours { each, .. } | Self::Kannel { each } => *each,
        }
    }
}

/// Makes so many requests over these connections, and answers the messages per second from the first request to the last
/// `submit_sm`.
async fn through(npm: &mut Npm, connections: Vec<Connection>, count: usize, way: &Way) -> f64 {
    npm.ask("forget");
    let next = Arc::new(AtomicUsize::new(0));
    let began = Instant::now();
    let mut tasks = JoinSet::new();
    for mut connection in connections {
        let (next, way) = (Arc::clone(&next), way.clone());
        tasks.spawn(async move {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= count {
                    return;
                }
                way.request(&mut connection, at).await;
            }
        });
    }
    tasks.join_all().await;
    let messages = count * way.each();
    per_second(messages, npm.has_taken(messages, began).await)
}

fn per_second(count: usize, took: Duration) -> f64 {
    messages(count) / took.as_secs_f64()
}

#[expect(clippy::cast_precision_loss, reason = "a count of messages")]
fn messages(count: usize) -> f64 {
    count as f64
}

/// The cost of an SMS, in milliseconds of processor time.
struct Cost {
    program: f64,
    postgresql: f64,
    smsc: f64,
}

impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { program, postgresql, smsc } = self;
        write!(f, "ms of processor time: program {program:.2}, PostgreSQL {postgresql:.2}, SMSC {smsc:.2}")
    }
}

/// A round of ours: messages per second, and the cost of each until its submit.
async fn our_round(
    stage: &Stage,
    npm: &mut Npm,
    postmaster: u32,
    (connections, count, each): (usize, usize, usize),
) -> (f64, Cost) {
    let way = Way::Ours { key: stage.client.key.clone(), each };
    clear(stage, npm).await;
    let mut open = Vec::new();
    for _ in 0..connections {
        open.push(ours(&stage.patchbay).await);
    }
    let processes =
        Processes { program: stage.patchbay.process_id(), postmaster, provider: npm.process_id(), sink: None };
    let before = processes.spent();
    let rate = through(npm, open, count, &way).await;
    let spent = processes.spent().each(&before, messages(count * each));
    (rate, Cost { program: spent.program, postgresql: spent.postgresql, smsc: spent.provider })
}

/// A round of Kannel's: messages per second; `None` if it cannot run with this spool.
async fn kannel_round(npm: &mut Npm, spool: Spool, (connections, count, each): (usize, usize, usize)) -> Option<f64> {
    let kannel = Kannel::start(&npm.account, window(), spool).await?;
    let mut open = Vec::new();
    for _ in 0..connections {
        open.push(kannel.connection().await);
    }
    Some(through(npm, open, count, &Way::Kannel { each }).await)
}

/// Rounds of ours and Kannel's, in turns. The floor is Kannel with a synchronous spool.
async fn compared_with_kannel(
    stage: &Stage,
    npm: &mut Npm,
    (connections, count, each): (usize, usize, usize),
) -> (f64, Option<f64>, Vec<String>) {
    let (mut measured, mut floors, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    let postmaster = costs::postmaster(&stage.db).await;
    for round in 1..=ROUNDS {
        let (rate, spent) = our_round(stage, npm, postmaster, (connections, count, each)).await;
        let ours = format!("round {round}: {rate:.0}/s ({spent})");
        measured.push(rate);
        let durable = kannel_round(npm, Spool::Synchronous, (connections, count, each)).await;
        let buffered = kannel_round(npm, Spool::Buffered, (connections, count, each)).await;
        let words = |rate: Option<f64>| rate.map_or("not measured".to_owned(), |rate| format!("{rate:.0}/s"));
        notes.push(format!(
            "{ours}; Kannel, spool `sync,dirsync`: {}; not synchronous: {}",
            words(durable),
            words(buffered)
        ));
        floors.extend(durable);
    }
    if costs::count_statements(&stage.db).await {
        our_round(stage, npm, postmaster, (connections, count, each)).await;
        notes.extend(costs::counted(&stage.db, messages(count * each)).await);
    }
    let floor = (!floors.is_empty()).then(|| median(floors));
    (median(measured), floor, notes)
}

const KANNEL: &str =
    "Kannel's `smsbox` and `bearerbox`, spool mounted `sync,dirsync`, to the same SMSC with the same window";

async fn singles(stage: &Stage, npm: &mut Npm, connections: usize) -> Figure {
    let (measured, floor, notes) = compared_with_kannel(stage, npm, (connections, SINGLES, 1)).await;
    Figure {
        name: match connections {
            16 => "SMS, one a request, 16 connections, to `submit_sm`",
            _ => "SMS, one a request, 64 connections, to `submit_sm`",
        },
        unit: "SMS/s",
        measured,
        floor,
        floor_name: KANNEL.to_owned(),
        bar: Bar::AtLeast(1.0),
        notes,
    }
}

async fn thousands(stage: &Stage, npm: &mut Npm) -> Figure {
    let (measured, floor, notes) = compared_with_kannel(stage, npm, (THOUSANDS_AT_ONCE, THOUSANDS, 1_000)).await;
    Figure {
        name: "SMS, 1,000 a request, 4 connections, to `submit_sm`",
        unit: "SMS/s",
        measured,
        floor,
        floor_name: KANNEL.to_owned(),
        bar: Bar::AtLeast(3.0),
        notes,
    }
}

/// The router that ships, with a rule that says something of each message of the benchmark.
const ROUTER: &str = "sms-router";

/// Rounds with a router and without one, in turns.
async fn routed(stage: &Stage, npm: &mut Npm, (connections, count, each): (usize, usize, usize)) -> Figure {
    let way = Way::Ours { key: stage.client.key.clone(), each };
    let rule = json!({ "prefixes": ["2782"], "priority": 1, "validitySeconds": 3600 });
    let (mut with, mut without, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        for is_routed in [false, true] {
            if is_routed {
                let activation = json!({ "mode": "live", "config": { "rules": [rule] } });
                stage.client.put_in_force(ROUTER, activation).await;
            }
            clear(stage, npm).await;
            let mut open = Vec::new();
            for _ in 0..connections {
                open.push(ours(&stage.patchbay).await);
            }
            let rate = through(npm, open, count, &way).await;
            let decided = decided(stage).await;
            assert_eq!(decided, if is_routed { count * each } else { 0 }, "messages that a router decided about");
            if is_routed { &mut with } else { &mut without }.push(rate);
            if is_routed {
                let path = format!("/plugin-service/api/v1/plugins/{ROUTER}/deactivate");
                assert!(stage.client.post(&path, &json!({ "whatsAppNumberId": null })).await.status < 300);
            }
        }
        notes.push(format!("round {round}: {:.0}/s with, {:.0}/s without", with[round - 1], without[round - 1]));
    }
    Figure {
        name: match each {
            1 => "SMS with a router, one a request, 64 connections, to `submit_sm`",
            _ => "SMS with a router, 1,000 a request, 4 connections, to `submit_sm`",
        },
        unit: "SMS/s",
        measured: median(with),
        floor: Some(median(without)),
        floor_name: "the same without a router".to_owned(),
        bar: Bar::AtLeast(0.85),
        notes,
    }
}

/// How many messages a router decided about.
async fn decided(stage: &Stage) -> usize {
    let statement = "SELECT count(*) FROM outbound_leg WHERE sms_route IS NOT NULL";
    let decided: i64 = sqlx::query_scalar(statement).fetch_one(&stage.db).await.unwrap();
    usize::try_from(decided).unwrap()
}

/// Receipts of all that was submitted, from the first to the acknowledgement of the last.
async fn receipts(stage: &Stage, npm: &mut Npm) -> Figure {
    clear(stage, npm).await;
    let way = Way::Ours { key: stage.client.key.clone(), each: 1_000 };
    let count = 10;
    through(npm, vec![ours(&stage.patchbay).await], count, &way).await;
    settled(stage, count * 1_000).await;
    let began = Instant::now();
    let answered: usize = npm.ask("receipts").parse().unwrap();
    let rate = per_second(answered, began.elapsed());
    let joined: i64 = sqlx::query_scalar("SELECT count(*) FROM sms_message WHERE state = 'DELIVERED'")
        .fetch_one(&stage.db)
        .await
        .unwrap();
    assert_eq!(usize::try_from(joined).unwrap(), answered, "not every receipt was joined");
    Figure {
        name: "SMS receipts joined, 64 at a time",
        unit: "receipts/s",
        measured: rate,
        floor: None,
        floor_name: "-".to_owned(),
        bar: Bar::Watch,
        notes: vec![format!("{answered} receipts, each on disk before it is acknowledged")],
    }
}

/// Waits until the answers to so many submits are written down.
async fn settled(stage: &Stage, count: usize) {
    loop {
        let known: i64 = sqlx::query_scalar("SELECT count(*) FROM smsc_message").fetch_one(&stage.db).await.unwrap();
        if usize::try_from(known).unwrap() >= count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn micros() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros()
}

/// From the request to the arrival of its `submit_sm`, at an even pace.
async fn to_the_smsc(stage: &Stage, npm: &mut Npm) -> Figure {
    clear(stage, npm).await;
    let free = Arc::new(tokio::sync::Mutex::new(Vec::new()));
    for _ in 0..64 {
        free.lock().await.push(ours(&stage.patchbay).await);
    }
    let header = format!("X-API-Key: {}\r\n", stage.client.key);
    let began = Instant::now();
    let mut tick = tokio::time::interval(Duration::from_micros(1_000_000 / PACE));
    let mut tasks = JoinSet::new();
    for at in 0..PACED {
        tick.tick().await;
        let (free, header) = (Arc::clone(&free), header.clone());
        tasks.spawn(async move {
            let body = body(at..=at, &format!("{} is when this was sent", micros()));
            let mut connection = free.lock().await.pop().expect("64 requests at once are enough");
            assert_eq!(connection.post_with(&header, &body).await, 200);
            free.lock().await.push(connection);
        });
    }
    tasks.join_all().await;
    npm.has_taken(PACED, began).await;
    let waits: Vec<f64> = serde_json::from_str(&npm.ask("waits")).unwrap();
    let waits = waits.into_iter().map(|micros| Duration::from_secs_f64(micros.max(0.0) / 1e6)).collect();
    let times = Times::from(waits);
    Figure {
        name: "SMS at 200/s, p99 from request to `submit_sm`",
        unit: "ms",
        measured: times.p99(),
        floor: None,
        floor_name: "-".to_owned(),
        bar: Bar::AtMost(50.0),
        notes: vec![times.to_string()],
    }
}

/// Much of one client and little of others, all due at one time: how much of the much has left when the last of the little has,
/// for each that a fair share would have let go.
async fn due_at_once(stage: &Stage, npm: &mut Npm) -> Figure {
    clear(stage, npm).await;
    let many = std::env::var("PATCHBAY_BENCH_SCHEDULED").map_or(SCHEDULED, |many| many.parse().unwrap());
    let due = harness::real_time() + chrono::TimeDelta::hours(6);
    let due = due.to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    schedule(stage, &stage.client, "much", many, &due).await;
    for other in 0..OTHERS {
        let client = stage.patchbay.bare_client(&format!("little-{other}"));
        stage.patchbay.credits(&client, 1_000_000);
        schedule(stage, &client, "little", LITTLE, &due).await;
    }
    sqlx::query("ANALYZE outbound_work, outbound_message, outbound_leg, outbound_part")
        .execute(&stage.db)
        .await
        .unwrap();
    let began = Instant::now();
    stage.patchbay.advance_clock(6 * 3600 + 60).await;
    let all = many + OTHERS * LITTLE;
    let took = npm.has_taken(all, began).await;
    let order: Vec<String> = serde_json::from_str(&npm.ask("order")).unwrap();
    let last = order.iter().rposition(|word| word == "little").expect("the little has left");
    let before = order[..last].iter().filter(|word| *word == "much").count();
    #[expect(clippy::cast_precision_loss, reason = "counts of messages")]
    let measured = before as f64 / LITTLE as f64;
    Figure {
        name: "SMS due at one time: what left of the busy client's before the others were through",
        unit: "fair shares",
        measured,
        floor: None,
        floor_name: "-".to_owned(),
        bar: Bar::AtMost(2.0),
        notes: vec![format!(
            "{all} due at once left at {:.0}/s, the first client's {before} before the others' last",
            per_second(all, took)
        )],
    }
}

async fn schedule(stage: &Stage, client: &TestClient, word: &str, count: usize, due: &str) {
    let mut connection = ours(&stage.patchbay).await;
    let header = format!("X-API-Key: {}\r\n", client.key);
    for first in (0..count).step_by(1_000) {
        let numbers: Vec<Value> = (first..count.min(first + 1_000)).map(|at| json!({ "to": number(at) })).collect();
        let text = format!("{word} that is due");
        let body = json!({ "recipients": numbers, "messageText": text, "settings": { "scheduledSmsDate": due } });
        assert_eq!(connection.post_with(&header, &body.to_string()).await, 200);
    }
}
