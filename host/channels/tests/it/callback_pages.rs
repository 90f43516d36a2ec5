//! Callbacks about pages: every event of Messenger, and events that must be refused (PROVIDERS B).

use channels::{
    messenger::callback::{first_page, parse},
    whatsapp_cloud::callback::CallbackError,
};
use domain::{
    content::{MediaKind, OutboundContent},
    inbound::{CallbackBody, CallbackItem, CallbackTarget, InboundContent, InboundMessage, ProviderStatus},
};
use serde_json::{Value, json};

fn body(events: Value) -> Vec<u8> {
    json!({ "object": "page", "entry": [{ "id": "555", "time": 1_760_000_000_123_i64, "messaging": events }] })
        .to_string()
        .into_bytes()
}

fn event(what: &str, value: Value) -> Value {
    let mut event = json!({
        "sender": { "id": "24071234567" }, "recipient": { "id": "555" }, "timestamp": 1_760_000_000_100_i64,
    });
    event[what] = value;
    event
}

fn items(what: &str, value: Value) -> Vec<CallbackItem> {
    parse(&body(json!([event(what, value)]))).unwrap()
}

fn messages(what: &str, value: Value) -> Vec<InboundMessage> {
    let message = |item: CallbackItem| match item.body {
        CallbackBody::Message(message) => *message,
        other => panic!("no message: {other:?}"),
    };
    items(what, value).into_iter().map(message).collect()
}

fn message(value: Value) -> InboundMessage {
    let mut all = messages("message", value);
    assert_eq!(all.len(), 1);
    all.remove(0)
}

#[test]
fn a_text_has_its_sender_and_its_millisecond() {
    let item = items("message", json!({ "mid": "m_1", "text": "hi", "reply_to": { "mid": "m_0" } })).remove(0);
    assert_eq!(
        (item.dedupe_key.as_str(), item.target),
        ("messenger:555:message:m_1", CallbackTarget::Page("555".into()))
    );
    let CallbackBody::Message(message) = item.body else { panic!("no message") };
    assert_eq!(message.provider_id, "m_1");
    assert_eq!(message.from_address.as_ref().map(|address| address.value()), Some("24071234567"));
    assert_eq!((message.from, message.from_user_id), (None, None));
    assert_eq!(message.sent_at.timestamp_millis(), 1_760_000_000_100);
    assert_eq!(message.quoted_provider_id.as_deref(), Some("m_0"));
    assert_eq!(message.content, InboundContent::Text { body: "hi".into() });
}

#[test]
fn a_quick_reply_is_a_tap_and_a_postback_is_a_button() {
    let tapped = message(json!({ "mid": "m_1", "text": "Poor", "quick_reply": { "payload": "r_poor" } }));
    assert_eq!(tapped.content, InboundContent::Interactive { text: "Poor".into(), payload: "r_poor".into() });
    let menu = messages("postback", json!({ "mid": "m_2", "title": "Start", "payload": "GO" })).remove(0);
    assert_eq!(
        (menu.provider_id.as_str(), &menu.content),
        ("m_2", &InboundContent::Button { text: "Start".into(), payload: "GO".into() })
    );
    let old = json!({ "title": "Start", "payload": "GO" });
    let (one, again) = (messages("postback", old.clone()).remove(0), messages("postback", old).remove(0));
    assert_eq!(one.provider_id, again.provider_id, "without an id of Meta's the same event has the same one");
}

#[test]
fn a_file_has_its_address_its_kind_and_the_words_below_it() {
    let file = |kind: &str, url: &str| json!([{ "type": kind, "payload": { "url": url } }]);
    for (kind, url, media_kind, mime, name) in [
        ("image", "https://scontent.xx.fbcdn.net/v/a.png?x=1", MediaKind::Image, "image/png", None),
        ("video", "https://video.xx.fbcdn.net/v/a.mp4", MediaKind::Video, "video/mp4", None),
        ("audio", "https://cdn.fbsbx.com/v/a.mp4", MediaKind::Audio, "audio/mp4", None),
        (
            "file",
            "https://cdn.fbsbx.com/v/My%20bill.pdf?oh=1",
            MediaKind::Document,
            "application/pdf",
            Some("My bill.pdf"),
        ),
    ] {
        let one = message(json!({ "mid": "m_1", "text": "look", "attachments": file(kind, url) }));
        let InboundContent::Media(media) = one.content else { panic!("no file: {kind}") };
        assert_eq!((media.media_kind, media.mime_type.as_str()), (media_kind, mime));
        assert_eq!((media.url.as_deref(), media.filename.as_deref()), (Some(url), name));
        assert_eq!((media.caption.as_deref(), media.provider_media_id.as_str()), (Some("look"), "m_1"));
    }
}

#[test]
fn several_files_in_one_message_are_several_messages_of_which_the_first_has_the_id() {
    let image = |n: u8| json!({ "type": "image", "payload": { "url": format!("https://scontent.fbcdn.net/{n}.jpg") } });
    let all = messages("message", json!({ "mid": "m_1", "attachments": [image(1), image(2), image(3)] }));
    let ids: Vec<&str> = all.iter().map(|message| message.provider_id.as_str()).collect();
    assert_eq!(ids, ["m_1", "m_1#2", "m_1#3"]);
}

#[test]
fn a_location_a_link_and_unmodelled_content_are_read() {
    let place = json!([{ "type": "location", "title": "Zo's Location", "payload": { "coordinates": { "lat": -26.1, "long": 28.0 } } }]);
    let InboundContent::Location(place) = message(json!({ "mid": "m_1", "attachments": place })).content else {
        panic!("no place")
    };
    assert_eq!((place.latitude, place.longitude, place.name.as_deref()), (-26.1, 28.0, Some("Zo's Location")));
    let link = json!([{ "type": "fallback", "title": "A shop", "url": "https://example.org", "payload": null }]);
    let shared = message(json!({ "mid": "m_2", "attachments": link.clone() }));
    assert_eq!(shared.content, InboundContent::Text { body: "A shop\nhttps://example.org".into() });
    let written = message(json!({ "mid": "m_3", "text": "see https://example.org", "attachments": link }));
    assert_eq!(written.content, InboundContent::Text { body: "see https://example.org".into() });
}

#[test]
fn unmodelled_content_has_a_text_that_is_never_empty() {
    for (sent, expected) in [
        (json!({ "attachments": [{ "type": "template", "payload": {} }] }), "unsupported message (template)"),
        (
            json!({ "attachments": [{ "type": "template", "payload": { "template_type": "generic", "elements": [{ "title": "Shirt", "subtitle": "R 5" }] } }] }),
            "template: Shirt\nR 5",
        ),
        (json!({ "attachments": [{ "type": "fallback", "payload": null }] }), "unsupported message (fallback)"),
        (json!({ "attachments": [{ "type": "fallback", "payload": { "title": "A shop" } }] }), "A shop"),
        (
            json!({ "attachments": [{ "type": "appointment_booking", "payload": { "x": 1 } }] }),
            "unsupported message (appointment booking)",
        ),
        (json!({ "attachments": [{ "type": "image", "payload": {} }] }), "unsupported message (image)"),
        (
            json!({ "attachments": [{ "type": "location", "payload": { "coordinates": null } }] }),
            "unsupported message (location)",
        ),
        (json!({ "attachments": [null] }), "unsupported message (attachment)"),
        (json!({ "attachments": {} }), "unsupported message (attachment)"),
        (json!({ "attachments": null }), "unsupported message"),
        (json!({ "is_unsupported": true }), "unsupported message"),
        (json!({ "text": "" }), "unsupported message"),
        (json!({ "text": "", "attachments": [], "sticker_id": 7 }), "unsupported message"),
    ] {
        let mut sent = sent;
        sent["mid"] = json!("m_1");
        let read = message(sent.clone());
        assert_eq!(domain::chat::readable_text::of_inbound(&read.content).as_deref(), Some(expected), "{sent}");
        let CallbackBody::Echo(said) = echo({
            let mut echoed = sent.clone();
            echoed["is_echo"] = json!(true);
            echoed
        }) else {
            panic!("no echo: {sent}")
        };
        assert_eq!(said.content, OutboundContent::Text { body: expected.into() }, "{sent}");
    }
    let template = json!([{ "type": "template", "payload": {} }]);
    let both = messages("message", json!({ "mid": "m_1", "text": "look", "attachments": template }));
    let words: Vec<_> = both.iter().filter_map(|read| domain::chat::readable_text::of_inbound(&read.content)).collect();
    assert_eq!(words, ["look", "unsupported message (template)"]);
}

#[test]
fn a_sticker_is_one_picture_in_each_form_of_callback() {
    let url = "https://scontent.fbcdn.net/like.png";
    let image = |payload: Value| json!({ "type": "image", "payload": payload });
    let sticker = |payload: Value| json!({ "type": "sticker", "payload": payload });
    for sent in [
        json!({ "attachments": [image(json!({ "url": url, "sticker_id": 369_239_263_222_822_i64 }))] }),
        json!({ "sticker_id": 369_239_263_222_822_i64, "attachments": [image(json!({ "url": url }))] }),
        json!({ "attachments": [sticker(json!({ "url": url, "sticker_id": "369" }))] }),
        json!({ "attachments": [sticker(json!({ "url": url }))] }),
        json!({ "attachments": [image(json!({ "url": url, "sticker_id": 369 })), sticker(json!({ "url": url, "sticker_id": "369" }))] }),
        json!({ "attachments": [sticker(json!({ "url": url })), image(json!({ "url": "https://scontent.fbcdn.net/2.png", "sticker_id": 369 }))] }),
        json!({ "sticker_id": 369, "attachments": [image(json!({ "url": url })), sticker(json!({ "url": url }))] }),
    ] {
        let mut sent = sent;
        sent["mid"] = json!("m_1");
        let all = messages("message", sent.clone());
        let [InboundMessage { content: InboundContent::Media(file), .. }] = all.as_slice() else {
            panic!("{sent}: {all:?}")
        };
        assert_eq!((file.media_kind, file.url.as_deref()), (MediaKind::Sticker, Some(url)), "{sent}");
    }
    let two = json!([sticker(json!({ "url": url, "sticker_id": 1 })), sticker(json!({ "url": url, "sticker_id": 2 }))]);
    assert_eq!(messages("message", json!({ "mid": "m_1", "attachments": two })).len(), 2);
    let album = json!([image(json!({ "url": url })), image(json!({ "url": url }))]);
    assert_eq!(messages("message", json!({ "mid": "m_1", "attachments": album })).len(), 2, "pictures may be alike");
}

#[test]
fn one_broken_character_loses_nothing_of_a_callback() {
    for (written, expected) in [
        (&br"\ud83d"[..], "\u{fffd}"),
        (br"\u0000", "\u{fffd}"),
        (b"\0", "\u{fffd}"),
        (b"\xff", "\u{fffd}"),
        (b"\n", "\n"),
    ] {
        let events = json!([
            event("message", json!({ "mid": "m_1", "text": "first" })),
            event("message", json!({ "mid": "m_2", "text": "a@@" })),
            event("postback", json!({ "mid": "m_3", "title": "@@", "payload": "p" })),
            event("message", json!({ "mid": "m_4", "text": "last" })),
        ]);
        let body = body(events);
        let body = String::from_utf8(body).unwrap();
        let raw = body.split("@@").map(str::as_bytes).collect::<Vec<_>>().join(written);
        let read: Vec<Option<String>> = parse(&raw)
            .unwrap()
            .iter()
            .map(|item| match &item.body {
                CallbackBody::Message(message) => domain::chat::readable_text::of_inbound(&message.content),
                _ => None,
            })
            .collect();
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(read, [text("first"), Some(format!("a{expected}")), text(expected), text("last")], "{written:?}");
    }
}

#[test]
fn a_reaction_is_put_on_and_taken_off() {
    let on =
        messages("reaction", json!({ "mid": "m_1", "action": "react", "reaction": "love", "emoji": "❤" })).remove(0);
    assert_eq!(on.content, InboundContent::Reaction { message_id: "m_1".into(), emoji: Some("❤".into()) });
    let off = messages("reaction", json!({ "mid": "m_1", "action": "unreact" })).remove(0);
    assert_eq!(off.content, InboundContent::Reaction { message_id: "m_1".into(), emoji: None });
    assert_ne!(on.provider_id, off.provider_id);
    let named = messages("reaction", json!({ "mid": "m_1", "action": "react", "reaction": "sad" })).remove(0);
    assert_eq!(named.content, InboundContent::Reaction { message_id: "m_1".into(), emoji: Some("😢".into()) });
}

#[test]
fn a_delivery_names_messages_and_a_moment_and_a_read_only_a_moment() {
    let told = items("delivery", json!({ "mids": ["m_1", "m_2"], "watermark": 1_760_000_000_050_i64 }));
    let CallbackBody::Status(first) = &told[0].body else { panic!("no status") };
    assert_eq!((first.provider_id.as_str(), first.status), ("m_1", ProviderStatus::Delivered));
    let CallbackBody::Watermark(mark) = &told[2].body else { panic!("no moment") };
    assert_eq!((mark.status, mark.until.timestamp_millis()), (ProviderStatus::Delivered, 1_760_000_000_050));
    let read = items("read", json!({ "watermark": 1_760_000_000_060_i64 }));
    let [CallbackItem { body: CallbackBody::Watermark(mark), .. }] = read.as_slice() else { panic!("no moment") };
    assert_eq!((mark.status, mark.to.value()), (ProviderStatus::Read, "24071234567"));
    let without = items("delivery", json!({ "watermark": 1_760_000_000_050_i64 }));
    assert_eq!(without.len(), 1);
}

fn echo(message: Value) -> CallbackBody {
    let event = json!({
        "sender": { "id": "555" }, "recipient": { "id": "24071234567" }, "timestamp": 1_760_000_000_100_i64, "message": message,
    });
    parse(&body(json!([event]))).unwrap().remove(0).body
}

#[test]
fn an_echo_of_our_message_confirms_its_sending() {
    let ours = echo(json!({ "mid": "m_1", "is_echo": true, "app_id": 1, "metadata": "pb1:a:b:0", "text": "hi" }));
    let CallbackBody::Status(status) = ours else { panic!("no status: {ours:?}") };
    assert_eq!((status.provider_id.as_str(), status.opaque.as_deref()), ("m_1", Some("pb1:a:b:0")));
    assert_eq!(status.status, ProviderStatus::Sent);
}

#[test]
fn an_echo_of_another_app_is_a_message_of_the_page() {
    let theirs = echo(json!({ "mid": "m_2", "is_echo": true, "app_id": 26_390_203_743_090_i64, "text": "hello" }));
    let CallbackBody::Echo(said) = theirs else { panic!("no echo: {theirs:?}") };
    assert_eq!((said.provider_id.as_str(), said.to.value()), ("m_2", "24071234567"));
    assert_eq!(said.content, OutboundContent::Text { body: "hello".into() });
}

#[test]
fn unreadable_items_are_kept_ignored_items_are_counted_and_the_others_are_accepted() {
    let good = event("message", json!({ "mid": "m_1", "text": "kept \u{0}" }));
    let unreadable = [
        json!("text"),
        json!(null),
        event("message", json!({ "text": "no id" })),
        event("message", json!([])),
        json!({ "sender": { "id": "not digits" }, "timestamp": 1, "message": { "mid": "m_x", "text": "x" } }),
        json!({ "sender": null, "timestamp": 1, "message": { "mid": "m_x", "text": "x" } }),
        json!({ "sender": { "id": "1" }, "message": { "mid": "m".repeat(513), "text": "x" } }),
        event("reaction", json!({ "mid": "m_1", "action": "explode" })),
        event("delivery", json!({ "mids": [7] , "watermark": "soon" })),
        event("message", json!({ "is_deleted": true })),
        event("message_edit", json!({ "mid": "m_1" })),
        event("referral", json!({})),
    ];
    let ignored = [
        (json!({}), "unknown"),
        (event("optin", json!({ "ref": "x" })), "optin"),
        (event("something_new", json!({})), "unknown"),
    ];
    for odd in unreadable {
        let items = parse(&body(json!([good, odd, good]))).unwrap();
        let [first, CallbackItem { body: CallbackBody::Unreadable(kept), target, .. }, last] = items.as_slice() else {
            // A report without a moment of its own takes that of its entry.
            panic!("{odd}: {items:?}")
        };
        assert_eq!((kept.kind.as_str(), &kept.content, first), ("event", &odd.to_string(), last));
        assert_eq!(*target, CallbackTarget::Page("555".into()));
        let CallbackBody::Message(message) = &first.body else { panic!("no message") };
        assert_eq!(message.content, InboundContent::Text { body: "kept \u{fffd}".into() });
    }
    for (odd, name) in ignored {
        let items = parse(&body(json!([good, odd, good]))).unwrap();
        let [_, CallbackItem { body: CallbackBody::Ignored(item), .. }, _] = items.as_slice() else {
            panic!("{odd}: {items:?}")
        };
        assert_eq!((item.kind.as_str(), item.name.as_str()), ("event", name));
    }
    let unowned = json!({ "object": "page", "entry": [{ "messaging": [good] }, 7, { "id": 555, "messaging": good }] });
    let items = parse(unowned.to_string().as_bytes()).unwrap();
    assert_eq!(items.iter().filter(|item| item.target == CallbackTarget::Unknown).count(), 2);
    assert_eq!(items[2].target, CallbackTarget::Page("555".into()), "an id may be a number");
}

#[test]
fn events_for_another_app_of_the_page_are_skipped() {
    let raw = json!({ "object": "page", "entry": [{ "id": "555", "time": 1,
        "standby": [event("message", json!({ "mid": "m_1", "text": "not for us" }))] }] });
    assert_eq!(parse(raw.to_string().as_bytes()).unwrap(), []);
}

#[test]
fn only_callbacks_about_pages_are_taken() {
    assert!(matches!(parse(b"{"), Err(CallbackError::NotJson(_))));
    assert!(matches!(parse(br#"{"object":"whatsapp_business_account"}"#), Err(CallbackError::NoPage(_))));
    assert!(matches!(parse(b"[]"), Err(CallbackError::NoPage(_))));
}

#[test]
fn more_facts_than_a_callback_may_bring_are_refused() {
    let one = event("message", json!({ "mid": "m_1", "text": "x" }));
    assert!(matches!(parse(&body(json!(vec![one; 10_001]))), Err(CallbackError::TooMany)));
}

#[test]
fn the_first_page_is_found_before_anything_else_is_read() {
    assert_eq!(first_page(&body(json!([]))).as_deref(), Some("555"));
    assert_eq!(first_page(b"{"), None);
    assert_eq!(first_page(format!(r#"{{"entry":[{{"id":"{}"}}]}}"#, "1".repeat(65)).as_bytes()), None);
}
