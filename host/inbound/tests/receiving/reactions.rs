//! A customer's reaction is shown in the chat and requires no action.

use serde_json::json;

use domain::chat::ParticipantState;

use crate::stage::Stage;

const AWAITED: &str = "SELECT count(*) FROM chat_due WHERE kind = 'ANSWER'";

async fn execute(stage: &Stage, statement: &'static str) {
    sqlx::query(statement).execute(&stage.ctx.db).await.unwrap();
}

async fn zo_reacts(stage: &Stage, id: &str) {
    stage.zo_sends(id, "reaction", json!({ "message_id": "wamid.A", "emoji": "\u{1f44d}" }), None).await;
    stage.settle().await;
}

#[tokio::test]
async fn a_reaction_to_the_last_message_begins_no_conversation() {
    let stage = Stage::new().await;
    stage.zo_writes("wamid.A", "thank you").await;
    stage.settle().await;
    execute(&stage, "UPDATE participant SET state = 'CLOSED'").await;
    execute(&stage, "DELETE FROM chat_due").await;
    zo_reacts(&stage, "wamid.B").await;
    assert_eq!(stage.chat().await.state, ParticipantState::Closed);
    assert_eq!((stage.messages().await.len(), stage.count(AWAITED).await), (2, 0));
    assert_eq!(stage.incoming_events().await.len(), 2, "it is told of");
    stage.zo_writes("wamid.C", "one more thing").await;
    stage.settle().await;
    assert_eq!((stage.chat().await.state, stage.count(AWAITED).await), (ParticipantState::Queued, 1));
}

#[tokio::test]
async fn a_reaction_to_an_agent_needs_no_answer() {
    let stage = Stage::new().await;
    stage.zo_writes("wamid.A", "hello").await;
    stage.settle().await;
    execute(&stage, "UPDATE participant SET state = 'ACTIVE', assigned_agent_id = id").await;
    execute(&stage, "DELETE FROM chat_due").await;
    zo_reacts(&stage, "wamid.B").await;
    assert_eq!((stage.chat().await.state, stage.count(AWAITED).await), (ParticipantState::Active, 0));
    stage.zo_writes("wamid.C", "are you there?").await;
    stage.settle().await;
    assert_eq!(stage.count(AWAITED).await, 1);
}
