//! A chat that an agent gives back to its chatbot.

use chat::desk::{ActingUser, DeskError, release};
use domain::{chat::ParticipantState, privacy::CustomerVisibility};
use serde_json::json;
use storage::{PgConnection, tenancy::users::Role};

use crate::stage::Stage;

const BOT: &str = "default-chatbot";

fn supervisor(stage: &Stage) -> ActingUser {
    ActingUser {
        client: stage.client,
        user: stage.ctx.mint(),
        role: Role::Supervisor,
        sight: CustomerVisibility::Whole,
    }
}

async fn taken_by_an_agent(stage: &Stage) {
    let mut db = stage.ctx.db.acquire().await.unwrap();
    let db: &mut PgConnection = &mut db;
    sqlx::query("UPDATE participant SET state = 'ACTIVE', control_version = control_version + 1")
        .execute(db)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_chat_returned_by_an_agent_belongs_to_the_chatbot_which_gets_an_event() {
    let stage = Stage::with_chatbot(BOT, json!({ "released": "I am back." })).await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;
    taken_by_an_agent(&stage).await;
    let before = stage.chat().await;
    release(&stage.ctx, supervisor(&stage), before.id).await.unwrap();
    let given = stage.chat().await;
    assert_eq!((given.state, given.control_version), (ParticipantState::Bot, before.control_version + 1));
    stage.settle().await;
    assert_eq!(stage.transcript().await.last().unwrap(), "> I am back.");
    assert_eq!(stage.count("SELECT count(*) FROM participant_event WHERE kind = 'RELEASED'").await, 0);
}

#[tokio::test]
async fn a_chat_that_no_agent_has_or_that_no_chatbot_would_answer_is_not_given_back() {
    let stage = Stage::with_chatbot(BOT, json!({})).await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;
    let chat = stage.chat().await;
    let refused = release(&stage.ctx, supervisor(&stage), chat.id).await.unwrap_err();
    assert!(matches!(&refused, DeskError::Conflict(said) if said.contains("no agent")), "{refused}");
    let unknown = stage.ctx.mint();
    let refused = release(&stage.ctx, supervisor(&stage), unknown).await.unwrap_err();
    assert!(matches!(refused, DeskError::NotFound), "{refused}");

    let without = Stage::new().await;
    without.zo_writes("wamid.A", "hi").await;
    without.settle().await;
    taken_by_an_agent(&without).await;
    let chat = without.chat().await;
    let refused = release(&without.ctx, supervisor(&without), chat.id).await.unwrap_err();
    assert!(matches!(&refused, DeskError::Conflict(said) if said.contains("no chatbot")), "{refused}");
    assert_eq!(without.chat().await.state, ParticipantState::Active);
}
