//! Facebook pages of clients, and people with Messenger on their phones.

use hmac::{Hmac, Mac};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::Sha256;

use crate::{ClientReply, Patchbay, TestClient, eventually, patchbay::MESSENGER_SECRET};

/// Where Meta posts about pages.
const PATH: &str = "/providers/messenger/webhook";

/// A person who writes to a page.
#[derive(Clone)]
pub struct MessengerPerson {
    base: String,
    http: reqwest::Client,
    /// As the page knows them.
    pub psid: String,
    /// The page that they write to.
    pub page: String,
}

impl Patchbay {
    /// Gives a client a page, which the simulator knows. Answers the id of its inbox.
    pub async fn page(&self, client: &TestClient, page_id: &str) -> String {
        self.simulate("/simulator/pages", &json!({ "pageId": page_id })).await;
        let names = ["--client", &client.client_ref, "--page-id", page_id, "--access-token", "token-of-the-page"];
        let added = self.admin(&[&["page", "add"], &names[..]].concat());
        assert_eq!(added["pageId"], page_id);
        added["id"].as_str().unwrap().to_owned()
    }

    /// A person who writes to this page.
    pub fn person(&self, psid: &str, page: &str) -> MessengerPerson {
        let base = format!("{}/messenger/phones/{psid}", self.simulator_url());
        MessengerPerson { base, http: self.http.clone(), psid: psid.to_owned(), page: page.to_owned() }
    }

    /// Posts a callback about a page with a good signature.
    pub async fn page_callback(&self, body: &Value) -> ClientReply {
        let body = body.to_string();
        let signature = Self::sign_page_callback(body.as_bytes());
        self.page_callback_signed(body, Some(&signature)).await
    }

    /// Posts one with the signature given, or without any.
    pub async fn page_callback_signed(&self, body: impl Into<Vec<u8>>, signature: Option<&str>) -> ClientReply {
        let mut headers = vec![("Content-Type", "application/json")];
        headers.extend(signature.map(|signature| ("X-Hub-Signature-256", signature)));
        self.ask(Method::POST, PATH, &headers, body).await
    }

    /// The value of `X-Hub-Signature-256`.
    pub fn sign_page_callback(body: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(MESSENGER_SECRET.as_bytes()).unwrap();
        mac.update(body);
        format!("sha256={}", hex::encode(mac.finalize().into_bytes()))
    }

    /// The bodies of what pages sent and the provider took, oldest first.
    pub async fn page_sends(&self, kind: &str) -> Vec<Value> {
        let url = format!("{}/simulator/requests?kind={kind}", self.simulator_url());
        let log: Value = self.http.get(url).send().await.unwrap().json().await.unwrap();
        let requests = log["requests"].as_array().cloned().unwrap_or_default();
        let of_pages = requests.into_iter().filter(|request| request["body"].get("messaging_product").is_none());
        of_pages.map(|request| request["body"].clone()).collect()
    }
}

impl MessengerPerson {
    async fn post(&self, path: &str, body: &Value) -> Value {
        let response = self.http.post(format!("{}{path}", self.base)).json(body).send().await.unwrap();
        let status = response.status();
        let text = response.text().await.unwrap();
        assert!(status.is_success(), "{path}: {text}");
        serde_json::from_str(&text).unwrap_or(Value::Null)
    }

    /// Changes how they behave: `{"autoRead": true}` and the like.
    pub async fn set(&self, settings: Value) {
        let response = self.http.put(&self.base).json(&settings).send().await.unwrap();
        assert!(response.status().is_success(), "{}", response.text().await.unwrap());
    }

    /// Writes a text. Answers the id of the message.
    pub async fn write(&self, text: &str) -> String {
        self.send(json!({ "text": text })).await
    }

    /// Sends any message that the simulator knows. Answers its id.
    pub async fn send(&self, mut message: Value) -> String {
        message["to"] = json!(self.page);
        self.post("/messages", &message).await["id"].as_str().unwrap().to_owned()
    }

    /// Taps a quick reply of the newest message that has some.
    pub async fn tap(&self, button: &str) {
        self.post("/tap", &json!({ "button": button })).await;
    }

    /// Taps an entry of the menu.
    pub async fn postback(&self, title: &str, payload: &str) {
        self.post("/postback", &json!({ "to": self.page, "title": title, "payload": payload })).await;
    }

    /// Puts an emoji on a message, or takes it off.
    pub async fn react(&self, message_id: &str, emoji: Option<&str>) {
        self.post("/react", &json!({ "messageId": message_id, "emoji": emoji })).await;
    }

    /// Reads what has come.
    pub async fn read(&self) {
        self.post("/read", &json!({})).await;
    }

    /// The received messages, oldest first.
    pub async fn inbox(&self) -> Vec<Value> {
        let inbox: Value = self.http.get(format!("{}/inbox", self.base)).send().await.unwrap().json().await.unwrap();
        inbox["messages"].as_array().cloned().unwrap_or_default()
    }

    /// How they look to others: `typing`, `seen`.
    pub async fn seen(&self) -> Value {
        self.http.get(&self.base).send().await.unwrap().json().await.unwrap()
    }

    /// The first message that `wanted` likes, once it has come.
    pub async fn receives(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        eventually(what, || async { self.inbox().await.into_iter().find(|message| wanted(message)) }).await
    }

    /// The next message that says this somewhere.
    pub async fn hears(&self, words: &str) -> Value {
        self.receives(words, |message| message["text"].as_str().is_some_and(|text| text.contains(words))).await
    }
}
