//! A correct request in which each value in turn is replaced by an odd one: the answer is never a 500, and a 400 always
//! names a field.

use harness::{ClientReply, Patchbay, SharedPatchbay, TestClient};
use reqwest::Method;
use serde_json::{Value, json};

fn oddities() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5e300),
        json!(u64::MAX),
        json!(""),
        json!(" "),
        json!("x"),
        json!("{{1}} %s \u{202e}\u{feff}\u{1}\r\n\t' OR 1=1; --"),
        json!("\u{10ffff}".repeat(300)),
        json!([]),
        json!([null]),
        json!([[]]),
        json!({}),
        json!({ "a": { "b": [] } }),
    ]
}

fn places(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    for (name, value) in inner {
        found.extend(places(value).into_iter().map(|place| format!("/{name}{place}")));
    }
    found
}

/// Posts every mutation of `body`, and checks each answer. `refusals`: more permitted statuses than 2xx and 400.
async fn assert_all_answered(client: &TestClient, path: &str, body: &Value, refusals: &[u16]) {
    let mut accepted = 0;
    for place in places(body) {
        for odd in oddities() {
            let mut mutation = body.clone();
            *mutation.pointer_mut(&place).unwrap() = odd;
            let reply = client.post(path, &mutation).await;
            assert_answered(&reply, refusals, &mutation);
            accepted += usize::from(reply.status < 300);
        }
    }
    assert!(accepted > 0, "nothing was accepted: the request was wrong to begin with");
}

fn assert_answered(reply: &ClientReply, refusals: &[u16], mutation: &Value) {
    match reply.status {
        200..=202 => {}
        400 => assert!(!reply.faulty_fields().is_empty(), "no field is named for {mutation}: {}", reply.text),
        status => assert!(refusals.contains(&status), "{status} for {mutation}: {}", reply.text),
    }
}

fn assert_no_panic(patchbay: &Patchbay) {
    assert!(!patchbay.log().contains("panicked"), "a handler panicked");
}

#[tokio::test]
async fn no_value_in_any_field_of_a_template_send_causes_a_500() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let card = json!({ "components": [
        { "type": "header", "format": "IMAGE", "url": "https://files.example/a.png" },
        { "type": "body", "parameters": ["blue"] },
        { "type": "button", "parameters": ["p"], "conversationParameters": [{ "payload": "q", "conversationState": "end" }] },
    ]});
    let mut payload =
        client.template("summer_carousel", "nobody", json!([{ "type": "carousel", "cards": [card, card] }]));
    payload["fallback"] = json!({ "sendFallback": true, "text": "hi", "unicode": false });
    payload["messages"][0]["recipients"][0]["customerUserId"] = json!("no id");
    payload["messages"][0]["recipients"][0]["ctId"] = json!("c");

    assert_all_answered(&client, "/whatsapp-api-service/v2/channels/whatsapp", &payload, &[]).await;

    assert_no_panic(&patchbay);
}

#[tokio::test]
async fn no_value_in_any_field_of_a_chat_send_causes_a_500() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let mut payload = client.chat("nobody", "hi");
    payload["messages"][0]["media"] = json!({ "url": "https://files.example/a.png", "caption": "c" });
    let body = json!({ "channel": "WHATSAPP", "payload": payload });

    assert_all_answered(&client, "/whatsapp-api-service/v2/messages", &body, &[]).await;

    assert_no_panic(&patchbay);
}

#[tokio::test]
async fn no_value_in_any_field_of_a_webhook_configuration_causes_a_500() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let body = json!({
        "whatsAppNumberId": client.number_id,
        "incomingMessageURL": "https://hooks.example/a",
        "chatbotWebhookURL": "https://hooks.example/b",
        "chatbotPayloadVersion": "v2",
        "chatbotIncludeOutgoing": true,
        "chatbotStopOnAgentAssignment": false,
    });

    // The first valid configuration makes the next ones conflict. A number of another client is forbidden.
    assert_all_answered(&client, "/messaging-service/WhatsApp/WhatsAppClientWebHook", &body, &[403, 409]).await;

    assert_no_panic(&patchbay);
}

#[tokio::test]
async fn no_value_in_any_field_of_an_activation_causes_a_500() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let body = json!({ "version": null, "whatsAppNumberId": client.number_id, "mode": "live",
        "config": { "greeting": "Hi" } });

    let path = "/plugin-service/api/v1/plugins/default-chatbot/activate";
    assert_all_answered(&client, path, &body, &[]).await;

    assert_no_panic(&patchbay);
}

#[tokio::test]
async fn no_id_in_a_path_causes_a_500() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let odd = ["%00", "%ff", "..", "%2e%2e", "1", "a%2fb", "%F0%9F%98%80", "'", "%22", &"x".repeat(5000)];
    for id in odd {
        for path in [
            format!("/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}/secret"),
            format!("/plugin-service/api/v1/plugins/{id}"),
            format!("/plugin-service/api/v1/plugins/{id}/invocations"),
            format!("/media/{id}/{id}?expires=1&signature={id}"),
        ] {
            let reply = client.get(&path).await;
            assert!((200..500).contains(&reply.status), "{} for {path}: {}", reply.status, reply.text);
        }
        let activation = format!("/plugin-service/api/v1/plugins/{id}/activate");
        let reply = client.request(Method::POST, &activation, Some(&json!({})), &[]).await;
        assert_eq!(reply.status, 404, "{activation}: {}", reply.text);
    }
    assert_no_panic(&patchbay);
}
