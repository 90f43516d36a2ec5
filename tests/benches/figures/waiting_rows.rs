//! A send and a bot's answer while rows wait that are not due: timers of other chats, webhooks that are tried again
//! tomorrow, and sends for tomorrow. The cost must depend on the due rows, not on the waiting ones.

use std::time::{Duration, Instant};

use harness::{PatchbaySetup, inbound_text};
use serde_json::json;
use sqlx::Row;

use crate::{
    costs::{self, Processes},
    provider::Watch,
    sink::Sink,
    stage::Stage,
    table::{Bar, Figure},
    timing::Times,
};

/// Rows of each kind that wait.
const FEW: i32 = 50_000;
const MANY: i32 = 1_000_000;
const SAMPLES: usize = 100;
/// Chats that the bot answers in: few messages in each, so that no customer's pace is reached.
const CHATS: usize = 40;
const PATIENCE: Duration = Duration::from_secs(20);
/// How long the program is watched doing nothing.
const IDLE: Duration = Duration::from_secs(5);

/// How long things take.
struct Pace {
    send: Times,
    answer: Times,
}

pub async fn measure() -> Vec<Figure> {
    let mut scene = Scene::set().await;
    // Twice: the first pass fills every cache.
    scene.pace().await;
    let (quiet, idle) = (scene.pace().await, scene.idle().await);
    let mut notes = vec![format!("nothing waits: a send {}; an answer {}; {idle}", quiet.send, quiet.answer)];
    let mut measured = Vec::new();
    for rows in [FEW, MANY] {
        for (kind, statement) in KINDS {
            scene.fill(statement, rows).await;
            let pace = scene.pace().await;
            notes.push(format!("{rows} {kind}: a send {}; an answer {}", pace.send, pace.answer));
            scene.empty().await;
        }
        for (_, statement) in KINDS {
            scene.fill(statement, rows).await;
        }
        let (pace, idle) = (scene.pace().await, scene.idle().await);
        notes.push(format!("{rows} of each: a send {}; an answer {}; {idle}", pace.send, pace.answer));
        scene.empty().await;
        measured.push(pace);
    }
    let figure = |name, measured: f64, quiet: f64| Figure {
        name,
        unit: "ms at the median",
        measured,
        floor: Some(quiet),
        floor_name: "the same while nothing waits".to_owned(),
        bar: Bar::AtMostTimes(1.2),
        notes: Vec::new(),
    };
    let (few, many) = (&measured[0], &measured[1]);
    let mut figures = vec![
        figure("a send, 50,000 timers, webhooks and sends wait", few.send.p50(), quiet.send.p50()),
        figure("a send, 1,000,000 of each wait", many.send.p50(), quiet.send.p50()),
        figure("a bot's answer, 50,000 of each wait", few.answer.p50(), quiet.answer.p50()),
        figure("a bot's answer, 1,000,000 of each wait", many.answer.p50(), quiet.answer.p50()),
    ];
    figures[0].notes = notes;
    figures
}

/// Rows as the program stores them, of the client that is measured. None of them is due before tomorrow.
const KINDS: [(&str, &str); 3] = [
    (
        "chats with a timer",
        "INSERT INTO participant_event (client_id, id, lane_id, kind, payload, due_at, ready)
         SELECT inbox.client_id, minted.id, gen_random_uuid(), 'TIMER', '{\"v\":1,\"value\":{\"id\":\"later\"}}',
                now() + interval '1 day', false FROM inbox, minted",
    ),
    (
        "webhooks that are tried again",
        "INSERT INTO webhook_delivery (client_id, id, lane_id, inbox_id, order_key, body, attempts, due_at, ready)
         SELECT inbox.client_id, minted.id, endpoint.id, inbox.id, n, '\\x7b7d', 3, now() + interval '1 day',
                false FROM inbox, minted, endpoint",
    ),
    (
        "sends",
        "INSERT INTO outbound_work (client_id, message_id, ordinal, lane_id, recipient, priority, due_at, ready)
         SELECT inbox.client_id, minted.id, 0, inbox.id, '27820000000', 1, now() + interval '1 day', false FROM inbox, minted",
    ),
];

struct Scene {
    stage: Stage,
    watch: Watch,
    sink: Sink,
    postmaster: u32,
    /// Sends and messages so far: each needs a phone or an id of its own.
    counter: usize,
}

impl Scene {
    async fn set() -> Self {
        let mut stage = Stage::set(PatchbaySetup::new()).await;
        let (watch, sink) = (Watch::start().await, Sink::start());
        let body = json!({ "statusUpdateURL": format!("{}/status", sink.url) });
        let reply = stage.client.post("/messaging-service/WhatsApp/WhatsAppClientWebHook", &body).await;
        assert!(matches!(reply.status, 200 | 201), "{}", reply.text);
        stage.client.install("greeter", harness::greeter("Hello")).await;
        stage.send_to(&watch.url).await;
        let postmaster = costs::postmaster(&stage.db).await;
        Self { stage, watch, sink, postmaster, counter: 0 }
    }

    async fn fill(&self, statement: &str, rows: i32) {
        let statement = format!(
            "WITH inbox AS (SELECT client_id, id FROM whatsapp_cloud_inbox LIMIT 1),
             endpoint AS (SELECT id FROM webhook_endpoint WHERE webhook_type = 'STATUS_UPDATE' LIMIT 1),
             minted AS MATERIALIZED (
                 SELECT n, (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || '7000'
                            || '8000' || lpad(to_hex(n), 12, '0'))::uuid AS id
                 FROM generate_series(1, $1) AS n
             ) {statement}"
        );
        let stored = sqlx::query(&statement).bind(rows).execute(&self.stage.db).await.unwrap();
        assert_eq!(stored.rows_affected(), u64::try_from(rows).unwrap());
        self.clean().await;
    }

    /// Removes the waiting rows.
    async fn empty(&self) {
        for table in ["participant_event", "webhook_delivery", "outbound_work"] {
            sqlx::query(&format!("TRUNCATE {table}")).execute(&self.stage.db).await.unwrap();
        }
        self.clean().await;
    }

    /// Maintenance that PostgreSQL would do by itself a little later.
    async fn clean(&self) {
        for table in ["participant_event", "webhook_delivery", "outbound_work"] {
            sqlx::query(&format!("VACUUM ANALYZE {table}")).execute(&self.stage.db).await.unwrap();
        }
        sqlx::query("CHECKPOINT").execute(&self.stage.db).await.unwrap();
    }

    async fn pace(&mut self) -> Pace {
        let send = Times::of(SAMPLES, PATIENCE, async |_| self.send().await).await;
        let answer = Times::of(SAMPLES, PATIENCE, async |number| self.answer(number % CHATS).await).await;
        Pace { send, answer }
    }

    /// From a request to its message at the provider.
    async fn send(&mut self) -> Option<Duration> {
        self.counter += 1;
        let phone = format!("2783{:07}", self.counter);
        let payload = self.stage.client.order_ready(&[&phone]);
        let began = Instant::now();
        self.stage.client.send(&payload).await.accepted();
        self.watch.arrival(&phone, PATIENCE).await.map(|came| came - began)
    }

    /// From a customer's message to the bot's answer at the provider.
    async fn answer(&mut self, chat: usize) -> Option<Duration> {
        self.counter += 1;
        let phone = format!("2784{chat:07}");
        let value = inbound_text(&format!("wamid.in.{}", self.counter), Some(&phone), None, "hello");
        let callback = self.stage.client.callback(value);
        let began = Instant::now();
        let reply = self.stage.patchbay.callback(&callback).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        self.watch.arrival(&phone, PATIENCE).await.map(|came| came - began)
    }

    /// The cost of waiting rows while no message comes.
    async fn idle(&self) -> String {
        let processes = Processes {
            program: self.stage.patchbay.process_id(),
            postmaster: self.postmaster,
            provider: std::process::id(),
            sink: Some(self.sink.process_id()),
        };
        self.settle().await;
        let before = processes.spent();
        tokio::time::sleep(IDLE).await;
        let spent = processes.spent().each(&before, IDLE.as_secs_f64() * 10.0);
        format!("idle, {:.0}% of a core in the program and {:.0}% in PostgreSQL", spent.program, spent.postgresql)
    }

    /// Waits until nothing is due any more.
    async fn settle(&self) {
        loop {
            let due = "SELECT (SELECT count(*) FROM participant_event WHERE due_at <= now())
                + (SELECT count(*) FROM outbound_work WHERE due_at <= now())
                + (SELECT count(*) FROM webhook_delivery WHERE state = 'PENDING' AND due_at <= now())";
            let row = sqlx::query(due).fetch_one(&self.stage.db).await.unwrap();
            if row.get::<i64, _>(0) == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}
