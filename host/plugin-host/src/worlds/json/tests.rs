use std::cell::RefCell;

use plugin_bindings::wit::WitType;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::*;
use crate::World;
use crate::chatbot::{
    Action, Attribute, AttributeChange, AttributeValue, Button, Channel, Content, EventKind, HandOver, ListRow,
    ListSection, Location, Media, MediaKind, Rating, RatingScore, ReplyButtons, ReplyList, ReplyLocation, ReplyMedia,
    ReplyTemplate, ReplyText, TemplateHeader, Timer,
};
use crate::router::{Route, Target};
use crate::sms_fallback::{Decision, Sms};
use crate::webhook_shaper::{ShapedBody, WebhookEvent};

fn chatbot(event: Value, session: Value) -> (crate::chatbot::Event, crate::chatbot::Session) {
    match WorldQuestion::from_json(World::Chatbot, &event, &session) {
        Ok(WorldQuestion::Chatbot { event, session }) => (*event, *session),
        other => panic!("{other:?}"),
    }
}

fn problems(world: World, event: Value, session: Value) -> Vec<String> {
    let problems = WorldQuestion::from_json(world, &event, &session).unwrap_err();
    problems.into_iter().map(|(path, message)| format!("{path}: {message}")).collect()
}

fn text_of(kind: &EventKind) -> &str {
    match kind {
        EventKind::Message(message) => match &message.content {
            Content::Text(text) => text,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

fn read<T: DeserializeOwned>(ty: WitType, value: &Value) -> T {
    let problems = RefCell::default();
    let read = super::read::read(ty, &node::JsonNode::new("", value, &problems), None);
    let recorded = read.unwrap_or_else(|| panic!("{value}: {problems:?}"));
    serde_json::from_value(recorded).unwrap()
}

fn write(ty: WitType, value: &impl Serialize) -> Value {
    super::write::write(ty, serde_json::to_value(value).unwrap())
}

fn answer_of(world: World) -> WitType {
    form::function(world).unwrap().answer
}

fn field_of(ty: WitType, name: &str) -> WitType {
    match ty {
        WitType::Record(record) => record.fields.iter().find(|(field, _)| *field == name).unwrap().1,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_message_can_be_written_short_or_long() {
    for event in [
        json!({ "type": "message", "text": "hi" }),
        json!({ "text": "hi" }),
        json!({ "type": "message", "message": { "text": "hi" } }),
        json!({ "type": "message", "message": { "id": "m", "content": { "type": "text", "text": "hi" } } }),
        json!({ "type": "message", "content": { "type": "text", "text": "hi" } }),
    ] {
        assert_eq!(text_of(&chatbot(event, Value::Null).0.kind), "hi");
    }
    let (event, _) =
        chatbot(json!({ "id": "e", "type": "message", "text": "a", "quoted": { "id": "q" } }), Value::Null);
    assert_eq!(event.id, "e");
    assert!(matches!(event.kind, EventKind::Message(message) if message.quoted.clone().is_some_and(|q| q.id == "q")));
}

#[test]
fn every_other_event_has_its_type_and_its_fields() {
    let kind = |event| chatbot(event, Value::Null).0.kind;
    assert_eq!(kind(json!({ "type": "timer", "name": "tea" })), EventKind::Timer("tea".into()));
    assert_eq!(kind(json!({ "type": "conversation-started" })), EventKind::ConversationStarted);
    assert_eq!(kind(json!({ "type": "agent-released" })), EventKind::AgentReleased);
    let rating = Rating { score: RatingScore::Excellent, comment: Some("nice".into()) };
    assert_eq!(kind(json!({ "type": "rating", "score": "excellent", "comment": "nice" })), EventKind::Rating(rating));
    match kind(json!({ "type": "custom", "name": "order-paid", "payload": { "order": 7 } })) {
        EventKind::Custom(custom) => {
            assert_eq!((custom.name.as_str(), custom.payload.as_str()), ("order-paid", r#"{"order":7}"#))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn absent_fields_of_a_question_come_from_the_sample_at_any_depth() {
    let (event, session) = chatbot(
        Value::Null,
        json!({ "state": "menu", "customer": { "name": "Thandi" }, "channel": "web", "localTime": { "hour": 23 } }),
    );
    let (sample_event, sample_session) = crate::worlds::sample::hello();
    assert_eq!(event, sample_event);
    assert_eq!((session.state.as_str(), session.channel), ("menu", Channel::Web));
    assert_eq!(session.customer.name.as_deref(), Some("Thandi"));
    assert_eq!(session.customer.phone, sample_session.customer.phone);
    assert_eq!((session.local_time.hour, session.local_time.minute), (23, sample_session.local_time.minute));
    let (_, session) = chatbot(Value::Null, json!({ "customer": { "phone": null }, "metadata": { "a": "b" } }));
    assert_eq!(session.customer.phone, None, "null takes a value away");
    assert_eq!(session.metadata, [("a".to_owned(), "b".to_owned())]);
}

#[test]
fn an_attribute_has_its_type_next_to_its_value() {
    let given =
        json!([{ "name": "plan", "type": "choice", "value": "gold" }, { "name": "age", "type": "number", "value": 7 }]);
    let (event, session) = chatbot(Value::Null, json!({ "attributes": given }));
    let attribute = |name: &str, value| Attribute { name: name.into(), value };
    let expected =
        [attribute("plan", AttributeValue::Choice("gold".into())), attribute("age", AttributeValue::Number(7.0))];
    assert_eq!(session.attributes, expected);
    let question = WorldQuestion::Chatbot { event: Box::new(event), session: Box::new(session) };
    let shown = &question.to_json()["session"]["attributes"];
    assert_eq!(shown[0], json!({ "name": "plan", "type": "choice", "value": "gold" }));
    let wrong = json!({ "attributes": [{ "name": "plan", "type": "list" }] });
    let faults = problems(World::Chatbot, Value::Null, wrong);
    assert!(faults[0].starts_with("session.attributes[0].type: `list` is not known; there are text"), "{faults:?}");
}

#[test]
fn everything_unknown_or_wrong_is_named_by_its_path_at_once() {
    let event = json!({ "type": "message", "message": { "content": { "type": "txt" }, "quoted": 3 }, "sequence": -1 });
    let session = json!({ "stat": "x", "channel": "fax", "localTime": { "hour": 300 }, "customer": "Zo" });
    let found = problems(World::Chatbot, event, session);
    for expected in [
        "event.message.content.type: `txt` is not known; there are text, contact",
        "event.message.quoted: must be an object, not a number",
        "event.sequence: must be a whole number from 0 to 18446744073709551615",
        "session.stat: is not known; there are attributes, businessNumber, channel",
        "session.channel: must be one of `whatsapp`, `sms`, `web`, `messenger`, `telegram`, `other`",
        "session.localTime.hour: must be a whole number from 0 to 255",
        "session.customer: must be an object, not a text",
    ] {
        assert!(found.iter().any(|problem| problem.starts_with(expected)), "{expected}: {found:#?}");
    }
    assert_eq!(found.len(), 7, "{found:#?}");
    assert_eq!(problems(World::Chatbot, json!({ "type": "rating" }), Value::Null), ["event.score: is missing"]);
    let unknown = problems(World::Chatbot, json!({ "type": "fax" }), Value::Null);
    assert!(unknown[0].starts_with("event.type: `fax` is not known; there are message, timer"), "{unknown:?}");
    assert!(problems(World::Chatbot, json!([]), Value::Null)[0].starts_with("event: must be an object, not a list"));
    let session = problems(World::SmsFallback, Value::Null, json!({}));
    assert_eq!(session, ["session: world `sms-fallback` has no session; leave it out"]);
    let item = json!({ "tags": ["a", 2] });
    assert_eq!(problems(World::Router, item, Value::Null), ["event.tags[1]: must be a text, not a number"]);
    let metadata = json!({ "metadata": { "a": 1 } });
    assert_eq!(problems(World::Router, metadata, Value::Null), ["event.metadata: the value of `a` must be a text"]);
}

#[test]
fn questions_come_back_the_same_from_their_json_in_every_world() {
    let webhooks = ["incoming", "status", "session-status", "partner", "chatbot", "other"];
    let mut questions: Vec<WorldQuestion> = World::ALL.into_iter().map(WorldQuestion::sample).collect();
    questions.extend(
        webhooks.map(|kind| {
            WorldQuestion::from_json(World::WebhookShaper, &json!({ "type": kind }), &Value::Null).unwrap()
        }),
    );
    for event in [
        json!({ "type": "timer", "name": "tea" }),
        json!({ "type": "rating", "score": "poor" }),
        json!({ "type": "custom", "name": "a", "payload": "not json" }),
        json!({ "message": { "content": { "type": "location", "latitude": 0.1, "longitude": -33.9 } } }),
        json!({ "message": { "content": { "type": "choice", "source": "template", "text": "Yes", "payload": "y" } } }),
        json!({ "message": { "content": { "type": "choice", "source": "other", "text": "Yes", "payload": "y" } } }),
        json!({ "message": { "content": { "type": "reaction", "messageId": "m" }, "quoted": { "id": "q", "text": "t" } } }),
        json!({ "message": { "content": { "type": "media", "url": "https://a/b", "kind": "voice" } } }),
        json!({ "message": { "content": { "type": "other", "name": "poll" } } }),
    ] {
        let session = json!({ "customer": { "phone": null }, "previousTemplate": { "id": "1", "name": "t" } });
        questions.push(WorldQuestion::from_json(World::Chatbot, &event, &session).unwrap());
    }
    for question in questions {
        let json = question.to_json();
        let session = json.get("session").unwrap_or(&Value::Null);
        let again = WorldQuestion::from_json(question.world(), &json["event"], session);
        assert_eq!(again.as_ref(), Ok(&question), "{json}");
    }
}

#[test]
fn a_webhook_event_takes_the_rest_from_the_sample_of_its_own_type() {
    let event = json!({ "type": "status", "status": "READ", "channel": "SMS" });
    match WorldQuestion::from_json(World::WebhookShaper, &event, &Value::Null) {
        Ok(WorldQuestion::WebhookShaper(event)) => match *event {
            WebhookEvent::Status(status) => {
                assert_eq!((status.status.as_str(), status.channel.as_deref()), ("READ", Some("SMS")));
                assert_eq!(status.gst_id, "sample");
            }
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_webhook_event_without_a_case_has_its_payload_as_json_or_as_a_text() {
    for payload in [json!({ "seconds": 9 }), json!(r#"{"seconds":9}"#)] {
        let event = json!({ "type": "other", "name": "call-ended", "payload": payload });
        match WorldQuestion::from_json(World::WebhookShaper, &event, &Value::Null) {
            Ok(WorldQuestion::WebhookShaper(event)) => match *event {
                WebhookEvent::Other(other) => {
                    assert_eq!((other.name.as_str(), other.payload.as_str()), ("call-ended", r#"{"seconds":9}"#));
                }
                event => panic!("{event:?}"),
            },
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_channel_of_a_webhook_event_is_whatsapp_unless_it_is_given() {
    let channel = |event: Value| match WorldQuestion::from_json(World::WebhookShaper, &event, &Value::Null) {
        Ok(WorldQuestion::WebhookShaper(event)) => match *event {
            WebhookEvent::Incoming(event) => event.channel,
            WebhookEvent::Chatbot(event) => event.channel,
            event => panic!("{event:?}"),
        },
        other => panic!("{other:?}"),
    };
    for kind in ["incoming", "chatbot"] {
        assert_eq!(channel(json!({ "type": kind })), Some(Channel::Whatsapp));
        assert_eq!(channel(json!({ "type": kind, "channel": "telegram" })), Some(Channel::Telegram));
        assert_eq!(channel(json!({ "type": kind, "channel": null })), None);
    }
}

fn every_action() -> Vec<Action> {
    let (some, none) = (|text: &str| Some(text.to_owned()), None::<String>);
    let row = |id: &str| ListRow { id: id.into(), title: "t".into(), description: some("d") };
    vec![
        Action::ReplyText(ReplyText { text: "hi".into(), quote: some("q") }),
        Action::ReplyMedia(ReplyMedia {
            url: "https://a/b".into(),
            kind: MediaKind::Document,
            caption: none.clone(),
            filename: some("f.pdf"),
            quote: none.clone(),
        }),
        Action::ReplyButtons(ReplyButtons {
            text: "Choose".into(),
            buttons: vec![Button { id: "1".into(), title: "One".into() }],
            header: some("h"),
            footer: none.clone(),
            quote: none.clone(),
        }),
        Action::ReplyList(ReplyList {
            text: "Choose".into(),
            button_label: "Open".into(),
            sections: vec![ListSection { title: some("s"), rows: vec![row("1"), row("2")] }],
            header: none.clone(),
            footer: some("f"),
            quote: none.clone(),
        }),
        Action::ReplyLocation(ReplyLocation {
            location: Location { latitude: 0.1 + 0.2, longitude: -33.9, name: some("n"), address: none.clone() },
            quote: none.clone(),
        }),
        Action::ReplyTemplate(ReplyTemplate {
            id: "7".into(),
            name: "welcome".into(),
            parameters: vec!["a".into()],
            header: Some(TemplateHeader { url: "https://a".into(), kind: MediaKind::Image, filename: none.clone() }),
            button_parameters: vec![],
        }),
        Action::SetState("menu".into()),
        Action::StartTimer(Timer { name: "tea".into(), after_seconds: 60 }),
        Action::HandOver(HandOver { team: some("Sales"), note: none }),
        Action::Close,
        Action::CancelTimer("tea".into()),
        Action::AddTag("vip".into()),
        Action::SetAttribute(AttributeChange { name: "visits".into(), value: Some(AttributeValue::Number(7.5)) }),
        Action::SetAttribute(AttributeChange { name: "visits".into(), value: None }),
        Action::SetAttribute(AttributeChange { name: "zone".into(), value: Some(AttributeValue::Other("x".into())) }),
        Action::RequestRating,
        Action::Custom(r#"{"a":1}"#.into()),
    ]
}

#[test]
fn answers_are_named_by_type_and_omit_empty_fields() {
    let (name, actions) = DryResult::Actions(every_action()).to_json();
    assert_eq!(name, "actions");
    assert_eq!(actions[0], json!({ "type": "reply-text", "text": "hi", "quote": "q" }));
    assert_eq!(actions[2]["buttons"], json!([{ "id": "1", "title": "One" }]));
    assert_eq!(actions[6], json!({ "type": "set-state", "state": "menu" }));
    assert_eq!(actions[7], json!({ "type": "start-timer", "name": "tea", "afterSeconds": 60 }));
    assert_eq!(actions[8], json!({ "type": "hand-over", "team": "Sales" }));
    assert_eq!(actions[9], json!({ "type": "close" }));
    let number = json!({ "type": "number", "value": 7.5 });
    assert_eq!(actions[12], json!({ "type": "set-attribute", "name": "visits", "value": number }));
    assert_eq!(actions[13], json!({ "type": "set-attribute", "name": "visits" }));
    let sms = Sms { text: "hi".into(), unicode: false, sender: None };
    let send = DryResult::Decision(Decision::Send(sms)).to_json();
    assert_eq!(send, ("decision", json!({ "type": "send", "text": "hi", "unicode": false })));
    let skip = DryResult::Decision(Decision::Skip("no text".into())).to_json();
    assert_eq!(skip, ("decision", json!({ "type": "skip", "reason": "no text" })));
    assert_eq!(DryResult::Payload(ShapedBody::Skip).to_json(), ("payload", Value::Null));
    assert_eq!(
        DryResult::Payload(ShapedBody::Json("{\"a\":null}".into())).to_json(),
        ("payload", json!({ "a": null }))
    );
    assert_eq!(DryResult::Payload(ShapedBody::Json("oops".into())).to_json(), ("payload", json!("oops")));
    assert_eq!(DryResult::Payload(ShapedBody::Unchanged).to_json(), ("payload", json!("unchanged")));
    let custom = DryResult::Payload(ShapedBody::Custom("{}".into())).to_json();
    assert_eq!(custom, ("payload", json!({ "type": "custom", "payload": "{}" })));
    let route = Route { target: Target::Bot(Some("orders".into())), reason: "vip".into(), note: None };
    let expected = json!({ "target": { "type": "bot", "name": "orders" }, "reason": "vip" });
    assert_eq!(DryResult::Route(route).to_json(), ("route", expected));
}

#[test]
fn answers_come_back_the_same_from_their_json() {
    let (_, actions) = DryResult::Actions(every_action()).to_json();
    assert_eq!(read::<Vec<Action>>(answer_of(World::Chatbot), &actions), every_action());
    for target in [
        Target::Bot(None),
        Target::Team("Sales".into()),
        Target::Agent("7".into()),
        Target::Queue,
        Target::Custom("{}".into()),
    ] {
        let route = Route { target, reason: "r".into(), note: Some("n".into()) };
        assert_eq!(read::<Route>(answer_of(World::Router), &DryResult::Route(route.clone()).to_json().1), route);
    }
    let media = Content::Media(Media {
        url: "https://a/b".into(),
        mime: None,
        filename: None,
        size: None,
        extension: Some("jpg".into()),
        caption: None,
        kind: MediaKind::Image,
    });
    let inbound = form::function(World::Router).unwrap().parameters[0].1;
    let content = field_of(field_of(inbound, "message"), "content");
    assert_eq!(read::<Content>(content, &write(content, &media)), media);
}

#[test]
fn pairs_whose_order_or_repetition_matters_stay_a_list() {
    let pairs = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), "v".to_owned())).collect::<Vec<_>>();
    let metadata = field_of(form::function(World::Router).unwrap().parameters[0].1, "metadata");
    assert_eq!(write(metadata, &pairs(&["a", "b"])), json!({ "a": "v", "b": "v" }));
    for names in [["b", "a"], ["a", "a"]] {
        let written = write(metadata, &pairs(&names));
        assert!(written.is_array());
        assert_eq!(read::<Vec<(String, String)>>(metadata, &written), pairs(&names));
    }
}
