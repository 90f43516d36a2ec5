//! Files of ours over the Cloud API, where Meta cannot fetch them: uploaded first, then sent by their id (PROVIDERS A.6).

use channels::{
    carrier::{CANNOT_CARRY, Carrier, CarrierInbox, Credentials, FileUnavailable, OutgoingMessage},
    whatsapp_cloud::{CloudCarrier, CloudLimits, CloudNumber},
};
use domain::{
    carriage::{Acceptance, SendFailure},
    content::{CardParameters, HeaderParameter, MediaKind, OutboundContent, OutboundMedia, TemplateSend},
    inbox::InboxKind,
};
use serde_json::{Value, json};

use crate::{
    carriers::{inbox, message, phone},
    graph_send_bodies::{accepted, api, number},
    messenger_files::{Files, OURS},
    support::{Answer, Seen, Server},
};

const BILL: Files = Files::Bytes(b"%PDF-1.7 hello");

fn carrier(server: &Server) -> CloudCarrier {
    CloudCarrier::new(api(server), CloudLimits { rate_per_second: 100, in_flight: 4 })
}

async fn send_from(
    number: CloudNumber,
    carrier: &CloudCarrier,
    files: &Files,
    content: &OutboundContent,
) -> Result<Acceptance, SendFailure> {
    let inbox = CarrierInbox { credentials: Credentials::of(number), ..inbox(1, InboxKind::WhatsappCloud) };
    let place = carrier.take(&inbox, 1).unwrap().pop().unwrap();
    let to = phone("27820000001");
    let outgoing = OutgoingMessage { files, ..OutgoingMessage::new(message(1), "pb1:leg", &to, content, &()) };
    carrier.send(&inbox, place, &outgoing).await
}

async fn send(carrier: &CloudCarrier, files: &Files, url: &str) -> Result<Acceptance, SendFailure> {
    send_from(number(), carrier, files, &document(url)).await
}

fn document(url: &str) -> OutboundContent {
    OutboundContent::Media(OutboundMedia {
        kind: MediaKind::Document,
        url: url.to_owned(),
        caption: Some("Here".to_owned()),
        filename: Some("Your bill.pdf".to_owned()),
    })
}

fn uploaded(id: &str) -> Answer {
    Answer::json(200, json!({ "id": id }))
}

fn refusal(status: u16, code: i64) -> Answer {
    Answer::json(status, json!({ "error": { "message": "no", "code": code } }))
}

fn targets(server: &Server) -> Vec<String> {
    let of_number = |seen: &Seen| seen.target.rsplit('/').next().unwrap().to_owned();
    server.seen().iter().map(of_number).collect()
}

#[tokio::test]
async fn a_file_that_meta_cannot_fetch_is_uploaded_and_sent_by_its_id() {
    let server = Server::start().await;
    server.answer(uploaded("4711"));
    server.answer(accepted());
    let taken = send(&carrier(&server), &BILL, OURS).await.unwrap();
    assert_eq!(taken.provider_id.as_deref(), Some("wamid.X"));
    let [upload, message]: [Seen; 2] = server.seen().try_into().unwrap();
    assert_eq!((upload.method.as_str(), upload.target.as_str()), ("POST", "/v25.0/PN1/media"));
    assert_eq!(upload.header("authorization"), Some("Bearer TOKEN"));
    assert!(upload.header("content-type").unwrap().starts_with("multipart/form-data; boundary="));
    let form = String::from_utf8(upload.body.to_vec()).unwrap();
    assert!(form.contains("name=\"messaging_product\"\r\n\r\nwhatsapp\r\n"), "{form}");
    assert!(form.contains("name=\"type\"\r\n\r\napplication/pdf\r\n"), "{form}");
    let file = "name=\"file\"; filename=\"file.pdf\"\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.7 hello\r\n";
    assert!(form.contains(file), "{form}");
    assert_eq!(message.target, "/v25.0/PN1/messages");
    assert_eq!(message.json()["document"], json!({ "id": "4711", "caption": "Here", "filename": "Your bill.pdf" }));
}

#[tokio::test]
async fn files_that_meta_can_fetch_are_not_uploaded() {
    let server = Server::start().await;
    server.answer(accepted());
    send(&carrier(&server), &BILL, "https://example.org/a.pdf").await.unwrap();
    let [message]: [Seen; 1] = server.seen().try_into().unwrap();
    assert_eq!(message.json()["document"]["link"], "https://example.org/a.pdf");
}

#[tokio::test]
async fn each_file_of_a_template_is_uploaded_once() {
    let header = |url: &str| HeaderParameter { kind: MediaKind::Image, url: url.to_owned(), filename: None };
    let card = |url: &str| CardParameters { header: Some(header(url)), ..CardParameters::default() };
    let content = OutboundContent::Template(TemplateSend {
        id: "1".to_owned(),
        name: "sale".to_owned(),
        language: "en".to_owned(),
        header: Some(header(OURS)),
        header_text: Vec::new(),
        body: Vec::new(),
        buttons: Vec::new(),
        cards: vec![card(OURS), card("https://example.org/b.png")],
        rendered_text: String::new(),
        replies: Vec::new(),
    });
    let server = Server::start().await;
    server.answer(Answer::json(200, json!({ "id": 4711 })));
    server.answer(accepted());
    send_from(number(), &carrier(&server), &BILL, &content).await.unwrap();
    assert_eq!(targets(&server), ["media", "messages"]);
    let components = &server.last().json()["template"]["components"];
    assert_eq!(components[0]["parameters"][0]["image"], json!({ "id": "4711" }));
    let of_card = |at: usize| &components[1]["cards"][at]["components"][0]["parameters"][0]["image"];
    assert_eq!(of_card(0), &json!({ "id": "4711" }));
    assert_eq!(of_card(1), &json!({ "link": "https://example.org/b.png" }));
}

#[tokio::test]
async fn a_file_that_meta_has_is_not_uploaded_again_but_for_another_number() {
    let server = Server::start().await;
    let carrier = carrier(&server);
    for answer in [uploaded("4711"), accepted(), accepted(), uploaded("4712"), accepted()] {
        server.answer(answer);
    }
    send(&carrier, &BILL, OURS).await.unwrap();
    // The same file, named later.
    send(&carrier, &BILL, &OURS.replace("expires=3", "expires=9")).await.unwrap();
    assert_eq!(server.last().json()["document"]["id"], "4711");
    let other = CloudNumber { phone_number_id: "PN2".to_owned(), access_token: "TOKEN".to_owned() };
    send_from(other, &carrier, &BILL, &document(OURS)).await.unwrap();
    assert_eq!(server.last().json()["document"]["id"], "4712");
    assert_eq!(targets(&server), ["media", "messages", "messages", "media", "messages"]);
}

#[tokio::test]
async fn a_file_that_was_deleted_here_is_not_sent_though_meta_has_it() {
    let server = Server::start().await;
    let carrier = carrier(&server);
    server.answer(uploaded("4711"));
    server.answer(accepted());
    send(&carrier, &BILL, OURS).await.unwrap();
    let gone = Files::NotThere(FileUnavailable::Ever("is not kept any more"));
    let Err(SendFailure::Rejected(failure)) = send(&carrier, &gone, OURS).await else { panic!("it was sent") };
    assert_eq!(failure.code, CANNOT_CARRY);
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn a_file_that_meta_has_deleted_is_uploaded_again_and_the_message_is_sent_once_more() {
    let server = Server::start().await;
    let carrier = carrier(&server);
    for answer in [uploaded("4711"), accepted(), refusal(400, 131_009), uploaded("4712"), accepted()] {
        server.answer(answer);
    }
    send(&carrier, &BILL, OURS).await.unwrap();
    send(&carrier, &BILL, OURS).await.unwrap();
    assert_eq!(targets(&server), ["media", "messages", "messages", "media", "messages"]);
    assert_eq!(server.last().json()["document"]["id"], "4712");
    // A refusal with a fresh file is a refusal.
    let server = Server::start().await;
    server.answer(uploaded("4713"));
    server.answer(refusal(400, 131_009));
    let refused = send(&self::carrier(&server), &BILL, OURS).await.unwrap_err();
    assert!(matches!(refused, SendFailure::Rejected(_)), "{refused:?}");
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn a_message_refused_for_another_reason_is_not_sent_again() {
    let server = Server::start().await;
    let carrier = carrier(&server);
    for answer in [uploaded("4711"), accepted(), refusal(400, 131_047)] {
        server.answer(answer);
    }
    send(&carrier, &BILL, OURS).await.unwrap();
    send(&carrier, &BILL, OURS).await.unwrap_err();
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn an_upload_that_fails_sends_no_message_and_nothing_of_it_is_in_doubt() {
    let outcome = async |answer: Answer| {
        let server = Server::start().await;
        server.answer(answer);
        let failure = send(&carrier(&server), &BILL, OURS).await.unwrap_err();
        assert_eq!(server.seen().len(), 1, "no message: {failure:?}");
        failure
    };
    assert!(matches!(outcome(Answer::new(504, "gateway")).await, SendFailure::NotSent { .. }));
    assert!(matches!(outcome(Answer::new(200, "no JSON")).await, SendFailure::NotSent { .. }));
    assert!(matches!(outcome(Answer::json(200, json!({}))).await, SendFailure::NotSent { .. }));
    assert!(matches!(outcome(refusal(500, 2)).await, SendFailure::Retry { .. }));
    assert!(matches!(outcome(refusal(400, 130_429)).await, SendFailure::SlowDown { .. }));
    assert!(matches!(outcome(refusal(400, 131_053)).await, SendFailure::Rejected(_)));
    assert!(matches!(outcome(refusal(401, 190)).await, SendFailure::AccountStopped(_)));
}

#[tokio::test]
async fn a_file_not_yet_available_waits_and_one_of_more_than_100_mib_is_refused_without_a_call() {
    let server = Server::start().await;
    let carrier = carrier(&server);
    let yet = Files::NotThere(FileUnavailable::Yet("it is still being fetched".to_owned()));
    assert!(matches!(send(&carrier, &yet, OURS).await, Err(SendFailure::NotSent { .. })));
    let Err(SendFailure::Rejected(failure)) = send(&carrier, &Files::Large((100 << 20) + 1), OURS).await else {
        panic!("it was sent")
    };
    assert_eq!(failure.code, CANNOT_CARRY);
    assert!(failure.text.contains("104857600 bytes"), "{failure:?}");
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_picture_by_id_keeps_its_caption() {
    let server = Server::start().await;
    server.answer(uploaded("4711"));
    server.answer(accepted());
    let content = OutboundContent::Media(OutboundMedia {
        kind: MediaKind::Image,
        url: OURS.to_owned(),
        caption: Some("A cat".to_owned()),
        filename: None,
    });
    send_from(number(), &carrier(&server), &BILL, &content).await.unwrap();
    let body: Value = server.last().json();
    assert_eq!((&body["type"], &body["image"]), (&json!("image"), &json!({ "id": "4711", "caption": "A cat" })));
}

fn image(url: &str) -> OutboundContent {
    let (kind, url) = (MediaKind::Image, url.to_owned());
    OutboundContent::Media(OutboundMedia { kind, url, caption: Some("Look".to_owned()), filename: None })
}

#[tokio::test]
async fn a_gif_of_ours_is_refused_before_any_call_with_the_cure() {
    let server = Server::start().await;
    for content in [image(OURS), document(OURS)] {
        let refused = send_from(number(), &carrier(&server), &Files::Gif, &content).await;
        let Err(SendFailure::Rejected(failure)) = refused else { panic!("it was sent") };
        assert_eq!(failure.code, CANNOT_CARRY);
        assert!(failure.text.contains("is a GIF") && failure.text.contains("MP4"), "{}", failure.text);
    }
    assert_eq!(targets(&server), [""; 0]);
}

#[tokio::test]
async fn an_image_whose_link_ends_in_gif_goes_as_a_document() {
    let server = Server::start().await;
    for (link, expected) in [
        (
            "https://example.org/a.gif",
            json!({ "link": "https://example.org/a.gif", "caption": "Look", "filename": "a.gif" }),
        ),
        ("https://example.org/a.png", Value::Null),
    ] {
        server.answer(accepted());
        send_from(number(), &carrier(&server), &BILL, &image(link)).await.unwrap();
        assert_eq!(server.last().json()["document"], expected, "{link}");
    }
}
