//! Facebook pages over Messenger, end to end (SPEC 2.7, 2.8, 6.1, 6.5; PROVIDERS B).

mod bots;
mod callbacks;
mod files;
mod messages;
mod pages;

use harness::{MessengerPerson, SharedPatchbay, TestClient, WebhookSink};

/// The shared server with the guests, a client with a page and the chatbot `bot`, its webhooks, and a customer.
async fn with_bot(bot: &str) -> (SharedPatchbay, TestClient, WebhookSink, MessengerPerson) {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_bare_client();
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    // New ids, because the server and its simulator are shared.
    let digits = patchbay.new_phone().msisdn;
    let page = format!("55{digits}");
    patchbay.page(&client, &page).await;
    client.activate(bot).await;
    let person = patchbay.person(&format!("24{digits}"), &page);
    (patchbay, client, sink, person)
}
