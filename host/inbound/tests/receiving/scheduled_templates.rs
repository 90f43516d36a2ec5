//! Templates that a chatbot sends later: stored with the turn, sent once, by the rules of that moment.

use chrono::TimeDelta;
use domain::{chat::ParticipantState, template::TemplateRecord};
use serde_json::json;
use storage::{Queue, inboxes::templates, people::marketing_stops};

use crate::stage::Stage;

const WAITING: &str = "SELECT count(*) FROM scheduled_template";
const SENT: &str = "SELECT count(*) FROM outbound_message";
const REFUSALS: &str = "SELECT reason FROM plugin_event WHERE kind = 'TEMPLATE_REFUSED'";

/// A stage with the chatbot `errands`, which sends the template `order_ready` of this category after a day.
async fn stage(category: &str) -> Stage {
    let stage = Stage::with_chatbot("errands", json!({})).await;
    let record = TemplateRecord {
        id: "7".to_owned(),
        waba_id: "WABA".to_owned(),
        name: "order_ready".to_owned(),
        language: "en".to_owned(),
        status: "APPROVED".to_owned(),
        category: category.to_owned(),
        parameter_format: "POSITIONAL".to_owned(),
        components: json!([{ "type": "BODY", "text": "Your order {{1}} is ready" }]).into(),
    };
    let mut db = stage.ctx.db.acquire().await.unwrap();
    let (now, later) = (stage.ctx.now(), stage.ctx.now() + TimeDelta::days(400));
    templates::replace_all(&mut db, stage.client, "WABA", &[record], now, later).await.unwrap();
    drop(db);
    stage
}

async fn says(stage: &Stage, id: &str, text: &str) {
    stage.zo_writes(id, text).await;
    stage.settle().await;
}

#[tokio::test]
async fn a_scheduled_template_is_sent_once_although_the_chat_is_closed() {
    let stage = stage("UTILITY").await;
    says(&stage, "wamid.A", "campaign 1001").await;
    assert_eq!((stage.count(WAITING).await, stage.chat().await.state), (1, ParticipantState::Closed));
    stage.advance(TimeDelta::hours(23));
    stage.send_templates().await;
    assert_eq!(stage.count(SENT).await, 0);
    stage.advance(TimeDelta::hours(1));
    stage.send_templates().await;
    assert_eq!((stage.count(WAITING).await, stage.count(SENT).await), (0, 1));
    let content = stage.texts("SELECT content::text FROM outbound_part").await;
    assert!(content[0].contains("order_ready") && content[0].contains("1001"), "{content:?}");
    assert_eq!(stage.due(Queue::Outbound).await, [stage.number.0]);
}

#[tokio::test]
async fn a_template_whose_row_stayed_after_the_send_is_not_sent_again() {
    let stage = stage("UTILITY").await;
    says(&stage, "wamid.A", "campaign 1001").await;
    let copy = "CREATE TABLE kept AS SELECT * FROM scheduled_template";
    sqlx::query(copy).execute(&stage.ctx.db).await.unwrap();
    stage.advance(TimeDelta::days(1));
    stage.send_templates().await;
    // As after a kill between the send and the removal of the row.
    sqlx::query("INSERT INTO scheduled_template SELECT * FROM kept").execute(&stage.ctx.db).await.unwrap();
    stage.send_templates().await;
    assert_eq!((stage.count(WAITING).await, stage.count(SENT).await), (0, 1));
}

#[tokio::test]
async fn a_later_template_of_the_same_name_replaces_one_and_a_cancellation_takes_it_back() {
    let stage = stage("UTILITY").await;
    says(&stage, "wamid.A", "campaign 1001").await;
    says(&stage, "wamid.B", "campaign 1002").await;
    let waiting = stage.texts("SELECT template::text FROM scheduled_template").await;
    assert_eq!(waiting.len(), 1);
    assert!(waiting[0].contains("1002"), "{waiting:?}");
    says(&stage, "wamid.C", "no-campaign").await;
    assert_eq!(stage.count(WAITING).await, 0);
}

#[tokio::test]
async fn a_customer_who_stopped_marketing_gets_none_and_the_author_learns_why() {
    let stage = stage("MARKETING").await;
    says(&stage, "wamid.A", "campaign 1001").await;
    let mut db = stage.ctx.db.acquire().await.unwrap();
    let customer = stage.chat().await.customer;
    marketing_stops::stop(&mut db, stage.client, customer, stage.ctx.now()).await.unwrap();
    drop(db);
    stage.advance(TimeDelta::days(1));
    stage.send_templates().await;
    assert_eq!((stage.count(WAITING).await, stage.count(SENT).await), (0, 0));
    let reasons = stage.texts(REFUSALS).await;
    assert!(reasons[0].starts_with("template `step`: ") && reasons[0].contains("marketing"), "{reasons:?}");
}

#[tokio::test]
async fn a_template_that_cannot_be_filled_fails_the_turn_at_once() {
    let stage = stage("UTILITY").await;
    sqlx::query("UPDATE template SET status = 'PAUSED'").execute(&stage.ctx.db).await.unwrap();
    says(&stage, "wamid.A", "campaign 1001").await;
    assert_eq!((stage.count(WAITING).await, stage.chat().await.state), (0, ParticipantState::Queued));
}
