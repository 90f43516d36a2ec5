//! Rows that would take an attacker hours to make through the API.

use harness::eventually;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::stage::Stage;

/// The text that stands for longer ones.
const MARK: &str = "a text that grows";

/// A chat of the attacker with so many messages of so many bytes each; answers its id.
pub async fn chat(stage: &Stage, messages: i32, bytes: usize) -> Uuid {
    let phone = stage.patchbay.phone("27840000001");
    phone.write(&stage.attacker.number, MARK).await;
    let mut db = stage.patchbay.database().await;
    let statement = "SELECT participant_id FROM chat_message WHERE body = $1 AND direction = 'INCOMING'";
    let participant: Uuid = loop {
        if let Some(found) = sqlx::query_scalar(statement).bind(MARK).fetch_optional(&mut db).await.unwrap() {
            break found;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    };
    lengthen(stage, messages, bytes).await;
    participant
}

/// Repeats each incoming message with the mark, so that its chat has so many of so many bytes.
pub async fn lengthen(stage: &Stage, messages: i32, bytes: usize) {
    let mut db = stage.patchbay.database().await;
    sqlx::query(
        "INSERT INTO chat_message
         SELECT (jsonb_populate_record(NULL::chat_message, replace(to_jsonb(message)::text, $1, repeat('x', $3))::jsonb
                    || jsonb_build_object('id', gen_random_uuid(), 'sequence_number', extra,
                                          'provider_id', 'seed-' || gen_random_uuid()))).*
         FROM (SELECT * FROM chat_message WHERE body = $1 AND direction = 'INCOMING') message,
              generate_series(1000, 1000 + $2 - 2) extra",
    )
    .bind(MARK)
    .bind(messages)
    .bind(i32::try_from(bytes).unwrap())
    .execute(&mut db)
    .await
    .unwrap();
    let next = "UPDATE participant SET next_sequence = 1000 + $1 WHERE id IN
                (SELECT participant_id FROM chat_message WHERE body = $2)";
    sqlx::query(next).bind(i64::from(messages)).bind(MARK).execute(&mut db).await.unwrap();
}

/// So many values of 64 KB that a plugin keeps for the attacker.
pub async fn key_values(stage: &Stage, plugin: &str, count: i32) {
    let mut db = stage.patchbay.database().await;
    sqlx::query(
        "INSERT INTO chatbot_value (client_id, plugin, participant_id, key, value, version)
         SELECT client.id, $2, '00000000-0000-0000-0000-000000000000', 'key-' || number,
                convert_to(repeat('v', 65000), 'UTF8'), 1
         FROM client, generate_series(1, $3) number WHERE client_ref = $1",
    )
    .bind(&stage.attacker.client_ref)
    .bind(plugin)
    .bind(count)
    .execute(&mut db)
    .await
    .unwrap();
}

/// The path of a file of 1 MB that the attacker received from a customer.
pub async fn file(stage: &Stage) -> String {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let sink = harness::WebhookSink::start().await;
    stage.attacker.webhooks_to(&sink, "v2").await;
    let bytes: Vec<u8> = b"GIF89a".iter().copied().cycle().take(1 << 20).collect();
    let message = json!({
        "to": stage.attacker.number, "type": "image", "base64": STANDARD.encode(bytes), "mimeType": "image/gif",
    });
    stage.patchbay.phone("27840000002").send(message).await;
    let incoming = eventually("the file", || async { sink.bodies("incoming").into_iter().next() }).await;
    let url = incoming.get("mediaUrl").and_then(Value::as_str).expect("a file has an address").to_owned();
    let (_, rest) = url.split_once("://").expect("an address is a URL");
    let (_, path) = rest.split_once('/').expect("an address has a path");
    format!("/{path}")
}

/// The mark, for messages that are written another way.
pub fn mark() -> &'static str {
    MARK
}
