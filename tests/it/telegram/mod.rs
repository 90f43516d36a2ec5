//! Bots of Telegram, end to end: webhook and long polling, content both ways, errors and rates.

mod bots;
mod callbacks;
mod commands;
mod emulator;
mod files;
mod messages;

use harness::{SharedPatchbay, TelegramUser, TestClient, WebhookSink};

/// The shared server with the guests, a client with a bot of Telegram and the chatbot `plugin`, its webhooks, and a customer.
async fn with_bot(plugin: &str, way: &str) -> (SharedPatchbay, TestClient, WebhookSink, TelegramUser) {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_bare_client();
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    // New ids, because the server and its simulator are shared.
    let digits = patchbay.new_phone().msisdn;
    patchbay.bot(&client, &digits, way);
    client.activate(plugin).await;
    let user = patchbay.telegram_user(&format!("5{digits}"), &digits);
    (patchbay, client, sink, user)
}
