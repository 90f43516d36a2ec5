//! Clients that send, customers that write, and the answers that they got.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use harness::{Patchbay, TestClient, TestPhone};
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// Per client.
const SENDERS: u64 = 2;
const RECIPIENTS: u64 = 60;
const WRITERS: u64 = 4;
/// If a sender gets no answer, it repeats its key this often. After that it is unknown whether the send was accepted.
const TRIES: u32 = 400;

#[derive(Clone)]
pub struct Acknowledged {
    pub client: usize,
    pub key: String,
    pub payload: Value,
    /// Recipient and `ctId` of each message.
    pub messages: Vec<(String, String)>,
    pub response: String,
}

/// The promises to check after the kills.
#[derive(Default)]
pub struct Ledger {
    pub acknowledged: Vec<Acknowledged>,
    /// Keys that were answered again with other bytes.
    pub changed_replays: Vec<String>,
    /// Client, phone and text of each message of a customer.
    pub written: Vec<(usize, String, String)>,
}

pub struct Load {
    ledger: Arc<Mutex<Ledger>>,
    over: Arc<AtomicBool>,
    tasks: JoinSet<()>,
}

impl Load {
    pub fn start(patchbay: &Patchbay, clients: &[TestClient], seed: u64) -> Self {
        let mut load = Self { ledger: Arc::default(), over: Arc::default(), tasks: JoinSet::new() };
        for (position, client) in clients.iter().enumerate() {
            let group = u64::try_from(position).unwrap();
            for sender in 0..SENDERS {
                let sender = Sender {
                    client: client.clone(),
                    position,
                    name: format!("{}-{sender}", client.client_ref),
                    first_phone: 27_820_000_000 + (group * SENDERS + sender) * RECIPIENTS,
                    random: StdRng::seed_from_u64(seed ^ (group * 16 + sender)),
                };
                load.tasks.spawn(sender.run(Arc::clone(&load.ledger), Arc::clone(&load.over)));
            }
            for writer in 0..WRITERS {
                let phone = patchbay.phone(&(27_830_000_000 + group * WRITERS + writer).to_string());
                let (ledger, over) = (Arc::clone(&load.ledger), Arc::clone(&load.over));
                load.tasks.spawn(write(phone, client.number.clone(), position, ledger, over));
            }
        }
        load
    }

    pub async fn until(&self, requests: usize, patience: Duration) {
        let began = Instant::now();
        while self.ledger.lock().unwrap().acknowledged.len() < requests {
            assert!(began.elapsed() < patience, "hardly any request is accepted");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Lets all tasks finish, and returns their records.
    pub async fn stop(mut self) -> Ledger {
        self.over.store(true, Ordering::SeqCst);
        while let Some(ended) = self.tasks.join_next().await {
            ended.unwrap();
        }
        std::mem::take(&mut *self.ledger.lock().unwrap())
    }
}

struct Sender {
    client: TestClient,
    position: usize,
    name: String,
    first_phone: u64,
    random: StdRng,
}

impl Sender {
    async fn run(mut self, ledger: Arc<Mutex<Ledger>>, over: Arc<AtomicBool>) {
        for round in 0.. {
            if over.load(Ordering::SeqCst) {
                return;
            }
            let key = format!("{}-{round}", self.name);
            let (payload, messages) = self.request(&key);
            if let Some(response) = self.send(&payload, &key).await {
                let acknowledged = Acknowledged { client: self.position, key, payload, messages, response };
                self.ask_again_sometimes(&acknowledged, &ledger).await;
                ledger.lock().unwrap().acknowledged.push(acknowledged);
            }
            tokio::time::sleep(Duration::from_millis(self.random.random_range(20..160))).await;
        }
    }

    /// One message, or ten that differ in their text.
    fn request(&mut self, key: &str) -> (Value, Vec<(String, String)>) {
        let count = if self.random.random_bool(0.2) { 10 } else { 1 };
        let start = self.random.random_range(0..RECIPIENTS);
        let messages: Vec<(String, String)> = (0..count)
            .map(|at| ((self.first_phone + (start + at) % RECIPIENTS).to_string(), format!("{key}-{at}")))
            .collect();
        let mut payload = self.client.order_ready(&[]);
        payload["messages"] = messages
            .iter()
            .map(|(to, ct_id)| {
                json!({
                    "recipients": [{ "to": to, "ctId": ct_id }],
                    "components": [
                        { "type": "body", "parameters": ["Thandi", ct_id] },
                        { "type": "button", "parameters": ["42"] },
                    ],
                })
            })
            .collect();
        (payload, messages)
    }

    /// Repeats the send until it is answered, which its key allows.
    async fn send(&self, payload: &Value, key: &str) -> Option<String> {
        for _ in 0..TRIES {
            match self.client.try_send(payload, key).await {
                Some(reply) if reply.status == 202 => return Some(reply.text),
                Some(reply) => assert!(reply.status >= 500, "{}: {}", reply.status, reply.text),
                None => {}
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        None
    }

    async fn ask_again_sometimes(&mut self, known: &Acknowledged, ledger: &Mutex<Ledger>) {
        if !self.random.random_bool(0.1) {
            return;
        }
        let again = self.client.try_send(&known.payload, &known.key).await;
        if let Some(reply) = again.filter(|reply| reply.status == 202)
            && reply.text != known.response
        {
            ledger.lock().unwrap().changed_replays.push(known.key.clone());
        }
    }
}

/// A customer that writes at intervals, even while the server is down.
async fn write(phone: TestPhone, to: String, client: usize, ledger: Arc<Mutex<Ledger>>, over: Arc<AtomicBool>) {
    for round in 0.. {
        if over.load(Ordering::SeqCst) {
            return;
        }
        let text = format!("{} says {round}", phone.msisdn);
        phone.write(&to, &text).await;
        ledger.lock().unwrap().written.push((client, phone.msisdn.clone(), text));
        tokio::time::sleep(Duration::from_millis(700)).await;
    }
}
