//! Inbound messages of every type (PROVIDERS A.8).

use channels::whatsapp_cloud::callback::parse;
use chrono::DateTime;
use domain::{
    content::{Location, MediaKind},
    inbound::{CallbackBody, CallbackItem, CallbackTarget, InboundContent, InboundMedia, InboundMessage},
};
use serde_json::{Value, json};

use crate::callback_faults::unreadable;

/// A callback with one change of field `messages`.
pub fn change(mut value: Value) -> Vec<u8> {
    value["messaging_product"] = json!("whatsapp");
    if value.get("metadata").is_none() {
        value["metadata"] = json!({"display_phone_number":"27110000000","phone_number_id":"PN"});
    }
    json!({"object":"whatsapp_business_account","entry":[{"id":"WABA","changes":[{"field":"messages","value":value}]}]})
        .to_string()
        .into_bytes()
}

pub fn message(kind: &str, part: Value) -> Value {
    let mut message =
        json!({"from":"27820000001","from_user_id":"ZA.100","id":"wamid.A","timestamp":"1760000000","type":kind});
    message[kind] = part;
    message
}

pub fn contact() -> Value {
    json!({"profile":{"name":"Zo","username":"zo"},"wa_id":"27820000001","user_id":"ZA.100","parent_user_id":"ZA.ENT.9"})
}

pub fn items(messages: Value, contacts: Value) -> Vec<CallbackItem> {
    parse(&change(json!({"contacts":contacts,"messages":messages}))).unwrap()
}

pub fn only(message: Value) -> InboundMessage {
    let mut items = items(json!([message]), json!([contact()]));
    assert_eq!(items.len(), 1);
    match items.remove(0).body {
        CallbackBody::Message(message) => *message,
        other => panic!("not a message: {other:?}"),
    }
}

pub fn content(kind: &str, part: Value) -> InboundContent {
    only(message(kind, part)).content
}

#[test]
fn a_text_has_all_known_facts_of_its_sender() {
    let mut sent = message("text", json!({"body":"hi"}));
    sent["context"] = json!({"from":"27110000000","id":"wamid.Q"});
    let mut items = items(json!([sent.clone()]), json!([contact()]));
    let item = items.remove(0);
    assert_eq!(item.dedupe_key, "message:wamid.A");
    assert_eq!(item.target, CallbackTarget::PhoneNumberId("PN".into()));
    let expected = InboundMessage {
        provider_id: "wamid.A".into(),
        from: Some("27820000001".into()),
        from_user_id: Some("ZA.100".into()),
        from_parent_user_id: Some("ZA.ENT.9".into()),
        from_address: None,
        profile_name: Some("Zo".into()),
        username: Some("zo".into()),
        sent_at: DateTime::from_timestamp(1_760_000_000, 0).unwrap(),
        quoted_provider_id: Some("wamid.Q".into()),
        content: InboundContent::Text { body: "hi".into() },
        raw: sent,
        referral: None,
    };
    assert_eq!(item.body, CallbackBody::Message(Box::new(expected)));
}

#[test]
fn files_keep_the_facts_needed_to_fetch_them() {
    let part = json!({"id":"M1","mime_type":"image/jpeg","sha256":"abc=","caption":"look","url":"https://lookaside.fbsbx.com/x"});
    let expected = InboundMedia {
        media_kind: MediaKind::Image,
        provider_media_id: "M1".into(),
        url: Some("https://lookaside.fbsbx.com/x".into()),
        mime_type: "image/jpeg".into(),
        sha256: Some("abc=".into()),
        caption: Some("look".into()),
        filename: None,
    };
    assert_eq!(content("image", part), InboundContent::Media(expected));
}

#[test]
fn each_kind_of_file_is_known() {
    let cases = [
        ("video", json!({"id":"M","mime_type":"video/mp4"}), MediaKind::Video),
        ("sticker", json!({"id":"M","mime_type":"image/webp","animated":false}), MediaKind::Sticker),
        ("audio", json!({"id":"M","mime_type":"audio/ogg; codecs=opus","voice":true}), MediaKind::Voice),
        ("audio", json!({"id":"M","mime_type":"audio/mpeg","voice":false}), MediaKind::Audio),
        ("audio", json!({"id":"M"}), MediaKind::Audio),
        ("document", json!({"id":"M","filename":"../a\\..%2Fbill.pdf"}), MediaKind::Document),
    ];
    for (kind, part, expected) in cases {
        let InboundContent::Media(media) = content(kind, part) else { panic!("{kind} is no file") };
        assert_eq!(media.media_kind, expected);
        assert_eq!(media.filename.as_deref(), (kind == "document").then_some("bill.pdf"));
    }
}

#[test]
fn a_location_may_be_written_in_numbers_or_text() {
    let whole = json!({"latitude":-26.1,"longitude":28.0,"name":"Shop","address":"1 Main","url":"https://x"});
    let expected =
        Location { latitude: -26.1, longitude: 28.0, name: Some("Shop".into()), address: Some("1 Main".into()) };
    assert_eq!(content("location", whole), InboundContent::Location(expected));
    let text = json!({"latitude":"1.5","longitude":"-2"});
    let expected = Location { latitude: 1.5, longitude: -2.0, name: None, address: None };
    assert_eq!(content("location", text), InboundContent::Location(expected));
}

#[test]
fn taps_reactions_and_contacts_are_understood() {
    let button = content("button", json!({"text":"Track","payload":"TRACK_42"}));
    assert_eq!(button, InboundContent::Button { text: "Track".into(), payload: "TRACK_42".into() });
    let without_payload = content("button", json!({"text":"Track"}));
    assert_eq!(without_payload, InboundContent::Button { text: "Track".into(), payload: "Track".into() });

    let reply = |kind: &str| json!({"type":kind, kind:{"id":"r_top","title":"Excellent","description":"d"}});
    for kind in ["button_reply", "list_reply"] {
        let expected = InboundContent::Interactive { text: "Excellent".into(), payload: "r_top".into() };
        assert_eq!(content("interactive", reply(kind)), expected);
    }
    let flow = json!({"type":"nfm_reply","nfm_reply":{"name":"flow","body":"Sent","response_json":"{\"a\":1}"}});
    let expected = InboundContent::Interactive { text: "Sent".into(), payload: "{\"a\":1}".into() };
    assert_eq!(content("interactive", flow), expected);

    for (emoji, expected) in [(json!("👍"), Some("👍".to_owned())), (json!(""), None), (Value::Null, None)] {
        let reaction = content("reaction", json!({"message_id":"wamid.T","emoji":emoji}));
        assert_eq!(reaction, InboundContent::Reaction { message_id: "wamid.T".into(), emoji: expected });
    }

    let cards = json!([
        {"name":{"formatted_name":"Ann Lee"},"phones":[{"phone":"+27 82","wa_id":"2782"},{"wa_id":"2783"}],"emails":[{"email":"a@b"}]},
        {"name":{"first_name":"Bo"}},
        {"phones":[{"phone":"1"}]},
        {}
    ]);
    let expected = InboundContent::Contact { formatted: "Ann Lee: +27 82, 2783, a@b\nBo\n1".into() };
    assert_eq!(content("contacts", cards), expected);
}

#[test]
fn a_sender_without_phone_number_is_known_by_its_user_id() {
    let phoneless =
        json!({"from_user_id":"ZA.200","id":"wamid.B","timestamp":"1760000000","type":"text","text":{"body":"x"}});
    let hidden = json!({"profile":{"name":"Hidden","username":"hid"},"user_id":"ZA.200"});
    let items = items(json!([phoneless]), json!([contact(), hidden]));
    let CallbackBody::Message(message) = &items[0].body else { panic!("no message") };
    assert_eq!((message.from.as_deref(), message.from_user_id.as_deref()), (None, Some("ZA.200")));
    assert_eq!((message.profile_name.as_deref(), message.username.as_deref()), (Some("Hidden"), Some("hid")));
}

#[test]
fn the_digits_of_a_user_id_in_place_of_a_number_are_no_phone_number() {
    let contacts = || json!([{"wa_id":"ZA.27820000001","user_id":"ZA.200","profile":{"name":"Hidden"}}]);
    for from in ["ZA.27820000001", "27.820000001", "x27820000001"] {
        let mut sent = message("text", json!({"body":"hi"}));
        sent["from"] = json!(from);
        sent["from_user_id"] = json!("ZA.200");
        let read = items(json!([sent.clone()]), contacts());
        let CallbackBody::Message(read) = &read[0].body else { panic!("{from}: {read:?}") };
        assert_eq!((read.from.as_deref(), read.from_user_id.as_deref()), (None, Some("ZA.200")), "{from}");
        sent.as_object_mut().unwrap().remove("from_user_id");
        let refused = items(json!([sent]), json!([]));
        assert_eq!(unreadable(&refused).len(), 1, "{from}: there is no customer to keep it for");
    }
}

#[test]
fn contacts_are_matched_and_not_taken_by_position() {
    let first = json!({"from":"1111111","id":"wamid.1","timestamp":"1760000000","type":"text","text":{"body":"x"}});
    let second = json!({"from":"2222222","id":"wamid.2","timestamp":"1760000000","type":"text","text":{"body":"y"}});
    let third = json!({"from":"3333333","id":"wamid.3","timestamp":"1760000000","type":"text","text":{"body":"z"}});
    let contacts = json!([
        {"wa_id":"2222222","user_id":"ZA.2","profile":{"name":"Two"}},
        {"wa_id":"1111111","user_id":"ZA.1","profile":{"name":"One"}}
    ]);
    let names: Vec<_> = items(json!([first, second, third]), contacts)
        .into_iter()
        .map(|item| match item.body {
            CallbackBody::Message(message) => (message.profile_name, message.from_user_id),
            other => panic!("{other:?}"),
        })
        .collect();
    let known = |name: &str, id: &str| (Some(name.to_owned()), Some(id.to_owned()));
    assert_eq!(names, [known("One", "ZA.1"), known("Two", "ZA.2"), (None, None)]);
}

#[test]
fn a_single_contact_identifies_a_message_without_a_sender() {
    let nameless = json!({"id":"wamid.N","timestamp":"1760000000","type":"text","text":{"body":"x"}});
    let items = items(json!([nameless.clone()]), json!([contact()]));
    let CallbackBody::Message(message) = &items[0].body else { panic!("no message") };
    assert_eq!((message.from.as_deref(), message.from_user_id.as_deref()), (Some("27820000001"), Some("ZA.100")));
    let items = self::items(json!([nameless]), json!([contact(), contact()]));
    assert!(matches!(items[0].body, CallbackBody::Unreadable(_)), "it has no owner");
}

#[test]
fn batches_of_entries_changes_and_messages_are_all_read() {
    let value = |pn: &str, ids: [&str; 2]| {
        let messages: Vec<Value> = ids
            .iter()
            .map(|id| json!({"from":"1111111","id":id,"timestamp":"1760000000","type":"text","text":{"body":"x"}}))
            .collect();
        json!({"field":"messages","value":{"metadata":{"phone_number_id":pn},"messages":messages}})
    };
    let body = json!({"object":"whatsapp_business_account","entry":[
        {"id":"W1","changes":[value("PN1", ["a","b"]), value("PN2", ["c","d"])]},
        {"id":"W2","changes":[value("PN3", ["e","f"])]}]});
    let items = parse(body.to_string().as_bytes()).unwrap();
    let keys: Vec<&str> = items.iter().map(|item| item.dedupe_key.as_str()).collect();
    assert_eq!(keys, ["message:a", "message:b", "message:c", "message:d", "message:e", "message:f"]);
    assert_eq!(items[2].target, CallbackTarget::PhoneNumberId("PN2".into()));
}

#[test]
fn no_string_of_a_callback_contains_nul() {
    let mut sent = message("text", json!({"body":"a\u{0}b","k\u{0}":"v"}));
    sent["id"] = json!("wamid.\u{0}");
    let items = items(json!([sent]), json!([contact()]));
    assert_eq!(items[0].dedupe_key, "message:wamid.\u{fffd}");
    let stored = serde_json::to_string(&items).unwrap();
    assert!(!stored.contains("\\u0000") && stored.contains("a\u{fffd}b") && stored.contains("k\u{fffd}"));
}

#[test]
fn a_number_without_metadata_cannot_be_served() {
    let value = json!({"metadata":{},"messages":[message("text", json!({"body":"x"}))],"contacts":[contact()]});
    let items = parse(&change(value)).unwrap();
    let [(kind, reason, _)] = unreadable(&items).try_into().unwrap();
    assert_eq!((kind.as_str(), reason.as_str()), ("change", "`value.metadata.phone_number_id` is missing"));
    assert_eq!(items[0].target, CallbackTarget::Waba("WABA".into()));
}

#[test]
fn every_one_of_many_messages_finds_its_contact_among_as_many() {
    const MANY: usize = 9_000;
    let sent = |at: usize| {
        json!({"from": (27_820_000_000 + at).to_string(), "id": format!("wamid.{at}"), "timestamp": "1760000000",
               "type": "text", "text": {"body": "hi"}})
    };
    let contact =
        |at: usize| json!({"wa_id": (27_820_000_000 + at).to_string(), "profile": {"name": format!("N{at}")}});
    let contacts = (0..MANY).rev().map(contact).collect();
    let items = items((0..MANY).map(sent).collect(), contacts);
    assert_eq!(items.len(), MANY);
    for (at, item) in items.into_iter().enumerate() {
        let CallbackBody::Message(message) = item.body else { panic!("no message") };
        assert_eq!(message.profile_name, Some(format!("N{at}")));
    }
}

#[test]
fn a_long_contact_is_not_kept_with_each_message() {
    let name = |length: usize| {
        let mut contact = contact();
        contact["profile"]["name"] = json!("n".repeat(length));
        let mut items = items(json!([message("text", json!({"body": "hi"}))]), json!([contact]));
        let CallbackBody::Message(message) = items.remove(0).body else { panic!("no message") };
        message.profile_name.map(|name| name.len())
    };
    assert_eq!(name(8_000), Some(8_000));
    assert_eq!(name(8_200), None);
}
