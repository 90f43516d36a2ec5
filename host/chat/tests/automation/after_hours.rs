//! Chats that join the queue of a team outside its hours. The clock starts at 14:13:20 on Monday, 2026-09-21.

use chat::desk::{self, ActingUser, DraftContent, MessageDraft, NewHolder};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    channel::Channel,
    chat::ParticipantState,
    ids::{ParticipantId, UserId},
    privacy::CustomerVisibility,
};
use serde_json::{Value, json};
use storage::{
    chat::participants::Participant,
    people::{customers, inbox_customers},
    tenancy::users::Role,
};

use crate::Stage;

const TEXT: &str = "We are closed.\nBack at 8.";

impl Stage {
    /// Sets the hours of the team in UTC, and its after-hours text.
    async fn open(&self, weekly: &[(&str, &str, &str)], holidays: &[&str]) {
        let weekly: Vec<Value> =
            weekly.iter().map(|(day, from, to)| json!({ "day": day, "from": from, "to": to })).collect();
        let holidays: Vec<Value> = holidays.iter().map(|date| json!({ "date": date })).collect();
        let hours = json!({ "v": 1, "value": { "weekly": weekly, "holidays": holidays } });
        sqlx::query("UPDATE team SET business_hours = $1, time_zone = 'UTC', after_hours_text = $2")
            .bind(hours)
            .bind(TEXT)
            .execute(&self.ctx.db)
            .await
            .unwrap();
    }

    /// Moves the clock forward to this time.
    fn until(&self, at: &str) {
        let at: DateTime<Utc> = at.parse().unwrap();
        self.clock.advance(at - self.ctx.now());
    }

    /// A customer has just written, and the chat waits for the team.
    async fn comes(&self) -> ParticipantId {
        let chat = self.chat().await;
        let customer = self.found(chat).await.customer;
        let mut db = self.ctx.db.acquire().await.unwrap();
        let customer = customers::find(&mut db, self.client, customer).await.unwrap().unwrap();
        inbox_customers::record_inbound(&mut db, self.client, self.inbox, &customer, self.ctx.now()).await.unwrap();
        drop(db);
        self.assign(chat, NewHolder::Team(self.team)).await;
        self.settle().await;
        chat
    }

    /// The automatic messages in a chat.
    async fn said(&self, chat: ParticipantId) -> Vec<String> {
        sqlx::query_scalar(
            "SELECT body FROM chat_message WHERE participant_id = $1 AND direction = 'OUTGOING' AND owner = 'BOT' ORDER BY id",
        )
        .bind(chat.0)
        .fetch_all(&self.ctx.db)
        .await
        .unwrap()
    }

    async fn speak(&self, chat: ParticipantId, agent: UserId) {
        let said = MessageDraft {
            participant: chat,
            channel: Channel::Whatsapp,
            what: DraftContent::Text("here I am".to_owned()),
            temp_id: None,
            ct_id: None,
            quotes: None,
        };
        let acting =
            ActingUser { client: self.client, user: agent, role: Role::Agent, sight: CustomerVisibility::Whole };
        desk::send_message(&self.ctx, acting, said).await.unwrap();
    }

    async fn is_flagged(&self, chat: ParticipantId) -> bool {
        self.found(chat).await.after_hours
    }
}

fn flags(chat: &Participant) -> (bool, bool) {
    (chat.missed, chat.after_hours)
}

const MONDAY_TO_17: &[(&str, &str, &str)] = &[("MONDAY", "08:00", "17:00"), ("TUESDAY", "08:00", "17:00")];

#[tokio::test]
async fn a_customer_at_the_closing_minute_is_after_hours_and_one_minute_before_is_not() {
    let stage = Stage::new("OFF").await;
    stage.open(MONDAY_TO_17, &[]).await;
    stage.until("2026-09-21T16:59:59Z");
    let early = stage.comes().await;
    assert!(!stage.is_flagged(early).await && stage.said(early).await.is_empty());
    stage.until("2026-09-21T17:00:00Z");
    let late = stage.comes().await;
    assert!(stage.is_flagged(late).await);
    assert_eq!(stage.said(late).await, [TEXT]);
}

#[tokio::test]
async fn a_customer_before_the_opening_minute_or_on_a_holiday_is_after_hours() {
    let stage = Stage::new("OFF").await;
    stage.open(&[("TUESDAY", "08:00", "17:00"), ("WEDNESDAY", "08:00", "17:00")], &["2026-09-23"]).await;
    for (moment, flagged) in [
        ("2026-09-22T07:59:59Z", true),
        ("2026-09-22T08:00:00Z", false),
        ("2026-09-23T12:00:00Z", true),
        ("2026-09-30T12:00:00Z", false),
    ] {
        stage.until(moment);
        let chat = stage.comes().await;
        assert_eq!(stage.is_flagged(chat).await, flagged, "{moment}");
    }
}

#[tokio::test]
async fn a_team_without_hours_and_the_absence_of_a_team_are_always_open() {
    let stage = Stage::new("OFF").await;
    stage.until("2026-09-26T03:00:00Z");
    let chat = stage.comes().await;
    assert!(!stage.is_flagged(chat).await);
    stage.open(MONDAY_TO_17, &[]).await;
    let without_team = stage.chat().await;
    stage.settle().await;
    assert!(!stage.is_flagged(without_team).await);
}

#[tokio::test]
async fn a_waiting_customer_gets_the_after_hours_text_once_until_an_agent_has_answered() {
    let stage = Stage::new("OFF").await;
    stage.open(MONDAY_TO_17, &[]).await;
    let agent = stage.user("AGENT", Some(stage.team), false, 5).await;
    stage.until("2026-09-21T20:00:00Z");
    let chat = stage.comes().await;
    // The chat was taken and passed on again without an answer.
    stage.assign(chat, NewHolder::Agent(agent)).await;
    assert!(stage.is_flagged(chat).await, "no agent has answered");
    stage.assign(chat, NewHolder::Team(stage.team)).await;
    stage.settle().await;
    assert_eq!(stage.said(chat).await, [TEXT]);
    stage.assign(chat, NewHolder::Agent(agent)).await;
    stage.speak(chat, agent).await;
    assert!(!stage.is_flagged(chat).await, "an agent has answered");
    stage.assign(chat, NewHolder::Team(stage.team)).await;
    stage.settle().await;
    assert!(stage.is_flagged(chat).await);
    assert_eq!(stage.said(chat).await, [TEXT, TEXT], "it waits again");
}

#[tokio::test]
async fn a_text_that_the_channel_cannot_carry_is_not_sent() {
    let stage = Stage::new("OFF").await;
    stage.open(MONDAY_TO_17, &[]).await;
    let chat = stage.chat().await;
    stage.until("2026-09-22T20:00:00Z");
    stage.assign(chat, NewHolder::Team(stage.team)).await;
    stage.settle().await;
    assert!(stage.is_flagged(chat).await && stage.said(chat).await.is_empty(), "the 24 hours of WhatsApp are over");
}

#[tokio::test]
async fn a_team_without_an_after_hours_text_sends_none() {
    let stage = Stage::new("OFF").await;
    stage.open(MONDAY_TO_17, &[]).await;
    sqlx::query("UPDATE team SET after_hours_text = NULL").execute(&stage.ctx.db).await.unwrap();
    stage.until("2026-09-21T20:00:00Z");
    let chat = stage.comes().await;
    assert!(stage.is_flagged(chat).await && stage.said(chat).await.is_empty());
}

#[tokio::test]
async fn an_after_hours_chat_is_missed_if_it_is_not_answered_in_time_after_the_opening() {
    let stage = Stage::new("OFF").await;
    stage.open(MONDAY_TO_17, &[]).await;
    stage.until("2026-09-21T20:00:00Z");
    let chat = stage.comes().await;
    stage.until("2026-09-22T08:09:59Z");
    assert_eq!(stage.due().await, 0, "waiting chats are not read");
    assert_eq!(flags(&stage.found(chat).await), (false, true));
    stage.until("2026-09-22T08:10:00Z");
    stage.settle().await;
    assert_eq!(flags(&stage.found(chat).await), (true, false), "within hours no agent answered");
}

#[tokio::test]
async fn an_agent_misses_nothing_outside_the_hours_of_the_team() {
    let stage = Stage::new("OFF").await;
    stage.open(MONDAY_TO_17, &[]).await;
    let agent = stage.user("AGENT", Some(stage.team), false, 5).await;
    stage.until("2026-09-21T20:00:00Z");
    let chat = stage.comes().await;
    stage.assign(chat, NewHolder::Agent(agent)).await;
    stage.until("2026-09-22T08:09:59Z");
    stage.settle().await;
    assert!(!stage.found(chat).await.missed);
    stage.until("2026-09-22T08:10:00Z");
    stage.settle().await;
    let found = stage.found(chat).await;
    assert_eq!((found.missed, found.missed_by), (true, Some(agent)));
}

#[tokio::test]
async fn a_chat_passed_to_a_team_with_available_agents_waits_for_them() {
    let stage = Stage::new("OFF").await;
    stage.open(MONDAY_TO_17, &[]).await;
    stage.until("2026-09-21T20:00:00Z");
    let chat = stage.comes().await;
    sqlx::query("UPDATE team SET business_hours = NULL").execute(&stage.ctx.db).await.unwrap();
    stage.assign(chat, NewHolder::Team(stage.team)).await;
    stage.settle().await;
    assert!(!stage.is_flagged(chat).await);
    stage.clock.advance(TimeDelta::minutes(10));
    stage.settle().await;
    assert!(stage.found(chat).await.missed);
}

#[tokio::test]
async fn an_agent_available_outside_the_hours_gets_the_chat_and_the_after_hours_text_is_not_sent() {
    let stage = Stage::new("LEAST_BUSY").await;
    stage.open(MONDAY_TO_17, &[]).await;
    let agent = stage.agent(1).await;
    stage.until("2026-09-21T20:00:00Z");
    let (first, second) = (stage.comes().await, stage.comes().await);
    let found = stage.found(first).await;
    assert_eq!((found.assigned_agent, found.after_hours), (Some(agent), false));
    assert!(stage.said(first).await.is_empty());
    assert!(stage.is_flagged(second).await, "the agent has no room");
}

#[tokio::test]
async fn a_closed_chat_keeps_the_flag_and_a_reopened_chat_has_none() {
    let stage = Stage::new("OFF").await;
    stage.open(MONDAY_TO_17, &[]).await;
    stage.until("2026-09-21T20:00:00Z");
    let chat = stage.comes().await;
    desk::terminate(&stage.ctx, stage.acting(), chat).await.unwrap();
    let closed = stage.found(chat).await;
    assert_eq!((closed.state, closed.after_hours), (ParticipantState::Closed, true));
    desk::open(&stage.ctx, stage.acting(), chat).await.unwrap();
    assert!(!stage.is_flagged(chat).await);
}
