use domain::{
    address::{Address, AddressKind},
    content::MediaKind,
};
use serde_json::json;

use super::*;

const SECRET: &str = "secret";

fn signed(body: &Value, secret: &str) -> Result<Vec<DeviceEvent>, BridgeCallbackRefused> {
    let body = body.to_string();
    let mut mac = Hmac::<Sha512>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(body.as_bytes());
    let signature = hex::encode(mac.finalize().into_bytes());
    verify(&BridgeCallback { body: body.as_bytes(), signature: Some(&signature) }, secret)?;
    parse_events(body.as_bytes())
}

fn message(payload: Value) -> Option<InboundMessage> {
    let told = signed(&json!({"event": "message", "timestamp": 1, "payload": payload}), SECRET).unwrap();
    told.into_iter().next().and_then(|event| match event {
        DeviceEvent::Came(message) => Some(*message),
        DeviceEvent::Ignored(_) => None,
        other => panic!("{other:?}"),
    })
}

fn from_customer(more: Value) -> Value {
    let mut payload =
        json!({"id": "false_27820000001@c.us_AAAA", "timestamp": 1_760_000_000, "from": "27820000001@c.us"});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    payload
}

#[test]
fn a_callback_with_a_wrong_or_missing_signature_is_refused() {
    let body = json!({"event": "message", "payload": {}});
    assert_eq!(signed(&body, "another"), Err(BridgeCallbackRefused::BadSignature));
    assert_eq!(signed(&body, ""), Err(BridgeCallbackRefused::NotExpected));
    let unsigned = BridgeCallback { body: b"{}", signature: None };
    assert_eq!(verify(&unsigned, SECRET), Err(BridgeCallbackRefused::BadSignature));
}

#[test]
fn a_signature_is_128_digits() {
    assert!(is_signature(&"0aB9".repeat(32)));
    for other in ["", "00", &"0".repeat(127), &"0".repeat(129), &"0".repeat(130), &"z".repeat(128)] {
        assert!(!is_signature(other), "{other:?}");
    }
}

#[test]
fn a_text_a_file_a_location_and_a_quote_are_read() {
    let text = message(from_customer(json!({"body": "hi", "replyTo": {"id": "true_27820000001@c.us_BBBB"}}))).unwrap();
    assert_eq!((text.provider_id.as_str(), text.from.as_deref()), ("AAAA", Some("27820000001")));
    assert_eq!(text.quoted_provider_id.as_deref(), Some("BBBB"));
    assert_eq!(text.content, InboundContent::Text { body: "hi".to_owned() });
    let media = json!({"url": "http://bridge/api/files/a.oga", "mimetype": "audio/ogg; codecs=opus"});
    let file = message(from_customer(json!({"hasMedia": true, "media": media}))).unwrap();
    assert!(matches!(file.content, InboundContent::Media(file) if file.media_kind == MediaKind::Voice));
    let place = message(from_customer(json!({"location": {"latitude": "-26.1", "longitude": 28.0}}))).unwrap();
    assert!(matches!(place.content, InboundContent::Location(place) if place.latitude == -26.1));
}

#[test]
fn broadcasts_and_ids_without_a_person_are_ignored() {
    for from in ["status@broadcast", "abc@lid", "@lid"] {
        assert_eq!(message(from_customer(json!({"id": "AAAA", "from": from, "body": "x"}))), None, "{from}");
    }
}

fn told_of(event: &str, payload: Value) -> Vec<DeviceEvent> {
    signed(&json!({"event": event, "timestamp": 1_760_000_001_000_i64, "payload": payload}), SECRET).unwrap()
}

#[test]
fn a_message_from_the_business_phone_is_an_echo_and_one_sent_by_the_bridge_is_not() {
    let ours = json!({"id": "true_27820000001@c.us_3EB0", "timestamp": 1_760_000_000, "from": "27110000000@c.us",
        "to": "27820000001@c.us", "fromMe": true, "body": "hello", "source": "app"});
    for event in ["message", "message.any"] {
        let told = told_of(event, ours.clone());
        let [DeviceEvent::Echoed(echo)] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!((echo.provider_id.as_str(), echo.to.value()), ("3EB0", "27820000001"));
        assert_eq!(echo.content, domain::content::OutboundContent::Text { body: "hello".to_owned() });
    }
    // An engine that names the chat as the sender, too.
    let mut of_chat = ours.clone();
    of_chat["from"] = json!("27820000001@c.us");
    of_chat["to"] = Value::Null;
    of_chat["id"] = json!("3EB0");
    assert!(matches!(told_of("message.any", of_chat).as_slice(), [DeviceEvent::Echoed(_)]));
    let mut api = ours.clone();
    api["source"] = json!("api");
    let told = told_of("message.any", api);
    let [DeviceEvent::SentByUs(echo)] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((echo.provider_id.as_str(), echo.to.value()), ("3EB0", "27820000001"));
    let mut silent = ours;
    silent["source"] = Value::Null;
    assert!(matches!(told_of("message.any", silent).as_slice(), [DeviceEvent::SentBySomeDevice(_)]));
}

#[test]
fn a_message_that_the_device_could_not_decrypt_yet_is_a_placeholder_and_its_content_another_message() {
    let payload = from_customer(json!({}));
    let told = told_of("message.waiting", payload);
    let [DeviceEvent::Came(waiting)] = told.as_slice() else { panic!("{told:?}") };
    let InboundContent::Unmodelled(content) = &waiting.content else { panic!("{waiting:?}") };
    assert_eq!((content.type_name.as_str(), content.has_words), ("waiting", false));
    assert!(!content.text.is_empty());
    let later = message(from_customer(json!({"body": "hi"}))).unwrap();
    assert_eq!(later.provider_id, "AAAA");
    assert_ne!(waiting.provider_id, later.provider_id, "the later one is no repetition");
    let of_us = from_customer(json!({"fromMe": true}));
    assert!(matches!(told_of("message.waiting", of_us).as_slice(), [DeviceEvent::Ignored(_)]));
}

#[test]
fn group_messages_of_any_author_are_recognised() {
    let of_group = |from_me: bool| {
        json!({"id": format!("{from_me}_1203630@g.us_3EB0_27820000001@c.us"), "timestamp": 1_760_000_000,
            "from": "1203630@g.us", "fromMe": from_me, "body": "hi all"})
    };
    for (event, payload) in [
        ("message", of_group(false)),
        ("message.any", of_group(true)),
        ("message.reaction", of_group(false)),
        ("message.revoked", json!({"after": of_group(false), "before": null})),
    ] {
        let told = told_of(event, payload);
        let [DeviceEvent::Unreadable(kept)] = told.as_slice() else { panic!("{event}: {told:?}") };
        assert_eq!(kept.kind, "group message");
    }
}

#[test]
fn edits_and_deletions_name_their_message_and_their_author() {
    let edit = json!({"id": "false_27820000001@c.us_BBBB", "editedMessageId": "AAAA", "from": "27820000001@c.us",
        "timestamp": 1_760_000_000, "body": "hello"});
    let told = told_of("message.edited", edit);
    let [DeviceEvent::Changed(change)] = told.as_slice() else { panic!("{told:?}") };
    let zo = domain::address::Address::of_kind(domain::address::AddressKind::Phone, "27820000001").unwrap();
    assert_eq!((change.provider_id.as_str(), &change.by), ("AAAA", &domain::change::Author::Customer(vec![zo])));
    assert_eq!(change.at.timestamp_millis(), 1_760_000_001_000, "when it was told");
    let part = json!({"id": "true_27820000001@c.us_CCCC", "fromMe": true, "from": "27820000001@c.us",
        "timestamp": 1_760_000_000});
    for payload in [json!({"revokedMessageId": "CCCC", "after": part, "before": null}), json!({"before": part})] {
        let told = told_of("message.revoked", payload);
        let [DeviceEvent::Changed(change)] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!((change.provider_id.as_str(), &change.by), ("CCCC", &domain::change::Author::Business));
        assert_eq!(change.change, domain::change::ContentChange::Deleted);
    }
    let nothing = told_of("message.revoked", json!({"before": null, "after": null}));
    assert!(matches!(nothing.as_slice(), [DeviceEvent::Unreadable(_)]));
}

#[test]
fn a_customer_named_by_an_id_is_known_by_the_given_number() {
    let with_both =
        json!({"from": "123@lid", "body": "x", "_data": {"key": {"remoteJidAlt": "27820000009@s.whatsapp.net"}}});
    let both = message(from_customer(with_both)).unwrap();
    assert_eq!(both.from.as_deref(), Some("27820000009"));
    assert_eq!(both.from_address.unwrap().value(), "123@lid", "so that a chat of before is joined");
}

#[test]
fn a_message_of_a_customer_with_only_an_id_is_kept() {
    for from in ["123@lid", "123:7@lid"] {
        let hidden = message(from_customer(json!({"from": from, "id": "false_123@lid_AAAA", "body": "x"}))).unwrap();
        assert_eq!((hidden.from, hidden.provider_id.as_str()), (None, "AAAA"));
        assert_eq!(hidden.from_address, Address::of_kind(AddressKind::Lid, "123@lid"));
    }
}

#[test]
fn receipts_are_read_and_a_pending_one_is_none() {
    let receipt = |ack: i64| {
        let payload = json!({"id": "true_27820000001@c.us_3EB01", "ack": ack, "fromMe": true});
        let body = json!({"event": "message.ack", "timestamp": 1_760_000_000_000_i64, "payload": payload});
        signed(&body, SECRET).unwrap().into_iter().next().and_then(|event| match event {
            DeviceEvent::Moved(status) => Some((status.provider_id, status.status)),
            DeviceEvent::Ignored(_) => None,
            other => panic!("{other:?}"),
        })
    };
    let of = |status| Some(("3EB01".to_owned(), status));
    assert_eq!(receipt(-1), of(ProviderStatus::Failed));
    assert_eq!(receipt(0), None);
    assert_eq!(receipt(1), of(ProviderStatus::Sent));
    assert_eq!(receipt(2), of(ProviderStatus::Delivered));
    assert_eq!(receipt(3), of(ProviderStatus::Read));
    assert_eq!(receipt(4), of(ProviderStatus::Played));
}

#[test]
fn a_message_that_the_device_could_not_send_has_our_code() {
    let payload = json!({"id": "true_27820000001@c.us_3EB01", "ack": -1, "fromMe": true});
    let told = signed(&json!({"event": "message.ack", "timestamp": 1, "payload": payload}), SECRET).unwrap();
    let [DeviceEvent::Moved(status)] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(status.error.as_ref().map(|failure| failure.code), Some(REFUSED_BY_DEVICE));
}

#[test]
fn one_broken_character_loses_nothing_of_a_webhook() {
    let told = |body: &[u8]| parse_events(body).unwrap();
    let of = |text: &str| {
        format!(
            r#"{{"event":"message","timestamp":1,"payload":{{"id":"false_27820000001@c.us_A","timestamp":"1760000000","from":"27820000001@c.us","body":"{text}","_data":{{"notifyName":"Zo\ud83d"}}}}}}"#
        )
    };
    for (written, expected) in [("a\\ud83d", "a\u{fffd}"), ("a\\u0000b", "a\u{fffd}b"), ("a\nb", "a\nb")] {
        let events = told(of(written).as_bytes());
        let [DeviceEvent::Came(message)] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!(message.content, InboundContent::Text { body: expected.to_owned() }, "{written}");
        assert_eq!(message.profile_name.as_deref(), Some("Zo\u{fffd}"));
    }
}

#[test]
fn an_item_that_cannot_be_read_is_kept_and_its_neighbours_are_taken() {
    let good = from_customer(json!({"body": "hi"}));
    let odd = [
        json!(7),
        json!({}),
        from_customer(json!({"id": null, "body": "x"})),
        from_customer(json!({"timestamp": "soon", "body": "x"})),
        from_customer(json!({"from": 7, "body": "x"})),
    ];
    let mut payload = vec![good.clone()];
    payload.extend(odd.iter().cloned());
    payload.push(good);
    let told = signed(&json!({"event": "message", "payload": payload}), SECRET).unwrap();
    assert!(matches!((told.first(), told.last()), (Some(DeviceEvent::Came(_)), Some(DeviceEvent::Came(_)))));
    let kept = |event: &DeviceEvent| match event {
        DeviceEvent::Unreadable(item) => Some(item.content.clone()),
        _ => None,
    };
    assert_eq!(told.iter().filter_map(kept).collect::<Vec<_>>(), odd.map(|item| item.to_string()));
    let without = signed(&json!({"event": "message"}), SECRET).unwrap();
    assert!(matches!(without.as_slice(), [DeviceEvent::Unreadable(_)]), "{without:?}");
}

#[test]
fn unmodelled_content_is_a_text_that_is_never_empty() {
    let card = "BEGIN:VCARD\nFN:Ann\nitem1.TEL;waid=1:+27 82\nTEL:083\nEND:VCARD";
    let contact = message(from_customer(json!({"body": "", "vCards": [card]}))).unwrap();
    assert_eq!(contact.content, InboundContent::Contact { formatted: "Ann: +27 82, 083".to_owned() });
    for (more, expected) in [
        (json!({}), "unsupported message"),
        (json!({"hasMedia": true, "media": null}), "unsupported message (file)"),
        (json!({"_data": {"type": "poll_creation", "pollName": "Lunch?"}}), "poll_creation: Lunch?"),
        (json!({"_data": {"type": "order"}}), "unsupported message (order)"),
    ] {
        let InboundContent::Unmodelled(other) = message(from_customer(more.clone())).unwrap().content else {
            panic!("{more}")
        };
        assert_eq!(other.text, expected);
    }
}

#[test]
fn a_receipt_of_another_kind_is_left_out_and_one_without_an_id_is_kept() {
    let told =
        |payload: Value| signed(&json!({"event": "message.ack", "timestamp": 1, "payload": payload}), SECRET).unwrap();
    for ack in [json!(0), json!(9), json!("error"), json!(null)] {
        let told = told(json!({"id": "true_1@c.us_3EB0", "ack": ack}));
        assert!(matches!(told.as_slice(), [DeviceEvent::Ignored(_)]), "{told:?}");
    }
    assert!(matches!(told(json!({"id": "true_1@c.us_3EB0", "ack": "2"})).as_slice(), [DeviceEvent::Moved(_)]));
    for payload in [json!({"ack": 2}), json!({"id": "true_1@c.us_3EB0"})] {
        let told = told(payload);
        assert!(matches!(told.as_slice(), [DeviceEvent::Unreadable(_)]), "{told:?}");
    }
}
