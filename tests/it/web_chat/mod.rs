//! Web chat with the real binary (`docs/web-chat.md`, `docs/rules/web-chat.md`): sites, visitors, and the widget in a
//! browser.

mod browser;
mod chat_flow;
mod identity;
mod rating;
mod refusals;
mod sites;

use harness::{Patchbay, SharedPatchbay, TestClient, WebhookSink};
use serde_json::{Value, json};

const ORIGIN: &str = "https://shop.example";

/// The server with the guests, a client, and a sink for its webhooks.
async fn stage() -> (SharedPatchbay, TestClient, WebhookSink) {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_bare_client();
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    (patchbay, client, sink)
}

/// The number of a client's rows in the table `of`.
async fn count(patchbay: &Patchbay, client: &TestClient, of: &str) -> i64 {
    let mut db = patchbay.database().await;
    let statement =
        format!("SELECT count(*) FROM {of} WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)");
    sqlx::query_scalar(&statement).bind(&client.client_ref).fetch_one(&mut db).await.unwrap()
}

/// A site that asks for a name before a chat.
fn with_form() -> Value {
    json!({ "form": { "fields": [
        { "key": "name", "label": "Your name", "required": true },
        { "key": "about", "label": "About", "type": "CHOICE", "options": ["Sales", "Support"] },
    ] } })
}
