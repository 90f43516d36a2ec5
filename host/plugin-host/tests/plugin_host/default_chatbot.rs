//! Conversations with the default chatbot.

use std::sync::Arc;

use plugin_host::chatbot::{
    Action, Channel, Choice, ChoiceSource, Content, Event, EventKind, HandOver, LocalTime, Media, MediaKind, Rating,
    RatingScore, Reaction, Session, Weekday,
};
use plugin_host::{CallError, NoKeyValues, PluginCall};

use crate::support::{TestHost, call, happens, says, sends, session};

struct Conversation {
    test: TestHost,
    config: &'static str,
    session: Session,
}

impl Conversation {
    async fn begin(config: &'static str) -> Self {
        Self { test: TestHost::with_built_ins().await, config, session: session() }
    }

    /// One turn. The next turn sees the state that the bot sets.
    async fn turn(&mut self, event: Event) -> Result<Vec<Action>, CallError> {
        let call = PluginCall { config: self.config, ..call("default-chatbot") };
        let outcome = self.test.host.chatbot(call, &event, &self.session, Arc::new(NoKeyValues)).await?;
        for action in &outcome.actions {
            if let Action::SetState(state) = action {
                self.session.state.clone_from(state);
            }
        }
        Ok(outcome.actions)
    }

    async fn says(&mut self, text: &str) -> Vec<Action> {
        self.turn(says(text)).await.unwrap()
    }
}

fn texts(actions: &[Action]) -> Vec<&str> {
    actions.iter().filter_map(text).collect()
}

fn text(action: &Action) -> Option<&str> {
    match action {
        Action::ReplyText(reply) => Some(&reply.text),
        Action::ReplyButtons(reply) => Some(&reply.text),
        Action::ReplyList(reply) => Some(&reply.text),
        _ => None,
    }
}

fn hand_over(actions: &[Action]) -> Option<&HandOver> {
    actions.iter().find_map(|action| match action {
        Action::HandOver(hand_over) => Some(hand_over),
        _ => None,
    })
}

fn taps(id: &str) -> Event {
    sends(Content::Choice(Choice { source: ChoiceSource::Interactive, text: "x".into(), payload: id.into() }))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_default_chatbot_greets_by_name_with_a_menu_and_answers_a_tap() {
    let mut chat = Conversation::begin("{}").await;
    let greeting = chat.says("good morning").await;
    assert_eq!(texts(&greeting), ["Hello Zo! How can we help you?"]);
    match &greeting[0] {
        Action::ReplyButtons(reply) => {
            let ids: Vec<_> = reply.buttons.iter().map(|button| button.id.as_str()).collect();
            assert_eq!(ids, ["hours", "person"]);
        }
        other => panic!("expected buttons, found {other:?}"),
    }
    let hours = chat.turn(taps("hours")).await.unwrap();
    assert_eq!(texts(&hours), ["Monday to Friday: 08:00-17:00\nSaturday to Sunday: closed"]);
    chat.session.customer.name = None;
    assert_eq!(texts(&chat.says("menu").await), ["Hello! How can we help you?"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_default_chatbot_hands_over_on_request_with_another_text_outside_opening_hours() {
    let mut chat = Conversation::begin(r#"{"team":"Support"}"#).await;
    let open = chat.says("I want to talk to a HUMAN, please").await;
    assert_eq!(texts(&open), ["One moment, a colleague will be with you shortly."]);
    assert_eq!(hand_over(&open).unwrap().team.as_deref(), Some("Support"));
    chat.session.local_time = LocalTime { utc_offset_minutes: 120, weekday: Weekday::Saturday, hour: 10, minute: 0 };
    let closed = chat.turn(taps("person")).await.unwrap();
    assert!(
        texts(&closed)[0].contains("not there right now") && texts(&closed)[0].contains("Saturday to Sunday: closed")
    );
    assert!(hand_over(&closed).is_some(), "the chat waits in the queue all the same");
}

#[tokio::test(flavor = "multi_thread")]
async fn opening_hours_end_when_they_say() {
    let mut chat = Conversation::begin(r#"{"hours":{"tuesday":["08:00-12:00","13:00-17:00"]}}"#).await;
    for (hour, minute, open) in
        [(7, 59, false), (8, 0, true), (11, 59, true), (12, 0, false), (16, 59, true), (17, 0, false)]
    {
        chat.session.local_time = LocalTime { utc_offset_minutes: 120, weekday: Weekday::Tuesday, hour, minute };
        let actions = chat.says("agent").await;
        assert_eq!(texts(&actions)[0].starts_with("One moment"), open, "at {hour}:{minute}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn opening_hours_may_end_on_the_next_day() {
    let mut chat = Conversation::begin(r#"{"hours":{"monday":["17:00 - 08:00"],"sunday":["22:00-02:00"]}}"#).await;
    for (weekday, hour, open) in [
        (Weekday::Monday, 1, true),
        (Weekday::Monday, 2, false),
        (Weekday::Monday, 16, false),
        (Weekday::Monday, 17, true),
        (Weekday::Monday, 23, true),
        (Weekday::Tuesday, 0, true),
        (Weekday::Tuesday, 7, true),
        (Weekday::Tuesday, 8, false),
        (Weekday::Tuesday, 17, false),
        (Weekday::Sunday, 1, false),
        (Weekday::Sunday, 22, true),
    ] {
        chat.session.local_time = LocalTime { utc_offset_minutes: 120, weekday, hour, minute: 0 };
        let actions = chat.says("agent").await;
        assert_eq!(texts(&actions)[0].starts_with("One moment"), open, "{weekday:?} at {hour}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_default_chatbot_asks_again_once_and_then_hands_over() {
    let mut chat = Conversation::begin("{}").await;
    chat.says("hello").await;
    let first = chat.says("qwertz").await;
    assert!(texts(&first)[0].starts_with("Sorry") && hand_over(&first).is_none());
    let second = chat.says("asdf").await;
    assert!(hand_over(&second).unwrap().note.as_ref().unwrap().contains("twice"));
    assert_eq!(chat.session.state, "", "a new conversation begins with a greeting");
}

#[tokio::test(flavor = "multi_thread")]
async fn topics_of_the_configuration_are_in_the_menu_and_are_answered() {
    let config = r#"{"topics":[
        {"id":"price","title":"Prices","answer":"From 10.","words":["cost","price"]},
        {"id":"ship","title":"Shipping","answer":"Two days."}],
        "idleMinutes": 30, "greeting":"Welcome, {name}"}"#;
    let mut chat = Conversation::begin(config).await;
    let greeting = chat.says("hi").await;
    match &greeting[0] {
        Action::ReplyList(reply) => {
            assert_eq!(reply.text, "Welcome, Zo");
            let titles: Vec<_> = reply.sections[0].rows.iter().map(|row| row.title.as_str()).collect();
            assert_eq!(titles, ["Prices", "Shipping", "Opening hours", "Talk to a person"]);
        }
        other => panic!("expected a list, found {other:?}"),
    }
    assert!(greeting.iter().any(|action| matches!(action, Action::StartTimer(timer) if timer.after_seconds == 1_800)));
    assert_eq!(texts(&chat.says("what does it cost?").await), ["From 10."]);
    assert_eq!(texts(&chat.turn(taps("ship")).await.unwrap()), ["Two days."]);
    let idle = chat.turn(happens(EventKind::Timer("idle".into()))).await.unwrap();
    assert!(matches!(idle.as_slice(), [Action::ReplyText(_), Action::Close]), "{idle:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_go_to_agents_and_reactions_have_no_effect() {
    let mut chat = Conversation::begin("{}").await;
    let media = Media {
        url: "https://m/1".into(),
        mime: None,
        filename: None,
        size: None,
        extension: None,
        caption: None,
        kind: MediaKind::Image,
    };
    let file = chat.turn(sends(Content::Media(media))).await.unwrap();
    assert!(hand_over(&file).is_some());
    let reaction = Reaction { emoji: Some("👍".into()), message_id: "m".into() };
    assert_eq!(chat.turn(sends(Content::Reaction(reaction))).await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_default_chatbot_continues_after_an_agent_and_thanks_for_a_rating() {
    let mut chat = Conversation::begin("{}").await;
    assert!(texts(&chat.turn(happens(EventKind::AgentReleased)).await.unwrap())[0].contains("assistant again"));
    let rating = Rating { score: RatingScore::Excellent, comment: None };
    assert_eq!(texts(&chat.turn(happens(EventKind::Rating(rating))).await.unwrap()), ["Thank you for your rating!"]);
    assert_eq!(chat.turn(happens(EventKind::ConversationStarted)).await.unwrap(), [], "the first message follows");
    chat.session.channel = Channel::Web;
    assert_eq!(texts(&chat.turn(happens(EventKind::ConversationStarted)).await.unwrap()).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configuration_that_does_not_fit_is_refused_with_a_reason() {
    for (config, words) in [
        (r#"{"hours":{"monday":["9 to 5"]}}"#, "`9 to 5` is not a span"),
        (r#"{"hours":{"mondey":[]}}"#, "mondey"),
        (r#"{"topics":"none"}"#, "does not fit"),
        (r#"{"hoursTitle":"A title that is far too long for a button"}"#, "1 to 20 characters"),
        (r#"{"hoursTitle":" "}"#, "1 to 20 characters"),
        (r#"{"hours":{"monday":["08:00-08:00"]}}"#, "`08:00-08:00` is not a span"),
        (r#"{"topics":[{"id":"hours","title":"When","answer":"Never"}]}"#, "an id of its own"),
        (r#"{"topics":[{"id":"a","title":"A","answer":"A"},{"id":"a","title":"B","answer":"B"}]}"#, "an id of its own"),
        (r#"{"topics":[{"id":"a","title":"A","answer":" "}]}"#, "`topics/0/answer`: must not be empty"),
        (r#"{"greeting":"{name}"}"#, "in addition to `{name}`"),
        (r#"{"sorry":" "}"#, "`sorry`: must not be empty"),
    ] {
        let mut chat = Conversation::begin(config).await;
        match chat.turn(says("hi")).await.unwrap_err() {
            CallError::Refused { error, .. } => {
                assert_eq!(error.code, "bad-config");
                assert!(error.message.contains(words), "{}", error.message);
            }
            other => panic!("expected a refusal, found {other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn built_in_plugins_judge_their_configuration_with_all_findings() {
    let test = TestHost::with_built_ins().await;
    let topic = |id: &str, title: &str| serde_json::json!({"id": id, "title": title, "answer": " "});
    let menu = serde_json::json!({
        "topics": [topic("a", "One"), topic("a", " ")], "thanks": " ",
        "hours": {"monday": ["08:00-12:00", "25:00-26:00"]},
    });
    let hours = serde_json::json!({"hours": {"friday": ["12:61-13:00"], "sunday": ["08:00-08:00"]}});
    for (name, config, fields) in [
        (
            "default-chatbot",
            menu.to_string(),
            vec!["topics/1/title", "topics/1/id", "thanks", "topics/0/answer", "topics/1/answer", "hours/monday/1"],
        ),
        ("default-chatbot", "{}".to_owned(), vec![]),
        ("router", hours.to_string(), vec!["hours/friday/0", "hours/sunday/0"]),
        ("router", "{}".to_owned(), vec![]),
    ] {
        let call = call(name);
        let findings = test.host.validate_config(call.client, call.plugin, &config).await.unwrap();
        let found: Vec<&str> = findings.iter().map(|finding| finding.field.as_str()).collect();
        assert_eq!(found, fields, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn built_in_plugins_export_the_schema_of_their_configuration() {
    let test = TestHost::with_built_ins().await;
    for (name, field) in [("default-chatbot", "topics"), ("router", "otherwise")] {
        let schema = test.host.shipped_config_schema(name).await.unwrap().unwrap();
        let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
        assert!(schema["properties"][field].is_object(), "{name}");
    }
    for without in ["sms-fallback", "webhook-v1", "no-such-plugin"] {
        assert_eq!(test.host.shipped_config_schema(without).await, Ok(None), "{without}");
    }
}
