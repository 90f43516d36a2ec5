//! A client that sends SMS through the JSON gateway.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use harness::{Patchbay, TestClient};
use serde_json::{Value, json};
use sqlx::PgPool;
use tokio::task::JoinHandle;

const PHONES: usize = 30;
const PAUSE: Duration = Duration::from_millis(100);
/// Every SMS has its receipt within this time.
const PATIENCE: Duration = Duration::from_secs(180);

/// Number and text of each acknowledged SMS.
type Ledger = Arc<Mutex<Vec<(String, String)>>>;

pub struct SmsLoad {
    ledger: Ledger,
    over: Arc<AtomicBool>,
    sender: JoinHandle<()>,
}

impl SmsLoad {
    /// Sends to this base URL.
    pub fn start(base: &str, client: &TestClient) -> Self {
        let (ledger, over) = (Ledger::default(), Arc::<AtomicBool>::default());
        let sender = send(base.to_owned(), client.key.clone(), Arc::clone(&ledger), Arc::clone(&over));
        Self { ledger, over, sender: tokio::spawn(sender) }
    }

    /// Ends the load, and checks that each acknowledged SMS was delivered to its phone once.
    pub async fn stop_and_judge(self, patchbay: &Patchbay, db: &PgPool) -> String {
        self.over.store(true, Ordering::SeqCst);
        self.sender.await.unwrap();
        let acknowledged = self.ledger.lock().unwrap().clone();
        let began = Instant::now();
        loop {
            let open: Vec<Value> = sqlx::query_scalar(
                "SELECT jsonb_build_array(recipient, ct_id, state) FROM sms_message WHERE state <> 'DELIVERED'",
            )
            .fetch_all(db)
            .await
            .unwrap();
            if open.is_empty() {
                break;
            }
            assert!(began.elapsed() < PATIENCE, "SMS without a receipt: {open:?}");
            tokio::time::sleep(PAUSE).await;
        }
        let mut got: HashMap<(String, String), usize> = HashMap::new();
        for phone in 0..PHONES {
            let number = number(phone);
            for message in patchbay.phone(&number).inbox().await {
                *got.entry((number.clone(), message["text"].as_str().unwrap().to_owned())).or_default() += 1;
            }
        }
        let wrong: Vec<_> = acknowledged.iter().filter(|sms| got.get(sms) != Some(&1)).collect();
        assert!(wrong.is_empty(), "SMS that did not arrive once: {wrong:?}");
        format!("{} SMS, each once", acknowledged.len())
    }
}

fn number(phone: usize) -> String {
    format!("2784{phone:07}")
}

async fn send(base: String, key: String, ledger: Ledger, over: Arc<AtomicBool>) {
    let http = reqwest::Client::new();
    for round in 0.. {
        if over.load(Ordering::SeqCst) {
            return;
        }
        let (number, text) = (number(round % PHONES), format!("SMS {round}"));
        let body = json!({ "ctid": text, "recipients": [{ "to": number }], "messageText": text });
        let request = http.post(format!("{base}/sms/json")).header("X-API-Key", &key).json(&body);
        let answer = request.send().await.expect("the balancer answers");
        assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
        ledger.lock().unwrap().push((number, text));
        tokio::time::sleep(PAUSE).await;
    }
}
