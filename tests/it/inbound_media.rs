//! Files of customers: webhooks name an address of our own. It serves the exact bytes, only to its holder and for a
//! limited time (SPEC 6.1, PROVIDERS A.6).

use base64::{Engine, engine::general_purpose::STANDARD};
use harness::{Patchbay, PatchbaySetup, SharedPatchbay, TestClient, WebhookSink};
use serde_json::{Value, json};

/// Sends a file from a new phone and returns the incoming body.
async fn sent(patchbay: &SharedPatchbay, client: &TestClient, file: Value) -> Value {
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let mut message = file;
    message["to"] = json!(client.number);
    patchbay.new_phone().send(message).await;
    let chatbot = sink.receives("chatbot", "the chatbot event", |_| true).await;
    let incoming = sink.receives("incoming", "the file", |_| true).await;
    assert_eq!(incoming["messageContentType"], "MEDIA");
    assert!(incoming.get("text").is_none_or(Value::is_null), "{incoming}");
    assert_eq!(chatbot["mediaUrl"], incoming["mediaUrl"]);
    incoming
}

async fn download(patchbay: &Patchbay, url: &str) -> (u16, String, Vec<u8>) {
    let response = patchbay.http.get(url).send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let kind = headers.get("content-type").map(|kind| kind.to_str().unwrap().to_owned()).unwrap_or_default();
    (status, kind, response.bytes().await.unwrap().to_vec())
}

/// Checks a file's extension, MIME type and content type in the chat.
async fn check(kind: &str, more: Value, bytes: &[u8], expected: (&str, &str, &str)) -> Value {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let mut message = json!({ "type": kind, "base64": STANDARD.encode(bytes), "mimeType": expected.1 });
    message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());

    let incoming = sent(&patchbay, &client, message).await;

    assert_eq!(incoming["fileExtension"], expected.0);
    let (status, mime, received) = download(&patchbay, incoming["mediaUrl"].as_str().unwrap()).await;
    assert_eq!((status, mime.as_str()), (200, expected.1));
    assert_eq!(received, bytes);
    let mut db = patchbay.database().await;
    let statement =
        "SELECT content_type FROM chat_message WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)";
    let stored: String = sqlx::query_scalar(statement).bind(&client.client_ref).fetch_one(&mut db).await.unwrap();
    assert_eq!(stored, expected.2);
    incoming
}

#[tokio::test]
async fn an_image_can_be_downloaded_and_has_its_caption() {
    let bytes: Vec<u8> = (0..200_000_u32).map(|index| index.to_le_bytes()[0] ^ 0x5a).collect();
    let incoming = check("image", json!({ "caption": "my receipt" }), &bytes, ("jpg", "image/jpeg", "IMAGE")).await;
    assert_eq!(incoming["caption"], "my receipt");
}

#[tokio::test]
async fn a_document_can_be_downloaded() {
    let more = json!({ "filename": "invoice 7.pdf", "caption": "please pay" });
    let incoming = check("document", more, b"%PDF-1.1 not really", ("pdf", "application/pdf", "DOCUMENT")).await;
    assert_eq!(incoming["caption"], "please pay");
}

#[tokio::test]
async fn a_video_can_be_downloaded() {
    check("video", json!({}), b"\0\0\0\x18ftypmp42", ("mp4", "video/mp4", "VIDEO")).await;
}

#[tokio::test]
async fn a_sound_file_is_audio() {
    check("audio", json!({ "voice": false }), b"ID3 sound", ("mp3", "audio/mpeg", "AUDIO")).await;
}

#[tokio::test]
async fn a_voice_note_is_voice() {
    check("audio", json!({ "voice": true }), b"OggS voice", ("ogg", "audio/ogg", "VOICE")).await;
}

#[tokio::test]
async fn a_changed_address_serves_no_file() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let incoming = sent(&patchbay, &client, json!({ "type": "image" })).await;
    let url = incoming["mediaUrl"].as_str().unwrap().to_owned();
    let (address, query) = url.split_once('?').unwrap();
    let signature = query.split_once("signature=").unwrap().1;
    let expires = query.split_once("expires=").unwrap().1.split('&').next().unwrap();
    let later = expires.parse::<i64>().unwrap() + 1;
    let (folder, id) = address.rsplit_once('/').unwrap();
    let other_id = format!("{}{}", &id[..id.len() - 1], if id.ends_with('0') { '1' } else { '0' });
    let changed = [
        url.replace(&format!("expires={expires}"), &format!("expires={later}")),
        url.replace(signature, &"0".repeat(signature.len())),
        url.replace(signature, ""),
        url.replace(id, &other_id),
        format!("{folder}/{id}"),
        format!("{folder}/..%2f{id}?{query}"),
    ];

    for url in changed {
        let (status, _, bytes) = download(&patchbay, &url).await;
        assert!(matches!(status, 403 | 404), "{url} answers {status}");
        assert!(!bytes.starts_with(b"\x89PNG"), "{url}");
    }
    assert_eq!(download(&patchbay, &url).await.0, 200, "the address itself is fine");
}

#[tokio::test]
async fn an_address_expires() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    patchbay.phone("27820000001").send(json!({ "to": client.number, "type": "image" })).await;
    let incoming = sink.receives("incoming", "the image", |_| true).await;
    let url = incoming["mediaUrl"].as_str().unwrap();
    let expires: i64 = url.split_once("expires=").unwrap().1.split('&').next().unwrap().parse().unwrap();
    let sent: chrono::DateTime<chrono::Utc> = incoming["sentTime"].as_str().unwrap().parse().unwrap();
    let lifetime = expires - sent.timestamp();
    assert!(lifetime > 3600, "an address is good for a while: {lifetime} s");
    patchbay.advance_clock(u64::try_from(lifetime - 600).unwrap()).await;
    assert_eq!(download(&patchbay, url).await.0, 200);

    patchbay.advance_clock(660).await;

    let (status, _, bytes) = download(&patchbay, url).await;
    assert_eq!(status, 403);
    assert!(String::from_utf8_lossy(&bytes).contains("expired"), "{}", String::from_utf8_lossy(&bytes));
}
