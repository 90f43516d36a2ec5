//! Turns of the chatbot.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::chat::{ParticipantMove, ParticipantState};
use plugin_host::webhook_shaper::Direction;
use serde_json::json;
use storage::{Queue, chat::participants};

use crate::stage::Stage;

const BOT: &str = "default-chatbot";
/// A chatbot that does what a message tells it.
const PUPPET: &str = "puppet";

/// Executes `statement` between the chatbot's call and its effects.
async fn interrupt(stage: Arc<Stage>, statement: &'static str) {
    let mut tx = stage.ctx.db.begin().await.unwrap();
    sqlx::query("SELECT 1 FROM participant FOR UPDATE").execute(&mut *tx).await.unwrap();
    let mut turn = tokio::spawn({
        let stage = Arc::clone(&stage);
        async move { stage.settle().await }
    });
    tokio::select! {
        () = scratch::until_lock_wait(&stage.ctx.db, "participant") => {}
        _ = &mut turn => panic!("the turn did not wait for the chat"),
    }
    sqlx::query(statement).execute(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
    turn.await.unwrap();
}

#[tokio::test]
async fn the_chatbot_answers_and_its_answer_is_queued_shown_and_reported() {
    let stage = Stage::with_chatbot(BOT, json!({ "greeting": "Hello {name}!" })).await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;

    assert_eq!(stage.transcript().await, ["< hi", "> Hello Zo!"]);
    let chat = stage.chat().await;
    assert_eq!((chat.state, chat.bot_state.as_str(), chat.control_version), (ParticipantState::Bot, "menu", 1));
    assert_eq!(chat.events_handled, 2, "the beginning of the conversation, and the message");
    assert_eq!(stage.outcomes().await, ["answered", "answered"]);
    assert_eq!(stage.count("SELECT count(*) FROM participant_event").await, 0);
    assert_eq!(stage.count("SELECT count(*) FROM outbound_work WHERE priority = 0").await, 1);
    let [_, answer] = stage.messages().await.try_into().unwrap();
    assert_eq!((answer.content_type.as_str(), answer.sequence), ("BUTTON", 2));

    let [heard, said] = stage.chatbot_events().await.try_into().unwrap();
    assert_eq!((heard.direction, said.direction), (Direction::Incoming, Direction::Outgoing));
    assert_eq!(said.message_id, Some(answer.id.to_string()));
    assert_eq!((said.sender_msisdn, said.receiver_msisdn), (heard.receiver_msisdn, heard.sender_msisdn));
    assert!(said.chat_bot_conversation);
    assert_eq!(said.customer_user_id.as_deref(), Some("ZA.100"));
    assert_eq!(stage.incoming_events().await.len(), 1, "the bot's answer is no incoming message");
}

#[tokio::test]
async fn a_tapped_entry_of_the_menu_reaches_the_chatbot() {
    let stage = Stage::with_chatbot(BOT, json!({})).await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;
    let tap = json!({ "type": "button_reply", "button_reply": { "id": "hours", "title": "Opening hours" } });
    stage.zo_sends("wamid.B", "interactive", tap, None).await;
    stage.settle().await;
    assert_eq!(stage.transcript().await[3], "> Monday to Friday: 08:00-17:00\nSaturday to Sunday: closed");
}

#[tokio::test]
async fn a_chat_that_was_handed_over_is_no_longer_the_chatbots() {
    let stage = Stage::with_chatbot(BOT, json!({ "team": "Sales" })).await;
    stage.add_team("sales").await;
    stage.zo_writes("wamid.A", "I want to talk to a person").await;
    stage.settle().await;
    let chat = stage.chat().await;
    assert_eq!((chat.state, chat.team.unwrap().name.as_str()), (ParticipantState::Queued, "sales"));
    assert_eq!(chat.queued_reason.as_deref(), Some("The customer asked for a person."));
    assert_eq!(chat.control_version, 2);
    stage.zo_writes("wamid.B", "hello?").await;
    stage.settle().await;
    assert_eq!(stage.transcript().await.len(), 3, "the chatbot says nothing more");
    assert_eq!(stage.outcomes().await.len(), 2);
}

#[tokio::test]
async fn a_chat_handed_to_an_unknown_team_waits_for_all_agents_and_has_a_note() {
    let stage = Stage::with_chatbot(BOT, json!({ "team": "nobody" })).await;
    stage.zo_writes("wamid.A", "I want to talk to a person").await;
    stage.settle().await;
    let chat = stage.chat().await;
    assert_eq!((chat.state, chat.team), (ParticipantState::Queued, None));
    let reason = "there is no team `nobody`; The customer asked for a person.";
    assert_eq!(chat.queued_reason.as_deref(), Some(reason));
}

#[tokio::test]
async fn a_quiet_conversation_is_closed_by_a_timer_and_starts_again_with_the_next_message() {
    let stage = Stage::with_chatbot(BOT, json!({ "idleMinutes": 10, "goodbye": "Bye." })).await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;
    stage.advance(TimeDelta::minutes(9));
    stage.zo_writes("wamid.B", "hours").await;
    stage.settle().await;
    stage.advance(TimeDelta::minutes(9));
    stage.settle().await;
    assert_eq!(stage.chat().await.state, ParticipantState::Bot, "the second message moved the timer");
    stage.advance(TimeDelta::minutes(2));
    stage.settle().await;
    let chat = stage.chat().await;
    assert_eq!(chat.state, ParticipantState::Closed);
    assert_eq!(stage.transcript().await.last().unwrap(), "> Bye.");
    assert_eq!(stage.count("SELECT count(*) FROM participant_event").await, 0);

    stage.zo_writes("wamid.C", "what was that").await;
    stage.settle().await;
    let again = stage.chat().await;
    assert_eq!((again.id, again.state), (chat.id, ParticipantState::Bot));
    assert!(again.control_version > chat.control_version);
    assert!(
        stage.transcript().await.last().unwrap().starts_with("> Hello Zo"),
        "a conversation that was reopened is greeted"
    );
}

#[tokio::test]
async fn a_chatbot_that_fails_is_asked_again_three_times_and_then_people_take_over() {
    let stage = Stage::with_chatbot(PUPPET, json!({})).await;
    stage.zo_writes("wamid.A", "refuse-for-now").await;
    stage.settle().await;
    assert_eq!(stage.outcomes().await.len(), 2, "the beginning, and the message");
    stage.zo_writes("wamid.B", "anybody?").await;
    for pause in [1, 5, 25] {
        assert_eq!(stage.chat().await.state, ParticipantState::Bot);
        stage.settle_callbacks_only().await;
        stage.advance(TimeDelta::seconds(pause) + TimeDelta::milliseconds(1));
        stage.settle().await;
    }
    let chat = stage.chat().await;
    assert_eq!((chat.state, chat.control_version), (ParticipantState::Queued, 2));
    assert!(chat.queued_reason.unwrap().contains("no-luck"));
    let only_the_first = ["answered", "refused", "refused", "refused", "refused"];
    assert_eq!(stage.outcomes().await, only_the_first, "the next message waited for it");
    assert_eq!(stage.count("SELECT count(*) FROM participant_event").await, 0);
}

#[tokio::test]
async fn a_missing_chatbot_leaves_its_chats_to_agents_at_once() {
    let stage = Stage::with_chatbot("not-there", json!({})).await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;
    let chat = stage.chat().await;
    assert_eq!((chat.state, chat.control_version), (ParticipantState::Queued, 2));
    assert!(chat.queued_reason.unwrap().contains("not-there"));
    assert_eq!(stage.outcomes().await, ["not-started"]);
    assert_eq!(stage.count("SELECT count(*) FROM participant_event").await, 0);
}

#[tokio::test]
async fn a_chatbot_that_is_repaired_in_time_goes_on_where_it_failed() {
    let stage = Stage::with_chatbot(PUPPET, json!({})).await;
    stage.zo_writes("wamid.A", "refuse-for-now").await;
    stage.zo_writes("wamid.B", "hours").await;
    stage.settle().await;
    stage.activate(BOT, json!({ "greeting": "Hello!" })).await;
    stage.advance(TimeDelta::seconds(2));
    stage.settle().await;
    let said: Vec<String> = stage.transcript().await.into_iter().filter(|line| line.starts_with('>')).collect();
    let [.., first, second] = said.as_slice() else { panic!("too little was said: {said:?}") };
    assert_eq!(first, "> Hello!");
    assert!(second.starts_with("> Monday"), "in the order in which the customer wrote: {said:?}");
    assert_eq!(stage.chat().await.state, ParticipantState::Bot);
}

#[tokio::test]
async fn a_chatbot_that_refuses_for_good_is_not_asked_again() {
    let stage = Stage::with_chatbot(BOT, json!({ "hours": { "monday": ["late"] } })).await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;
    assert_eq!(stage.chat().await.state, ParticipantState::Queued);
    assert_eq!(stage.outcomes().await, ["refused"]);
}

#[tokio::test]
async fn events_waiting_for_the_chatbot_are_dropped_when_an_agent_takes_the_chat() {
    let stage = Stage::with_chatbot(PUPPET, json!({})).await;
    stage.zo_writes("wamid.A", "refuse-for-now").await;
    stage.settle().await;
    assert_eq!(stage.count("SELECT count(*) FROM participant_event").await, 1, "it waits to be asked again");
    let mut chat = stage.chat().await;
    chat.apply(ParticipantMove::Assigned).unwrap();
    let mut db = stage.ctx.db.acquire().await.unwrap();
    participants::save(&mut db, stage.client, &chat).await.unwrap();
    drop(db);
    stage.advance(TimeDelta::seconds(2));
    stage.settle().await;
    assert_eq!(stage.chat().await, chat);
    assert_eq!(stage.outcomes().await.len(), 2);
    assert!(stage.due(Queue::Participant).await.is_empty());
    assert_eq!(stage.count("SELECT count(*) FROM participant_event").await, 0);
}

#[tokio::test]
async fn a_disabled_chatbot_leaves_its_chats_to_agents() {
    let stage = Stage::with_chatbot(BOT, json!({})).await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;
    sqlx::query("DELETE FROM plugin_activation").execute(&stage.ctx.db).await.unwrap();
    stage.zo_writes("wamid.B", "still there?").await;
    stage.settle().await;
    let chat = stage.chat().await;
    assert_eq!((chat.state, chat.control_version), (ParticipantState::Queued, 2));
    assert_eq!(stage.transcript().await.len(), 3);
}

#[tokio::test]
async fn a_value_stored_by_a_chatbot_is_there_the_next_time() {
    let stage = Stage::with_chatbot(PUPPET, json!({})).await;
    stage.zo_writes("wamid.A", "count").await;
    stage.zo_writes("wamid.B", "count").await;
    stage.settle().await;
    stage.advance(TimeDelta::milliseconds(1));
    stage.settle().await;
    let said: Vec<String> = stage.transcript().await.into_iter().filter(|line| line.contains("then")).collect();
    assert_eq!(said, ["> 0 then 1", "> 1 then 2"]);
}

#[tokio::test]
async fn a_turn_with_values_changed_by_another_is_repeated() {
    let stage = Arc::new(Stage::with_chatbot(PUPPET, json!({})).await);
    stage.zo_writes("wamid.A", "count").await;
    stage.settle().await;
    stage.zo_writes("wamid.B", "count").await;
    stage.settle_callbacks_only().await;
    interrupt(Arc::clone(&stage), "UPDATE chatbot_value SET value = '41', version = version + 1").await;
    assert_eq!(stage.transcript().await.last().unwrap(), "> 41 then 42");
    let answers: Vec<String> = stage.outcomes().await;
    assert_eq!(answers, ["answered"; 4], "the beginning, the first count, and the second one twice");
    assert_eq!(stage.count("SELECT count(*) FROM chat_message WHERE body LIKE '%then%'").await, 2);
}

#[tokio::test]
async fn an_answer_that_comes_after_an_agent_took_the_chat_does_nothing() {
    let stage = Arc::new(Stage::with_chatbot(PUPPET, json!({})).await);
    stage.zo_writes("wamid.A", "hello").await;
    stage.settle().await;
    let before = stage.transcript().await;
    stage.zo_writes("wamid.B", "count").await;
    stage.settle_callbacks_only().await;
    let taken = "UPDATE participant SET state = 'ACTIVE', control_version = control_version + 1";
    interrupt(Arc::clone(&stage), taken).await;
    assert_eq!(stage.transcript().await.len(), before.len() + 1, "only the customer's message was added");
    assert_eq!(stage.count("SELECT count(*) FROM chatbot_value").await, 0);
    assert_eq!(stage.chat().await.state, ParticipantState::Active);
    assert_eq!(stage.count("SELECT count(*) FROM participant_event").await, 0);
}

#[tokio::test]
async fn a_chatbot_that_crashes_is_asked_again_and_its_trace_is_kept() {
    let stage = Stage::with_chatbot(PUPPET, json!({})).await;
    stage.zo_writes("wamid.A", "panic").await;
    for pause in [0, 1, 5, 25] {
        stage.advance(TimeDelta::seconds(pause) + TimeDelta::milliseconds(1));
        stage.settle().await;
    }
    assert_eq!(stage.chat().await.state, ParticipantState::Queued);
    assert_eq!(stage.outcomes().await, ["answered", "trapped", "trapped", "trapped", "trapped"]);
    let logs: Vec<String> = sqlx::query_scalar("SELECT logs FROM plugin_invocation WHERE outcome = 'trapped'")
        .fetch_all(&stage.ctx.db)
        .await
        .unwrap();
    assert!(logs.iter().all(|text| text.contains("gives up on purpose")), "{logs:?}");
}

#[tokio::test]
async fn a_message_received_while_the_chatbot_closes_the_chat_begins_the_next_conversation() {
    let stage = Stage::with_chatbot(BOT, json!({ "idleMinutes": 1, "goodbye": "Bye.", "greeting": "Hello!" })).await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;
    stage.advance(TimeDelta::minutes(2));
    stage.zo_writes("wamid.B", "hi again").await;
    stage.settle().await;
    assert_eq!(stage.transcript().await, ["< hi", "> Hello!", "< hi again", "> Bye.", "> Hello!"]);
    let chat = stage.chat().await;
    assert_eq!((chat.state, chat.events_handled), (ParticipantState::Bot, 5));
}
