//! Files of ours over Messenger, where Meta cannot fetch them: uploaded first, then sent by their id (PROVIDERS B).

use std::sync::Arc;

use async_trait::async_trait;
use channels::{
    carrier::{CANNOT_CARRY, Carrier, CarrierInbox, Credentials, FileUnavailable, OurFile, OurFiles, OutgoingMessage},
    media_store::OpenMedia,
    messenger::{MessengerApi, MessengerCarrier, MessengerLimits, MessengerPage},
    whatsapp_cloud::CloudSettings,
};
use domain::{
    address::{Address, AddressKind},
    carriage::{Acceptance, SendFailure},
    content::{MediaKind, OutboundContent, OutboundMedia},
    inbox::InboxKind,
};
use serde_json::{Value, json};

use crate::{
    carrier_messenger::Noon,
    carriers::{inbox, message},
    support::{Answer, Seen, Server},
};

pub const OURS: &str = "http://127.0.0.1:8080/media/1/2?expires=3&signature=4";

/// The files behind the one address of ours.
pub enum Files {
    Bytes(&'static [u8]),
    Gif,
    /// A file that says that it is so large.
    Large(u64),
    NotThere(FileUnavailable),
}

#[async_trait]
impl OurFiles for Files {
    async fn open(&self, url: &str) -> Result<Option<OurFile>, FileUnavailable> {
        // It has an address for each moment at which it was named.
        if url.split('?').next() != OURS.split('?').next() {
            return Ok(None);
        }
        let (bytes, said): (&'static [u8], u64) = match self {
            Self::Gif => (b"GIF89a", 6),
            Self::Bytes(bytes) => (bytes, bytes.len() as u64),
            Self::Large(said) => (b"", *said),
            Self::NotThere(why) => return Err(why.clone()),
        };
        let content = OpenMedia { bytes: said, reader: Box::new(bytes) };
        Ok(Some(OurFile { content, mime_type: "application/pdf".to_owned(), filename: "file.pdf".to_owned() }))
    }

    async fn media_type(&self, url: &str) -> Option<String> {
        (matches!(self, Self::Gif) && url == OURS).then(|| "image/gif".to_owned())
    }
}

async fn send(
    server: &Server,
    files: &Files,
    (url, filename): (&str, Option<&str>),
) -> Result<Acceptance, SendFailure> {
    let api = MessengerApi::new(CloudSettings { graph_url: server.url(""), ..CloudSettings::default() }).unwrap();
    let carrier = MessengerCarrier::new(api, Arc::new(Noon), MessengerLimits { rate_per_second: 100, in_flight: 4 });
    let page = MessengerPage { page_id: "555".to_owned(), access_token: "page-token".to_owned() };
    let inbox = CarrierInbox { credentials: Credentials::of(page), ..inbox(1, InboxKind::Messenger) };
    let to = Address::of_kind(AddressKind::Psid, "24071234567").unwrap();
    let filename = filename.map(str::to_owned);
    let content = OutboundContent::Media(OutboundMedia {
        kind: MediaKind::Document,
        url: url.to_owned(),
        caption: None,
        filename,
    });
    let place = carrier.take(&inbox, 1).unwrap().pop().unwrap();
    let outgoing = OutgoingMessage { files, ..OutgoingMessage::new(message(1), "pb1:leg", &to, &content, &()) };
    carrier.send(&inbox, place, &outgoing).await
}

fn uploaded() -> Answer {
    Answer::json(200, json!({ "attachment_id": "1857777774821032" }))
}

fn accepted() -> Answer {
    Answer::json(200, json!({ "recipient_id": "24071234567", "message_id": "m_1" }))
}

#[tokio::test]
async fn a_file_that_meta_cannot_fetch_is_uploaded_and_sent_by_its_id() {
    let server = Server::start().await;
    server.answer(uploaded());
    server.answer(accepted());
    let taken = send(&server, &Files::Bytes(b"%PDF-1.7 hello"), (OURS, Some("Your bill.pdf"))).await.unwrap();
    assert_eq!((taken.provider_id.as_deref(), taken.sent), (Some("m_1"), true));
    let [upload, message]: [Seen; 2] = server.seen().try_into().unwrap();
    assert_eq!((upload.method.as_str(), upload.target.as_str()), ("POST", "/v25.0/555/message_attachments"));
    assert_eq!(upload.header("authorization"), Some("Bearer page-token"));
    assert!(upload.header("content-type").unwrap().starts_with("multipart/form-data; boundary="));
    let form = String::from_utf8(upload.body.to_vec()).unwrap();
    let said = form.split("name=\"message\"\r\n\r\n").nth(1).unwrap().split("\r\n").next().unwrap();
    let said: Value = serde_json::from_str(said).unwrap();
    assert_eq!(said, json!({ "attachment": { "type": "file", "payload": { "is_reusable": true } } }));
    let file =
        "name=\"filedata\"; filename=\"Your bill.pdf\"\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.7 hello\r\n";
    assert!(form.contains(file), "{form}");
    assert_eq!(message.target, "/v25.0/555/messages");
    let attachment = json!({ "type": "file", "payload": { "attachment_id": "1857777774821032" } });
    assert_eq!(message.json()["message"], json!({ "attachment": attachment, "metadata": "pb1:leg" }));
}

#[tokio::test]
async fn a_file_without_a_name_goes_under_that_of_the_store_and_an_id_may_be_a_number() {
    let server = Server::start().await;
    server.answer(Answer::json(200, json!({ "attachment_id": 1_857_777_774_821_032_u64 })));
    server.answer(accepted());
    send(&server, &Files::Bytes(b"%PDF-1.7"), (OURS, None)).await.unwrap();
    let [upload, message]: [Seen; 2] = server.seen().try_into().unwrap();
    assert!(String::from_utf8(upload.body.to_vec()).unwrap().contains("filename=\"file.pdf\""));
    assert_eq!(message.json()["message"]["attachment"]["payload"]["attachment_id"], "1857777774821032");
}

#[tokio::test]
async fn files_that_meta_can_fetch_are_not_uploaded() {
    let server = Server::start().await;
    server.answer(accepted());
    send(&server, &Files::Bytes(b"%PDF-1.7"), ("https://example.org/a.pdf", None)).await.unwrap();
    let [message]: [Seen; 1] = server.seen().try_into().unwrap();
    assert_eq!(message.json()["message"]["attachment"]["payload"]["url"], "https://example.org/a.pdf");
}

#[tokio::test]
async fn an_upload_that_fails_sends_no_message_and_nothing_of_it_is_in_doubt() {
    let refusal = |status, code: i64| Answer::json(status, json!({ "error": { "message": "no", "code": code } }));
    let outcome = async |answer: Answer| {
        let server = Server::start().await;
        server.answer(answer);
        let failure = send(&server, &Files::Bytes(b"%PDF-1.7"), (OURS, None)).await.unwrap_err();
        assert_eq!(server.seen().len(), 1, "no message: {failure:?}");
        failure
    };
    assert!(matches!(outcome(Answer::new(504, "gateway")).await, SendFailure::NotSent { .. }));
    assert!(matches!(outcome(Answer::new(200, "no JSON")).await, SendFailure::NotSent { .. }));
    assert!(matches!(outcome(Answer::json(200, json!({}))).await, SendFailure::NotSent { .. }));
    assert!(matches!(outcome(refusal(500, 2)).await, SendFailure::Retry { .. }));
    assert!(matches!(outcome(refusal(400, 613)).await, SendFailure::SlowDown { .. }));
    assert!(matches!(outcome(refusal(400, 100)).await, SendFailure::Rejected(_)));
    assert!(matches!(outcome(refusal(401, 190)).await, SendFailure::AccountStopped(_)));
}

#[tokio::test]
async fn a_file_not_yet_available_waits_and_a_missing_one_fails_the_message() {
    let server = Server::start().await;
    let yet = Files::NotThere(FileUnavailable::Yet("it is still being fetched".to_owned()));
    assert!(matches!(send(&server, &yet, (OURS, None)).await, Err(SendFailure::NotSent { .. })));
    let ever = Files::NotThere(FileUnavailable::Ever("is not kept any more"));
    let Err(SendFailure::Rejected(failure)) = send(&server, &ever, (OURS, None)).await else { panic!("it was sent") };
    assert_eq!(failure.code, CANNOT_CARRY);
    assert!(failure.text.contains("is not kept any more"), "{failure:?}");
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_file_of_more_than_25_mib_is_refused_without_a_call() {
    let server = Server::start().await;
    let Err(SendFailure::Rejected(failure)) = send(&server, &Files::Large((25 << 20) + 1), (OURS, None)).await else {
        panic!("it was sent")
    };
    assert_eq!(failure.code, CANNOT_CARRY);
    assert!(failure.text.contains("26214400 bytes"), "{failure:?}");
    assert!(server.seen().is_empty());
}
