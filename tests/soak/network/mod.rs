//! Trouble between the program and what it needs, during sends: nothing acknowledged is lost, and nothing is doubled but
//! what was in doubt.

mod proxy;

use std::{
    cell::Cell,
    future::Future,
    time::{Duration, Instant},
};

use harness::{Patchbay, TestClient, WebhookSink};
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::{kill, sms_kill};
use proxy::{Relay, Target, Trouble};

/// The webhook configurations of a client.
const CONFIGURATION: &str = "/messaging-service/WhatsApp/WhatsAppClientWebHook";
/// A request that reads rows.
const NUMBERS: &str = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser";
/// Trouble and calm take turns of this length.
const TURN: Duration = Duration::from_secs(5);
/// One way of a slow network.
const DELAY: Duration = Duration::from_millis(200);
/// Everything is normal after this time at the latest.
const PATIENCE: Duration = Duration::from_secs(180);
/// The phone of the first message after the trouble.
const PROBED: &str = "27829999999";
/// Where the seeds of the load begin.
const SEED: u64 = 20_261_126;

/// The way that is in trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    Database,
    Webhooks,
    Smsc,
}

/// A case.
pub struct Network {
    pub name: &'static str,
    link: Link,
    trouble: Trouble,
}

/// All cases, in the order in which they run.
pub fn networks() -> Vec<Network> {
    use Link::{Database, Smsc, Webhooks};
    let case = |name, link, trouble| Network { name, link, trouble };
    vec![
        case("database-delay", Database, Trouble::Delay(DELAY)),
        case("database-freeze", Database, Trouble::Freeze),
        case("database-loss", Database, Trouble::Loss),
        case("database-reset", Database, Trouble::Reset),
        case("database-cut", Database, Trouble::Cut),
        case("smsc-delay", Smsc, Trouble::Delay(DELAY)),
        case("smsc-freeze", Smsc, Trouble::Freeze),
        case("smsc-loss", Smsc, Trouble::Loss),
        case("smsc-reset", Smsc, Trouble::Reset),
        case("smsc-cut", Smsc, Trouble::Cut),
        case("webhooks-delay", Webhooks, Trouble::Delay(DELAY)),
        case("webhooks-freeze", Webhooks, Trouble::Freeze),
        case("webhooks-loss", Webhooks, Trouble::Loss),
        case("webhooks-reset", Webhooks, Trouble::Reset),
        case("webhooks-cut", Webhooks, Trouble::Cut),
    ]
}

/// Runs a case; answers what was counted.
///
/// # Panics
///
/// When something was lost, doubled, or does not become normal again.
pub async fn run(network: &Network, length: Duration) -> String {
    match network.link {
        Link::Smsc => smsc(network.trouble, length).await,
        Link::Database | Link::Webhooks => whatsapp(network, length).await,
    }
}

/// The trouble comes and goes, but for a delay, which is always there.
async fn make_trouble(relay: &Relay, trouble: Trouble, length: Duration) {
    let began = Instant::now();
    while began.elapsed() < length {
        relay.make(trouble);
        tokio::time::sleep(TURN.min(length)).await;
        if !matches!(trouble, Trouble::Delay(_) | Trouble::Cut) {
            relay.make(Trouble::None);
            tokio::time::sleep(TURN.min(length)).await;
        }
    }
    relay.make(trouble);
    tokio::time::sleep(TURN.min(length)).await;
    relay.make(Trouble::None);
}

async fn whatsapp(network: &Network, length: Duration) -> String {
    let mut patchbay = kill::start().await;
    let sink = WebhookSink::start().await;
    let mut clients = kill::clients(&patchbay, &sink).await;
    let probe = patchbay.client("probe", "27110000009").await;
    probe.webhooks_to(&sink, "v2").await;
    clients.push(probe);
    let db = PgPool::connect(patchbay.database_url()).await.unwrap();
    let relay = match network.link {
        Link::Database => database_behind(&mut patchbay).await,
        Link::Webhooks | Link::Smsc => webhooks_behind(&mut patchbay, &clients, &sink).await,
    };
    let probe = &clients[clients.len() - 1];
    let load = kill::Load::start(&patchbay, &clients[..clients.len() - 1], SEED);
    let trouble = make_trouble(&relay, network.trouble, length);
    let answered = match (network.link, network.trouble) {
        (Link::Database, Trouble::Delay(_)) => all_answered_during(trouble, &patchbay, probe).await,
        _ => {
            trouble.await;
            String::new()
        }
    };
    let normal = normal_again(&patchbay, probe, &sink).await;
    let ledger = load.stop().await;
    every_callback_has_come(&patchbay, &db, ledger.written.len()).await;
    kill::drain(&db, &patchbay).await;
    let counts = kill::verdict::judge(&patchbay, &db, &clients, &sink, &ledger).await;
    format!("{answered}normal after {:.1} s; {counts}", normal.as_secs_f64())
}

/// A slow database is not a dead one: each probe and each request is answered, however long it takes.
async fn all_answered_during(trouble: impl Future<Output = ()>, patchbay: &Patchbay, client: &TestClient) -> String {
    let (asked, longest) = (Cell::new(0), Cell::new(Duration::ZERO));
    let asking = async {
        loop {
            let ready = patchbay.get("/readyz").await;
            assert_eq!(ready.status, 200, "/readyz: {}", ready.text);
            let began = Instant::now();
            let numbers = client.get(NUMBERS).await;
            assert_eq!(numbers.status, 200, "{}", numbers.text);
            asked.set(asked.get() + 1);
            longest.set(longest.get().max(began.elapsed()));
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    tokio::select! {
        () = trouble => {}
        () = asking => {}
    }
    format!("{} requests and probes answered, after {:.1} s at most; ", asked.get(), longest.get().as_secs_f64())
}

/// From now on, the way to the database leads through a relay.
async fn database_behind(patchbay: &mut Patchbay) -> Relay {
    let url = patchbay.database_url().to_owned();
    let (front, folder) = url.split_once("?host=").expect("the database of tests has a Unix socket");
    let (_, database) = front.rsplit_once('/').unwrap();
    let relay = Relay::to(Target::Unix(std::path::Path::new(folder).join(".s.PGSQL.5432"))).await;
    patchbay.set("database.url", &format!("postgres://patchbay@{}/{database}", relay.address));
    restart(patchbay).await;
    relay
}

/// From now on, the way to the webhook receiver leads through a relay.
async fn webhooks_behind(patchbay: &mut Patchbay, clients: &[TestClient], sink: &WebhookSink) -> Relay {
    let url = sink.url("");
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    let relay = Relay::to(Target::Tcp(address.parse().unwrap())).await;
    patchbay.set("webhooks.retry_schedule", r#"["1s", "2s", "2s", "3s", "3s", "5s", "5s", "5s", "10s", "10s", "20s"]"#);
    patchbay.set("limits.webhook_timeout", "3s");
    patchbay.set("limits.webhook_connect_timeout", "2s");
    restart(patchbay).await;
    for client in clients {
        let at = |path: &str| format!("http://{}/{path}", relay.address);
        let current = client.get(&format!("{CONFIGURATION}/getForCurrentLoginUser")).await.ok();
        let body = json!({
            "id": current["id"], "incomingMessageURL": at("incoming"), "statusUpdateURL": at("status"), "chatbotWebhookURL": at("chatbot"),
            "chatbotIncludeOutgoing": true, "chatbotPayloadVersion": "v2",
        });
        client.request(Method::PUT, CONFIGURATION, Some(&body), &[]).await.ok();
    }
    relay
}

async fn restart(patchbay: &mut Patchbay) {
    assert_eq!(patchbay.terminate().await, Some(0));
    patchbay.launch().await;
}

/// How long it takes until a new send is acknowledged, is on its phone, and has been reported as delivered. The client sends
/// nothing else, so that its message waits behind no other.
async fn normal_again(patchbay: &Patchbay, client: &TestClient, sink: &WebhookSink) -> Duration {
    let began = Instant::now();
    let payload = client.order_ready(&[PROBED]);
    let ct_id = format!("ct-{PROBED}");
    until("a send is acknowledged", || async {
        let reply = client.try_send(&payload, "normal-again").await;
        reply.is_some_and(|reply| reply.status == 202)
    })
    .await;
    let phone = patchbay.phone(PROBED);
    until("the message is on its phone", || async { !phone.inbox().await.is_empty() }).await;
    let is_delivered = |body: &Value| body["ctId"] == *ct_id && body["status"] == "DELIVERED";
    until("the webhook comes", || async { sink.bodies("status").iter().any(is_delivered) }).await;
    began.elapsed()
}

/// Waits until the provider has called back about every message of a customer. It repeats a callback after up to 30 s, and at once if
/// it is told to.
async fn every_callback_has_come(patchbay: &Patchbay, db: &PgPool, written: usize) {
    let written = i64::try_from(written).unwrap();
    until("every message of a customer is stored", || async {
        patchbay.simulate("/simulator/retry", &json!({})).await;
        let stored = sqlx::query_scalar("SELECT count(*) FROM chat_message WHERE direction = 'INCOMING'").fetch_one(db);
        stored.await.is_ok_and(|stored: i64| stored >= written)
    })
    .await;
}

/// Waits for something that must happen after the trouble.
async fn until<F: Future<Output = bool>>(event: &str, happened: impl Fn() -> F) {
    let began = Instant::now();
    while !happened().await {
        assert!(began.elapsed() < PATIENCE, "{PATIENCE:?} after the trouble it is not true that {event}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn smsc(trouble: Trouble, length: Duration) -> String {
    let mut patchbay = sms_kill::start().await;
    let relay = Relay::to(Target::Tcp(patchbay.smsc_address())).await;
    let bind = format!("smpp://patchbay:secret@{}?name=pair&window=8", relay.address);
    patchbay.set("smpp.url", &format!("{bind},{bind}"));
    patchbay.set("smpp.response_timeout", "5s");
    restart(&mut patchbay).await;
    let probe = patchbay.bare_client("probe");
    patchbay.credits(&probe, 10);
    let sending = sms_kill::Sending::start(&patchbay).await;
    make_trouble(&relay, trouble, length).await;
    let normal = sms_normal_again(&patchbay, &probe).await;
    let counts = sending.stop_and_judge(&patchbay).await;
    // A submit whose answer did not come may have been taken (ADR 0043): only such a one comes twice.
    assert!(counts.doubles <= counts.in_doubt, "{counts}");
    format!("normal after {:.1} s; {counts}", normal.as_secs_f64())
}

/// How long it takes until a new SMS is acknowledged and on its phone.
async fn sms_normal_again(patchbay: &Patchbay, client: &TestClient) -> Duration {
    let began = Instant::now();
    let body = json!({ "ctid": "normal-again", "recipients": [{ "to": PROBED }], "messageText": "normal" });
    assert_eq!(patchbay.sms(client, "/sms/json", &body).await.status, 200);
    let phone = patchbay.phone(PROBED);
    until("the SMS is on its phone", || async { !phone.inbox().await.is_empty() }).await;
    began.elapsed()
}
