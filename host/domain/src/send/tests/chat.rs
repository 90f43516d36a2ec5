//! The content of `CHAT` messages.

use super::*;
use crate::content::{MediaKind, OutboundMedia};

fn content(message: Value) -> OutboundContent {
    let message = with(message, "/recipients", json!([{"to": "27820000001"}]));
    let request = parse(&with(chat(), "/messages/0", message)).unwrap();
    let number = NumberFacts { msisdn: request.sender().clone(), waba_id: None };
    let mut tokens = || panic!("no tokens in a chat message");
    request.resolve(&number, None, &mut tokens).unwrap().parts.remove(0).content
}

fn media_fault(message: Value) -> FieldFault {
    let message = with(message, "/recipients", json!([{"to": "27820000001"}]));
    fault(&with(chat(), "/messages/0", message))
}

fn media(kind: MediaKind, url: &str, caption: Option<&str>, filename: Option<&str>) -> OutboundContent {
    let own = |text: Option<&str>| text.map(str::to_owned);
    OutboundContent::Media(OutboundMedia { kind, url: url.to_owned(), caption: own(caption), filename: own(filename) })
}

#[test]
fn a_text_has_at_most_4096_characters() {
    assert_eq!(content(json!({"messageText": "é".repeat(4096)})), OutboundContent::Text { body: "é".repeat(4096) });
    assert_eq!(media_fault(json!({"messageText": "é".repeat(4097)})).field, "messages[0].messageText");
}

#[test]
fn a_file_goes_by_its_extension() {
    let url = "https://a.example/x.JPG?size=1";
    assert_eq!(
        content(json!({"media": {"url": url, "caption": "Look"}})),
        media(MediaKind::Image, url, Some("Look"), None)
    );
    let url = "https://a.example/docs/price%20list.pdf";
    assert_eq!(content(json!({"media": {"url": url}})), media(MediaKind::Document, url, None, Some("price list.pdf")));
    let url = "https://a.example";
    assert_eq!(content(json!({"media": {"url": url}})), media(MediaKind::Document, url, None, None));
}

#[test]
fn a_link_loses_the_blanks_around_it_and_is_refused_for_those_within() {
    let url = "https://a.example/a.jpg";
    for around in [" ", "\t", "\n", "\r\n"] {
        let typed = format!("{around}{url}{around}");
        assert_eq!(content(json!({"media": {"url": typed}})), media(MediaKind::Image, url, None, None), "{around:?}");
    }
    for wrong in ["https://a.example/a b.jpg", "https://a.example/a\t.jpg", " ", "https:\\\\a.example\\a.jpg"] {
        assert_eq!(media_fault(json!({"media": {"url": wrong}})).field, "messages[0].media.url", "{wrong:?}");
    }
}

#[test]
fn a_request_may_declare_the_type_of_its_file() {
    let url = "https://a.example/download?id=7";
    let said = |media: Value| content(json!({ "media": media }));
    assert_eq!(said(json!({"url": url})), media(MediaKind::Document, url, None, None), "its server is asked");
    for (kind, shown) in [("image", MediaKind::Image), ("AUDIO", MediaKind::Audio), ("voice", MediaKind::Voice)] {
        assert_eq!(said(json!({"url": url, "type": kind})), media(shown, url, None, None));
    }
    for (media_type, name) in [("application/pdf", "download.pdf"), ("text/csv", "download.csv")] {
        let expected = media(MediaKind::Document, url, None, Some(name));
        assert_eq!(said(json!({"url": url, "type": media_type})), expected);
    }
    let expected = media(MediaKind::Document, url, None, Some("download"));
    assert_eq!(said(json!({"url": url, "type": "DOCUMENT"})), expected);
    let named = json!({"url": url, "filename": "../price list.pdf"});
    assert_eq!(said(named), media(MediaKind::Document, url, None, Some("price list.pdf")));
    let named = json!({"url": "https://a.example/a.pdf", "filename": "Offer.pdf"});
    assert_eq!(said(named), media(MediaKind::Document, "https://a.example/a.pdf", None, Some("Offer.pdf")));
    assert_eq!(said(json!({"url": url, "filename": "a.jpg"})), media(MediaKind::Image, url, None, None));
    let opus = "https://a.example/voice.opus";
    assert_eq!(said(json!({"url": opus})), media(MediaKind::Audio, opus, None, None));
    for nothing in ["HOLOGRAM", "", "application/octet-stream"] {
        assert_eq!(
            said(json!({"url": url, "type": nothing})),
            media(MediaKind::Document, url, None, None),
            "{nothing:?}"
        );
    }
}

#[test]
fn a_text_with_a_file_becomes_its_caption() {
    let url = "https://a.example/x.png";
    let with_text = content(json!({"media": {"url": url}, "messageText": "Look"}));
    assert_eq!(with_text, media(MediaKind::Image, url, Some("Look"), None));
    let with_both = content(json!({"media": {"url": url, "caption": "below"}, "messageText": "Look"}));
    assert_eq!(with_both, media(MediaKind::Image, url, Some("Look\nbelow"), None));
    let said_twice = content(json!({"media": {"url": url, "caption": "Look"}, "messageText": "Look"}));
    assert_eq!(said_twice, media(MediaKind::Image, url, Some("Look"), None));
}

#[test]
fn a_file_that_takes_no_caption_goes_as_a_document_when_there_is_a_text() {
    let url = "https://a.example/x.mp3";
    assert_eq!(content(json!({"media": {"url": url}})), media(MediaKind::Audio, url, None, None));
    let with_text = content(json!({"media": {"url": url}, "messageText": "Listen"}));
    assert_eq!(with_text, media(MediaKind::Document, url, Some("Listen"), Some("x.mp3")));
}

#[test]
fn a_caption_of_any_origin_has_at_most_1024_characters() {
    let url = "https://a.example/x.png";
    content(json!({"media": {"url": url, "caption": "é".repeat(1024)}}));
    let own = media_fault(json!({"media": {"url": url, "caption": "é".repeat(1025)}}));
    assert_eq!(own.field, "messages[0].media.caption");
    content(json!({"media": {"url": url}, "messageText": "é".repeat(1024)}));
    assert_eq!(
        media_fault(json!({"media": {"url": url}, "messageText": "é".repeat(1025)})).field,
        "messages[0].messageText"
    );
    content(json!({"media": {"url": url, "caption": "a".repeat(1000)}, "messageText": "b".repeat(23)}));
    let joined =
        media_fault(json!({"media": {"url": url, "caption": "a".repeat(1000)}, "messageText": "b".repeat(24)}));
    assert_eq!(joined.field, "messages[0].messageText");
    assert!(joined.message.contains("together"), "{joined}");
}

#[test]
fn the_address_of_a_file_must_be_there_and_http() {
    for media in [json!({}), json!({"url": ""}), json!({"caption": "x"})] {
        let fault = media_fault(json!({"media": media}));
        assert_eq!(fault.field, "messages[0].media.url");
        assert!(fault.message.contains("required"), "{fault}");
    }
    for url in
        ["x.jpg", "/x.jpg", "ftp://a.example/x.jpg", "data:image/png;base64,AA", "https://", "http://u:p@a.example/x"]
    {
        assert_eq!(media_fault(json!({"media": {"url": url}})).field, "messages[0].media.url", "{url}");
    }
}
