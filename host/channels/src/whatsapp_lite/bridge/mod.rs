//! Devices behind an HTTP bridge with the API of WAHA (PROVIDERS D.3, D.4). Steps from `SCAN_QR_CODE` to `WORKING` are
//! one.

mod callback;
mod ids;
mod other_events;

use std::{path::Path, sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    address::{Address, LID_SERVER},
    carriage::SendFailure,
    content::MediaKind,
    inbound::ProviderFailure,
    lite::SessionNews,
};
use parking_lot::Mutex;
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde_json::{Map, Value, json};

use super::{
    BridgeCallback, BridgeCallbackRefused, DeviceContent, DeviceEvent, DeviceFailure, DeviceMessage, DeviceNews,
    LiteDevice, LiteDevices, LiteNumber, QrCode, REFUSED_BY_DEVICE, phone_address,
};
use crate::{
    http::{ClientBuildError, OperatorClient, PostError, body_within, operator_client},
    media_download::{DownloadedMedia, MediaError, MediaExpectation, fetch_file},
    provider_json,
};
use callback::fields::customer_of;
pub use callback::is_signature;
use ids::stanza;

/// Longest time for a call, because a send may download a file first.
const CALL_TIMEOUT: Duration = Duration::from_secs(60);
/// How often a bridge is asked for the state of a session.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Codes change about as often.
const CODE_SECONDS: u32 = 20;
/// `message.any` has the messages of customers and those of the business on its phone.
const EVENTS: [&str; 7] = [
    "message.any",
    "message.ack",
    "message.reaction",
    "message.edited",
    "message.revoked",
    "message.waiting",
    "session.status",
];
/// Time until the next check of a session that does not work.
const NOT_CONNECTED: Duration = Duration::from_secs(5);

#[derive(Clone)]
pub struct BridgeSettings {
    pub url: String,
    /// `X-Api-Key`; empty if the bridge needs none.
    pub api_key: String,
    pub webhook_secret: String,
    pub public_url: String,
}

#[derive(Clone)]
pub struct BridgeDevices {
    client: OperatorClient,
    settings: Arc<BridgeSettings>,
}

impl BridgeDevices {
    pub fn new(settings: BridgeSettings) -> Result<Self, ClientBuildError> {
        let url = settings.url.trim_end_matches('/').to_owned();
        Ok(Self { client: operator_client(CALL_TIMEOUT)?, settings: Arc::new(BridgeSettings { url, ..settings }) })
    }

    fn call(&self, method: Method, path: &str) -> RequestBuilder {
        self.add_key(self.client.request(method, format!("{}{path}", self.settings.url)))
    }

    fn add_key(&self, call: RequestBuilder) -> RequestBuilder {
        match self.settings.api_key.as_str() {
            "" => call,
            key => call.header("X-Api-Key", key),
        }
    }
}

#[async_trait]
impl LiteDevices for BridgeDevices {
    fn device(&self, number: &LiteNumber) -> Arc<dyn LiteDevice> {
        let session = format!("pb-{}", number.inbox.0.simple());
        let webhook =
            format!("{}/providers/whatsapp-lite/webhook/{}/{}", self.settings.public_url, number.client, number.inbox);
        Arc::new(BridgeDevice { bridge: self.clone(), session, webhook, seen: Mutex::default() })
    }

    async fn download(
        &self,
        url: &str,
        expectation: &MediaExpectation,
        to: &Path,
    ) -> Result<DownloadedMedia, MediaError> {
        // The key is only for the bridge, and an address in a message may be anywhere.
        if !url.starts_with(&format!("{}/", self.settings.url)) {
            return Err(MediaError::HostNotAllowed(url.chars().take(100).collect()));
        }
        fetch_file(&self.client, self.add_key(self.client.get(url)), expectation, to).await
    }

    fn verify(&self, callback: &BridgeCallback<'_>) -> Result<(), BridgeCallbackRefused> {
        callback::verify(callback, &self.settings.webhook_secret)
    }

    fn parse_events(&self, body: &[u8]) -> Result<Vec<DeviceEvent>, BridgeCallbackRefused> {
        callback::parse_events(body)
    }
}

struct BridgeDevice {
    bridge: BridgeDevices,
    session: String,
    webhook: String,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    status: String,
    code: String,
}

fn device_failure(error: PostError) -> DeviceFailure {
    DeviceFailure::Unreachable(error.to_string())
}

/// Most bytes of an answer: the picture of a code is the largest.
const LARGEST_ANSWER: usize = 8 * 1024 * 1024;

async fn json_of(answer: Response) -> Value {
    let body = body_within(answer, LARGEST_ANSWER).await.unwrap_or_default();
    provider_json::read(&body).unwrap_or_default()
}

fn answer_text(status: StatusCode, body: &Value) -> String {
    let text = ["message", "error"].into_iter().find_map(|name| body.get(name)?.as_str());
    format!("{} {}", status.as_u16(), text.unwrap_or("without a reason")).chars().take(200).collect()
}

impl BridgeDevice {
    async fn answer(&self, call: RequestBuilder) -> Result<(StatusCode, Value), DeviceFailure> {
        let answer = self.bridge.client.send(call).await.map_err(device_failure)?;
        let status = answer.status();
        Ok((status, json_of(answer).await))
    }

    async fn ask(&self, call: RequestBuilder) -> Result<Value, DeviceFailure> {
        match self.answer(call).await? {
            (status, body) if status.is_success() => Ok(body),
            (status, body) if status.is_server_error() => Err(DeviceFailure::Unreachable(answer_text(status, &body))),
            (status, body) => Err(DeviceFailure::Refused(answer_text(status, &body))),
        }
    }

    fn of_session(&self, rest: &str) -> String {
        format!("/api/sessions/{}{rest}", self.session)
    }

    fn config(&self) -> Value {
        json!({
            "webhooks": [{
                "url": self.webhook,
                "events": EVENTS,
                "hmac": {"key": self.bridge.settings.webhook_secret},
                "retries": {"policy": "exponential", "delaySeconds": 2, "attempts": 15},
            }],
        })
    }

    fn status_events(&self, status: &str, code: Option<String>) -> Vec<DeviceEvent> {
        let mut seen = self.seen.lock();
        let mut events = Vec::new();
        if let Some(code) = code.filter(|code| *code != seen.code) {
            events.push(DeviceEvent::Qr(QrCode { text: code.clone(), seconds: CODE_SECONDS }));
            seen.code = code;
        }
        if seen.status != status {
            let pairing = seen.status == "SCAN_QR_CODE";
            events.extend(session_news(status, pairing).map(DeviceEvent::Session));
            status.clone_into(&mut seen.status);
        }
        events
    }
}

/// True if the webhooks of a session report all [`EVENTS`]. If a bridge does not say so, its earlier answer counts.
fn tells_everything(session: &Value) -> bool {
    let Some(told) = session.pointer("/config/webhooks/0/events").and_then(Value::as_array) else { return true };
    EVENTS.iter().all(|event| told.iter().any(|one| one == event || one == "*"))
}

/// The meaning of a status of the bridge; `pairing`: a code was waiting until now.
fn session_news(status: &str, pairing: bool) -> Option<SessionNews> {
    Some(match status {
        "STARTING" => SessionNews::Dialling,
        "SCAN_QR_CODE" => SessionNews::QrIssued,
        "WORKING" => SessionNews::Synced,
        "FAILED" if pairing => SessionNews::QrTimeout,
        "FAILED" | "STOPPED" => SessionNews::Dropped,
        _ => return None,
    })
}

#[async_trait]
impl LiteDevice for BridgeDevice {
    async fn start(&self, _holder: &str, _paired: bool) -> Result<(), DeviceFailure> {
        let new = json!({"name": self.session, "start": true, "config": self.config()});
        let (status, body) = self.answer(self.bridge.call(Method::POST, "/api/sessions").json(&new)).await?;
        if status.is_success() {
            return Ok(());
        }
        // 422: the session exists already.
        if status != StatusCode::UNPROCESSABLE_ENTITY {
            return Err(match status.is_server_error() {
                true => DeviceFailure::Unreachable(answer_text(status, &body)),
                false => DeviceFailure::Refused(answer_text(status, &body)),
            });
        }
        let now = self.ask(self.bridge.call(Method::GET, &self.of_session(""))).await?;
        if !tells_everything(&now) {
            // An earlier release set it up with fewer events. The bridge restarts the session with this configuration.
            let config = json!({"name": self.session, "config": self.config()});
            self.ask(self.bridge.call(Method::PUT, &self.of_session("")).json(&config)).await?;
        }
        match now.get("status").and_then(Value::as_str) {
            Some("WORKING" | "STARTING" | "SCAN_QR_CODE") => return Ok(()),
            Some("FAILED") => {
                self.ask(self.bridge.call(Method::POST, &self.of_session("/restart"))).await?;
            }
            _ => {
                self.ask(self.bridge.call(Method::POST, &self.of_session("/start"))).await?;
            }
        }
        Ok(())
    }

    async fn pair_qr(&self) -> Result<Option<QrCode>, DeviceFailure> {
        let path = format!("/api/{}/auth/qr", self.session);
        let answer = self.ask(self.bridge.call(Method::GET, &path).query(&[("format", "raw")])).await?;
        let code = answer.get("value").and_then(Value::as_str);
        Ok(code.map(|code| QrCode { text: code.to_owned(), seconds: CODE_SECONDS }))
    }

    async fn disconnect(&self) -> Result<(), DeviceFailure> {
        self.ask(self.bridge.call(Method::POST, &self.of_session("/stop"))).await.map(|_| ())
    }

    async fn logout(&self, _holder: &str) -> Result<(), DeviceFailure> {
        self.ask(self.bridge.call(Method::POST, &self.of_session("/logout"))).await?;
        self.disconnect().await
    }

    async fn send(&self, message: &DeviceMessage<'_>) -> Result<String, SendFailure> {
        let (method, path, body) = body_of(&self.session, message);
        let call = self.bridge.call(method, path).json(&body);
        let answer = self.bridge.client.send(call).await?;
        let status = answer.status();
        let body = json_of(answer).await;
        if status.is_success() {
            // A reaction has no receipts, and some engines give it no id.
            let own = matches!(message.content, DeviceContent::Reaction(_)).then(|| message.id.to_owned());
            let reason = "the bridge took the message and did not say under which id".to_owned();
            return sent_id(&body).or(own).ok_or(SendFailure::Unknown { reason });
        }
        let text = answer_text(status, &body);
        Err(match status {
            // The session is not WORKING, or the bridge refuses our key: nothing was sent.
            StatusCode::UNPROCESSABLE_ENTITY
            | StatusCode::CONFLICT
            | StatusCode::UNAUTHORIZED
            | StatusCode::FORBIDDEN => SendFailure::NotSent { reason: text, after: Some(NOT_CONNECTED) },
            StatusCode::TOO_MANY_REQUESTS => {
                SendFailure::SlowDown { failure: ProviderFailure { code: REFUSED_BY_DEVICE, text }, after: None }
            }
            status if status.is_server_error() => SendFailure::Unknown { reason: text },
            _ => SendFailure::Rejected(ProviderFailure { code: REFUSED_BY_DEVICE, text }),
        })
    }

    async fn account_of(&self, phone: &str) -> Result<Option<Address>, DeviceFailure> {
        let query = [("phone", phone), ("session", self.session.as_str())];
        let answer = self.ask(self.bridge.call(Method::GET, "/api/contacts/check-exists").query(&query)).await?;
        let unclear = || DeviceFailure::Unreachable("the bridge says neither yes nor no".to_owned());
        let exists = answer.get("numberExists").and_then(Value::as_bool).ok_or_else(unclear)?;
        let named = answer.get("chatId").and_then(Value::as_str).and_then(customer_of);
        let account = named.map_or_else(|| phone_address(phone), Ok)?;
        Ok(exists.then_some(account))
    }

    async fn mark_read(&self, from: &str, message_id: &str) -> Result<(), DeviceFailure> {
        let chat = chat_id(from);
        let id = full_id(&chat, message_id, false);
        let body = json!({"session": self.session, "chatId": chat, "messageIds": [id]});
        self.ask(self.bridge.call(Method::POST, "/api/sendSeen").json(&body)).await.map(|_| ())
    }

    async fn typing(&self, to: &str) -> Result<(), DeviceFailure> {
        let body = json!({"session": self.session, "chatId": chat_id(to)});
        self.ask(self.bridge.call(Method::POST, "/api/startTyping").json(&body)).await.map(|_| ())
    }

    async fn events(&self, seen: u64) -> Result<DeviceNews, DeviceFailure> {
        let session = self.ask(self.bridge.call(Method::GET, &self.of_session(""))).await?;
        let status = session.get("status").and_then(Value::as_str).unwrap_or_default().to_owned();
        // A code that does not exist yet comes with the next check.
        let code = match status.as_str() {
            "SCAN_QR_CODE" => self.pair_qr().await.ok().flatten().map(|code| code.text),
            _ => None,
        };
        let events = self.status_events(&status, code);
        if events.is_empty() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        Ok(DeviceNews { last: seen, events })
    }
}

/// The chat with a phone number, or with a customer whose number is hidden.
fn chat_id(customer: &str) -> String {
    if customer.ends_with(LID_SERVER) { customer.to_owned() } else { format!("{customer}@c.us") }
}

/// The id by which a bridge finds a message: `false_27820000001@c.us_3EB0A1` of the customer, `true_...` of the number.
fn full_id(chat: &str, stanza: &str, ours: bool) -> String {
    format!("{ours}_{chat}_{stanza}")
}

fn body_of(session: &str, message: &DeviceMessage<'_>) -> (Method, &'static str, Value) {
    let chat = chat_id(message.to);
    let mut body = Map::new();
    let mut say = |name: &str, value: Value| {
        if !value.is_null() {
            body.insert(name.to_owned(), value);
        }
    };
    say("session", json!(session));
    say("reply_to", json!(message.quoted.map(|quoted| full_id(&chat, quoted.id, quoted.ours))));
    // A reaction needs only the message.
    if !matches!(message.content, DeviceContent::Reaction(_)) {
        say("chatId", json!(chat));
    }
    let path = match &message.content {
        DeviceContent::Text(text) => {
            say("text", json!(text));
            "/api/sendText"
        }
        DeviceContent::Reaction(reaction) => {
            // Reactions are only to messages of the customer.
            say("messageId", json!(full_id(&chat, &reaction.message_id, false)));
            // An empty one removes it.
            say("reaction", json!(reaction.emoji.as_deref().unwrap_or_default()));
            return (Method::PUT, "/api/reaction", Value::Object(body));
        }
        DeviceContent::Location(place) => {
            say("latitude", json!(place.latitude));
            say("longitude", json!(place.longitude));
            say("title", json!(place.name));
            "/api/sendLocation"
        }
        DeviceContent::Media { kind, url, caption, filename } => {
            let mut file = json!({"url": url});
            if let (Some(file), Some(name)) = (file.as_object_mut(), filename) {
                file.insert("filename".to_owned(), json!(name));
            }
            say("file", file);
            say("caption", json!(caption));
            match kind {
                MediaKind::Image | MediaKind::Sticker => "/api/sendImage",
                MediaKind::Video => "/api/sendVideo",
                MediaKind::Voice => "/api/sendVoice",
                MediaKind::Audio | MediaKind::Document => "/api/sendFile",
            }
        }
    };
    (Method::POST, path, Value::Object(body))
}

fn sent_id(body: &Value) -> Option<String> {
    let id = body.get("id").and_then(|id| id.as_str().or_else(|| id.get("_serialized")?.as_str()));
    let id = id.or_else(|| body.get("key")?.get("id")?.as_str())?;
    Some(stanza(id).to_owned())
}
