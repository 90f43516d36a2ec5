//! Callers of the SMS gateways, whose key is in a header of its own.

use reqwest::Method;
use serde_json::Value;

use crate::{ClientReply, Patchbay, TestClient};

impl Patchbay {
    /// Gives a client SMS credits.
    pub fn credits(&self, client: &TestClient, amount: u32) -> Value {
        self.admin(&["credits", "add", "--client", &client.client_ref, "--amount", &amount.to_string()])
    }

    /// Posts JSON to the JSON gateway.
    pub async fn sms(&self, client: &TestClient, path: &str, body: &Value) -> ClientReply {
        let headers = [("X-API-Key", client.key.as_str()), ("Content-Type", "application/json")];
        self.ask(Method::POST, path, &headers, body.to_string()).await
    }

    /// The credits of a client.
    pub async fn sms_balance(&self, client: &TestClient) -> i64 {
        let answer = self.sms(client, "/sms/getBalance", &serde_json::json!({})).await.ok();
        answer["balance"].as_i64().expect("a balance is a number")
    }

    /// Posts a form to the batch gateway, and answers the XML.
    pub async fn batch(&self, client: &TestClient, path: &str, fields: &[(&str, &str)]) -> String {
        let mut form = reqwest::Url::parse("form:").unwrap();
        form.query_pairs_mut().extend_pairs(fields);
        let form = form.query().unwrap_or_default().to_owned();
        let headers =
            [("X-API-Key", client.key.as_str()), ("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")];
        let reply = self.ask(Method::POST, path, &headers, form).await;
        assert_eq!(reply.header("content-type"), Some("application/xml; charset=utf-8"), "{}", reply.text);
        reply.text
    }
}
