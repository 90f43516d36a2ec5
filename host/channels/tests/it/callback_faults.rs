//! Callbacks with broken characters, with fields of other types, and with items that cannot be read.

use channels::whatsapp_cloud::callback::parse;
use domain::inbound::{CallbackBody, CallbackItem, CallbackTarget, InboundContent, KEPT_BYTES_MAX};
use serde_json::{Value, json};

use crate::callback_messages::{change, contact, items, message, only};

/// The items that cannot be read: kind, reason, content.
pub fn unreadable(items: &[CallbackItem]) -> Vec<(String, String, Value)> {
    let of = |item: &CallbackItem| match &item.body {
        CallbackBody::Unreadable(item) => {
            let content = serde_json::from_str(&item.content).unwrap();
            Some((item.kind.clone(), item.reason.clone(), content))
        }
        _ => None,
    };
    items.iter().filter_map(of).collect()
}

#[test]
fn a_message_that_cannot_be_read_is_kept_and_its_neighbours_are_taken() {
    let good = message("text", json!({"body":"hi"}));
    let with = |field: &str, value: Value| {
        let mut odd = good.clone();
        odd[field] = value;
        odd
    };
    let mut no_sender = with("from", json!("x"));
    no_sender.as_object_mut().unwrap().remove("from_user_id");
    for (odd, reason) in [
        (json!(null), "`id` is missing"),
        (json!(3), "`id` is missing"),
        (json!([]), "`id` is missing"),
        (with("id", json!("")), "`id` is missing"),
        (with("id", json!(null)), "`id` is missing"),
        (with("id", json!("w".repeat(513))), "`id` is longer than 512 bytes"),
        (with("timestamp", json!("yesterday")), "`timestamp` is missing or no time"),
        (with("timestamp", json!(null)), "`timestamp` is missing or no time"),
        (with("timestamp", json!(-5)), "`timestamp` is missing or no time"),
        (with("timestamp", json!("1e400")), "`timestamp` is missing or no time"),
        (with("timestamp", json!({})), "`timestamp` is missing or no time"),
        (no_sender, "`from` is no phone number and `from_user_id` no user id"),
    ] {
        let items = items(json!([good, odd, good]), json!([null, 7, {"profile": null}]));
        let keys: Vec<&str> = items.iter().map(|item| item.dedupe_key.as_str()).collect();
        assert_eq!((keys[0], keys[2], keys.len()), ("message:wamid.A", "message:wamid.A", 3), "{odd}");
        assert_eq!(unreadable(&items), [("message".to_owned(), reason.to_owned(), odd.clone())]);
        assert_eq!(items[1].target, CallbackTarget::PhoneNumberId("PN".into()));
    }
}

#[test]
fn fields_of_another_type_lose_nothing() {
    let sent = |more: Value| {
        let mut message = message("text", json!({"body":"hi"}));
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        message
    };
    let contact = |more: Value| {
        let mut contact = contact();
        contact.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        contact
    };
    for (message, contacts) in [
        (sent(json!({"timestamp": 1_760_000_000})), json!([contact(json!({}))])),
        (sent(json!({"timestamp": 1_760_000_000.5})), json!(null)),
        (sent(json!({"timestamp": "1760000000.25"})), json!({})),
        (sent(json!({"timestamp": 1_760_000_000_000_i64})), json!("x")),
        (sent(json!({"from": 27_820_000_001_i64})), json!(7)),
        (sent(json!({"from_user_id": null, "context": null})), json!([])),
        (sent(json!({"context": []})), json!([contact(json!({"profile": null}))])),
        (sent(json!({"context": {"id": null}})), json!([contact(json!({"profile": {"name": null}}))])),
        (sent(json!({"context": {"id": "x".repeat(600)}})), json!([contact(json!({"profile": {"name": []}}))])),
        (sent(json!({"referral": "x", "errors": {}})), json!([contact(json!({"profile": "Zo", "wa_id": null}))])),
        (sent(json!({"from": "+27 82 000 0001"})), json!(contact(json!({"wa_id": 27_820_000_001_i64})))),
    ] {
        let items = items(json!([message]), contacts.clone());
        let [CallbackItem { body: CallbackBody::Message(read), .. }] = items.as_slice() else {
            panic!("{message} {contacts}: {items:?}")
        };
        assert_eq!(read.sent_at.timestamp(), 1_760_000_000, "{message}");
        assert_eq!(
            (read.from.as_deref(), &read.content),
            (Some("27820000001"), &InboundContent::Text { body: "hi".into() })
        );
    }
    let mut numbered = message("text", json!({"body": 5}));
    numbered["id"] = json!(24_071_234_567_i64);
    let read = only(numbered);
    assert_eq!((read.provider_id.as_str(), read.content), ("24071234567", InboundContent::Text { body: "5".into() }));
}

#[test]
fn one_item_in_place_of_a_list_is_that_item() {
    let items =
        parse(&change(json!({"contacts": contact(), "messages": message("text", json!({"body":"hi"}))}))).unwrap();
    let CallbackBody::Message(read) = &items[0].body else { panic!("{items:?}") };
    assert_eq!((items.len(), read.profile_name.as_deref()), (1, Some("Zo")));
    for (messages, unread) in [(json!(null), 0), (json!([]), 0), (json!({}), 1), (json!("x"), 1), (json!(false), 1)] {
        let value =
            json!({"messages": messages, "statuses": [{"id": "wamid.S", "status": "sent", "timestamp": "1760000000"}]});
        let items = parse(&change(value)).unwrap();
        assert_eq!(items.last().map(|item| item.dedupe_key.as_str()), Some("status:wamid.S:sent"), "{messages}");
        assert_eq!((unreadable(&items).len(), items.len()), (unread, unread + 1), "{messages}");
    }
}

#[test]
fn one_broken_character_loses_nothing_of_a_callback() {
    let body = |written: &str| {
        let text =
            r#"{"from":"27820000001","id":"wamid.1","timestamp":"1760000000","type":"text","text":{"body":"hi"}}"#;
        let odd = format!(
            r#"{{"from":"27820000002","id":"wamid.2","timestamp":"1760000000","type":"text","text":{{"body":"a{written}"}}}}"#
        );
        let tap = format!(
            r#"{{"from":"27820000002","id":"wamid.3","timestamp":"1760000000","type":"interactive","interactive":{{"type":"list_reply","list_reply":{{"id":"r","title":"{written}"}}}}}}"#
        );
        let contact = format!(r#"{{"wa_id":"27820000002","profile":{{"name":"Zo{written}"}}}}"#);
        let status = r#"{"id":"wamid.S","status":"delivered","timestamp":"1760000000"}"#;
        format!(
            r#"{{"object":"whatsapp_business_account","entry":[{{"id":"W","changes":[{{"field":"messages","value":{{"metadata":{{"phone_number_id":"PN"}},"contacts":[{contact}],"messages":[{text},{odd},{tap},{text}],"statuses":[{status}]}}}}]}}]}}"#
        )
    };
    for (written, expected) in [
        (&br"\ud83d"[..], "\u{fffd}"),
        (br"\udc00", "\u{fffd}"),
        (br"\ud83d\ud83d", "\u{fffd}\u{fffd}"),
        (br"\u0000", "\u{fffd}"),
        (b"\0", "\u{fffd}"),
        (b"\xff", "\u{fffd}"),
        (b"\xf0\x9f\x98", "\u{fffd}"),
        (b"\n\t\x01", "\n\t\u{1}"),
    ] {
        let body = body("@@");
        let raw = body.split("@@").map(str::as_bytes).collect::<Vec<_>>().join(written);
        let items = parse(&raw).unwrap();
        let texts: Vec<Option<String>> = items
            .iter()
            .map(|item| match &item.body {
                CallbackBody::Message(message) => domain::chat::readable_text::of_inbound(&message.content),
                _ => None,
            })
            .collect();
        let (hi, odd) = (Some("hi".to_owned()), Some(format!("a{expected}")));
        assert_eq!(texts, [hi.clone(), odd, Some(expected.to_owned()), hi, None], "{written:?}");
        let CallbackBody::Message(message) = &items[1].body else { panic!("{items:?}") };
        assert_eq!(message.profile_name, Some(format!("Zo{expected}")));
        assert_eq!(items[4].dedupe_key, "status:wamid.S:delivered");
    }
}

#[test]
fn odd_numbers_and_depth_in_one_message_lose_nothing_of_its_neighbours() {
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    for odd in ["1e400", "-1e999", "123456789012345678901234567890", "NaN", "Infinity", "undefined", deep.as_str()] {
        let message = |id: &str, odd: &str| {
            format!(
                r#"{{"from":"27820000001","id":"{id}","timestamp":"1760000000","type":"location","location":{{"latitude":1,"longitude":2,"x":{odd}}}}}"#
            )
        };
        let body = format!(
            r#"{{"object":"whatsapp_business_account","entry":[{{"id":"W","changes":[{{"field":"messages","value":{{"metadata":{{"phone_number_id":"PN"}},"messages":[{},{},{}]}}}}]}}]}}"#,
            message("a", "1"),
            message("b", odd),
            message("c", "1")
        );
        let items = parse(body.as_bytes()).unwrap();
        assert!(items.iter().all(|item| matches!(item.body, CallbackBody::Message(_))), "{items:?}");
        assert_eq!(items.len(), 3);
        // Stored items are read again.
        let stored = serde_json::to_string(&json!({"v": 1, "value": {"more": [items]}})).unwrap();
        assert!(serde_json::from_str::<Value>(&stored).is_ok(), "{odd}");
    }
}

#[test]
fn an_unreadable_item_has_the_same_key_at_each_repetition_and_a_bound() {
    let long = json!({"timestamp": "x", "text": "é".repeat(50_000)});
    let first = items(json!([long]), json!([]));
    let again = items(json!([message("text", json!({"body": "x"})), long]), json!([contact()]));
    assert_eq!(first[0].dedupe_key, again[1].dedupe_key);
    let CallbackBody::Unreadable(kept) = &first[0].body else { panic!("{first:?}") };
    assert_eq!(kept.bytes, u64::try_from(long.to_string().len()).unwrap());
    assert!((KEPT_BYTES_MAX - 1..=KEPT_BYTES_MAX).contains(&kept.content.len()), "{}", kept.content.len());
    assert!(long.to_string().starts_with(&kept.content));
    let other = items(json!([{"timestamp": "y"}]), json!([]));
    assert_ne!(first[0].dedupe_key, other[0].dedupe_key);
}
