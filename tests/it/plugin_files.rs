//! Files of customers that a chatbot reads as bytes, and files that it sends as bytes.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use harness::{Patchbay, SharedPatchbay, TestClient, TestPhone, eventually, guest};
use serde_json::json;

use crate::plugin_uploads::PLUGINS;

async fn with_clerk() -> (SharedPatchbay, TestClient, TestPhone) {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    client.activate("clerk").await;
    let phone = patchbay.new_phone();
    (patchbay, client, phone)
}

/// The customer sends a picture of these bytes, and the clerk answers their number and their sum.
async fn sends_and_is_read(client: &TestClient, phone: &TestPhone, bytes: &[u8]) {
    let picture = json!({
        "to": client.number, "type": "image", "mimeType": "image/jpeg", "caption": "read", "base64": STANDARD.encode(bytes),
    });
    phone.send(picture).await;
    let sum: u64 = bytes.iter().map(|byte| u64::from(*byte)).sum();
    let answer = format!("read {} bytes, sum {sum},", bytes.len());
    phone.receives(&answer, |message| message["text"].as_str().is_some_and(|text| text.starts_with(&answer))).await;
}

/// The id of the message with the file.
async fn message_with_file(patchbay: &Patchbay, client: &TestClient) -> String {
    let statement = "SELECT id::text FROM chat_message
        WHERE media_id IS NOT NULL AND client_id = (SELECT id FROM client WHERE client_ref = $1)";
    sqlx::query_scalar(statement).bind(&client.client_ref).fetch_one(&mut patchbay.database().await).await.unwrap()
}

async fn is_refused(client: &TestClient) {
    let refused = client.keeps("clerk", "invocations", |call| call["outcome"] == "refused").await;
    let error = refused["error"].as_str().unwrap();
    assert!(error.contains("no message of the customer in this conversation has this file"), "{error}");
}

#[tokio::test]
async fn a_chatbot_reads_a_file_as_soon_as_it_has_arrived_and_later() {
    let (_patchbay, client, phone) = with_clerk().await;
    let bytes: Vec<u8> = (0..600_000_u32).map(|index| index.to_le_bytes()[0] ^ 0x5a).collect();
    sends_and_is_read(&client, &phone, &bytes).await;
    for (asked, said) in [("part 2 3", "part of 3 bytes, \"XY^\""), ("part 600000 1", "part of 0 bytes, \"\"")] {
        phone.write(&client.number, asked).await;
        phone.receives(said, |message| message["text"] == said).await;
    }
}

#[tokio::test]
async fn a_file_of_another_conversation_is_not_found() {
    let (patchbay, client, phone) = with_clerk().await;
    sends_and_is_read(&client, &phone, b"\xff\xd8\xff private").await;
    let message = message_with_file(&patchbay, &client).await;
    patchbay.new_phone().write(&client.number, &format!("file {message}")).await;
    is_refused(&client).await;
}

#[tokio::test]
async fn a_file_of_another_client_is_not_found() {
    let (patchbay, client, phone) = with_clerk().await;
    sends_and_is_read(&client, &phone, b"\xff\xd8\xff private").await;
    let message = message_with_file(&patchbay, &client).await;
    let other = patchbay.new_client().await;
    other.activate("clerk").await;
    phone.write(&other.number, &format!("file {message}")).await;
    is_refused(&other).await;
}

#[tokio::test]
async fn a_file_that_is_not_kept_any_more_is_not_found() {
    let (patchbay, client, phone) = with_clerk().await;
    sends_and_is_read(&client, &phone, b"\xff\xd8\xff short-lived").await;
    let statement = "DELETE FROM media WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)";
    sqlx::query(statement).bind(&client.client_ref).execute(&mut patchbay.database().await).await.unwrap();
    phone.write(&client.number, "last-file").await;
    is_refused(&client).await;
}

#[tokio::test]
async fn a_file_that_comes_late_is_read_by_a_repetition_of_the_turn() {
    let (patchbay, client, phone) = with_clerk().await;
    sends_and_is_read(&client, &phone, b"\xff\xd8\xff late").await;
    let becomes = async |state: &str| {
        let statement = "UPDATE media SET state = $2, ready = false, due_at = due_at + interval '1 day'
            WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)";
        let mut db = patchbay.database().await;
        sqlx::query(statement).bind(&client.client_ref).bind(state).execute(&mut db).await.unwrap();
    };
    becomes("PENDING").await;
    phone.write(&client.number, "part 4 4").await;
    let refused = client.keeps("clerk", "invocations", |call| call["outcome"] == "refused").await;
    assert!(refused["error"].as_str().unwrap().contains("the file cannot be read yet"), "{refused}");
    becomes("READY").await;
    phone.receives("the bytes", |message| message["text"] == "part of 4 bytes, \"late\"").await;
}

#[tokio::test]
async fn a_recorded_call_is_replayed_with_the_bytes_that_it_read() {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    client.install("reader", guest("clerk")).await;
    let path = |rest: &str| format!("{PLUGINS}/reader/{rest}");
    client.post(&path("recording"), &json!({})).await.ok();
    sends_and_is_read(&client, &patchbay.new_phone(), b"\xff\xd8\xff recorded").await;
    let kept = eventually("the recordings", || async {
        let page = client.get(&path("recordings?size=50")).await.ok();
        page["content"].to_string().contains("\"file\"").then_some(page)
    })
    .await;
    assert!(kept.to_string().contains(&STANDARD.encode(b"\xff\xd8\xff recorded")), "{kept}");

    let replayed = client.post(&path("replay"), &json!({})).await.ok();

    assert_eq!(replayed["identical"], replayed["replayed"], "{replayed}");
    assert_eq!(replayed["different"], json!([]));
}

#[tokio::test]
async fn a_trial_call_has_no_files() {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    client.install("reader", guest("clerk")).await;
    sends_and_is_read(&client, &patchbay.new_phone(), b"\xff\xd8\xff private").await;
    let message = message_with_file(&patchbay, &client).await;
    let event = json!({ "type": "message", "text": format!("file {message}") });
    let tried = client.post(&format!("{PLUGINS}/reader/invoke"), &json!({ "event": event })).await.ok();
    assert_eq!(tried["error"]["kind"], "refused", "{tried}");
}

/// Names and sizes of the files of a client.
async fn kept_files(patchbay: &Patchbay, client: &TestClient) -> Vec<(String, i64)> {
    let statement = "SELECT filename, size_bytes FROM media
        WHERE state = 'READY' AND client_id = (SELECT id FROM client WHERE client_ref = $1) ORDER BY id";
    sqlx::query_as(statement).bind(&client.client_ref).fetch_all(&mut patchbay.database().await).await.unwrap()
}

#[tokio::test]
async fn a_customer_gets_a_file_that_the_chatbot_wrote() {
    let (patchbay, client, phone) = with_clerk().await;
    phone.write(&client.number, "send-file bill 7.pdf").await;
    let received = phone.receives("the file", |message| message["type"] == "document").await;
    assert!(received.to_string().contains("bill 7.pdf"), "{received}");
    assert_eq!(kept_files(&patchbay, &client).await, [("bill 7.pdf".to_owned(), 21)]);
    // So agents get a fresh address at each reading, and an erasure finds the file.
    message_with_file(&patchbay, &client).await;
}

#[tokio::test]
async fn a_file_that_no_reply_names_is_not_kept() {
    let (patchbay, client, phone) = with_clerk().await;
    phone.write(&client.number, "write-only").await;
    phone.receives("the answer", |message| message["text"] == "attachment:1").await;
    assert_eq!(kept_files(&patchbay, &client).await, []);
}

#[tokio::test]
async fn an_answer_that_names_a_file_of_no_call_is_refused() {
    let (patchbay, client, phone) = with_clerk().await;
    phone.write(&client.number, "show attachment:2").await;
    let refused = client.keeps("clerk", "invocations", |call| call["outcome"] == "bad-answer").await;
    assert!(refused["error"].as_str().unwrap().contains("which this call did not write"), "{refused}");
    assert_eq!(kept_files(&patchbay, &client).await, []);
}

#[tokio::test]
async fn a_client_stores_a_limited_number_of_bytes_of_written_files_in_a_day() {
    let (patchbay, client, phone) = with_clerk().await;
    let full = "INSERT INTO media (client_id, id, lane_id, state, provider_media_id, mime_type, extension, size_bytes, ready,
                                   due_at, created_at)
                SELECT id, (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid,
                       '00000000-0000-0000-0000-000000000000', 'READY', '', 'application/pdf', 'pdf', 1073741824, false,
                       now(), now()
                FROM client WHERE client_ref = $1";
    sqlx::query(full).bind(&client.client_ref).execute(&mut patchbay.database().await).await.unwrap();

    phone.write(&client.number, "send-file bill 7.pdf").await;

    let said = "files of 1024 MiB were stored in 24 hours";
    client.keeps("clerk", "invocations", |call| call["error"].as_str().is_some_and(|error| error.contains(said))).await;
}
