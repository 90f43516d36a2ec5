//! The webhooks of a client, for `patchbay listen`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{RemoteServer, ServerError, TIMEOUT};

const LISTENER: &str = "/messaging-service/WhatsApp/webhook-listener";
const CONFIGURATIONS: &str = "/messaging-service/WhatsApp/WhatsAppClientWebHook";

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ForwardedWebhook {
    /// Its number among the recorded webhooks of the client.
    pub number: Option<i64>,
    pub id: String,
    pub webhook_type: String,
    pub headers: BTreeMap<String, String>,
    /// The bytes that are signed.
    pub body: String,
}

#[derive(Debug, Clone, Deserialize)]
pub struct WebhookPage {
    /// The number to continue after.
    pub last: i64,
    pub webhooks: Vec<ForwardedWebhook>,
}

impl RemoteServer {
    /// Waits for the next webhook if there is none. Without a number it returns the last one at once.
    pub async fn webhooks(&self, after: Option<i64>) -> Result<WebhookPage, ServerError> {
        let body = after.map_or_else(|| json!({}), |after| json!({ "after": after }));
        self.json("POST", LISTENER.to_owned(), Some(&body), TIMEOUT).await
    }

    /// Returns one recorded webhook with a new signature.
    pub async fn webhook(&self, id: &str) -> Result<ForwardedWebhook, ServerError> {
        if !id.chars().all(|letter| letter.is_ascii_hexdigit() || letter == '-') {
            return Err(ServerError::Name(format!(
                "`{id}` is not a webhook-id, such as 0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41"
            )));
        }
        match self.json("GET", format!("{LISTENER}/{id}"), None, TIMEOUT).await {
            Err(ServerError::NotThere { .. }) => Err(ServerError::Name(format!(
                "the server has no webhook {id} of this client, or its body was not stored"
            ))),
            other => other,
        }
    }

    /// Makes a webhook configuration without addresses if the client has none. True if it did.
    pub async fn have_webhook_configuration(&self) -> Result<bool, ServerError> {
        let present = format!("{CONFIGURATIONS}/getForCurrentLoginUser");
        match self.json::<Value>("GET", present, None, TIMEOUT).await {
            Ok(_) => Ok(false),
            Err(ServerError::NotThere { .. }) => {
                self.json::<Value>("POST", CONFIGURATIONS.to_owned(), Some(&json!({})), TIMEOUT).await.map(|_| true)
            }
            Err(error) => Err(error),
        }
    }
}
