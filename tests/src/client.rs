//! An API client of the program.

use reqwest::{Method, header::HeaderMap};
use serde_json::{Value, json};

use crate::{Patchbay, WebhookSink, eventually};

/// A client with its key and, once it has one, its number.
#[derive(Clone)]
pub struct TestClient {
    base: String,
    http: reqwest::Client,
    /// Its reference.
    pub client_ref: String,
    /// Its API key.
    pub key: String,
    /// Its business number in digits.
    pub number: String,
    /// Id of that number.
    pub number_id: String,
    templates: Value,
}

/// An answer of the program.
#[derive(Debug, Clone)]
pub struct ClientReply {
    /// Status code.
    pub status: u16,
    /// Header `X-Request-Id`.
    pub request_id: Option<String>,
    /// All headers.
    pub headers: HeaderMap,
    /// The body as it came.
    pub text: String,
}

impl ClientReply {
    pub(crate) async fn to(request: reqwest::RequestBuilder) -> Self {
        Self::attempt(request).await.expect("the program answers")
    }

    async fn attempt(request: reqwest::RequestBuilder) -> reqwest::Result<Self> {
        let response = request.send().await?;
        let headers = response.headers().clone();
        let request_id = headers.get("x-request-id").map(|id| id.to_str().unwrap().to_owned());
        Ok(Self { status: response.status().as_u16(), request_id, headers, text: response.text().await? })
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("not JSON ({error}): {}", self.text))
    }

    /// The body as JSON; null where it is something else.
    pub fn json_or_null(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    /// The body of a 202.
    pub fn accepted(&self) -> Value {
        assert_eq!(self.status, 202, "{}", self.text);
        self.json()
    }

    /// The body of a 200.
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        self.json()
    }

    /// The fields that a 400 names.
    pub fn faulty_fields(&self) -> Vec<String> {
        assert_eq!(self.status, 400, "{}", self.text);
        let details = self.json()["details"].as_array().cloned().unwrap_or_default();
        details.iter().map(|detail| detail["field"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

impl TestClient {
    pub(crate) fn new(patchbay: &Patchbay, client_ref: &str, key: &str) -> Self {
        Self {
            base: patchbay.url(),
            http: patchbay.http.clone(),
            client_ref: client_ref.to_owned(),
            key: key.to_owned(),
            number: String::new(),
            number_id: String::new(),
            templates: Value::Null,
        }
    }

    /// The same client at another address of the program.
    pub fn at(&self, base: &str) -> Self {
        Self { base: base.to_owned(), ..self.clone() }
    }

    /// Has the templates of its numbers fetched from the provider.
    pub(crate) async fn sync_templates(&self) {
        let synced = self.post("/messaging-service/WhatsApp/templates/sync", &Value::Null).await.ok();
        assert!(synced["synced"].as_u64().unwrap() > 0, "{synced}");
    }

    pub(crate) async fn adopt_number(&mut self, number: &str, id: &str) {
        self.number = number.to_owned();
        self.number_id = id.to_owned();
        self.templates = self.get("/messaging-service/WhatsApp/templates?size=100").await.ok();
    }

    /// Id of a template of the catalogue.
    pub fn template_id(&self, name: &str) -> String {
        let content = self.templates["content"].as_array().expect("a page of templates");
        let found = content.iter().find(|template| template["name"] == name);
        found.unwrap_or_else(|| panic!("no template {name}"))["id"].as_str().unwrap().to_owned()
    }

    /// Sends a request with the client's key.
    pub async fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        headers: &[(&str, &str)],
    ) -> ClientReply {
        let mut request = self.http.request(method, format!("{}{path}", self.base)).header("Authorization", &self.key);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        ClientReply::to(request).await
    }

    /// GET.
    pub async fn get(&self, path: &str) -> ClientReply {
        self.request(Method::GET, path, None, &[]).await
    }

    /// POST.
    pub async fn post(&self, path: &str, body: &Value) -> ClientReply {
        self.request(Method::POST, path, Some(body), &[]).await
    }

    /// POST of bytes that may be anything.
    pub async fn post_raw(&self, path: &str, content_type: &str, body: impl Into<Vec<u8>>) -> ClientReply {
        self.post_raw_with(path, content_type, body, &[]).await
    }

    /// The same with more headers.
    pub async fn post_raw_with(
        &self,
        path: &str,
        content_type: &str,
        body: impl Into<Vec<u8>>,
        headers: &[(&str, &str)],
    ) -> ClientReply {
        let mut request = self
            .http
            .post(format!("{}{path}", self.base))
            .header("Authorization", &self.key)
            .header("Content-Type", content_type)
            .body(body.into());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        ClientReply::to(request).await
    }

    /// A payload that sends the template `order_ready` to these numbers.
    pub fn order_ready(&self, recipients: &[&str]) -> Value {
        let recipients: Vec<Value> =
            recipients.iter().map(|to| json!({ "to": to, "ctId": format!("ct-{to}") })).collect();
        json!({
            "sender": self.number,
            "messageType": "NOTIFICATION",
            "templateName": "order_ready",
            "templateId": self.template_id("order_ready"),
            "messages": [{
                "recipients": recipients,
                "components": [
                    { "type": "body", "parameters": ["Thandi", "#42"] },
                    { "type": "button", "parameters": ["42"] },
                ],
            }],
        })
    }

    /// A payload that sends a template of the catalogue to one number.
    pub fn template(&self, name: &str, to: &str, components: Value) -> Value {
        json!({
            "sender": self.number,
            "messageType": "NOTIFICATION",
            "templateName": name,
            "templateId": self.template_id(name),
            "messages": [{ "recipients": [{ "to": to }], "components": components }],
        })
    }

    /// A payload that sends a free-form text to one number.
    pub fn chat(&self, to: &str, text: &str) -> Value {
        json!({
            "sender": self.number,
            "messageType": "CHAT",
            "messages": [{ "recipients": [{ "to": to }], "messageText": text }],
        })
    }

    /// Sends a payload through the unified endpoint.
    pub async fn send_unified(&self, payload: &Value) -> ClientReply {
        self.post("/whatsapp-api-service/v2/messages", &json!({ "channel": "WHATSAPP", "payload": payload })).await
    }

    /// Sends a payload through the channel endpoint.
    pub async fn send(&self, payload: &Value) -> ClientReply {
        self.post("/whatsapp-api-service/v2/channels/whatsapp", payload).await
    }

    /// Sends a payload under an idempotency key.
    pub async fn send_with_key(&self, payload: &Value, key: &str) -> ClientReply {
        let path = "/whatsapp-api-service/v2/channels/whatsapp";
        self.request(Method::POST, path, Some(payload), &[("Idempotency-Key", key)]).await
    }

    /// Sends a payload under an idempotency key to a program that may be dead; `None` when no answer came.
    pub async fn try_send(&self, payload: &Value, key: &str) -> Option<ClientReply> {
        let url = format!("{}/whatsapp-api-service/v2/channels/whatsapp", self.base);
        let request =
            self.http.post(url).header("Authorization", &self.key).header("Idempotency-Key", key).json(payload);
        ClientReply::attempt(request).await.ok()
    }

    /// Points all webhooks of the client at `sink`, with chatbot payload `version`; answers the configuration.
    pub async fn webhooks_to(&self, sink: &WebhookSink, version: &str) -> Value {
        let body = json!({
            "incomingMessageURL": sink.url("incoming"),
            "statusUpdateURL": sink.url("status"),
            "chatbotWebhookURL": sink.url("chatbot"),
            "chatbotIncludeOutgoing": true,
            "chatbotPayloadVersion": version,
        });
        let reply = self.post("/messaging-service/WhatsApp/WhatsAppClientWebHook", &body).await;
        assert!(matches!(reply.status, 200 | 201), "{}", reply.text);
        reply.json()
    }

    /// Turns a plugin on for all numbers.
    pub async fn activate(&self, plugin: &str) {
        let path = format!("/plugin-service/api/v1/plugins/{plugin}/activate");
        let reply = self.post(&path, &json!({ "mode": "live" })).await;
        assert!(reply.status < 300, "{}", reply.text);
    }

    /// The statuses that reached `sink` for a `ctId`, in order of arrival, once `last` is among them.
    pub async fn statuses(&self, sink: &WebhookSink, ct_id: &str, last: &str) -> Vec<String> {
        eventually(&format!("{last} of {ct_id}"), || async {
            let statuses: Vec<String> = sink
                .received("status")
                .iter()
                .map(|received| received.json())
                .filter(|body| body["ctId"] == ct_id)
                .map(|body| body["status"].as_str().unwrap_or_default().to_owned())
                .collect();
            statuses.iter().any(|status| status == last).then_some(statuses)
        })
        .await
    }
}
