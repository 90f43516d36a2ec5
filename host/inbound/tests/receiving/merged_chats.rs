//! A number and a user id with one chat each turn out to be one person: effects on callbacks, tickets, webhooks and
//! room of agents.

use chat::desk::{self, ActingUser, NewHolder};
use chrono::TimeDelta;
use domain::{
    address::{Address, AddressKind},
    chat::ParticipantState,
    content::OutboundContent,
    ids::{ParticipantId, UserId},
    privacy::CustomerVisibility,
};
use people::Introduction;
use serde_json::{Value, json};
use storage::{
    Queue,
    chat::participants::{self, Participant},
    tenancy::users::Role,
};
use uuid::Uuid;

use crate::{
    sent,
    stage::{BUSINESS, Stage, ZO},
};

const USER_ID: &str = "ZA.9";
const TICKETS: &str = "SELECT agent.name || ' ' || ticket.status FROM ticket
    JOIN client_user agent ON agent.client_id = ticket.client_id AND agent.id = ticket.agent_id ORDER BY number";
const ROOM: &str = "SELECT lane_id FROM chat_due WHERE kind = 'ROOM'";

async fn writes(stage: &Stage, id: &str, number: Option<&str>, user: Option<&str>) {
    let mut message = json!({ "id": id, "timestamp": "1790000000", "type": "text", "text": { "body": id } });
    for (name, value) in [("from", number), ("from_user_id", user)] {
        if let Some(value) = value {
            message[name] = json!(value);
        }
    }
    stage.called_back(json!({ "messages": [message] })).await;
    stage.settle_callbacks_only().await;
    stage.advance(TimeDelta::seconds(1));
}

/// The chat of the number, which came first, and the chat of the user id.
async fn two_chats(stage: &Stage) -> [ParticipantId; 2] {
    writes(stage, "by number", Some(ZO), None).await;
    writes(stage, "by user id", None, Some(USER_ID)).await;
    let chats = stage.ids("SELECT id FROM participant ORDER BY last_message_at, id").await;
    <[Uuid; 2]>::try_from(chats).unwrap().map(ParticipantId)
}

/// An agent in a new team that assigns chats automatically. Returns both ids.
async fn agent(stage: &Stage, name: &str) -> (UserId, Uuid) {
    let (user, team): (Uuid, Uuid) = (stage.ctx.mint(), stage.ctx.mint());
    let statement =
        "INSERT INTO team (client_id, id, name, assignment, created_at) VALUES ($1, $2, $3, 'LEAST_BUSY', now())";
    let new = sqlx::query(statement).bind(stage.client.0).bind(team).bind(name);
    new.execute(&stage.ctx.db).await.unwrap();
    let new = sqlx::query(
        "INSERT INTO client_user (client_id, id, email, name, role, team_id, available, password_hash, created_at)
         VALUES ($1, $2, $3, $3, 'AGENT', $4, true, 'x', now())",
    );
    let new = new.bind(stage.client.0).bind(user).bind(name).bind(team);
    new.execute(&stage.ctx.db).await.unwrap();
    (UserId(user), team)
}

async fn give(stage: &Stage, chat: ParticipantId, agent: UserId) {
    let acting =
        ActingUser { client: stage.client, user: agent, role: Role::Supervisor, sight: CustomerVisibility::Whole };
    desk::assign(&stage.ctx, acting, chat, NewHolder::Agent(agent)).await.unwrap();
}

async fn found(stage: &Stage, chat: ParticipantId) -> Participant {
    participants::find(&mut stage.ctx.db.acquire().await.unwrap(), stage.client, chat).await.unwrap().unwrap()
}

/// The chats in events to the chatbot webhook, each with its agent and the customer's text.
async fn told(stage: &Stage) -> Vec<(String, Option<String>, Option<String>)> {
    let named = |event: plugin_host::webhook_shaper::ChatbotEvent| {
        let agent = event.assigned_agent.and_then(|agent| agent.name);
        (event.chat_participant_id, agent, event.message_text)
    };
    stage.chatbot_events().await.into_iter().map(named).collect()
}

/// Makes one customer of the number and the user id, and runs `action` before the commit.
async fn become_one_while<T>(stage: &Stage, action: impl Future<Output = T>) -> T {
    let mut tx = stage.ctx.db.begin().await.unwrap();
    let addresses = [(AddressKind::Phone, ZO), (AddressKind::Bsuid, USER_ID)];
    let addresses = addresses.into_iter().map(|(kind, value)| Address::of_kind(kind, value).unwrap()).collect();
    let both = Introduction { addresses, ..Introduction::default() };
    people::introduce(&mut tx, stage.client, &stage.ctx.ids, both, stage.ctx.now()).await.unwrap();
    let committed = async {
        scratch::until_lock_wait(&stage.ctx.db, "").await;
        tx.commit().await.unwrap();
    };
    tokio::join!(action, committed).0
}

const WORDS: &str = "SELECT participant_id FROM chat_message WHERE body = 'meanwhile'";
const CHATS: &str = "SELECT id FROM participant WHERE merged_into IS NULL";

#[tokio::test]
async fn a_message_received_during_a_merge_is_in_the_remaining_chat() {
    let stage = Stage::new().await;
    let [kept, _] = two_chats(&stage).await;
    become_one_while(&stage, writes(&stage, "meanwhile", None, Some(USER_ID))).await;
    assert_eq!((stage.ids(WORDS).await, stage.ids(CHATS).await), (vec![kept.0], vec![kept.0]));
}

#[tokio::test]
async fn the_tags_of_a_merged_chat_are_those_of_both_up_to_64() {
    let stage = Stage::new().await;
    let [kept, _] = two_chats(&stage).await;
    let filled =
        "UPDATE participant SET tags = ARRAY(SELECT participant.id::text || n FROM generate_series(1, 40) AS n)";
    sqlx::query(filled).execute(&stage.ctx.db).await.unwrap();
    writes(&stage, "by both", Some(ZO), Some(USER_ID)).await;
    assert_eq!(stage.ids(CHATS).await, [kept.0]);
    let tags = found(&stage, kept).await.tags;
    let of_kept = tags.iter().filter(|tag| tag.starts_with(&kept.0.to_string())).count();
    assert_eq!((tags.len(), of_kept), (64, 40));
}

#[tokio::test]
async fn a_message_received_while_its_chat_moves_to_another_customer_begins_no_second_chat() {
    let stage = Stage::new().await;
    let [_, chat] = two_chats(&stage).await;
    // The customer of the number never wrote.
    for forget in ["DELETE FROM chat_message WHERE participant_id <> $1", "DELETE FROM participant WHERE id <> $1"] {
        sqlx::query(forget).bind(chat.0).execute(&stage.ctx.db).await.unwrap();
    }
    become_one_while(&stage, writes(&stage, "meanwhile", None, Some(USER_ID))).await;
    assert_eq!((stage.ids(WORDS).await, stage.ids(CHATS).await), (vec![chat.0], vec![chat.0]));
}

#[tokio::test]
async fn an_action_of_an_agent_during_a_merge_applies_to_the_remaining_chat() {
    let stage = Stage::new().await;
    let [kept, gone] = two_chats(&stage).await;
    let (ann, _) = agent(&stage, "Ann").await;
    become_one_while(&stage, give(&stage, gone, ann)).await;
    let chat = found(&stage, kept).await;
    assert_eq!((chat.state, chat.assigned_agent), (ParticipantState::Active, Some(ann)));
    let had = "SELECT id FROM participant WHERE assigned_agent_id IS NOT NULL";
    assert_eq!(stage.ids(had).await, [kept.0]);
}

#[tokio::test]
async fn the_agent_that_loses_the_chat_has_room_and_the_ticket_is_closed() {
    let stage = Stage::new().await;
    let [kept, gone] = two_chats(&stage).await;
    let ((ann, _), (ben, bens_team)) = (agent(&stage, "Ann").await, agent(&stage, "Ben").await);
    give(&stage, kept, ann).await;
    give(&stage, gone, ben).await;
    assert_eq!(stage.texts(TICKETS).await, ["Ann OPEN", "Ben OPEN"]);
    assert_eq!(stage.ids(ROOM).await, Vec::<Uuid>::new());

    writes(&stage, "by both", Some(ZO), Some(USER_ID)).await;

    let chat = found(&stage, gone).await;
    assert_eq!((chat.id, chat.state, chat.assigned_agent), (kept, ParticipantState::Active, Some(ann)));
    assert_eq!(chat.last_assigned_agent, Some(ben));
    assert_eq!(stage.texts(TICKETS).await, ["Ann AWAITING_AGENT", "Ben CLOSED"]);
    assert_eq!(stage.ids(ROOM).await, [bens_team]);
    assert!(stage.due(Queue::Chat).await.contains(&bens_team));
    let (last, agent, text) = told(&stage).await.pop().unwrap();
    assert_eq!((last, agent.as_deref(), text.as_deref()), (kept.to_string(), Some("Ann"), Some("by both")));
    assert_eq!(stage.chatbot_events().await.len(), 5, "three messages, two assignments");
}

#[tokio::test]
async fn an_agent_is_informed_of_the_merged_waiting_chat_of_its_customer() {
    let stage = Stage::new().await;
    let [kept, gone] = two_chats(&stage).await;
    let (ben, _) = agent(&stage, "Ben").await;
    give(&stage, gone, ben).await;

    writes(&stage, "by both", Some(ZO), Some(USER_ID)).await;

    let chat = found(&stage, kept).await;
    assert_eq!((chat.state, chat.assigned_agent), (ParticipantState::Active, Some(ben)));
    assert_eq!(stage.texts(TICKETS).await, ["Ben AWAITING_AGENT"]);
    let told = told(&stage).await;
    let of_kept: Vec<_> =
        told[3..].iter().map(|(chat, agent, text)| (chat, agent.as_deref(), text.as_deref())).collect();
    let kept = kept.to_string();
    assert_eq!(of_kept, [(&kept, Some("Ben"), None), (&kept, Some("Ben"), Some("by both"))]);
}

#[tokio::test]
async fn a_status_that_names_both_closes_the_ticket_of_the_chat_that_gives_way() {
    let stage = Stage::new().await;
    let [kept, gone] = two_chats(&stage).await;
    let ((ann, _), (ben, bens_team)) = (agent(&stage, "Ann").await, agent(&stage, "Ben").await);
    give(&stage, kept, ann).await;
    give(&stage, gone, ben).await;
    sent(&stage, "wamid.T", &OutboundContent::Text { body: "Hello".to_owned() }).await;

    let status = json!({ "id": "wamid.T", "status": "sent", "timestamp": "1790000001", "recipient_id": ZO,
                         "recipient_user_id": USER_ID });
    stage.called_back(json!({ "statuses": [status] })).await;

    assert_eq!(found(&stage, gone).await.id, kept);
    assert_eq!(stage.texts(TICKETS).await, ["Ann OPEN", "Ben CLOSED"]);
    assert_eq!(stage.ids(ROOM).await, [bens_team]);
}

/// A change of this field about the business number.
async fn told_of_the_number(stage: &Stage, field: &str, mut value: Value) {
    value["metadata"] = json!({ "display_phone_number": BUSINESS, "phone_number_id": "PN" });
    stage.told_of_the_account(field, value).await;
}

#[tokio::test]
async fn any_callback_that_names_both_closes_the_ticket_of_the_merged_chat() {
    let changed = json!({ "type": "user_changed_number", "wa_id": "27820000009", "user_id": USER_ID });
    let changed =
        json!({ "from": ZO, "id": "wamid.S", "timestamp": "1790000000", "type": "system", "system": changed });
    let same = json!({ "wa_id": ZO, "user_id": USER_ID, "category": "marketing_messages", "value": "stop" });
    let news = [
        ("messages", json!({ "messaging_product": "whatsapp", "messages": [changed] })),
        ("user_id_update", json!({ "user_id_update": [same] })),
        ("user_preferences", json!({ "user_preferences": [same] })),
    ];
    for (field, value) in news {
        let stage = Stage::new().await;
        let [kept, gone] = two_chats(&stage).await;
        let ((ann, _), (ben, bens_team)) = (agent(&stage, "Ann").await, agent(&stage, "Ben").await);
        give(&stage, kept, ann).await;
        give(&stage, gone, ben).await;

        told_of_the_number(&stage, field, value).await;
        stage.settle_callbacks_only().await;

        assert_eq!(found(&stage, gone).await.id, kept, "{field}");
        assert_eq!(stage.texts(TICKETS).await, ["Ann OPEN", "Ben CLOSED"], "{field}");
        assert_eq!(stage.ids(ROOM).await, [bens_team], "{field}");
    }
}
