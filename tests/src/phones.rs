//! A simulated customer's phone.

use serde_json::{Value, json};

use crate::eventually;

/// A phone in the simulator.
#[derive(Clone)]
pub struct TestPhone {
    base: String,
    http: reqwest::Client,
    /// Its number in digits.
    pub msisdn: String,
}

impl TestPhone {
    pub(crate) fn new(simulator: String, msisdn: &str, http: reqwest::Client) -> Self {
        Self { base: format!("{simulator}/phones/{msisdn}"), http, msisdn: msisdn.to_owned() }
    }

    /// Changes how it behaves: `{"onWhatsApp": false}` and the like.
    pub async fn set(&self, settings: Value) {
        let response = self.http.put(&self.base).json(&settings).send().await.unwrap();
        assert!(response.status().is_success(), "{}", response.text().await.unwrap());
    }

    /// Its business-scoped user id.
    pub async fn user_id(&self) -> String {
        let phone: Value = self.http.get(&self.base).send().await.unwrap().json().await.unwrap();
        phone["userId"].as_str().expect("every phone has a user id").to_owned()
    }

    /// Its facts in the simulator.
    pub async fn state(&self) -> Value {
        self.http.get(&self.base).send().await.unwrap().json().await.unwrap()
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        let response = self.http.post(format!("{}{path}", self.base)).json(body).send().await.unwrap();
        let status = response.status();
        let text = response.text().await.unwrap();
        assert!(status.is_success(), "{path}: {text}");
        serde_json::from_str(&text).unwrap_or(Value::Null)
    }

    /// Writes a text to a business number.
    pub async fn write(&self, to: &str, text: &str) -> Value {
        self.post("/messages", &json!({ "to": to, "text": text })).await
    }

    /// Sends any message that the simulator knows.
    pub async fn send(&self, message: Value) -> Value {
        self.post("/messages", &message).await
    }

    /// Writes an SMS to one of our addresses.
    pub async fn write_sms(&self, to: &str, text: &str) -> Value {
        self.post("/sms", &json!({ "to": to, "text": text })).await
    }

    /// Taps a button of a received message.
    pub async fn tap(&self, message_id: &str, button: &str) -> Value {
        self.post("/tap", &json!({ "messageId": message_id, "button": button })).await
    }

    /// Reads what it has received.
    pub async fn read(&self) {
        self.post("/read", &json!({})).await;
    }

    /// The received messages, oldest first.
    pub async fn inbox(&self) -> Vec<Value> {
        let inbox: Value = self.http.get(format!("{}/inbox", self.base)).send().await.unwrap().json().await.unwrap();
        inbox["messages"].as_array().cloned().unwrap_or_default()
    }

    /// The messages that its user wrote, oldest first.
    pub async fn outbox(&self) -> Vec<Value> {
        let outbox: Value = self.http.get(format!("{}/outbox", self.base)).send().await.unwrap().json().await.unwrap();
        outbox["messages"].as_array().cloned().unwrap_or_default()
    }

    /// The first received message that `wanted` likes, once it is there.
    pub async fn receives(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        eventually(what, || async { self.inbox().await.into_iter().find(|message| wanted(message)) }).await
    }
}
