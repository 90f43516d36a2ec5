//! A quiet client of the real program next to a crowd: clients with plugins that wait 4.5 s, or fill 88 MB, in many chats
//! each. The quiet client's bot and webhooks are compared with the time before the crowd wrote.
//!
//! `CROWD=9` measures only crowds of so many clients at most, and `CROWD_CHATS=50` with so many chats of each.

use std::time::{Duration, Instant};

use harness::{Patchbay, PatchbaySetup, TestClient, inbound_text};
use serde_json::{Value, json};
use sqlx::Row;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::{
    events,
    memory::resident,
    provider::Watch,
    stage::Stage,
    table::{Bar, Figure},
    timing::Times,
};

/// Clients that misbehave together.
struct Crowd {
    bot: &'static str,
    webhook: &'static str,
    clients: usize,
    chats: usize,
    /// The action of their plugins.
    deed: &'static str,
    /// Messages in each chat: a call that waits is not over before all is measured, one that computes is.
    messages: usize,
}

const CROWDS: [Crowd; 4] = [
    Crowd {
        bot: "a bot's answer while 9 clients wait in 200 chats each",
        webhook: "a webhook while those 9 wait",
        clients: 9,
        chats: 200,
        deed: "sleep 4500",
        messages: 1,
    },
    Crowd {
        bot: "a bot's answer while 60 such clients wait",
        webhook: "a webhook while those 60 wait",
        clients: 60,
        chats: 200,
        deed: "sleep 4500",
        messages: 1,
    },
    Crowd {
        bot: "a bot's answer while 600 such clients wait",
        webhook: "a webhook while those 600 wait",
        clients: 600,
        chats: 200,
        deed: "sleep 4500",
        messages: 1,
    },
    Crowd {
        bot: "a bot's answer while 6 clients fill 88 MB in 100 chats each",
        webhook: "a webhook while those 6 fill it",
        clients: 6,
        chats: 100,
        deed: "allocate 88",
        messages: 20,
    },
];

/// Messages of the quiet client's customers in a series.
const SAMPLES: usize = 500;
/// Its chats: few messages in each, so that no customer's pace is reached.
const CHATS: usize = 50;
/// Between one of them and the next, so that a series lasts as long as a few calls that wait.
const PAUSE: Duration = Duration::from_millis(20);
/// A message that has not arrived by then counts with this time.
const PATIENCE: Duration = Duration::from_secs(20);
/// Time after which everything that a crowd can fill is full.
const SETTLING: Duration = Duration::from_secs(6);
/// Messages that one callback brings.
const IN_ONE_CALLBACK: usize = 50;

pub async fn measure() -> Vec<Figure> {
    let most_clients = number("CROWD").unwrap_or(usize::MAX);
    let most_chats = number("CROWD_CHATS").unwrap_or(usize::MAX);
    let mut figures = Vec::new();
    for crowd in CROWDS.into_iter().filter(|crowd| crowd.clients <= most_clients) {
        let chats = crowd.chats.min(most_chats);
        figures.extend(Scene::set(&crowd).await.run(&Crowd { chats, ..crowd }).await);
    }
    figures
}

fn number(variable: &str) -> Option<usize> {
    std::env::var(variable).ok()?.parse().ok()
}

/// How long the quiet client's customers waited, and its webhooks took.
struct Pace {
    answer: Times,
    webhook: Times,
}

struct Scene {
    stage: Stage,
    watch: Watch,
    /// Texts of messages that reached the webhook, and when.
    told: UnboundedReceiver<(String, Instant)>,
    crowd: Vec<TestClient>,
    /// Messages so far: each needs an id of its own.
    counter: usize,
}

impl Scene {
    /// The program with all clients, each with a plugin in force, before any message.
    async fn set(crowd: &Crowd) -> Self {
        let mut stage = Stage::set(PatchbaySetup::new().with_guests()).await;
        let (url, told) = events::sink().await;
        let body = json!({ "incomingMessageURL": format!("{url}/quiet") });
        let reply = stage.client.post("/messaging-service/WhatsApp/WhatsAppClientWebHook", &body).await;
        assert!(matches!(reply.status, 200 | 201), "{}", reply.text);
        stage.client.install("greeter", harness::greeter("Hello")).await;
        let mut members = Vec::with_capacity(crowd.clients);
        for at in 0..crowd.clients {
            members.push(member(&stage.patchbay, at).await);
        }
        let watch = Watch::start().await;
        stage.send_to(&watch.url).await;
        for member in &members {
            member.activate("hostile-bot").await;
        }
        Self { stage, watch, told, crowd: members, counter: 0 }
    }

    async fn run(mut self, crowd: &Crowd) -> [Figure; 2] {
        // Twice: the first series fills every cache.
        self.pace().await;
        let (quiet, memory) = (self.pace().await, resident(&self.stage));
        let began = Instant::now();
        self.gather(crowd).await;
        tokio::time::sleep(SETTLING).await;
        let before = self.waiting().await;
        let crowded = self.pace().await;
        let (left, grown) = (self.waiting().await, resident(&self.stage));
        let mut notes = vec![
            format!("quiet: an answer {}; a webhook {}; {memory:.0} MB resident", quiet.answer, quiet.webhook),
            format!("with the crowd: an answer {}; a webhook {}", crowded.answer, crowded.webhook),
            format!(
                "{} chats each; {before} events of the crowd waited when the series began, {left} when it ended, {:.0?} after \
                 the first was written; {grown:.0} MB resident then",
                crowd.chats,
                began.elapsed()
            ),
        ];
        if left == 0 {
            notes.push("THE CROWD WAS GONE before the series ended: this figure says nothing".to_owned());
        }
        let figure = |name, quiet: &Times, crowded: &Times, notes| Figure {
            name,
            unit: "ms, 99th percentile",
            measured: crowded.p99(),
            floor: Some(quiet.p99()),
            floor_name: "the same program before the crowd wrote".to_owned(),
            bar: Bar::AtMostTimes(1.1),
            notes,
        };
        [
            figure(crowd.bot, &quiet.answer, &crowded.answer, notes),
            figure(crowd.webhook, &quiet.webhook, &crowded.webhook, Vec::new()),
        ]
    }

    /// Customers of the quiet client write, one after the other.
    async fn pace(&mut self) -> Pace {
        let (mut answers, mut webhooks) = (Vec::with_capacity(SAMPLES), Vec::with_capacity(SAMPLES));
        for _ in 0..SAMPLES {
            self.counter += 1;
            let (text, phone) = (format!("hello-{}", self.counter), format!("2784{:07}", self.counter % CHATS));
            let value = inbound_text(&format!("wamid.in.{text}"), Some(&phone), None, &text);
            let callback = self.stage.client.callback(value);
            let began = Instant::now();
            let reply = self.stage.patchbay.callback(&callback).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
            let since = |when: Option<Instant>| when.map_or(PATIENCE, |when| when - began);
            answers.push(since(self.watch.arrival(&phone, PATIENCE).await));
            webhooks.push(since(self.told_of(&text).await));
            tokio::time::sleep(PAUSE).await;
        }
        Pace { answer: Times::from(answers), webhook: Times::from(webhooks) }
    }

    /// When the webhook about this text came.
    async fn told_of(&mut self, text: &str) -> Option<Instant> {
        let find = async {
            loop {
                let (told, when) = self.told.recv().await?;
                if told == text {
                    return Some(when);
                }
            }
        };
        tokio::time::timeout(PATIENCE, find).await.ok().flatten()
    }

    /// All customers of the crowd write. Returns when their messages are with the plugins.
    async fn gather(&self, crowd: &Crowd) {
        for message in 0..crowd.messages {
            for (at, member) in self.crowd.iter().enumerate() {
                let chats: Vec<usize> = (0..crowd.chats).collect();
                for some in chats.chunks(IN_ONE_CALLBACK) {
                    let values = some.iter().map(|chat| {
                        let (id, phone) = (format!("wamid.in.{at}.{chat}.{message}"), format!("2785{at:03}{chat:04}"));
                        inbound_text(&id, Some(&phone), None, crowd.deed)
                    });
                    let reply = self.stage.patchbay.callback(&member.callback(together(values))).await;
                    assert_eq!(reply.status, 200, "{}", reply.text);
                }
            }
        }
        loop {
            let row = sqlx::query("SELECT EXISTS (SELECT 1 FROM callback)").fetch_one(&self.stage.db).await.unwrap();
            if !row.get::<bool, _>(0) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Events that plugins have not answered.
    async fn waiting(&self) -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM participant_event").fetch_one(&self.stage.db).await.unwrap()
    }
}

/// A client with a number and without templates: six hundred of them are made.
async fn member(patchbay: &Patchbay, at: usize) -> TestClient {
    let mut client = patchbay.bare_client(&format!("crowd-{at}"));
    client.number = format!("2712{at:07}");
    let (node, account) = (format!("1{}", client.number), format!("2{}", client.number));
    let simulated = json!({ "phoneNumberId": node, "wabaId": account, "number": client.number });
    patchbay.simulate("/simulator/numbers", &simulated).await;
    let whose = ["--client", &client.client_ref, "--number", &client.number, "--provider", "WHATSAPP_CLOUD"];
    let provider = ["--phone-number-id", &node, "--waba-id", &account, "--access-token", "token-of-the-benchmark"];
    patchbay.admin(&[&["number", "add"], &whose[..], &provider[..]].concat());
    client
}

/// Several callbacks about one number in one.
fn together(values: impl Iterator<Item = Value>) -> Value {
    let mut all = json!({ "contacts": [], "messages": [] });
    for mut value in values {
        for list in ["contacts", "messages"] {
            let entries = value[list].as_array_mut().unwrap().drain(..);
            all[list].as_array_mut().unwrap().extend(entries);
        }
    }
    all
}
