//! Rules of SPEC 2.3 and 2.4 that need only the body.

use super::*;

#[test]
fn a_template_send_is_read() {
    let request = parse(&notification()).unwrap();
    assert_eq!(request.kind(), SendKind::Notification);
    assert_eq!(request.sender().as_str(), "27110000000");
    assert_eq!(request.template(), Some(&TemplateChoice { name: "order_ready".to_owned(), id: "920".to_owned() }));
    assert_eq!((request.recipient_count(), request.fallback()), (1, None));
}

#[test]
fn the_unified_endpoint_wraps_the_payload_and_its_paths() {
    let parse = |body: Value| SendRequest::parse(SendEndpoint::Unified, body.to_string().as_bytes(), MAX);
    assert!(parse(json!({"channel": "WHATSAPP", "payload": notification()})).is_ok());
    let field = |body: Value| parse(body).unwrap_err().into_listed().remove(0).field;
    assert_eq!(field(json!({"channel": "WHATSAPP"})), "payload");
    assert_eq!(field(json!({"payload": notification()})), "channel");
    assert_eq!(field(json!({"channel": "PIGEON", "payload": notification()})), "channel");
    assert_eq!(field(json!({"channel": "WHATSAPP", "payload": []})), "payload");
    let wrong = with(notification(), "/messages/0/recipients/0/to", json!(5));
    assert_eq!(field(json!({"channel": "WHATSAPP", "payload": wrong})), "payload.messages[0].recipients[0].to");
    let no_sender = without(notification(), "/sender");
    assert_eq!(field(json!({"channel": "WHATSAPP", "payload": no_sender})), "payload.sender");
    let request = parse(json!({"channel": "WHATSAPP", "payload": notification()})).unwrap();
    assert_eq!(request.unknown_sender().field, "payload.sender");
}

#[test]
fn all_missing_fields_are_named_at_once() {
    assert_eq!(fields(&json!({})), ["sender", "messageType", "messages"]);
    let bare = json!({"sender": "27110000000", "messageType": "NOTIFICATION", "messages": [{}]});
    assert_eq!(fields(&bare), ["templateName", "templateId", "messages[0].recipients"]);
    let bare = json!({"sender": "27110000000", "messageType": "CHAT", "messages": [{}]});
    assert_eq!(fields(&bare), ["messages[0].messageText", "messages[0].recipients"]);
}

#[test]
fn empty_texts_and_nulls_count_as_missing() {
    for empty in [json!(""), json!(null)] {
        assert_eq!(fault(&with(notification(), "/templateName", empty.clone())).field, "templateName");
        assert_eq!(fault(&with(notification(), "/templateId", empty.clone())).field, "templateId");
        assert_eq!(fault(&with(notification(), "/sender", empty.clone())).field, "sender");
        assert_eq!(fault(&with(chat(), "/messages/0/messageText", empty)).field, "messages[0].messageText");
    }
    for empty in [json!([]), json!(null)] {
        assert_eq!(fault(&with(chat(), "/messages", empty.clone())).field, "messages");
        assert_eq!(fault(&with(chat(), "/messages/0/recipients", empty)).field, "messages[0].recipients");
    }
}

#[test]
fn a_sender_that_is_no_phone_number_is_a_fault() {
    for sender in ["0110000000", "abc", " 27110000000", "123456"] {
        assert_eq!(fault(&with(chat(), "/sender", json!(sender))).field, "sender");
    }
}

#[test]
fn message_types_other_than_the_two_are_refused_with_the_allowed_ones() {
    for kind in ["notification", "SMS", " CHAT"] {
        let fault = fault(&with(chat(), "/messageType", json!(kind)));
        assert_eq!(fault.field, "messageType");
        assert!(fault.message.contains("NOTIFICATION, CHAT"), "{fault}");
    }
    let conversation = fault(&with(chat(), "/messageType", json!("CONVERSATION")));
    assert!(conversation.message.contains("/v2/json"), "{conversation}");
}

#[test]
fn a_notification_takes_no_conversation_and_a_chat_no_components() {
    let with_conversation = with(notification(), "/messages/0/conversationId", json!("x"));
    assert_eq!(fault(&with_conversation).field, "messages[0].conversationId");
    assert!(parse(&with(notification(), "/messages/0/conversationId", json!(""))).is_ok(), "it names none");
    let components = json!([{"type": "body", "parameters": ["x"]}]);
    assert_eq!(fault(&with(chat(), "/messages/0/components", components)).field, "messages[0].components");
    assert!(parse(&with(chat(), "/messages/0/components", json!([]))).is_ok());
}

#[test]
fn recipient_numbers_is_another_name_of_recipients() {
    let renamed =
        with(without(chat(), "/messages/0/recipients"), "/messages/0/recipientNumbers", json!([{"to": "27820000001"}]));
    assert_eq!(parse(&renamed).unwrap().recipient_count(), 1);
    let both = with(chat(), "/messages/0/recipientNumbers", json!([{"to": "27820000001"}]));
    assert_eq!(fault(&both).field, "messages[0].recipientNumbers");
    let long = with(renamed, "/messages/0/recipientNumbers/0/ctId", json!("x".repeat(256)));
    assert_eq!(fault(&long).field, "messages[0].recipientNumbers[0].ctId");
}

fn recipients(count: usize) -> Value {
    (0..count).map(|at| json!({"to": format!("2782{at:07}")})).collect()
}

#[test]
fn at_most_1000_recipients_over_all_messages() {
    assert_eq!(parse(&with(chat(), "/messages/0/recipients", recipients(1000))).unwrap().recipient_count(), 1000);
    let fault_of_one = fault(&with(chat(), "/messages/0/recipients", recipients(1001)));
    assert_eq!(fault_of_one.field, "messages[0].recipients");
    assert!(fault_of_one.message.contains("more than 1000"), "{fault_of_one}");
    let two = |first, second| {
        let message = |count| json!({"recipients": recipients(count), "messageText": "x"});
        with(chat(), "/messages", json!([message(first), message(second)]))
    };
    assert!(parse(&two(999, 1)).is_ok());
    assert_eq!(fault(&two(999, 2)).field, "messages");
    let both_names = json!({"recipients": recipients(1000), "recipientNumbers": recipients(1), "messageText": "x"});
    assert!(fault(&with(chat(), "/messages/0", both_names)).message.contains("more than 1000"));
}

#[test]
fn at_most_1000_messages_as_each_has_a_recipient() {
    let messages = |count| with(chat(), "/messages", vec![json!({}); count].into());
    let faults = parse(&messages(1000)).unwrap_err();
    assert_eq!((faults.len(), faults.count()), (100, 2000));
    assert_eq!(fault(&messages(1001)).field, "messages");
    let unified = json!({"channel": "WHATSAPP", "payload": messages(1001)}).to_string();
    let refused = SendRequest::parse(SendEndpoint::Unified, unified.as_bytes(), MAX).unwrap_err();
    assert_eq!(refused[0].field, "payload.messages");
}

#[test]
fn recipients_beyond_the_limit_are_not_read() {
    let body = |messages: &str, after: &str| format!(r#"{{"sender":"27110000000","messages":[{messages}{after}"#);
    let parse = |body: String| SendRequest::parse(SendEndpoint::Whatsapp, body.as_bytes(), MAX).unwrap_err();
    assert_eq!(parse(body(&"{},".repeat(1001), "this is no JSON"))[0].field, "messages");
    assert_eq!(parse(body(&"{},".repeat(999), "this is no JSON"))[0].field, "body");
    let recipients = format!(r#"{{"recipients":[{}"#, "{},".repeat(1001));
    assert_eq!(parse(body(&recipients, "this is no JSON"))[0].field, "messages[0].recipients");
}

#[test]
fn lists_that_only_a_mistake_makes_long_have_a_limit_of_their_own() {
    let many = |element: Value, count: usize| Value::from(vec![element; count]);
    let cases = [
        ("/messages/0/components", json!({"type": "body"})),
        ("/messages/0/components/0/parameters", json!("")),
        ("/messages/0/components/0/conversationParameters", json!({"payload": ""})),
        ("/messages/0/components/0/cards", json!({})),
    ];
    for (pointer, element) in cases {
        assert!(parse(&with(notification(), pointer, many(element.clone(), 250))).is_ok(), "{pointer}");
        let fault = fault(&with(notification(), pointer, many(element, 251)));
        assert!(fault.message.contains("more than 250"), "{pointer}: {fault}");
        assert_eq!(format!("/{}", fault.field.replace(['[', '.'], "/").replace(']', "")), pointer);
    }
}

#[test]
fn tracking_ids_have_a_minimum_and_a_maximum_length() {
    for name in ["ctId", "gstId"] {
        let pointer = format!("/messages/0/recipients/0/{name}");
        assert!(parse(&with(chat(), &pointer, json!("é".repeat(255)))).is_ok());
        assert_eq!(
            fault(&with(chat(), &pointer, json!("é".repeat(256)))).field,
            format!("messages[0].recipients[0].{name}")
        );
    }
}

#[test]
fn the_fallback_must_say_whether_it_is_on() {
    let fallback =
        |value: Value| parse(&with(notification(), "/fallback", value)).map(|request| request.fallback().cloned());
    assert_eq!(fallback(json!(null)), Ok(None));
    assert_eq!(fallback(json!({"sendFallback": false, "text": "x"})), Ok(None));
    assert_eq!(fallback(json!({"sendFallback": true})), Ok(Some(FallbackRequest { text: None, unicode: false })));
    let manual = fallback(json!({"sendFallback": true, "text": "Hi", "unicode": true}));
    assert_eq!(manual, Ok(Some(FallbackRequest { text: Some("Hi".to_owned()), unicode: true })));
    assert_eq!(fallback(json!({"text": "x"})).unwrap_err()[0].field, "fallback.sendFallback");
    assert_eq!(fallback(json!({"sendFallback": "yes"})).unwrap_err()[0].field, "fallback.sendFallback");
    assert_eq!(fallback(json!([true])).unwrap_err()[0].field, "fallback");
}

#[test]
fn an_empty_fallback_text_means_the_automatic_one_and_one_that_no_sms_can_carry_is_refused() {
    let fallback = |text: String| with(notification(), "/fallback", json!({"sendFallback": true, "text": text}));
    assert_eq!(parse(&fallback(String::new())).unwrap().fallback().unwrap().text, None);
    assert!(parse(&fallback("a".repeat(255 * 153))).is_ok());
    assert_eq!(fault(&fallback("a".repeat(255 * 153 + 1))).field, "fallback.text");
}

#[test]
fn header_addresses_must_be_http() {
    let header = |url: &str| json!([{"type": "header", "format": "IMAGE", "url": url}]);
    assert!(parse(&with(notification(), "/messages/0/components", header("https://a.example/i.jpg"))).is_ok());
    let ftp = with(notification(), "/messages/0/components", header("ftp://a.example/i.jpg"));
    assert_eq!(fault(&ftp).field, "messages[0].components[0].url");
    let in_card =
        json!([{"type": "carousel", "cards": [{"components": []}, {"components": header("file:///etc/passwd")}]}]);
    let in_card = with(notification(), "/messages/0/components", in_card);
    assert_eq!(fault(&in_card).field, "messages[0].components[0].cards[1].components[0].url");
}

#[test]
fn unknown_fields_are_ignored_everywhere() {
    let mut body = notification();
    for pointer in
        ["/colour", "/messages/0/colour", "/messages/0/recipients/0/colour", "/messages/0/components/0/colour"]
    {
        body = with(body, pointer, json!({"deep": [1, null]}));
    }
    assert!(parse(&body).is_ok());
}
