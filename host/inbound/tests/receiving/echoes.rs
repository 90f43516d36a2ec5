//! Messages from the WhatsApp Business app, and messages of customers in groups (PROVIDERS A.7, A.8).

use chrono::TimeDelta;
use domain::{chat::ParticipantState, content::OutboundContent};
use serde_json::{Value, json};

use crate::{
    sent,
    stage::{BUSINESS, Stage, ZO},
};

const BOT: &str = "default-chatbot";

fn echo(id: &str, kind: &str, part: Value) -> Value {
    let mut message = json!({ "from": BUSINESS, "to": ZO, "id": id, "timestamp": "1790000000", "type": kind });
    message[kind] = part;
    message
}

async fn echoed(stage: &Stage, echoes: &[Value]) {
    let value = json!({
        "messaging_product": "whatsapp",
        "metadata": { "display_phone_number": BUSINESS, "phone_number_id": "PN" },
        "message_echoes": echoes,
    });
    stage.told_of_the_account("smb_message_echoes", value).await;
}

fn text(id: &str, body: &str) -> Value {
    echo(id, "text", json!({ "body": body }))
}

#[tokio::test]
async fn an_answer_from_the_app_is_in_the_chat_once_and_is_not_sent() {
    let stage = Stage::with_chatbot(BOT, json!({})).await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;
    let (calls, queued) = (stage.outcomes().await.len(), stage.count("SELECT count(*) FROM outbound_work").await);
    let told = stage.chatbot_events().await.len();
    for _ in 0..2 {
        echoed(&stage, &[text("wamid.P", "this is Thandi")]).await;
        stage.settle().await;
    }
    assert_eq!(stage.transcript().await.last().unwrap(), "> this is Thandi");
    let owners = "SELECT owner || ' ' || state FROM chat_message WHERE provider_id = 'wamid.P'";
    assert_eq!(stage.texts(owners).await, ["APP SENT"]);
    assert_eq!(stage.count("SELECT count(*) FROM outbound_work").await, queued, "it has left already");
    assert_eq!(stage.outcomes().await.len(), calls, "the chatbot is not asked");
    assert_eq!(stage.chatbot_events().await.len(), told);
    assert_eq!(stage.incoming_events().await.len(), 1);
}

#[tokio::test]
async fn statuses_of_an_answer_from_the_app_fail_nothing_and_do_not_wait() {
    let stage = Stage::new().await;
    stage.zo_writes("wamid.A", "hi").await;
    echoed(&stage, &[text("wamid.P", "hello")]).await;
    stage.settle().await;
    let failed = json!({ "id": "wamid.P", "status": "failed", "timestamp": "1790000001", "recipient_id": ZO,
        "errors": [{ "code": 131_026, "title": "undeliverable" }] });
    stage.called_back(json!({ "statuses": [failed] })).await;
    stage.settle().await;
    assert_eq!(stage.texts("SELECT state FROM chat_message WHERE provider_id = 'wamid.P'").await, ["SENT"]);
    assert_eq!(stage.count("SELECT count(*) FROM callback").await, 0);
    assert_eq!(stage.count("SELECT count(*) FROM fallback").await, 0);
}

#[tokio::test]
async fn an_echo_of_our_own_message_or_to_an_unknown_customer_shows_nothing() {
    let stage = Stage::new().await;
    echoed(&stage, &[text("wamid.X", "cold call")]).await;
    stage.settle().await;
    assert_eq!(stage.count("SELECT count(*) FROM participant").await, 0);
    stage.zo_writes("wamid.A", "hi").await;
    sent(&stage, "wamid.OURS", &OutboundContent::Text { body: "notice".to_owned() }).await;
    echoed(&stage, &[text("wamid.OURS", "notice")]).await;
    stage.settle().await;
    assert_eq!(stage.transcript().await, ["< hi"]);
}

#[tokio::test]
async fn a_picture_from_the_app_is_fetched_as_those_of_customers_are() {
    let stage = Stage::new().await;
    stage.zo_writes("wamid.A", "hi").await;
    let picture = json!({ "id": "MEDIA", "mime_type": "image/jpeg", "sha256": "x", "caption": "our shop" });
    echoed(&stage, &[echo("wamid.P", "image", picture)]).await;
    stage.settle().await;
    assert_eq!(stage.transcript().await, ["< hi", "> our shop"]);
    assert_eq!(stage.texts("SELECT provider_media_id FROM media").await, ["MEDIA"]);
    assert_eq!(stage.texts("SELECT content_type FROM chat_message WHERE media_id IS NOT NULL").await, ["IMAGE"]);
}

#[tokio::test]
async fn the_business_edits_and_deletes_its_messages_in_the_app() {
    let stage = Stage::new().await;
    stage.zo_writes("wamid.A", "hi").await;
    echoed(&stage, &[text("wamid.P", "helo"), text("wamid.Q", "oops")]).await;
    stage.settle().await;
    stage.advance(TimeDelta::seconds(5));
    let edit = json!({ "original_message_id": "wamid.P", "message": { "type": "text", "text": { "body": "hello" } } });
    let revoke = json!({ "original_message_id": "wamid.Q" });
    echoed(&stage, &[echo("wamid.E", "edit", edit), echo("wamid.R", "revoke", revoke)]).await;
    stage.settle().await;
    assert_eq!(stage.transcript().await, ["< hi", "> hello", "> "]);
    // Zo deletes a message of the business, which only affects Zo's own phone.
    stage.zo_sends("wamid.Z", "revoke", json!({ "original_message_id": "wamid.P" }), None).await;
    stage.settle().await;
    assert_eq!(stage.transcript().await[1], "> hello");
    let types: Vec<_> = stage.chatbot_events().await.into_iter().filter_map(|event| event.message_type).collect();
    assert_eq!(types, ["TEXT"], "other actions of the business are not shown");
}

#[tokio::test]
async fn messages_in_groups_are_no_chats_open_no_window_and_wake_no_chatbot() {
    let stage = Stage::with_chatbot(BOT, json!({})).await;
    let in_group = |id: &str, kind: &str, part: Value| {
        let mut message = json!({ "from": ZO, "from_user_id": "ZA.100", "group_id": "Y2FwaV9ncm91cDo", "id": id,
            "timestamp": "1790000000", "type": kind });
        message[kind] = part;
        message
    };
    let messages = [
        in_group("wamid.G", "text", json!({ "body": "hi all" })),
        in_group("wamid.H", "reaction", json!({ "message_id": "wamid.G", "emoji": "\u{1f44d}" })),
        in_group("wamid.I", "revoke", json!({ "original_message_id": "wamid.G" })),
    ];
    stage.called_back(json!({ "messages": messages })).await;
    stage.settle().await;
    assert_eq!(stage.count("SELECT count(*) FROM participant").await, 0);
    assert_eq!(stage.count("SELECT count(*) FROM inbox_customer").await, 0);
    assert_eq!(stage.count("SELECT count(*) FROM callback").await, 0);
    assert!(stage.outcomes().await.is_empty());
    stage.zo_writes("wamid.A", "just us").await;
    stage.settle().await;
    assert_eq!(stage.transcript().await[0], "< just us");
    assert_eq!(stage.chat().await.state, ParticipantState::Bot);
}
