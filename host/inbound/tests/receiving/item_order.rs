//! The order of the messages of one customer while one of them fails (ADR 0045).

use chrono::TimeDelta;
use serde_json::{Value, json};

use domain::content::OutboundContent;

use crate::{
    sent,
    stage::{Stage, ZO},
};

const BODIES: &str = "SELECT body FROM chat_message ORDER BY id";
const GIVEN_UP: &str = "SELECT count(*) FROM callback WHERE failure IS NOT NULL";

async fn execute(stage: &Stage, statement: &'static str) {
    sqlx::raw_sql(statement).execute(&stage.ctx.db).await.unwrap();
}

/// A stage that cannot store texts that begin with `poison`.
async fn with_poison() -> Stage {
    let stage = Stage::new().await;
    let poison = "ALTER TABLE chat_message ADD CONSTRAINT no_poison CHECK (body NOT LIKE 'poison%')";
    execute(&stage, poison).await;
    stage
}

/// The addresses of Zo, each with the field of a message that has it.
const BY_NUMBER: (&str, &str) = ("from", ZO);
const BY_ID: (&str, &str) = ("from_user_id", "ZA.100");

fn text_from((field, address): (&str, &str), id: &str, text: &str) -> Value {
    let mut message = json!({ "id": id, "timestamp": "1790000000", "type": "text", "text": { "body": text } });
    message[field] = json!(address);
    message
}

/// Two messages of Zo, each under another address.
fn poison_by_number_and_three_by_id() -> [Value; 2] {
    [text_from(BY_NUMBER, "wamid.2", "poison"), text_from(BY_ID, "wamid.3", "three")]
}

/// A message of another customer fails and waits.
async fn another_waits(stage: &Stage) {
    let other = text_from(("from", "27820000002"), "wamid.O", "poison of another");
    stage.called_back(json!({ "messages": [other] })).await;
    stage.settle_callbacks_only().await;
}

async fn repair(stage: &Stage) {
    execute(stage, "ALTER TABLE chat_message DROP CONSTRAINT no_poison").await;
}

#[tokio::test]
async fn later_messages_of_a_customer_wait_for_one_that_fails_and_those_of_others_do_not() {
    let stage = with_poison().await;
    stage.zo_writes("wamid.1", "poison").await;
    stage.zo_writes("wamid.2", "two").await;
    let other = json!({ "from": "27820000002", "id": "wamid.O", "timestamp": "1790000000", "type": "text",
        "text": { "body": "other" } });
    stage.called_back(json!({ "messages": [other] })).await;
    stage.settle_callbacks_only().await;
    stage.zo_writes("wamid.3", "three").await;
    stage.settle_callbacks_only().await;
    assert_eq!(stage.texts(BODIES).await, ["other"]);

    repair(&stage).await;
    stage.advance(TimeDelta::seconds(2));
    stage.settle_callbacks_only().await;

    assert_eq!(stage.texts(BODIES).await, ["other", "poison", "two", "three"]);
    assert_eq!(stage.count("SELECT count(*) FROM callback").await, 0);
}

#[tokio::test]
async fn a_message_under_another_address_of_the_customer_waits_too() {
    let stage = with_poison().await;
    stage.zo_writes("wamid.1", "hi").await;
    stage.settle_callbacks_only().await;
    for message in poison_by_number_and_three_by_id() {
        stage.called_back(json!({ "messages": [message] })).await;
        stage.settle_callbacks_only().await;
    }
    assert_eq!(stage.transcript().await, ["< hi"]);

    repair(&stage).await;
    stage.advance(TimeDelta::seconds(2));
    stage.settle_callbacks_only().await;

    assert_eq!(stage.transcript().await, ["< hi", "< poison", "< three"]);
}

#[tokio::test]
async fn a_message_under_another_address_waits_also_while_an_item_of_another_customer_waits() {
    let stage = with_poison().await;
    stage.zo_writes("wamid.1", "hi").await;
    another_waits(&stage).await;
    stage.called_back(json!({ "messages": poison_by_number_and_three_by_id() })).await;
    stage.settle_callbacks_only().await;
    assert_eq!(stage.texts(BODIES).await, ["hi"]);

    repair(&stage).await;
    stage.advance(TimeDelta::seconds(2));
    stage.settle_callbacks_only().await;

    let of_zo = "SELECT body FROM chat_message WHERE body <> 'poison of another' ORDER BY id";
    assert_eq!(stage.texts(of_zo).await, ["hi", "poison", "three"]);
}

#[tokio::test]
async fn a_message_waits_also_if_an_item_of_its_page_has_merged_its_customer_with_that_of_the_earlier_one() {
    let stage = with_poison().await;
    for (address, id) in [(BY_NUMBER, "wamid.0"), (BY_ID, "wamid.1")] {
        stage.called_back(json!({ "messages": [text_from(address, id, "hi")] })).await;
        stage.settle_callbacks_only().await;
    }
    another_waits(&stage).await;
    let same = json!({ "from": ZO, "id": "wamid.S", "timestamp": "1790000000", "type": "system",
        "system": { "type": "user_changed_user_id", "wa_id": ZO, "user_id": "ZA.100" } });
    let [poison, three] = poison_by_number_and_three_by_id();
    stage.called_back(json!({ "messages": [same, poison, three] })).await;
    let of_zo = "SELECT body FROM chat_message WHERE body IN ('poison', 'three') ORDER BY id";
    stage.settle_callbacks_only().await;
    assert!(stage.texts(of_zo).await.is_empty());

    repair(&stage).await;
    stage.advance(TimeDelta::seconds(2));
    stage.settle_callbacks_only().await;

    assert_eq!(stage.texts(of_zo).await, ["poison", "three"]);
}

#[tokio::test]
async fn an_edit_waits_for_an_earlier_message_that_fails() {
    let stage = with_poison().await;
    stage.zo_writes("wamid.1", "helo").await;
    stage.settle_callbacks_only().await;
    stage.zo_writes("wamid.2", "poison").await;
    let edit = json!({ "original_message_id": "wamid.1", "message": { "type": "text", "text": { "body": "hello" } } });
    stage.zo_sends("wamid.E", "edit", edit, None).await;
    stage.settle_callbacks_only().await;
    assert_eq!(stage.transcript().await, ["< helo"]);

    repair(&stage).await;
    stage.advance(TimeDelta::seconds(2));
    stage.settle_callbacks_only().await;

    assert_eq!(stage.transcript().await, ["< hello", "< poison"]);
}

#[tokio::test]
async fn later_messages_go_on_after_the_last_attempt_of_one_that_fails() {
    let stage = with_poison().await;
    let began = stage.ctx.now();
    stage.zo_writes("wamid.1", "poison").await;
    stage.zo_writes("wamid.2", "two").await;
    stage.settle_callbacks_only().await;
    while stage.count(GIVEN_UP).await == 0 {
        assert!(stage.texts(BODIES).await.is_empty());
        stage.advance(TimeDelta::seconds(2));
        stage.settle_callbacks_only().await;
    }
    assert_eq!(stage.transcript().await, ["< two"]);
    assert_eq!(stage.ctx.now() - began, TimeDelta::seconds(2 + 4 + 8 + 16 + 32 + 64 + 128 + 256 + 256));
}

#[tokio::test]
async fn a_message_waits_behind_several_that_fail_for_a_quarter_of_an_hour_at_most() {
    let stage = with_poison().await;
    for (id, text) in [("wamid.1", "poison one"), ("wamid.2", "poison two"), ("wamid.3", "three")] {
        stage.zo_writes(id, text).await;
    }
    for _ in 0..87 {
        stage.settle_callbacks_only().await;
        stage.advance(TimeDelta::seconds(10));
    }
    stage.settle_callbacks_only().await;
    assert_eq!(stage.count(GIVEN_UP).await, 1);
    stage.advance(TimeDelta::seconds(29));
    stage.settle_callbacks_only().await;
    assert!(stage.texts(BODIES).await.is_empty());

    stage.advance(TimeDelta::seconds(1));
    stage.settle_callbacks_only().await;

    assert_eq!(stage.transcript().await, ["< three"]);
    assert_eq!(stage.count(GIVEN_UP).await, 1, "the second one still waits");
}

#[tokio::test]
async fn a_status_does_not_wait_for_a_message_that_fails() {
    let stage = with_poison().await;
    sent(&stage, "wamid.T", &OutboundContent::Text { body: "Hello".to_owned() }).await;
    stage.zo_writes("wamid.1", "poison").await;
    stage.settle_callbacks_only().await;
    let mut writer = stage.ctx.db.begin().await.unwrap();
    sqlx::query("SELECT 1 FROM outbound_leg FOR UPDATE").execute(&mut *writer).await.unwrap();
    let status = json!({ "id": "wamid.T", "status": "read", "timestamp": "1790000001", "recipient_id": ZO });
    stage.called_back(json!({ "statuses": [status] })).await;
    writer.rollback().await.unwrap();
    assert_eq!(stage.count("SELECT count(*) FROM callback").await, 2, "it goes through the queue");

    stage.settle_callbacks_only().await;

    assert_eq!(stage.count("SELECT count(*) FROM outbound_leg WHERE state = 'READ'").await, 1);
    assert_eq!(stage.count("SELECT count(*) FROM callback WHERE attempts = 1").await, 1);
}
