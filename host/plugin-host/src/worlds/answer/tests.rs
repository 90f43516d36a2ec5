//! Each rule about answers, just within and just beyond its bound.

use super::{AnswerFault, body, chatbot, router, sms};
use crate::chatbot::{
    Action, AttributeChange, AttributeValue, Button, HandOver, ListRow, ListSection, Location, MediaKind, ReplyButtons,
    ReplyList, ReplyLocation, ReplyMedia, ReplyTemplate, ReplyText, Timer,
};
use crate::router::{Route, Target};
use crate::sms_fallback::{Decision, Sms};
use crate::{CallLimits, ExceededLimit};

fn verdict(action: Action) -> Result<(), String> {
    match chatbot::judge(&[action], &CallLimits::default()) {
        Ok(()) => Ok(()),
        Err(AnswerFault::Rule(reason)) => Err(reason),
        Err(AnswerFault::Limit(limit)) => panic!("no limit was expected: {limit}"),
    }
}

#[track_caller]
fn good(action: Action) {
    assert_eq!(verdict(action), Ok(()));
}

#[track_caller]
fn bad(action: Action, words: &str) {
    let reason = verdict(action).unwrap_err();
    assert!(reason.contains(words), "{reason}");
}

fn x(length: usize) -> String {
    "x".repeat(length)
}

fn text(text: String) -> Action {
    Action::ReplyText(ReplyText { text, quote: None })
}

fn buttons(buttons: &[(&str, &str)]) -> ReplyButtons {
    let buttons = buttons.iter().map(|(id, title)| Button { id: (*id).into(), title: (*title).into() }).collect();
    ReplyButtons { text: "Choose".into(), buttons, header: None, footer: None, quote: None }
}

fn list(sections: &[(Option<&str>, usize)]) -> ReplyList {
    let mut id = 0;
    let mut row = |_| {
        id += 1;
        ListRow { id: id.to_string(), title: "Row".into(), description: None }
    };
    let section = |(title, rows): &(Option<&str>, usize)| ListSection {
        title: title.map(str::to_owned),
        rows: (0..*rows).map(&mut row).collect(),
    };
    let sections = sections.iter().map(section).collect();
    ReplyList { text: "Choose".into(), button_label: "Menu".into(), sections, header: None, footer: None, quote: None }
}

fn media(url: &str) -> ReplyMedia {
    ReplyMedia { url: url.into(), kind: MediaKind::Image, caption: None, filename: None, quote: None }
}

fn place(latitude: f64, longitude: f64) -> Action {
    let location = Location { latitude, longitude, name: None, address: None };
    Action::ReplyLocation(ReplyLocation { location, quote: None })
}

#[test]
fn texts_have_1_to_4096_characters_not_bytes() {
    good(text("ü".repeat(4_096)));
    bad(text(x(4_097)), "4096 are allowed");
    bad(text(" \n".into()), "is empty");
    bad(text("a\0".into()), "NUL");
    bad(Action::ReplyText(ReplyText { text: "a".into(), quote: Some(String::new()) }), "quoted message id");
}

#[test]
fn buttons_are_one_to_three_with_short_titles_and_different_ids() {
    good(Action::ReplyButtons(buttons(&[("a", &x(20)), ("b", "B"), (&x(256), "C")])));
    bad(Action::ReplyButtons(buttons(&[])), "0 buttons");
    bad(Action::ReplyButtons(buttons(&[("a", "A"), ("b", "B"), ("c", "C"), ("d", "D")])), "4 buttons");
    bad(Action::ReplyButtons(buttons(&[("a", &x(21))])), "title of a button has 21");
    bad(Action::ReplyButtons(buttons(&[(&x(257), "A")])), "id of a button has 257");
    bad(Action::ReplyButtons(buttons(&[("a", "A"), ("a", "B")])), "same id `a`");
    good(Action::ReplyButtons(ReplyButtons { text: x(1_024), header: Some(x(60)), ..buttons(&[("a", "A")]) }));
    bad(Action::ReplyButtons(ReplyButtons { text: x(1_025), ..buttons(&[("a", "A")]) }), "1024");
    bad(Action::ReplyButtons(ReplyButtons { footer: Some(x(61)), ..buttons(&[("a", "A")]) }), "footer has 61");
}

#[test]
fn lists_have_one_to_ten_rows_and_titles_where_there_are_several_sections() {
    good(Action::ReplyList(list(&[(None, 10)])));
    good(Action::ReplyList(list(&[(Some("A"), 4), (Some("B"), 6)])));
    bad(Action::ReplyList(list(&[(None, 11)])), "11 rows");
    bad(Action::ReplyList(list(&[])), "0 sections");
    bad(Action::ReplyList(list(&[(Some("A"), 1), (Some("B"), 0)])), "rows in a section");
    bad(Action::ReplyList(list(&[(Some("A"), 1), (None, 1)])), "no title");
    bad(Action::ReplyList(ReplyList { button_label: x(21), ..list(&[(None, 1)]) }), "button label has 21");
    let mut long = list(&[(None, 1)]);
    long.sections[0].rows[0].description = Some(x(73));
    bad(Action::ReplyList(long), "description of a row has 73");
}

#[test]
fn media_needs_a_web_address() {
    good(Action::ReplyMedia(media("https://example.org/a.jpg")));
    for url in ["", "ftp://example.org/a", "file:///etc/passwd", "https://example.org/a b", "javascript:alert(1)"] {
        bad(Action::ReplyMedia(media(url)), "url");
    }
    good(Action::ReplyMedia(ReplyMedia { caption: Some(x(1_024)), ..media("http://example.org/") }));
    bad(Action::ReplyMedia(ReplyMedia { caption: Some(x(1_025)), ..media("http://example.org/") }), "caption");
}

#[test]
fn locations_have_valid_coordinates() {
    good(place(-90.0, 180.0));
    for (latitude, longitude) in [(90.1, 0.0), (0.0, -180.1), (f64::NAN, 0.0), (0.0, f64::INFINITY)] {
        bad(place(latitude, longitude), "latitude");
    }
}

#[test]
fn templates_need_a_name_and_values() {
    let template = |name: &str, parameters: Vec<String>| {
        let (id, name) = ("1".into(), name.into());
        Action::ReplyTemplate(ReplyTemplate { id, name, parameters, header: None, button_parameters: vec![] })
    };
    good(template("hello", vec![x(1_024); 64]));
    bad(template("", vec![]), "name is empty");
    bad(template("hello", vec![x(1); 65]), "65 parameters");
    bad(template("hello", vec![String::new()]), "value of a parameter");
}

#[test]
fn timers_tags_states_and_notes_are_bounded() {
    let timer = |after_seconds| Action::StartTimer(Timer { name: "t".into(), after_seconds });
    good(timer(1));
    good(timer(2_592_000));
    bad(timer(0), "1 to 2592000 seconds");
    bad(timer(2_592_001), "1 to 2592000 seconds");
    good(Action::SetState(x(16_384)));
    bad(Action::SetState(x(16_385)), "state");
    good(Action::SetState(String::new()));
    good(Action::AddTag(x(64)));
    bad(Action::AddTag(x(65)), "tag");
    good(Action::CancelTimer(x(64)));
    bad(Action::CancelTimer(x(65)), "timer");
    let note = |length| Action::HandOver(HandOver { team: None, note: Some(x(length)) });
    good(note(1_000));
    bad(note(1_001), "note");
    good(Action::Custom(r#"{"do":"something"}"#.into()));
    bad(Action::Custom("{".into()), "not JSON");
}

#[test]
fn an_sms_has_a_text_and_a_plain_sender() {
    let send = |text: String, sender: Option<&str>| {
        sms::judge(&Decision::Send(Sms { text, unicode: false, sender: sender.map(str::to_owned) }))
    };
    assert_eq!(send(x(1_600), Some("+27110000000")), Ok(()));
    assert!(send(x(1_601), None).is_err());
    assert!(send(String::new(), None).is_err());
    assert!(send("a\0".into(), None).is_err());
    assert!(send("a".into(), Some("<script>")).is_err());
    assert!(send("a".into(), Some(&x(17))).is_err());
    assert_eq!(sms::judge(&Decision::Skip("why not".into())), Ok(()));
    assert!(sms::judge(&Decision::Skip(String::new())).is_err());
    assert_eq!(sms::judge(&Decision::Custom("{}".into())), Ok(()));
    assert!(sms::judge(&Decision::Custom("{".into())).is_err());
}

#[test]
fn a_route_has_a_reason_and_a_target_that_can_exist() {
    let route = |target, reason: String, note: Option<String>| router::judge(&Route { target, reason, note });
    let to = |target| route(target, "because".into(), None);
    assert_eq!(to(Target::Bot(None)), Ok(()));
    assert_eq!(to(Target::Queue), Ok(()));
    assert_eq!(to(Target::Bot(Some(x(64)))), Ok(()));
    assert!(to(Target::Bot(Some(x(65)))).is_err());
    assert!(to(Target::Bot(Some("../bot".into()))).is_err());
    assert_eq!(to(Target::Team(x(128))), Ok(()));
    assert!(to(Target::Team(x(129))).is_err());
    assert!(to(Target::Team(" ".into())).is_err());
    assert_eq!(to(Target::Agent(x(254))), Ok(()));
    assert!(to(Target::Agent(x(255))).is_err());
    assert!(to(Target::Agent("a\0".into())).is_err());
    assert_eq!(to(Target::Custom("{}".into())), Ok(()));
    assert!(to(Target::Custom("{".into())).is_err());
    assert_eq!(route(Target::Queue, x(300), Some(x(1_000))), Ok(()));
    assert!(route(Target::Queue, x(301), None).is_err());
    assert!(route(Target::Queue, String::new(), None).is_err());
    assert!(route(Target::Queue, x(1), Some(x(1_001))).is_err());
}

#[test]
fn a_schema_is_one_json_object_of_bounded_length() {
    let limits = CallLimits { body_bytes: 20, ..CallLimits::default() };
    let schema = |text: &str| body::judge_schema(text, &limits);
    assert_eq!(schema(r#"{"type": "object"}  "#), Ok(()));
    assert_eq!(schema(r#"{"type": "object"}   "#), Err(AnswerFault::Limit(ExceededLimit::Body)));
    assert!(matches!(schema("true"), Err(AnswerFault::Rule(_))));
    assert!(matches!(schema("{} {}"), Err(AnswerFault::Rule(_))));
}

#[test]
fn an_attribute_has_a_name_of_1_to_40_characters_and_a_value_that_its_type_can_have() {
    let set = |name: &str, value| Action::SetAttribute(AttributeChange { name: name.into(), value });
    good(set(&x(40), None));
    bad(set(&x(41), None), "1 to 40 lower-case letters");
    bad(set("", None), "1 to 40 lower-case letters");
    good(set("a", Some(AttributeValue::Text(x(1_000)))));
    bad(set("a", Some(AttributeValue::Text(x(1_001)))), "1 to 1000 characters");
    good(set("a", Some(AttributeValue::Number(-9_007_199_254_740_991.0))));
    bad(set("a", Some(AttributeValue::Number(f64::NAN))), "must be a number");
    good(set("a", Some(AttributeValue::Choice(x(100)))));
    bad(set("a", Some(AttributeValue::Choice(x(101)))), "1 to 100 characters");
    bad(set("a", Some(AttributeValue::Date("today".into()))), "must be a date");
    bad(set("a", Some(AttributeValue::Other("x".into()))), "is `other`");
}
