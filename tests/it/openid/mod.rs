//! Logins by OpenID Connect (ADR 0073) with the login provider of `tests/peers/openid`, which others wrote.

mod browser;
mod logins;
mod provider;
mod refusals;
mod rules;

use harness::{ClientReply, Patchbay, PatchbaySetup, TestClient};
use reqwest::Method;
use serde_json::{Value, json};

use provider::Provider;

const ME: &str = "/api/v1/users/me";
const OPENID: &str = "/api/v1/sessions/openid";
const RULE: &str = "/api/v1/clients/me/openid-rule";
/// The first user of client `acme`, an ADMIN.
const ADA: &str = "acme@example.com";

struct Stage {
    provider: Provider,
    patchbay: Patchbay,
    /// A client whose users may log in.
    acme: TestClient,
}

fn setup(provider: &Provider) -> PatchbaySetup {
    PatchbaySetup::new()
        .set("openid.issuer", &provider.url)
        .set("openid.client_id", "patchbay")
        .set("openid.client_secret", "secret-of-patchbay")
}

impl Stage {
    async fn set() -> Self {
        let provider = Provider::start();
        let patchbay = setup(&provider).start().await;
        let acme = client(&patchbay, "acme", &json!({ "mode": "LINKED_USERS" })).await;
        Self { provider, patchbay, acme }
    }

    /// Begins a login and goes to the provider with it.
    async fn comes_back(&self, account: &str) -> Value {
        let begun = begin(&self.acme).await;
        back(&begun, &self.provider.log_in(begun["url"].as_str().unwrap(), account).await)
    }

    async fn logs_in(&self, account: &str) -> ClientReply {
        finish(&self.acme, &self.comes_back(account).await).await
    }
}

/// A client with this rule.
async fn client(patchbay: &Patchbay, client_ref: &str, rule: &Value) -> TestClient {
    let client = patchbay.bare_client(client_ref);
    put(&client, RULE, rule).await.ok();
    client
}

async fn put(client: &TestClient, path: &str, body: &Value) -> ClientReply {
    client.request(Method::PUT, path, Some(body), &[]).await
}

async fn begin(client: &TestClient) -> Value {
    client.post(&format!("{OPENID}/begin"), &json!({ "clientRef": client.client_ref })).await.ok()
}

/// The values of the way back, with the secret of the browser.
fn back(begun: &Value, query: &provider::Query) -> Value {
    json!({ "code": query["code"], "state": query["state"], "secret": begun["secret"] })
}

async fn finish(client: &TestClient, back: &Value) -> ClientReply {
    client.post(&format!("{OPENID}/finish"), back).await
}

/// The client with the key of a session that was opened.
fn with_session(client: &TestClient, opened: &ClientReply) -> TestClient {
    assert_eq!(opened.status, 201, "{}", opened.text);
    let mut session = client.clone();
    session.key = opened.json()["sessionKey"].as_str().unwrap().to_owned();
    session
}

/// Checks a refusal and its text.
fn refused(reply: &ClientReply, status: u16, text: &str) {
    assert_eq!(reply.status, status, "{}", reply.text);
    assert!(reply.json()["message"].as_str().unwrap().contains(text), "{}", reply.text);
}
