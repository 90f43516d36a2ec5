//! Messenger as a carrier: bodies, windows, and the meaning of its errors (PROVIDERS B).

use std::sync::Arc;

use channels::{
    carrier::{CANNOT_CARRY, Carrier, CarrierInbox, Credentials, OutgoingMessage},
    media_download::{MediaError, MediaExpectation},
    messenger::{MessengerApi, MessengerCarrier, MessengerLimits, MessengerPage, SenderAction},
    whatsapp_cloud::CloudSettings,
};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    address::{Address, AddressKind},
    carriage::{Acceptance, SendFailure},
    clock::Clock,
    content::{
        ListRow, ListSection, Location, MediaKind, OutboundContent, OutboundMedia, Reaction, ReplyButton, ReplyButtons,
        ReplyList,
    },
    inbox::InboxKind,
};
use serde_json::{Value, json};

use crate::{
    carriers::{inbox, message, phone, text},
    support::{Answer, Server, scratch_folder},
};

/// Noon, in UTC.
pub struct Noon;

impl Clock for Noon {
    fn now(&self) -> DateTime<Utc> {
        "2026-01-31T12:00:00Z".parse().unwrap()
    }
}

fn api(server: &Server) -> MessengerApi {
    MessengerApi::new(CloudSettings { graph_url: server.url(""), ..CloudSettings::default() }).unwrap()
}

fn carrier(server: &Server) -> MessengerCarrier {
    MessengerCarrier::new(api(server), Arc::new(Noon), MessengerLimits { rate_per_second: 100, in_flight: 4 })
}

fn page() -> MessengerPage {
    MessengerPage { page_id: "555".to_owned(), access_token: "page-token".to_owned() }
}

fn page_inbox() -> CarrierInbox {
    CarrierInbox { credentials: Credentials::of(page()), ..inbox(1, InboxKind::Messenger) }
}

fn psid() -> Address {
    Address::of_kind(AddressKind::Psid, "24071234567").unwrap()
}

fn accepted() -> Answer {
    Answer::json(200, json!({ "recipient_id": "24071234567", "message_id": "m_1" }))
}

fn refusal(status: u16, code: i64, subcode: Option<i64>) -> Answer {
    let mut error = json!({ "message": "no", "type": "OAuthException", "code": code, "fbtrace_id": "A" });
    if let Some(subcode) = subcode {
        error["error_subcode"] = json!(subcode);
    }
    Answer::json(status, json!({ "error": error }))
}

/// Sends with `change` applied to an ordinary message.
async fn send(
    server: &Server,
    content: &OutboundContent,
    change: impl FnOnce(OutgoingMessage<'_>) -> OutgoingMessage<'_>,
) -> Result<Acceptance, SendFailure> {
    let (carrier, inbox, to) = (carrier(server), page_inbox(), psid());
    let place = carrier.take(&inbox, 1).unwrap().pop().unwrap();
    let outgoing = change(OutgoingMessage::new(message(1), "pb1:leg", &to, content, &()));
    carrier.send(&inbox, place, &outgoing).await
}

/// The body that goes out for a content.
async fn body_of(content: &OutboundContent) -> Value {
    let server = Server::start().await;
    server.answer(accepted());
    send(&server, content, |outgoing| outgoing).await.unwrap();
    server.last().json()
}

#[tokio::test]
async fn a_text_goes_to_the_page_with_its_token_and_has_been_sent_when_it_is_taken() {
    let server = Server::start().await;
    server.answer(accepted());
    let taken =
        send(&server, &text("Hello"), |outgoing| OutgoingMessage { quoted: Some("m_0"), ..outgoing }).await.unwrap();
    assert_eq!((taken.provider_id.as_deref(), taken.sent), (Some("m_1"), true));
    let seen = server.last();
    assert_eq!((seen.method.as_str(), seen.target.as_str()), ("POST", "/v25.0/555/messages"));
    assert_eq!(seen.header("authorization"), Some("Bearer page-token"));
    let expected = json!({
        "recipient": { "id": "24071234567" },
        "messaging_type": "RESPONSE",
        "message": { "text": "Hello", "metadata": "pb1:leg" },
        "reply_to": { "mid": "m_0" },
    });
    assert_eq!(seen.json(), expected);
}

#[tokio::test]
async fn buttons_are_quick_replies() {
    let button = |title: &str| ReplyButton { id: format!("ID_{title}"), title: title.to_owned() };
    let buttons = OutboundContent::Buttons(ReplyButtons {
        header: Some("Order".to_owned()),
        body: "Deliver?".to_owned(),
        footer: None,
        buttons: vec![button("Yes"), button("No")],
    });
    let body = body_of(&buttons).await;
    assert_eq!(body["message"]["text"], "Order\nDeliver?");
    let replies = json!([
        { "content_type": "text", "title": "Yes", "payload": "ID_Yes" },
        { "content_type": "text", "title": "No", "payload": "ID_No" },
    ]);
    assert_eq!(body["message"]["quick_replies"], replies);
}

#[tokio::test]
async fn a_list_is_numbered_text() {
    let row = |title: &str| ListRow { id: format!("ID_{title}"), title: title.to_owned(), description: None };
    let list = OutboundContent::List(ReplyList {
        header: None,
        body: "Pick".to_owned(),
        footer: None,
        button: "Menu".to_owned(),
        sections: vec![ListSection { title: String::new(), rows: vec![row("Sales"), row("Other")] }],
    });
    let body = body_of(&list).await;
    assert_eq!(body["message"]["text"], "Pick\n1. Sales\n2. Other");
    assert!(body["message"].get("quick_replies").is_none());
}

#[tokio::test]
async fn every_kind_of_file_goes_as_an_attachment_by_its_address() {
    let kinds = [
        (MediaKind::Image, "image"),
        (MediaKind::Sticker, "image"),
        (MediaKind::Video, "video"),
        (MediaKind::Audio, "audio"),
        (MediaKind::Voice, "audio"),
        (MediaKind::Document, "file"),
    ];
    for (kind, name) in kinds {
        let url = "https://example.org/a".to_owned();
        let body = body_of(&OutboundContent::Media(OutboundMedia { kind, url, caption: None, filename: None })).await;
        let payload = json!({ "url": "https://example.org/a", "is_reusable": false });
        assert_eq!(body["message"]["attachment"], json!({ "type": name, "payload": payload }));
    }
}

#[tokio::test]
async fn a_location_is_reported_as_text() {
    let place = Location { latitude: -26.1, longitude: 28.0, name: Some("Shop".to_owned()), address: None };
    let body = body_of(&OutboundContent::Location(place)).await;
    assert!(body["message"]["text"].as_str().unwrap().starts_with("Shop\nhttps://"), "{body}");
}

#[tokio::test]
async fn a_text_of_2000_characters_goes_out_and_one_more_is_refused_without_a_call() {
    let body = body_of(&text(&"é".repeat(2000))).await;
    assert_eq!(body["message"]["text"].as_str().unwrap().chars().count(), 2000);
    let server = Server::start().await;
    let refused = send(&server, &text(&"é".repeat(2001)), |outgoing| outgoing).await.unwrap_err();
    assert_eq!(refused.failure().map(|failure| failure.code), Some(CANNOT_CARRY));
    assert!(server.seen().is_empty());
}

fn ago(hours: i64) -> Option<DateTime<Utc>> {
    Some(Noon.now() - TimeDelta::hours(hours))
}

#[tokio::test]
async fn agents_have_seven_days_and_send_with_the_tag_for_humans() {
    let server = Server::start().await;
    for (hours, kind, tag) in [
        (23, "RESPONSE", Value::Null),
        (24, "MESSAGE_TAG", json!("HUMAN_AGENT")),
        (167, "MESSAGE_TAG", json!("HUMAN_AGENT")),
    ] {
        server.answer(accepted());
        let content = text("Sorry for the wait");
        let sent =
            send(&server, &content, |outgoing| OutgoingMessage { human: true, wrote_at: ago(hours), ..outgoing });
        sent.await.unwrap();
        let body = server.last().json();
        assert_eq!((&body["messaging_type"], &body["tag"]), (&json!(kind), &tag), "{hours}");
    }
}

#[tokio::test]
async fn outside_the_windows_no_call_is_made() {
    let server = Server::start().await;
    for (human, hours, words) in [(false, 24, "24 hours"), (true, 168, "7 days")] {
        let content = text("too late");
        let sent = send(&server, &content, |outgoing| OutgoingMessage { human, wrote_at: ago(hours), ..outgoing });
        let refused = sent.await.unwrap_err();
        let SendFailure::Rejected(failure) = refused else { panic!("{refused:?}") };
        assert_eq!(failure.code, 10);
        assert!(failure.text.contains(words), "{failure:?}");
    }
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn each_error_decides_the_next_step() {
    let server = Server::start().await;
    let outcome = async |answer: Answer| {
        server.answer(answer);
        send(&server, &text("Hello"), |outgoing| outgoing).await.unwrap_err()
    };
    assert!(matches!(outcome(refusal(403, 10, Some(2_018_278))).await, SendFailure::Rejected(_)));
    assert!(matches!(outcome(refusal(400, 551, Some(1_545_041))).await, SendFailure::Unreachable(_)));
    assert!(matches!(outcome(refusal(400, 100, Some(2_018_001))).await, SendFailure::Unreachable(_)));
    assert!(matches!(outcome(refusal(400, 100, None)).await, SendFailure::Rejected(_)));
    assert!(matches!(outcome(refusal(400, 613, None)).await, SendFailure::SlowDown { .. }));
    assert!(matches!(outcome(refusal(401, 190, None)).await, SendFailure::AccountStopped(_)));
    assert!(matches!(outcome(refusal(500, 2, None)).await, SendFailure::Retry { .. }));
    assert!(matches!(outcome(Answer::new(504, "gateway")).await, SendFailure::Unknown { .. }));
    assert!(matches!(outcome(Answer::json(200, json!({}))).await, SendFailure::Unknown { .. }), "no message id");
}

#[tokio::test]
async fn a_page_that_is_too_fast_rests() {
    let server = Server::start().await;
    server.answer(refusal(400, 613, None).header("retry-after", "120"));
    let (carrier, inbox, to, content) = (carrier(&server), page_inbox(), psid(), text("Hello"));
    let place = carrier.take(&inbox, 1).unwrap().pop().unwrap();
    let refused =
        carrier.send(&inbox, place, &OutgoingMessage::new(message(1), "leg", &to, &content, &())).await.unwrap_err();
    assert!(matches!(refused, SendFailure::SlowDown { after: Some(after), .. } if after.as_secs() == 120));
    assert!(carrier.take(&inbox, 1).unwrap().is_empty());
}

#[tokio::test]
async fn a_page_writes_to_its_own_customers_only_and_needs_a_token() {
    let server = Server::start().await;
    let (carrier, inbox, to, content) = (carrier(&server), page_inbox(), phone("27820000001"), text("Hello"));
    let place = carrier.take(&inbox, 1).unwrap().pop().unwrap();
    let refused =
        carrier.send(&inbox, place, &OutgoingMessage::new(message(1), "leg", &to, &content, &())).await.unwrap_err();
    assert_eq!(refused.failure().map(|failure| failure.code), Some(CANNOT_CARRY));
    assert!(carrier.take(&crate::carriers::inbox(2, InboxKind::Messenger), 1).is_err());
}

#[tokio::test]
async fn presence_is_a_sender_action_without_a_message() {
    let server = Server::start().await;
    for (action, name) in [
        (SenderAction::TypingOn, "typing_on"),
        (SenderAction::TypingOff, "typing_off"),
        (SenderAction::MarkSeen, "mark_seen"),
    ] {
        server.answer(Answer::json(200, json!({ "recipient_id": "24071234567" })));
        api(&server).act(&page(), "24071234567", action).await.unwrap();
        assert_eq!(server.last().json(), json!({ "recipient": { "id": "24071234567" }, "sender_action": name }));
    }
}

#[tokio::test]
async fn a_file_among_several_has_the_id_of_their_message_and_a_message_without_an_id_of_meta_is_not_quoted() {
    let server = Server::start().await;
    for (quoted, expected) in [("m_0#3", json!({ "mid": "m_0" })), ("reaction:0a1b", Value::Null)] {
        server.answer(accepted());
        send(&server, &text("Hello"), |outgoing| OutgoingMessage { quoted: Some(quoted), ..outgoing }).await.unwrap();
        assert_eq!(server.last().json()["reply_to"], expected, "{quoted}");
    }
    server.answer(Answer::json(200, json!({ "recipient_id": "24071234567" })));
    let reaction = Reaction { message_id: "m_0#2".to_owned(), emoji: Some("👍".to_owned()) };
    send(&server, &OutboundContent::Reaction(reaction), |outgoing| outgoing).await.unwrap();
    assert_eq!(server.last().json()["payload"]["message_id"], "m_0");
}

#[tokio::test]
async fn a_reaction_is_a_sender_action_about_a_message_and_is_taken_back() {
    let server = Server::start().await;
    for (emoji, expected) in [
        (Some("👍"), json!({ "sender_action": "react", "payload": { "message_id": "m_7", "reaction": "👍" } })),
        (None, json!({ "sender_action": "unreact", "payload": { "message_id": "m_7" } })),
    ] {
        server.answer(Answer::json(200, json!({ "recipient_id": "24071234567" })));
        let reaction = Reaction { message_id: "m_7".to_owned(), emoji: emoji.map(str::to_owned) };
        let taken = send(&server, &OutboundContent::Reaction(reaction), |outgoing| outgoing).await.unwrap();
        assert_eq!((taken.provider_id, taken.sent), (None, true), "it is no message");
        let mut body = server.last().json();
        assert_eq!(body["recipient"]["id"], "24071234567");
        body.as_object_mut().unwrap().remove("recipient");
        assert_eq!(body, expected);
    }
}

#[tokio::test]
async fn a_name_is_asked_for_and_after_a_refusal_not_again_for_a_while() {
    let server = Server::start().await;
    let api = api(&server);
    server.answer(Answer::json(200, json!({ "first_name": "Zo", "last_name": "M", "id": "1" })));
    assert_eq!(api.name_of(&page(), "24071234567").await.as_deref(), Some("Zo M"));
    assert_eq!(server.last().target, "/v25.0/24071234567?fields=first_name%2Clast_name");
    server.answer(refusal(403, 10, None));
    assert_eq!(api.name_of(&page(), "2").await, None);
    assert_eq!(api.name_of(&page(), "3").await, None);
    assert_eq!(server.seen().len(), 2, "no third call");
}

#[tokio::test]
async fn a_name_with_a_broken_character_is_a_name() {
    let server = Server::start().await;
    server.answer(Answer::new(200, r#"{"first_name":"Zo\ud83d","last_name":"M","id":"1"}"#));
    assert_eq!(api(&server).name_of(&page(), "24071234567").await.as_deref(), Some("Zo\u{fffd} M"));
}

#[tokio::test]
async fn a_file_is_fetched_from_known_hosts_only_and_without_the_token() {
    let server = Server::start().await;
    let api = api(&server);
    let expected = MediaExpectation { max_bytes: 100, sha256: None };
    let target = scratch_folder().join("file");
    server.answer(Answer::new(200, "bytes"));
    let file = api.download(&server.url("/files/1?hash=x"), &expected, &target).await.unwrap();
    assert_eq!((file.bytes, server.last().header("authorization")), (5, None));
    for url in [
        "http://127.0.0.1:1/x",
        "https://fbcdn.net.evil.example/x",
        "http://scontent.fbcdn.net/x",
        "file:///etc/passwd",
    ] {
        let refused = api.download(url, &expected, &target).await.unwrap_err();
        assert!(matches!(refused, MediaError::HostNotAllowed(_)), "{url}: {refused:?}");
    }
}
