//! Provider callbacks that tests write themselves: replayed, forged, contradictory.

use hmac::{Hmac, Mac};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::Sha256;

use crate::{ClientReply, Patchbay, TestClient};

/// Where Meta posts.
const PATH: &str = "/providers/whatsapp-cloud/webhook";

impl Patchbay {
    /// Posts a callback with a good signature.
    pub async fn callback(&self, body: &Value) -> ClientReply {
        let body = body.to_string();
        let signature = self.sign_callback(body.as_bytes());
        self.callback_signed(body, Some(&signature)).await
    }

    /// Posts a callback with the signature given, or without any.
    pub async fn callback_signed(&self, body: impl Into<Vec<u8>>, signature: Option<&str>) -> ClientReply {
        let mut headers = vec![("Content-Type", "application/json")];
        headers.extend(signature.map(|signature| ("X-Hub-Signature-256", signature)));
        self.ask(Method::POST, PATH, &headers, body).await
    }

    /// The value of `X-Hub-Signature-256`.
    pub fn sign_callback(&self, body: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.app_secret().as_bytes()).unwrap();
        mac.update(body);
        format!("sha256={}", hex::encode(mac.finalize().into_bytes()))
    }
}

impl TestClient {
    /// A callback about the client's number. `value` holds `messages`, `statuses` and `contacts`.
    pub fn callback(&self, value: Value) -> Value {
        let mut value = value;
        value["messaging_product"] = json!("whatsapp");
        value["metadata"] =
            json!({ "display_phone_number": self.number, "phone_number_id": format!("1{}", self.number) });
        let change = json!({ "field": "messages", "value": value });
        let entry = json!({ "id": format!("2{}", self.number), "changes": [change] });
        json!({ "object": "whatsapp_business_account", "entry": [entry] })
    }
}

/// The `value` of a text; the sender is known by its phone number, its user id, or both.
pub fn inbound_text(id: &str, phone: Option<&str>, user_id: Option<&str>, text: &str) -> Value {
    let mut message = json!({ "id": id, "timestamp": seconds(), "type": "text", "text": { "body": text } });
    let mut contact = json!({ "profile": { "name": "Zo" } });
    if let Some(phone) = phone {
        message["from"] = json!(phone);
        contact["wa_id"] = json!(phone);
    }
    if let Some(user_id) = user_id {
        message["from_user_id"] = json!(user_id);
        contact["user_id"] = json!(user_id);
    }
    json!({ "contacts": [contact], "messages": [message] })
}

/// The `value` of a status; `opaque` is what went out as `biz_opaque_callback_data`.
pub fn status(id: &str, status: &str, opaque: Option<&str>) -> Value {
    let mut status = json!({ "id": id, "status": status, "timestamp": seconds(), "recipient_id": "27820000001" });
    if let Some(opaque) = opaque {
        status["biz_opaque_callback_data"] = json!(opaque);
    }
    json!({ "statuses": [status] })
}

fn seconds() -> String {
    chrono::Utc::now().timestamp().to_string()
}
