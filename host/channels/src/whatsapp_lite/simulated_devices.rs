//! The devices of the simulated outside world, over HTTP: every node of a cluster can reach them.

use std::{path::Path, sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    address::{Address, AddressKind},
    carriage::SendFailure,
    inbound::{InboundMessage, ProviderFailure, ProviderStatus, StatusUpdate},
    lite::SessionNews,
};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    DeviceContent, DeviceEvent, DeviceFailure, DeviceMessage, DeviceNews, LiteDevice, LiteDevices, LiteNumber, QrCode,
    REFUSED_BY_DEVICE, moment, phone_address,
};
use crate::{
    http::{ClientBuildError, OperatorClient, PostError, body_within, operator_client},
    media_download::{DownloadedMedia, MediaError, MediaExpectation, fetch_file},
    whatsapp_cloud::content_of,
};

const TIMEOUT: Duration = Duration::from_secs(15);
/// How long a call waits for events.
const WAIT: Duration = Duration::from_secs(2);
/// When to check again a device that is not connected.
const NOT_CONNECTED: Duration = Duration::from_secs(5);

const LARGEST_ANSWER: usize = 8 * 1024 * 1024;

#[derive(Clone)]
pub struct SimulatedDevices {
    client: OperatorClient,
    /// Without a `/` at the end.
    base: String,
}

impl SimulatedDevices {
    /// The devices of the simulator at `base`, such as `http://127.0.0.1:8090`.
    pub fn new(base: &str) -> Result<Self, ClientBuildError> {
        Ok(Self { client: operator_client(TIMEOUT)?, base: base.trim_end_matches('/').to_owned() })
    }
}

#[async_trait]
impl LiteDevices for SimulatedDevices {
    fn device(&self, number: &LiteNumber) -> Arc<dyn LiteDevice> {
        let base = format!("{}/lite/devices/{}", self.base, number.msisdn.as_str());
        Arc::new(SimulatedDevice { client: self.client.clone(), base })
    }

    async fn download(
        &self,
        url: &str,
        expectation: &MediaExpectation,
        to: &Path,
    ) -> Result<DownloadedMedia, MediaError> {
        // Only the simulator's own files, for any address in a message.
        if !url.starts_with(&format!("{}/", self.base)) {
            return Err(MediaError::HostNotAllowed(url.chars().take(100).collect()));
        }
        fetch_file(&self.client, self.client.get(url).bearer_auth("device"), expectation, to).await
    }
}

struct SimulatedDevice {
    client: OperatorClient,
    base: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Refusal {
    #[serde(default)]
    error: String,
    banned_seconds: Option<u32>,
}

#[derive(Deserialize)]
struct Told {
    last: u64,
    events: Vec<Value>,
}

impl SimulatedDevice {
    fn call(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.base))
    }

    async fn ask(&self, call: RequestBuilder) -> Result<Value, DeviceFailure> {
        let lost = |error: PostError| DeviceFailure::Unreachable(error.to_string());
        let answer = self.client.send(call).await.map_err(lost)?;
        let status = answer.status();
        let body = body_within(answer, LARGEST_ANSWER).await.map_err(lost)?;
        let body: Value =
            serde_json::from_slice(&body).map_err(|error| DeviceFailure::Unreachable(error.to_string()))?;
        if status.is_success() {
            return Ok(body);
        }
        let Refusal { error, banned_seconds } =
            serde_json::from_value(body).unwrap_or(Refusal { error: String::new(), banned_seconds: None });
        Err(match (status, banned_seconds) {
            (_, Some(seconds)) => DeviceFailure::Banned(seconds),
            (StatusCode::CONFLICT, None) => DeviceFailure::NotConnected,
            (status, None) if status.is_server_error() => DeviceFailure::Unreachable(error),
            (_, None) => DeviceFailure::Refused(error),
        })
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value, DeviceFailure> {
        self.ask(self.call(Method::POST, path).json(body)).await
    }
}

#[async_trait]
impl LiteDevice for SimulatedDevice {
    async fn start(&self, holder: &str, _paired: bool) -> Result<(), DeviceFailure> {
        self.post("/start", &json!({"holder": holder})).await.map(|_| ())
    }

    async fn pair_qr(&self) -> Result<Option<QrCode>, DeviceFailure> {
        let device = self.ask(self.call(Method::GET, "")).await?;
        let code = device.get("code").and_then(Value::as_str);
        Ok(code.map(|code| QrCode { text: code.to_owned(), seconds: 20 }))
    }

    async fn disconnect(&self) -> Result<(), DeviceFailure> {
        self.post("/disconnect", &json!({})).await.map(|_| ())
    }

    async fn logout(&self, _holder: &str) -> Result<(), DeviceFailure> {
        self.post("/logout", &json!({})).await.map(|_| ())
    }

    async fn send(&self, message: &DeviceMessage<'_>) -> Result<String, SendFailure> {
        let call = self.call(Method::POST, "/messages").json(&body_of(message));
        let answer = self.client.send(call).await?;
        let status = answer.status();
        let body = body_within(answer, LARGEST_ANSWER).await.unwrap_or_default();
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        if status.is_success() {
            let id = body.get("id").and_then(Value::as_str);
            return Ok(id.unwrap_or(message.id).to_owned());
        }
        let text = body.get("error").and_then(Value::as_str).unwrap_or("refused by the device").to_owned();
        Err(match status {
            StatusCode::CONFLICT => SendFailure::NotSent { reason: text, after: Some(NOT_CONNECTED) },
            StatusCode::TOO_MANY_REQUESTS => {
                SendFailure::SlowDown { failure: ProviderFailure { code: REFUSED_BY_DEVICE, text }, after: None }
            }
            status if status.is_server_error() => SendFailure::Unknown { reason: text },
            _ => SendFailure::Rejected(ProviderFailure { code: REFUSED_BY_DEVICE, text }),
        })
    }

    async fn account_of(&self, phone: &str) -> Result<Option<Address>, DeviceFailure> {
        let answer = self.ask(self.call(Method::GET, &format!("/registered/{phone}"))).await?;
        let registered = answer.get("registered").and_then(Value::as_bool);
        let unclear = || DeviceFailure::Unreachable("the answer says neither yes nor no".to_owned());
        let account = phone_address(phone)?;
        Ok(registered.ok_or_else(unclear)?.then_some(account))
    }

    async fn mark_read(&self, _from: &str, message_id: &str) -> Result<(), DeviceFailure> {
        self.post("/read", &json!({"messageId": message_id})).await.map(|_| ())
    }

    async fn typing(&self, to: &str) -> Result<(), DeviceFailure> {
        self.post("/typing", &json!({"to": to})).await.map(|_| ())
    }

    async fn events(&self, seen: u64) -> Result<DeviceNews, DeviceFailure> {
        let wait = u64::try_from(WAIT.as_millis()).unwrap_or(0);
        let call = self.call(Method::GET, "/events").query(&[("seen", seen), ("waitMillis", wait)]);
        let told: Told = serde_json::from_value(self.ask(call).await?)
            .map_err(|error| DeviceFailure::Unreachable(format!("the events cannot be read: {error}")))?;
        Ok(DeviceNews { last: told.last, events: told.events.into_iter().filter_map(event).collect() })
    }
}

fn body_of(message: &DeviceMessage<'_>) -> Value {
    let mut body = Map::new();
    let mut say = |name: &str, value: Value| {
        if !value.is_null() {
            body.insert(name.to_owned(), value);
        }
    };
    say("id", json!(message.id));
    say("to", json!(message.to));
    say("quoted", json!(message.quoted.map(|quoted| quoted.id)));
    match &message.content {
        DeviceContent::Text(text) => {
            say("type", json!("text"));
            say("text", json!(text));
        }
        DeviceContent::Media { kind, url, caption, filename } => {
            say("type", json!(serde_json::to_value(kind).unwrap_or_default().as_str().unwrap_or("").to_lowercase()));
            say("url", json!(url));
            say("text", json!(caption));
            say("filename", json!(filename));
        }
        DeviceContent::Location(place) => {
            say("type", json!("location"));
            say("location", json!(place));
        }
        DeviceContent::Reaction(reaction) => {
            say("type", json!("reaction"));
            say("text", json!(reaction.emoji.as_deref().unwrap_or_default()));
            say("reactedTo", json!(reaction.message_id));
        }
    }
    Value::Object(body)
}

fn event(told: Value) -> Option<DeviceEvent> {
    let text = |name: &str| told.get(name).and_then(Value::as_str);
    let number = |name: &str| told.get(name).and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok());
    let read = match text("type")? {
        "session" => match (serde_json::from_value(told.get("news")?.clone()).ok(), number("seconds")) {
            (Some(SessionNews::Banned), Some(seconds)) => Some(DeviceEvent::Banned(seconds)),
            (news, _) => news.map(DeviceEvent::Session),
        },
        "qr" => text("code")
            .zip(number("seconds"))
            .map(|(code, seconds)| DeviceEvent::Qr(QrCode { text: code.to_owned(), seconds })),
        "receipt" => receipt(&told).map(DeviceEvent::Moved),
        "message" => message(&told).map(|message| DeviceEvent::Came(Box::new(message))),
        _ => None,
    };
    if read.is_none() {
        tracing::warn!(kind = text("type"), "an event of a simulated device cannot be read and is dropped");
    }
    read
}

fn receipt(told: &Value) -> Option<StatusUpdate> {
    let status: ProviderStatus = serde_json::from_value(told.get("status")?.clone()).ok()?;
    Some(StatusUpdate {
        provider_id: told.get("id")?.as_str()?.to_owned(),
        opaque: None,
        status,
        at: moment(told.get("time").and_then(Value::as_str))?,
        recipient: None,
        recipient_user_id: None,
        error: None,
    })
}

fn message(told: &Value) -> Option<InboundMessage> {
    let text = |name: &str| told.get(name).and_then(Value::as_str).map(str::to_owned);
    let content = told.get("message")?;
    Some(InboundMessage {
        provider_id: text("id")?,
        from: text("from"),
        from_user_id: text("userId"),
        from_parent_user_id: None,
        from_address: text("lid").and_then(|id| Address::of_kind(AddressKind::Lid, &id)),
        profile_name: text("name"),
        username: text("username"),
        sent_at: moment(told.get("time").and_then(Value::as_str))?,
        quoted_provider_id: text("quoted"),
        content: content_of(content.get("type")?.as_str()?, content),
        raw: told.clone(),
        referral: None,
    })
}
