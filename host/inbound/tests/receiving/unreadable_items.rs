//! Items of callbacks that are unreadable or have no effect, and content that is not modelled.

use base::audit::{Actor, Administration};
use chrono::TimeDelta;
use domain::{
    content::OutboundContent,
    inbound::{CallbackBody, InboundContent},
    page::PageRequest,
};
use inbound::callbacks::failed_items::{self, FailedCallback};
use serde_json::{Value, json};
use storage::chat::originals;

use crate::{
    sent,
    stage::{Stage, ZO},
};

async fn failed(stage: &Stage) -> Vec<FailedCallback> {
    failed_items::list(&stage.ctx.db, stage.client, PageRequest { page: 0, size: 100 }).await.unwrap().items
}

fn text(id: &str, body: &str) -> Value {
    json!({ "from": ZO, "id": id, "timestamp": "1790000000", "type": "text", "text": { "body": body } })
}

#[tokio::test]
async fn an_unreadable_item_is_kept_once_and_the_others_reach_the_chat() {
    let stage = Stage::new().await;
    let odd = json!({ "from": ZO, "id": "wamid.X", "timestamp": "soon", "type": "text", "text": { "body": "lost?" } });
    for _ in 0..3 {
        let messages = [text("wamid.A", "before"), odd.clone(), json!(7), text("wamid.B", "after")];
        stage.called_back(json!({ "contacts": null, "messages": messages, "statuses": {} })).await;
        stage.settle().await;
    }
    assert_eq!(stage.transcript().await, ["< before", "< after"]);
    let kept = failed(&stage).await;
    let kinds: Vec<(&str, &str)> = kept.iter().map(|one| (one.item.kind.as_str(), one.item.content.as_str())).collect();
    let odd = odd.to_string();
    let mut expected = [("message", odd.as_str()), ("message", "7"), ("status", "{}")];
    let mut found = kinds.clone();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(stage.count("SELECT count(*) FROM callback").await, 0);
    let mut ids: Vec<_> = kept.iter().map(|one| one.id.0).collect();
    ids.reverse();
    assert!(ids.is_sorted(), "the newest first");
}

#[tokio::test]
async fn a_readable_item_that_can_never_be_processed_is_listed_when_it_is_given_up() {
    let stage = Stage::new().await;
    let refuse = "ALTER TABLE chat_message ADD CONSTRAINT refused CHECK (body <> 'never')";
    sqlx::raw_sql(refuse).execute(&stage.ctx.db).await.unwrap();
    stage.zo_writes("wamid.A", "never").await;
    for _ in 0..12 {
        stage.settle_callbacks_only().await;
        stage.advance(TimeDelta::minutes(10));
    }
    stage.zo_writes("wamid.B", "but this").await;
    stage.settle().await;
    assert_eq!(stage.transcript().await, ["< but this"]);
    let [kept] = failed(&stage).await.try_into().unwrap();
    assert_eq!(kept.item.kind, "message");
    let content: Value = serde_json::from_str(&kept.item.content).unwrap();
    assert_eq!(content["text"]["body"], "never");
    assert!(!kept.item.reason.contains("refused"), "{}", kept.item.reason);
}

#[tokio::test]
async fn an_account_event_is_kept_for_its_client_or_without_a_client_if_it_names_none() {
    let stage = Stage::new().await;
    let value = json!({ "metadata": {}, "messages": [text("wamid.A", "hi")] });
    stage.told_of_the_account("messages", value).await;
    let [kept] = failed(&stage).await.try_into().unwrap();
    assert_eq!((kept.item.kind.as_str(), kept.item.provider.as_str()), ("change", "WHATSAPP_CLOUD"));
    sqlx::query("DELETE FROM phone_number_directory").execute(&stage.ctx.db).await.unwrap();
    stage.called_back(json!({ "messages": [null] })).await;
    assert_eq!(failed(&stage).await.len(), 1, "nothing is kept of an unknown number");
}

const LEGS_FAILED: &str = "SELECT count(*) FROM outbound_leg WHERE state = 'FAILED'";

#[tokio::test]
async fn a_status_that_is_not_about_delivery_leaves_the_message_as_it_is() {
    let stage = Stage::new().await;
    sent(&stage, "wamid.T", &OutboundContent::Text { body: "Hello".to_owned() }).await;
    let status = |more: Value| {
        let mut status = json!({ "id": "wamid.T", "status": "failed", "timestamp": "1790000001", "recipient_id": ZO });
        status.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        status
    };
    for odd in [
        json!({ "type": "payment", "payment": { "reference_id": "r" } }),
        json!({ "type": "payment", "status": "captured" }),
        json!({ "type": "something_new" }),
        json!({ "type": 7 }),
        json!({ "status": "warning" }),
        json!({ "status": "FAILED" }),
        json!({ "id": null }),
        json!({ "id": "wamid.of-somebody-else" }),
    ] {
        stage.called_back(json!({ "statuses": [status(odd.clone())] })).await;
        stage.settle().await;
        assert_eq!(stage.count(LEGS_FAILED).await, 0, "{odd}");
        assert_eq!(stage.count("SELECT count(*) FROM delivery_receipt").await, 0, "{odd}");
    }
    stage.called_back(json!({ "statuses": [status(json!({ "type": "message" }))] })).await;
    assert_eq!(stage.count(LEGS_FAILED).await, 1);
}

#[tokio::test]
async fn a_given_up_item_is_processed_again_after_its_cause_is_repaired() {
    let stage = Stage::new().await;
    let refuse = "ALTER TABLE chat_message ADD CONSTRAINT refused CHECK (body <> 'never')";
    sqlx::raw_sql(refuse).execute(&stage.ctx.db).await.unwrap();
    stage.zo_writes("wamid.A", "never").await;
    for _ in 0..12 {
        stage.settle_callbacks_only().await;
        stage.advance(TimeDelta::minutes(10));
    }
    let [given_up] = <[FailedCallback; 1]>::try_from(failed(&stage).await).unwrap();
    sqlx::raw_sql("ALTER TABLE chat_message DROP CONSTRAINT refused").execute(&stage.ctx.db).await.unwrap();
    let admin = Administration::from(&*stage.ctx);
    let again = async |only| failed_items::take_again(&admin, stage.client, Some(only), Actor::Operator).await.unwrap();

    assert_eq!(again(stage.ctx.mint()).await, 0, "no item has this id");
    assert_eq!(again(given_up.id).await, 1);

    assert!(failed(&stage).await.is_empty());
    stage.settle().await;
    assert_eq!(stage.transcript().await, ["< never"]);
}

#[tokio::test]
async fn an_order_has_a_text_everywhere_and_its_original_is_kept() {
    let stage = Stage::new().await;
    let order = json!({ "catalog_id": "c", "text": "before noon", "product_items": [
        { "product_retailer_id": "sku-1", "quantity": 2, "item_price": 15.5, "currency": "ZAR" }] });
    stage.zo_sends("wamid.O", "order", order.clone(), None).await;
    stage.settle().await;
    let words = "before noon\nOrder:\n2 x sku-1, 15.50 ZAR each\nTotal: 31.00 ZAR";
    let [message] = stage.messages().await.try_into().unwrap();
    assert_eq!(message.body.as_deref(), Some(words));
    let [incoming] = stage.incoming_events().await.try_into().unwrap();
    assert_eq!((incoming.text.as_deref(), incoming.message_content_type.as_str()), (Some(words), "TEXT"));
    assert_eq!((incoming.error_code, incoming.error_code_string), (None, None));
    let [told] = stage.chatbot_events().await.try_into().unwrap();
    assert_eq!((told.message_text.as_deref(), told.message_type.as_deref()), (Some(words), Some("TEXT")));
    let mut db = stage.ctx.db.acquire().await.unwrap();
    let original = originals::find(&mut db, stage.client, message.id).await.unwrap().unwrap();
    assert_eq!(serde_json::from_str::<Value>(&original).unwrap()["order"], order);
    let received = message.content.incoming().unwrap();
    assert!(received.raw.0.is_null(), "it is kept in one place");
}

#[tokio::test]
async fn content_that_the_provider_withholds_is_reported_with_its_code() {
    let stage = Stage::new().await;
    let message = json!({ "from": ZO, "id": "wamid.U", "timestamp": "1790000000", "type": "unsupported",
        "errors": [{ "code": 131_051, "title": "Message type unknown" }] });
    stage.called_back(json!({ "messages": [message] })).await;
    stage.settle().await;
    let [incoming] = stage.incoming_events().await.try_into().unwrap();
    assert_eq!(incoming.text.as_deref(), Some("unsupported message"));
    let code = (incoming.error_code.as_deref(), incoming.error_code_string.as_deref());
    assert_eq!(code, (Some("131051"), Some("Message type unknown")));
    let InboundContent::Unmodelled(said) = stage.last_said().await else { panic!("it is modelled") };
    assert_eq!(said.error.map(|error| error.code), Some(131_051));
}

#[tokio::test]
async fn an_original_is_bounded_and_modelled_content_has_no_separate_original() {
    let stage = Stage::new().await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.zo_sends("wamid.L", "something_new", json!({ "long": "é".repeat(60_000) }), None).await;
    stage.settle().await;
    let lengths = stage.texts("SELECT octet_length(content)::text FROM message_original").await;
    assert_eq!(lengths, ["65536"]);
}

#[tokio::test]
async fn the_older_name_of_a_changed_number_has_the_same_effect() {
    let stage = Stage::new().await;
    stage.zo_writes("wamid.A", "hi").await;
    let system =
        json!({ "type": "customer_changed_number", "new_wa_id": "27820000009", "customer": ZO, "body": "changed" });
    let message = json!({ "from": ZO, "id": "wamid.S", "timestamp": "1790000000", "type": "system", "system": system });
    stage.called_back(json!({ "messages": [message] })).await;
    stage.settle().await;
    let message = json!({ "from": "27820000009", "id": "wamid.B", "timestamp": "1790000000", "type": "text",
        "text": { "body": "it is me" } });
    stage.called_back(json!({ "messages": [message] })).await;
    stage.settle().await;
    assert_eq!(stage.transcript().await, ["< hi", "< it is me"]);
    let [event] = stage.partner_events().await.try_into().unwrap();
    assert_eq!((event.old_number.as_deref(), event.new_number.as_deref()), (Some(ZO), Some("27820000009")));
}

#[test]
fn a_kept_item_has_no_data_of_the_customer_except_its_content() {
    let body = json!({ "object": "whatsapp_business_account", "entry": [{ "id": "W", "changes": [{ "field": "messages",
        "value": { "metadata": { "phone_number_id": "PN" }, "messages": [{ "id": "wamid.X", "from": ZO, "type": "text" }] } }] }] });
    let items = channels::whatsapp_cloud::callback::parse(body.to_string().as_bytes()).unwrap();
    let CallbackBody::Unreadable(item) = &items[0].body else { panic!("{items:?}") };
    assert!(!item.reason.contains(ZO) && item.content.contains(ZO));
}
