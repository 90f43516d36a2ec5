//! Callbacks for a number or account that no client has yet.

use inbound::callbacks::take_in_strays;
use serde_json::json;

use crate::{
    stage::{Stage, ZO},
    status,
};

const STRAYS: &str = "SELECT count(*) FROM stray_callback";

/// A stage whose number and account no client has.
async fn without_number() -> Stage {
    let stage = Stage::new().await;
    sqlx::raw_sql("DELETE FROM phone_number_directory; DELETE FROM waba_directory")
        .execute(&stage.ctx.db)
        .await
        .unwrap();
    stage
}

/// The client adds the number.
async fn add_number(stage: &Stage) {
    let number = "INSERT INTO phone_number_directory (phone_number_id, client_id, inbox_id) VALUES ('PN', $1, $2)";
    sqlx::query(number).bind(stage.client.0).bind(stage.number.0).execute(&stage.ctx.db).await.unwrap();
    let account = "INSERT INTO waba_directory (waba_id, client_id, refresh_due_at) VALUES ('WABA', $1, $2)";
    sqlx::query(account).bind(stage.client.0).bind(stage.ctx.now()).execute(&stage.ctx.db).await.unwrap();
}

#[tokio::test]
async fn messages_for_an_unknown_number_are_taken_in_once_and_in_order_when_a_client_adds_it() {
    let stage = without_number().await;
    stage.zo_writes("wamid.A", "one").await;
    stage.zo_writes("wamid.B", "two").await;
    stage.zo_writes("wamid.A", "one").await;
    assert_eq!(stage.count(STRAYS).await, 2, "a repetition is kept once");
    assert_eq!(take_in_strays(&stage.ctx).await.unwrap(), 0, "no client has the number");

    add_number(&stage).await;
    assert_eq!(take_in_strays(&stage.ctx).await.unwrap(), 2);
    stage.zo_writes("wamid.B", "two").await;
    stage.settle().await;

    assert_eq!(stage.transcript().await, ["< one", "< two"]);
    assert_eq!(stage.count(STRAYS).await, 0);
    assert_eq!(take_in_strays(&stage.ctx).await.unwrap(), 0);
}

#[tokio::test]
async fn an_event_of_an_unknown_account_is_taken_in_when_a_client_adds_a_number_of_it() {
    let stage = without_number().await;
    let change = json!({
        "event": "REJECTED", "message_template_id": 77, "message_template_name": "hello",
        "message_template_language": "en", "reason": "INVALID_FORMAT"
    });
    stage.told_of_the_account("message_template_status_update", change).await;
    assert_eq!(stage.count(STRAYS).await, 1);

    add_number(&stage).await;
    take_in_strays(&stage.ctx).await.unwrap();

    assert_eq!(stage.count(STRAYS).await, 0);
    assert_eq!(stage.count("SELECT count(*) FROM callback").await, 1);
}

#[tokio::test]
async fn a_status_of_a_message_of_another_program_is_not_kept() {
    let stage = without_number().await;
    stage.called_back(status("wamid.T", "sent")).await;
    assert_eq!(stage.count(STRAYS).await, 0);
}

#[tokio::test]
async fn an_item_that_cannot_be_read_is_listed_for_the_client_that_adds_the_number() {
    let stage = without_number().await;
    let odd = json!({ "from": ZO, "id": "wamid.X", "timestamp": "soon", "type": "text", "text": { "body": "lost?" } });
    stage.called_back(json!({ "messages": [odd] })).await;
    assert_eq!(stage.count(STRAYS).await, 1);

    add_number(&stage).await;
    take_in_strays(&stage.ctx).await.unwrap();

    assert_eq!(stage.count("SELECT count(*) FROM failed_callback").await, 1);
}
