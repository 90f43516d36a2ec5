//! Content of messages that is not modelled: words in place of an empty text (PROVIDERS A.8).

use domain::inbound::{InboundContent, UnmodelledContent};
use serde_json::{Value, json};

use crate::callback_messages::{content, message, only};

/// The content of a message that is not modelled.
fn unmodelled(message: Value) -> UnmodelledContent {
    let kept = only(message.clone());
    assert_eq!(kept.raw, message);
    match kept.content {
        InboundContent::Unmodelled(other) => other,
        other => panic!("{message} is modelled: {other:?}"),
    }
}

#[test]
fn unmodelled_content_has_a_text_and_keeps_its_raw_form() {
    for (kind, part, expected, has_words) in [
        ("request_welcome", json!({}), "The customer opened the chat for the first time.", false),
        ("unsupported", json!({"type": "unknown"}), "unsupported message", false),
        ("unsupported", json!({"type": "video_note"}), "unsupported message (video note)", false),
        ("ephemeral", json!({"x": 1}), "unsupported message (ephemeral)", false),
        ("something_new", json!({"title": "Hello", "x": {"text": "you"}}), "something new: Hello\nyou", true),
        ("poll", json!({"question": "Lunch?", "options": [{"name": "Yes"}]}), "poll: Lunch?\nYes", true),
        ("order", json!({}), "unsupported message (order)", false),
        (
            "order",
            json!({"text": "soon", "product_items": [{"product_retailer_id": "sku-1", "quantity": 2, "item_price": 5, "currency": "ZAR"}]}),
            "soon\nOrder:\n2 x sku-1, 5.00 ZAR each\nTotal: 10.00 ZAR",
            true,
        ),
        ("image", json!({"caption": "look"}), "image: look", true),
        ("location", json!({"name": "Shop", "latitude": "north"}), "location: Shop", true),
    ] {
        let other = unmodelled(message(kind, part.clone()));
        assert_eq!((other.text.as_str(), other.has_words), (expected, has_words), "{kind} {part}");
        assert_eq!(other.error, None);
    }
}

#[test]
fn no_message_of_any_type_becomes_an_empty_text() {
    let odd = [
        json!(null),
        json!([]),
        json!({}),
        json!(""),
        json!("x"),
        json!(7),
        json!({"latitude": "north"}),
        json!({"body": ""}),
        json!({"body": null}),
        json!({"body": ["x"]}),
        json!({"id": ""}),
        json!({"text": ""}),
        json!([null]),
    ];
    let kinds = [
        "text",
        "image",
        "video",
        "audio",
        "document",
        "sticker",
        "location",
        "contacts",
        "reaction",
        "button",
        "interactive",
        "order",
        "unsupported",
        "request_welcome",
        "ephemeral",
        "poll",
        "",
    ];
    for kind in kinds {
        for part in &odd {
            let kept = only(message(kind, part.clone()));
            let read = domain::chat::readable_text::of_inbound(&kept.content);
            assert!(read.as_ref().is_none_or(|read| !read.trim().is_empty()), "{kind} {part}: {:?}", kept.content);
        }
    }
    let mut untyped = message("text", json!({"body": "hi"}));
    for kind in [Value::Null, json!(7), json!("")] {
        untyped["type"] = kind;
        assert_eq!(only(untyped.clone()).content, InboundContent::Text { body: "hi".into() });
    }
}

#[test]
fn unmodelled_interactive_replies_have_a_text() {
    for (part, type_name, expected) in [
        (
            json!({"type": "call_permission_reply", "call_permission_reply": {"response": "accept", "response_source": "user_action"}}),
            "call_permission_reply",
            "Permission to call: given",
        ),
        (
            json!({"type": "call_permission_reply", "call_permission_reply": {"response": "reject"}}),
            "call_permission_reply",
            "Permission to call: refused",
        ),
        (
            json!({"type": "call_permission_reply"}),
            "call_permission_reply",
            "unsupported message (call permission reply)",
        ),
        (
            json!({"type": "address_reply", "address_reply": {"title": "1 Main Road"}}),
            "address_reply",
            "address reply: 1 Main Road",
        ),
        (json!({"type": "button_reply", "button_reply": {"title": "Yes"}}), "button_reply", "button reply: Yes"),
        (json!({}), "interactive", "unsupported message (interactive)"),
    ] {
        let other = unmodelled(message("interactive", part.clone()));
        assert_eq!((other.type_name.as_str(), other.text.as_str()), (type_name, expected), "{part}");
    }
    let untitled = json!({"type": "list_reply", "list_reply": {"id": "row-1"}});
    let expected = InboundContent::Interactive { text: "row-1".into(), payload: "row-1".into() };
    assert_eq!(content("interactive", untitled), expected);
    for answers in [json!("{\"a\":1}"), json!({"a": 1})] {
        let flow = json!({"type": "nfm_reply", "nfm_reply": {"response_json": answers}});
        let expected = InboundContent::Interactive { text: "form".into(), payload: "{\"a\":1}".into() };
        assert_eq!(content("interactive", flow), expected);
    }
}

#[test]
fn content_that_the_provider_withholds_has_its_code_and_title() {
    let of = |errors: Value| {
        let mut sent = message("unsupported", json!({"type": "unknown"}));
        sent["errors"] = errors;
        let other = unmodelled(sent);
        assert_eq!(other.text, "unsupported message");
        other.error.map(|error| (error.code, error.text))
    };
    let error = |code: Value| json!({"code": code, "title": "Message type unknown", "message": "m", "error_data": {"details": "d"}});
    let known = Some((131_051, "Message type unknown".to_owned()));
    assert_eq!(of(json!([error(json!(131_051))])), known);
    assert_eq!(of(json!([null, {}, error(json!("131051"))])), known);
    assert_eq!(of(error(json!(131_051))), known);
    assert_eq!(of(json!([{"code": 1, "error_data": {"details": "d"}}])), Some((1, "d".to_owned())));
    assert_eq!(of(json!([])), None);
    assert_eq!(of(Value::Null), None);
}
