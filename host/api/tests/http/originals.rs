//! The original of a message that is shown in words of ours.

use std::{sync::Arc, time::Duration};

use axum::http::Request;
use base::{
    Queue,
    lanes::{LaneKey, Lease},
};
use channels::whatsapp_cloud::callback::signature;
use serde_json::{Value, json};
use storage::work::lanes;
use tenancy::accounts::Role;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::service::{APP_SECRET, Call, Service};

const MESSAGES: &str = "/chat-service/api/v2/messages";

/// Takes a message of a customer, as the runner does.
async fn takes(service: &Service, message: Value) {
    let value = json!({"metadata": {"phone_number_id": "106540352242922"}, "messages": [message]});
    let body = json!({"object": "whatsapp_business_account",
        "entry": [{"id": "102290129340398", "changes": [{"field": "messages", "value": value}]}]})
    .to_string();
    let signed = signature(APP_SECRET, body.as_bytes());
    let call = Call::post("/providers/whatsapp-cloud/webhook", body).header("x-hub-signature-256", &signed);
    assert_eq!(service.send(call).await.status, 200);
    let due = {
        let mut db = service.context.db.acquire().await.unwrap();
        lanes::due(&mut db, Queue::Callback, service.context.now(), 10).await.unwrap()
    };
    for (client, lane) in due {
        let lane = LaneKey { queue: Queue::Callback, client, lane };
        let (stop, nudge) = (CancellationToken::new(), Arc::new(Notify::new()));
        let lease = Lease::claim(&service.context, lane, Duration::from_secs(60), stop, nudge).await.unwrap().unwrap();
        inbound::callbacks::work(&service.context, &lease).await.unwrap();
        lease.release(&service.context).await.unwrap();
    }
}

/// The history of the only chat.
async fn history(service: &Service) -> Vec<Value> {
    let chats = service.get("/chat-service/api/v2/chats?scope=all").await.json();
    let chat = chats["content"][0]["id"].as_str().unwrap().to_owned();
    let messages = service.get(&format!("{MESSAGES}?participantId={chat}")).await.json();
    messages.as_array().unwrap().clone()
}

fn original_of(message: &Value) -> String {
    format!("{MESSAGES}/{}/original", message["id"].as_str().unwrap())
}

fn message(id: &str, kind: &str, part: Value) -> Value {
    let mut message = json!({"from": "27830000001", "id": id, "timestamp": "1759999999", "type": kind});
    message[kind] = part;
    message
}

#[tokio::test]
async fn the_original_of_an_order_can_be_had_by_its_client() {
    let service = Service::start().await;
    let items = json!([{"product_retailer_id": "sku-1", "quantity": 1, "item_price": 5, "currency": "ZAR"}]);
    let order = message("wamid.O", "order", json!({"catalog_id": "c-1", "product_items": items}));
    takes(&service, order.clone()).await;
    let [shown] = history(&service).await.try_into().unwrap();
    assert_eq!(shown["text"], "Order:\n1 x sku-1, 5.00 ZAR each\nTotal: 5.00 ZAR");
    let original = service.get(&original_of(&shown)).await.json();
    assert_eq!(original, json!({"messageId": shown["id"], "original": order, "earlierVersions": []}));
    let unowned = format!("{MESSAGES}/{}/original", uuid::Uuid::from_u128(5));
    for unknown in [unowned.as_str(), "/chat-service/api/v2/messages/x/original"] {
        assert_eq!(service.get(unknown).await.error().0, 404, "{unknown}");
    }
}

#[tokio::test]
async fn content_that_the_provider_withholds_has_its_code_in_the_history() {
    let service = Service::start().await;
    let mut unsupported = message("wamid.U", "unsupported", json!({"type": "unknown"}));
    unsupported["errors"] = json!([{"code": 131_051, "title": "Message type unknown"}]);
    takes(&service, unsupported.clone()).await;
    let [shown] = history(&service).await.try_into().unwrap();
    assert_eq!((&shown["text"], &shown["contentType"]), (&json!("unsupported message"), &json!("TEXT")));
    assert_eq!((&shown["errorCode"], &shown["errorCodeString"]), (&json!("131051"), &json!("Message type unknown")));
    assert_eq!(service.get(&original_of(&shown)).await.json()["original"], unsupported);
}

#[tokio::test]
async fn a_long_original_is_cut_and_modelled_content_has_its_raw_form() {
    let service = Service::start().await;
    takes(&service, message("wamid.L", "something_new", json!({"long": "x".repeat(70_000)}))).await;
    let text = message("wamid.T", "text", json!({"body": "hi"}));
    takes(&service, text.clone()).await;
    let [long, short] = history(&service).await.try_into().unwrap();
    let body = service.get(&original_of(&long)).await.json();
    assert_eq!((body["beginning"].as_str().map(str::len), body.get("original")), (Some(65_536), None));
    assert_eq!(service.get(&original_of(&short)).await.json()["original"], text);
}

#[tokio::test]
async fn the_versions_of_a_message_before_its_edit_and_deletion_can_be_read() {
    let service = Service::start().await;
    takes(&service, message("wamid.T", "text", json!({"body": "see you at 9"}))).await;
    let edited =
        json!({"original_message_id": "wamid.T", "message": {"type": "text", "text": {"body": "see you at 10"}}});
    takes(&service, message("wamid.E", "edit", edited)).await;
    takes(&service, message("wamid.R", "revoke", json!({"original_message_id": "wamid.T"}))).await;
    let [shown] = history(&service).await.try_into().unwrap();
    let versions = service.get(&original_of(&shown)).await.json()["earlierVersions"].clone();
    let texts: Vec<&Value> = versions.as_array().unwrap().iter().map(|version| &version["text"]).collect();
    assert_eq!(texts, [&json!("see you at 9"), &json!("see you at 10")]);
    assert_eq!(
        (&versions[0]["contentType"], &versions[0]["replacedTime"]),
        (&json!("TEXT"), &versions[1]["writtenTime"])
    );
    assert_eq!(shown["deleted"], true);
}

#[tokio::test]
async fn a_caller_with_masked_data_gets_no_original() {
    let service = Service::start().await;
    takes(&service, message("wamid.O", "order", json!({"text": "the usual"}))).await;
    let [shown] = history(&service).await.try_into().unwrap();
    let agent = service.key_of(Role::Agent).await;
    let of_agent = || service.send(Call::get(&original_of(&shown)).key(&agent));
    assert_eq!(of_agent().await.status, 200);
    let popia = Request::put("/api/v1/clients/me/popia-compliance").header("content-type", "application/json");
    let popia = Call(popia.body(json!({"popiaCompliant": true}).to_string().into()).unwrap()).key(&service.key);
    assert_eq!(service.send(popia).await.status, 200);
    assert_eq!(of_agent().await.error().0, 403);
    assert_eq!(service.get(&original_of(&shown)).await.status, 200, "an ADMIN sees everything");
    let developer = service.key_of(Role::Developer).await;
    assert_eq!(service.send(Call::get(&original_of(&shown)).key(&developer)).await.error().0, 403, "no chats at all");
}
