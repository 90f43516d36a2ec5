//! WhatsApp Lite: numbers that are paired as a device of a phone (SPEC 3.3, 6.3, 8; `docs/rules/lite.md`).

mod bridge;
mod messages;
mod processing;
mod sessions;
mod waha;

use harness::{ClientReply, Patchbay, TestClient, TestPhone, WebhookSink, eventually};
use reqwest::Method;
use serde_json::{Value, json};

/// A client with a Lite number and a sink for its webhooks.
struct Lite<'p> {
    patchbay: &'p Patchbay,
    client: TestClient,
    sink: WebhookSink,
    number: String,
    id: String,
}

impl<'p> Lite<'p> {
    /// A number that is not connected yet.
    async fn new(patchbay: &'p Patchbay, client: TestClient, number: &str) -> Self {
        let id = patchbay.lite_number(&client, number);
        let mut client = client;
        client.number = number.to_owned();
        let sink = WebhookSink::start().await;
        let body = json!({
            "incomingMessageURL": sink.url("incoming"),
            "statusUpdateURL": sink.url("status"),
            "sessionStatusURL": sink.url("session"),
        });
        client.post("/messaging-service/WhatsApp/WhatsAppClientWebHook", &body).await.ok();
        Self { patchbay, client, sink, number: number.to_owned(), id }
    }

    async fn connected(patchbay: &'p Patchbay, client: TestClient, number: &str) -> Self {
        let lite = Self::new(patchbay, client, number).await;
        lite.pair().await;
        lite
    }

    async fn pair(&self) {
        self.ask(Method::POST, "/connect", None).await.accepted();
        self.waits_for_scan().await;
        self.device("scan", &json!({})).await;
        self.told(UP).await;
    }

    async fn waits_for_scan(&self) -> String {
        eventually("a QR code", || async {
            let reply = self.ask(Method::GET, "/qr", None).await;
            (reply.status == 200).then(|| reply.json()["qr"].as_str().unwrap().to_owned())
        })
        .await
    }

    /// Makes a request about the session of the number.
    async fn ask(&self, method: Method, rest: &str, body: Option<&Value>) -> ClientReply {
        let path = format!("/messaging-service/WhatsApp/WhatsAppLiteSessions/{}{rest}", self.id);
        self.client.request(method, &path, body, &[]).await
    }

    async fn session(&self) -> Value {
        self.ask(Method::GET, "", None).await.ok()
    }

    async fn device(&self, what: &str, body: &Value) -> Value {
        self.patchbay.simulate(&format!("/lite/devices/{}/{what}", self.number), body).await
    }

    async fn befalls(&self, event: &str) {
        self.device("befall", &json!({ "event": event })).await;
    }

    /// Waits for a session event with this text, and returns all texts so far.
    async fn told(&self, text: &str) -> Vec<String> {
        eventually(&format!("`{text}` of {}", self.number), || async {
            let texts = self.texts();
            texts.iter().any(|told| told == text).then_some(texts)
        })
        .await
    }

    /// The texts of the session events so far, in the order of the events. If a first attempt fails, the webhook
    /// arrives later than others.
    fn texts(&self) -> Vec<String> {
        let mut bodies = self.sink.bodies("session");
        bodies.sort_by_key(|body| body["timestamp"].as_i64());
        bodies.iter().map(|body| body["status"].as_str().unwrap().to_owned()).collect()
    }

    async fn up_times(&self, times: usize) {
        eventually(&format!("connection {times}"), || async {
            (self.texts().iter().filter(|text| *text == UP).count() >= times).then_some(())
        })
        .await;
    }

    async fn sends(&self, to: &TestPhone, text: &str) {
        self.client.send(&self.client.chat(&to.msisdn, text)).await.accepted();
    }
}

/// The last event text while a number connects.
const UP: &str = "Sync Complete. You can now send messages";
