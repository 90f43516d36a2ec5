//! Callers that read: lists, logins, and live events over a WebSocket that is opened again at another node.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use futures::StreamExt;
use harness::TestClient;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_tungstenite::{connect_async, tungstenite::Message, tungstenite::client::IntoClientRequest};

use super::balancer::Balancer;
use crate::stage::PASSWORD;

const EVENTS: &str = "/chat-service/api/v2/events";
const LOGIN: &str = "/messaging-service/WhatsApp/authenticate/retrieveApiKey";
const LISTS: [&str; 3] = [
    "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser",
    "/messaging-service/WhatsApp/templates?size=5",
    "/messaging-service/WhatsApp/WhatsAppClientWebHook/getForCurrentLoginUser",
];
const PAUSE: Duration = Duration::from_millis(100);
/// Reads until the next login.
const READS: usize = 10;
/// Each event arrives within this time.
const PATIENCE: Duration = Duration::from_secs(120);

/// Texts of customers, and how often an event told of them.
type Heard = Arc<Mutex<HashMap<String, usize>>>;

pub struct Readers {
    heard: Heard,
    connections: Arc<AtomicUsize>,
    over: Arc<AtomicBool>,
    tasks: JoinSet<()>,
}

impl Readers {
    /// Reads as this client, whose base URL is the balancer.
    pub async fn start(balancer: &Arc<Balancer>, client: &TestClient) -> Self {
        let mut readers =
            Self { heard: Heard::default(), connections: Arc::default(), over: Arc::default(), tasks: JoinSet::new() };
        readers.tasks.spawn(read(client.clone(), Arc::clone(&readers.over)));
        let (heard, connections) = (Arc::clone(&readers.heard), Arc::clone(&readers.connections));
        readers.tasks.spawn(listen(Arc::clone(balancer), client.key.clone(), heard, Arc::clone(&connections)));
        while connections.load(Ordering::SeqCst) == 0 {
            tokio::time::sleep(PAUSE).await;
        }
        readers
    }

    /// Ends the load, and checks that there was one event for each of these texts.
    pub async fn stop_and_judge(mut self, written: &[String]) -> String {
        let began = Instant::now();
        let missing = || -> Vec<String> {
            let heard = self.heard.lock().unwrap();
            written.iter().filter(|text| !heard.contains_key(*text)).cloned().collect()
        };
        while !missing().is_empty() {
            assert!(began.elapsed() < PATIENCE, "messages without a live event: {:?}", missing());
            tokio::time::sleep(PAUSE).await;
        }
        self.over.store(true, Ordering::SeqCst);
        self.tasks.join_next().await.unwrap().unwrap();
        self.tasks.abort_all();
        let heard = self.heard.lock().unwrap();
        let repeated: Vec<_> = heard.iter().filter(|(_, count)| **count > 1).collect();
        assert!(repeated.is_empty(), "live events that came again: {repeated:?}");
        format!("{} live events over {} connections", heard.len(), self.connections.load(Ordering::SeqCst))
    }
}

async fn read(client: TestClient, over: Arc<AtomicBool>) {
    for round in 0.. {
        if over.load(Ordering::SeqCst) {
            return;
        }
        client.get(LISTS[round % LISTS.len()]).await.ok();
        if round % READS == 0 {
            let email = format!("{}@example.com", client.client_ref);
            let body = json!({ "email": email, "password": PASSWORD, "clientRef": client.client_ref });
            client.post(LOGIN, &body).await.ok();
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Follows the live events. After the end of a connection it goes on at the next node.
async fn listen(balancer: Arc<Balancer>, key: String, heard: Heard, connections: Arc<AtomicUsize>) {
    let mut last: Option<i64> = None;
    loop {
        let after = last.map(|sequence| format!("?after={sequence}")).unwrap_or_default();
        let Some(node) = balancer.next_node() else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let url = format!("{}{EVENTS}{after}", node.replace("http://", "ws://"));
        let mut request = url.into_client_request().unwrap();
        request.headers_mut().insert("authorization", key.parse().unwrap());
        let Ok((mut socket, _)) = connect_async(request).await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        connections.fetch_add(1, Ordering::SeqCst);
        while let Some(Ok(message)) = socket.next().await {
            let Message::Text(text) = message else { continue };
            let event: Value = serde_json::from_str(&text).unwrap();
            assert_ne!(event["type"], "resync", "events are gone: {event}");
            last = event["sequence"].as_i64().or(last);
            if event["type"] == "message.received" {
                *heard.lock().unwrap().entry(event["message"]["text"].as_str().unwrap().to_owned()).or_default() += 1;
            }
        }
    }
}
