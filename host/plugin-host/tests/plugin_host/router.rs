//! The built-in router.

use std::sync::Arc;

use plugin_host::router::{Channel, Content, Customer, Inbound, IncomingMessage, LocalTime, Target};
use plugin_host::{CallError, NoKeyValues, PluginCall, chatbot::Weekday};

use crate::support::{TestHost, call};

/// A message with this text, on Tuesday at ten.
fn says(text: &str) -> Inbound {
    Inbound {
        id: "route-1".into(),
        participant_id: "participant-1".into(),
        client_ref: "demo".into(),
        business_number: "27110000000".into(),
        customer: Customer { phone: Some("27820000001".into()), user_id: None, username: None, name: None },
        channel: Channel::Whatsapp,
        message: IncomingMessage { id: "message-1".into(), content: Content::Text(text.into()), quoted: None },
        reopened: false,
        previous_template: None,
        default_bot: Some("bot".into()),
        last_agent: None,
        last_team: None,
        tags: vec![],
        now_ms: 1_760_428_800_000,
        local_time: LocalTime { utc_offset_minutes: 120, weekday: Weekday::Tuesday, hour: 10, minute: 0 },
        metadata: vec![],
    }
}

async fn decide(config: &str, inbound: Inbound) -> Result<(Target, String), CallError> {
    let test = TestHost::with_built_ins().await;
    let outcome = test.host.route(PluginCall { config, ..call("router") }, &inbound, Arc::new(NoKeyValues)).await?;
    assert_eq!(outcome.writes, []);
    Ok((outcome.route.target, outcome.route.reason))
}

async fn target(config: &str, inbound: Inbound) -> Target {
    decide(config, inbound).await.unwrap().0
}

const RULES: &str = r#"{
    "tags": [{"tags": ["VIP", "gold"], "to": {"team": "Key accounts"}},
             {"tags": ["press"], "to": {"agent": "agent-1"}, "always": true}],
    "words": [{"words": ["invoice", "money back"], "to": {"team": "Billing"}},
              {"words": ["order"], "to": {"bot": "order-bot"}},
              {"words": ["lawyer"], "to": "queue"}],
    "hours": {"tuesday": ["08:00-12:00"]}}"#;

#[tokio::test(flavor = "multi_thread")]
async fn without_a_configuration_everything_goes_to_the_default_chatbot() {
    let (target, reason) = decide("{}", says("hello")).await.unwrap();
    assert_eq!((target, reason.as_str()), (Target::Bot(None), "no rule fits"));
}

#[tokio::test(flavor = "multi_thread")]
async fn words_of_the_first_message_select_a_team_or_a_bot() {
    let (to, reason) = decide(RULES, says("Where is my INVOICE?")).await.unwrap();
    assert_eq!((to, reason.as_str()), (Target::Team("Billing".into()), "the message mentions `invoice`"));
    assert_eq!(target(RULES, says("I want my money back!")).await, Target::Team("Billing".into()));
    assert_eq!(target(RULES, says("back to the money")).await, Target::Bot(None), "in this order only");
    assert_eq!(target(RULES, says("an order please")).await, Target::Bot(Some("order-bot".into())));
    assert_eq!(target(RULES, says("an ordering please")).await, Target::Bot(None), "whole words only");
    assert_eq!(target(RULES, says("my lawyer")).await, Target::Queue);
}

#[tokio::test(flavor = "multi_thread")]
async fn tags_and_the_last_team_take_precedence_over_words() {
    let tagged = |tag: &str| Inbound { tags: vec![tag.into()], ..says("order") };
    let (to, reason) = decide(RULES, tagged("vip")).await.unwrap();
    assert_eq!((to, reason.as_str()), (Target::Team("Key accounts".into()), "the customer is tagged `VIP`"));
    let known = || Inbound { last_team: Some("Sales".into()), ..says("order") };
    assert_eq!(target(RULES, known()).await, Target::Bot(Some("order-bot".into())), "unless it is asked for");
    assert_eq!(target(r#"{"sameTeam":true}"#, known()).await, Target::Team("Sales".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_after_hours_text_replaces_agents_but_not_bots() {
    let at = |hour, minute, text: &str| Inbound {
        local_time: LocalTime { utc_offset_minutes: 120, weekday: Weekday::Tuesday, hour, minute },
        ..says(text)
    };
    assert_eq!(target(RULES, at(11, 59, "invoice")).await, Target::Team("Billing".into()));
    let (to, reason) = decide(RULES, at(12, 0, "invoice")).await.unwrap();
    assert_eq!(to, Target::Queue);
    assert_eq!(reason, "the message mentions `invoice`, but it is outside opening hours");
    assert_eq!(target(RULES, at(12, 0, "order")).await, Target::Bot(Some("order-bot".into())));
    let night = RULES.replacen('{', r#"{"closed": {"bot": "night-bot"},"#, 1);
    assert_eq!(target(&night, at(12, 0, "invoice")).await, Target::Bot(Some("night-bot".into())));
    let press = Inbound { tags: vec!["press".into()], ..at(23, 0, "hello") };
    assert_eq!(target(RULES, press).await, Target::Agent("agent-1".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configuration_that_does_not_fit_is_refused_with_a_reason() {
    for (config, words) in [
        (r#"{"hours":{"monday":["9 to 5"]}}"#, "`9 to 5` is not a span"),
        (r#"{"word":[]}"#, "unknown field `word`"),
        (r#"{"otherwise":{"robot":"x"}}"#, "unknown variant `robot`"),
    ] {
        match decide(config, says("hello")).await.unwrap_err() {
            CallError::Refused { error, .. } => assert!(error.message.contains(words), "{}", error.message),
            other => panic!("expected a refusal, found {other:?}"),
        }
    }
    let bad_name = decide(r#"{"otherwise":{"bot":"no such name!"}}"#, says("hello")).await.unwrap_err();
    assert!(matches!(bad_name, CallError::BadAnswer { .. }), "{bad_name:?}");
}
