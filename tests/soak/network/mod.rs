//! Trouble between the program and what it needs, while sends go on: nothing acknowledged is lost, and nothing is doubled but
//! what was in doubt.

mod proxy;

use std::time::{Duration, Instant};

use harness::{Client, Patchbay, Sink, eventually};
use serde_json::json;
use sqlx::PgPool;

use crate::{kill, sms_kill};
use proxy::{Relay, Target, Trouble};

/// Trouble and calm take turns of this length.
const TURN: Duration = Duration::from_secs(5);
/// One way of a slow network.
const DELAY: Duration = Duration::from_millis(200);
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
    let sink = Sink::start().await;
    let clients = kill::clients(&patchbay, &sink).await;
    let db = PgPool::connect(patchbay.database_url()).await.unwrap();
    let relay = match network.link {
        Link::Database => database_behind(&mut patchbay).await,
        Link::Webhooks | Link::Smsc => webhooks_behind(&mut patchbay, &clients, &sink).await,
    };
    let load = kill::Load::start(&patchbay, &clients, SEED);
    make_trouble(&relay, network.trouble, length).await;
    let normal = normal_again(&patchbay, &clients[1], &sink).await;
    let ledger = load.stop().await;
    kill::drain(&db, &patchbay).await;
    let counts = kill::verdict::judge(&patchbay, &db, &clients, &sink, &ledger).await;
    format!("normal after {:.1} s; {counts}", normal.as_secs_f64())
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
async fn webhooks_behind(patchbay: &mut Patchbay, clients: &[Client], sink: &Sink) -> Relay {
    let url = sink.url("");
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    let relay = Relay::to(Target::Tcp(address.parse().unwrap())).await;
    patchbay.set("webhooks.retry_schedule", r#"["1s", "2s", "2s", "3s", "3s", "5s", "5s", "5s", "10s", "10s", "20s"]"#);
    patchbay.set("limits.webhook_timeout", "3s");
    restart(patchbay).await;
    for client in clients {
        let at = |path: &str| format!("http://{}/{path}", relay.address);
        let body = json!({
            "incomingMessageURL": at("incoming"), "statusUpdateURL": at("status"), "chatbotWebhookURL": at("chatbot"),
            "chatbotIncludeOutgoing": true, "chatbotPayloadVersion": "v2",
        });
        let reply = client.post("/messaging-service/WhatsApp/WhatsAppClientWebHook", &body).await;
        assert!(matches!(reply.status, 200 | 201), "{}", reply.text);
    }
    relay
}

async fn restart(patchbay: &mut Patchbay) {
    assert_eq!(patchbay.terminate().await, Some(0));
    patchbay.launch().await;
}

/// How long it takes until a new send is acknowledged, is on its phone, and has been reported as delivered.
async fn normal_again(patchbay: &Patchbay, client: &Client, sink: &Sink) -> Duration {
    let began = Instant::now();
    let to = "27829999999";
    let mut payload = client.order_ready(&[to]);
    payload["messages"][0]["components"][0]["parameters"][1] = json!("normal");
    payload["messages"][0]["recipients"][0]["ctId"] = json!("normal-again");
    eventually("a send to be acknowledged", || async {
        let reply = client.try_send(&payload, "normal-again").await;
        reply.filter(|reply| reply.status == 202).map(drop)
    })
    .await;
    patchbay.phone(to).receives("the first message after the trouble", |_| true).await;
    client.statuses(sink, "normal-again", "DELIVERED").await;
    began.elapsed()
}

async fn smsc(trouble: Trouble, length: Duration) -> String {
    let mut patchbay = sms_kill::start().await;
    let relay = Relay::to(Target::Tcp(patchbay.smsc_address())).await;
    let bind = format!("smpp://patchbay:secret@{}?name=pair&window=8", relay.address);
    patchbay.set("smpp.url", &format!("{bind},{bind}"));
    patchbay.set("smpp.response_timeout", "5s");
    restart(&mut patchbay).await;
    let sending = sms_kill::Sending::start(&patchbay).await;
    make_trouble(&relay, trouble, length).await;
    let normal = sms_normal_again(&patchbay, &sending.clients[0]).await;
    let counts = sending.stop_and_judge(&patchbay).await;
    // A submit whose answer did not come may have been taken (ADR 0043): only such a one comes twice.
    assert!(counts.doubles <= counts.in_doubt, "{counts}");
    format!("normal after {:.1} s; {counts}", normal.as_secs_f64())
}

/// How long it takes until a new SMS is acknowledged and on its phone.
async fn sms_normal_again(patchbay: &Patchbay, client: &Client) -> Duration {
    let began = Instant::now();
    let to = "27829999999";
    let body = json!({ "ctid": "normal-again", "recipients": [{ "to": to }], "messageText": "normal" });
    assert_eq!(patchbay.sms(client, "/sms/json", &body).await.status, 200);
    patchbay.phone(to).receives("the first SMS after the trouble", |_| true).await;
    began.elapsed()
}
