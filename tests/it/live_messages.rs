//! Messages in live events equal those of the history, field by field (SPEC 2.7, `docs/live-events.md`).

use harness::{SharedPatchbay, TestClient};
use serde_json::{Value, json};

use crate::live_events::{Socket, socket, until};

const MESSAGES: &str = "/chat-service/api/v2/messages";
const VOICE: &[u8] = b"OggS\0\x02\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x01\x13OpusHead\x01";

/// A message whose file address has no signature, because each answer signs it again.
fn unsigned(mut message: Value) -> Value {
    if let Some(url) = message["mediaUrl"].as_str() {
        message["mediaUrl"] = json!(url.split('?').next());
    }
    message
}

/// Checks that the message of an event has these fields, and all fields of the message in the history.
async fn is_as_in_the_history(client: &TestClient, told: &Value, fields: &Value) {
    for (field, value) in fields.as_object().unwrap() {
        assert_eq!(told[field], *value, "{field} of {told}");
    }
    let chat = told["participantId"].as_str().unwrap();
    let past = client.get(&format!("{MESSAGES}?participantId={chat}")).await.ok();
    let past = past.as_array().unwrap().iter().find(|message| message["id"] == told["id"]).unwrap();
    assert_eq!(unsigned(told.clone()), unsigned(past.clone()));
}

async fn received(live: &mut Socket) -> Value {
    until(live, "message.received").await.pop().unwrap()["message"].clone()
}

/// Waits for the event in which a message has this status.
async fn come_to(live: &mut Socket, id: &Value, status: &str) -> Value {
    loop {
        let message = until(live, "message.status").await.pop().unwrap()["message"].clone();
        if message["id"] == *id && message["status"] == status {
            return message;
        }
    }
}

async fn voice_note(client: &TestClient) -> Value {
    let head =
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.ogg\"\r\nContent-Type: audio/ogg\r\n\r\n";
    let body = [head.as_bytes(), VOICE, b"\r\n--b--\r\n"].concat();
    let kept = client.post_raw(&format!("{MESSAGES}/media"), "multipart/form-data; boundary=b", body).await.ok();
    kept["mediaUrl"].clone()
}

#[tokio::test]
async fn the_event_of_a_customers_message_has_all_fields_of_the_history() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    let mut live = socket(&patchbay.url(), "", &client.key).await;
    phone.write(&client.number, "is anybody there?").await;
    let hello = received(&mut live).await;
    is_as_in_the_history(&client, &hello, &json!({ "sender": phone.msisdn, "receiver": client.number })).await;
    let wamid = &hello["whatsAppMessageId"];
    let place = json!({ "latitude": -26.1, "longitude": 28.05 });
    let quotes = json!({
        "quotedExternalMessageId": wamid, "quotedMessageId": hello["id"], "quotedText": "is anybody there?",
    });
    for (mut draft, fields) in [
        (json!({ "type": "location", "location": place }), place.clone()),
        (json!({ "type": "button", "button": { "text": "Yes", "payload": "YES" } }), json!({ "buttonPayload": "YES" })),
        (
            json!({ "type": "reaction", "reaction": { "messageId": wamid, "emoji": "👍" } }),
            json!({ "reactionTo": wamid }),
        ),
        (json!({ "text": "that one", "quote": wamid }), quotes),
    ] {
        draft["to"] = json!(client.number);
        phone.send(draft).await;
        let told = received(&mut live).await;
        is_as_in_the_history(&client, &told, &fields).await;
    }
}

#[tokio::test]
async fn the_event_of_an_agents_message_has_all_fields_of_the_history_played_or_not() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    let mut live = socket(&patchbay.url(), "", &client.key).await;
    phone.write(&client.number, "what did you say?").await;
    let hello = received(&mut live).await;
    let place = json!({ "latitude": -26.1, "longitude": 28.05 });
    let quotes = json!({ "quotedMessageId": hello["id"], "quotedText": "what did you say?" });
    let mut last = Value::Null;
    for (mut answer, fields) in [
        (json!({ "text": "this" , "quotedExternalMessageId": hello["id"] }), quotes),
        (json!({ "location": place }), place.clone()),
        (json!({ "mediaUrl": voice_note(&client).await }), json!({ "played": false })),
    ] {
        (answer["participantId"], answer["channel"]) = (hello["participantId"].clone(), json!("WHATSAPP"));
        let stored = client.post(MESSAGES, &answer).await.ok();
        let told = come_to(&mut live, &stored["id"], "DELIVERED").await;
        let addresses = json!({ "sender": client.number, "receiver": phone.msisdn });
        is_as_in_the_history(&client, &told, &addresses).await;
        is_as_in_the_history(&client, &told, &fields).await;
        last = told["id"].clone();
    }
    patchbay.simulate(&format!("/phones/{}/play", phone.msisdn), &json!({})).await;
    let told = come_to(&mut live, &last, "PLAYED").await;
    is_as_in_the_history(&client, &told, &json!({ "played": true })).await;
    assert!(told["playedTime"].is_string(), "{told}");
}
