//! The routing of a new conversation by the built-in router.

use domain::{chat::ParticipantState, ids::UserId};
use serde_json::json;

use crate::stage::Stage;

async fn user(stage: &Stage, name: &str, role: &str) -> UserId {
    let id: UserId = stage.ctx.mint();
    sqlx::query(
        "INSERT INTO client_user (client_id, id, email, name, role, available, chat_limit, password_hash, created_at)
         VALUES ($1, $2, $3, $4, $5, true, 9, 'x', now())",
    )
    .bind(stage.client.0)
    .bind(id.0)
    .bind(format!("{id}@acme.example"))
    .bind(name)
    .bind(role)
    .execute(&stage.ctx.db)
    .await
    .unwrap();
    id
}

/// The chat of a customer who writes while the router names this agent.
async fn goes_to(stage: &Stage, agent: &str) -> (ParticipantState, Option<UserId>, String) {
    stage.activate_in("router", "router", json!({ "otherwise": { "agent": agent } })).await;
    stage.zo_writes("wamid.A", "hello").await;
    stage.settle().await;
    let chat = stage.chat().await;
    (chat.state, chat.assigned_agent, chat.queued_reason.unwrap_or_default())
}

#[tokio::test]
async fn an_agent_is_named_by_id_by_name_or_by_email() {
    for way in ["id", "name", "email"] {
        let stage = Stage::new().await;
        let ann = user(&stage, "Ann Botha", "AGENT").await;
        user(&stage, "Ben", "AGENT").await;
        let called = match way {
            "id" => ann.to_string(),
            "name" => " ann BOTHA ".to_owned(),
            _ => format!("{ann}@ACME.example"),
        };
        let (state, agent, reason) = goes_to(&stage, &called).await;
        assert_eq!((state, agent), (ParticipantState::Active, Some(ann)), "{way}: {reason}");
    }
}

#[tokio::test]
async fn an_ambiguous_name_or_one_without_an_agent_leaves_the_chat_in_the_queue_with_the_reason() {
    for (others, said) in [("AGENT", "the name of several users"), ("DEVELOPER", "no agent that can take chats")] {
        let stage = Stage::new().await;
        if others == "AGENT" {
            user(&stage, "Ann", "AGENT").await;
        }
        user(&stage, "ann", others).await;
        let (state, agent, reason) = goes_to(&stage, "Ann").await;
        assert_eq!((state, agent), (ParticipantState::Queued, None));
        assert!(reason.contains(said), "{reason}");
    }
}
