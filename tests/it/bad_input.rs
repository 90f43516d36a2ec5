//! Bad input: if a request is wrong, a clear 4xx names the field, and nothing is stored. No 500, no panic (the issue's
//! "Bad input").

use harness::{ClientReply, PatchbaySetup, RowCounts, SharedPatchbay, TestClient};
use reqwest::Method;
use serde_json::{Value, json};

const UNIFIED: &str = "/whatsapp-api-service/v2/messages";
const CHANNEL: &str = "/whatsapp-api-service/v2/channels/whatsapp";
const WEBHOOK: &str = "/messaging-service/WhatsApp/WhatsAppClientWebHook";
const RETRIEVE: &str = "/messaging-service/WhatsApp/authenticate/retrieveApiKey";
const PHONE: &str = "27829999997";

/// A client, and its row counts before the test.
struct Scene {
    patchbay: SharedPatchbay,
    client: TestClient,
    before: RowCounts,
}

impl Scene {
    async fn set() -> Self {
        let patchbay = SharedPatchbay::get().await;
        let client = patchbay.new_client().await;
        let before = patchbay.rows_of(&client.client_ref).await;
        Self { patchbay, client, before }
    }

    /// `order_ready` with the value at a JSON pointer replaced or added.
    fn with(&self, pointer: &str, value: Value) -> Value {
        let mut payload = self.client.order_ready(&[PHONE]);
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match payload.pointer_mut(parent).unwrap() {
            Value::Object(fields) => drop(fields.insert(key.to_owned(), value)),
            Value::Array(items) => items[key.parse::<usize>().unwrap()] = value,
            other => panic!("nothing can be put into {other}"),
        }
        payload
    }

    async fn refused(&self, path: &str, body: impl Into<Vec<u8>>, status: u16) -> ClientReply {
        let reply = self.client.post_raw(path, "application/json", body).await;
        assert_error(&reply, status, path);
        reply
    }

    /// Sends to both endpoints a payload that must be refused for this one field.
    async fn fault(&self, payload: &Value, field: &str) {
        let reply = self.refused(CHANNEL, payload.to_string(), 400).await;
        assert_eq!(reply.faulty_fields(), [field], "{}", reply.text);
        let unified = json!({ "channel": "WHATSAPP", "payload": payload }).to_string();
        let reply = self.refused(UNIFIED, unified, 400).await;
        assert_eq!(reply.faulty_fields(), [format!("payload.{field}")], "{}", reply.text);
    }

    /// Nothing was stored for the client, and no handler panicked.
    async fn assert_untouched(&self) {
        assert_eq!(self.patchbay.rows_of(&self.client.client_ref).await, self.before);
        assert!(!self.patchbay.log().contains("panicked"), "a handler panicked");
    }
}

/// The common body of all error answers (DESIGN 6).
fn assert_error(reply: &ClientReply, status: u16, path: &str) {
    assert_eq!(reply.status, status, "{}", reply.text);
    assert_eq!(reply.header("content-type"), Some("application/json"));
    let body = reply.json();
    let mut fields: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["details", "error", "message", "path", "requestId", "status", "timestamp"]);
    assert_eq!(body["status"], status);
    assert_eq!(body["path"], path);
    assert_eq!(body["requestId"].as_str(), reply.request_id.as_deref(), "the header and the body name one id");
    let timestamp = body["timestamp"].as_str().unwrap();
    assert!(timestamp.ends_with('Z') && chrono::DateTime::parse_from_rfc3339(timestamp).is_ok(), "{timestamp}");
    for text in ["error", "message"] {
        assert!(!body[text].as_str().unwrap().is_empty(), "{text} says nothing");
    }
    for detail in body["details"].as_array().unwrap() {
        assert!(detail["field"].is_string() && detail["message"].is_string(), "{detail}");
    }
}

#[tokio::test]
async fn a_body_that_is_not_json_names_the_body() {
    let scene = Scene::set().await;
    for body in ["", " ", "{", "{\"channel\":}", "{'sender': 1}", "[1,2", "nul", "{} {}", "{\"a\":1,}"] {
        for path in [UNIFIED, CHANNEL, WEBHOOK, RETRIEVE] {
            assert_eq!(scene.refused(path, body, 400).await.faulty_fields(), ["body"], "{body:?}");
        }
    }
    scene.assert_untouched().await;
}

#[tokio::test]
async fn a_body_that_is_no_object_names_the_body() {
    let scene = Scene::set().await;
    for body in ["null", "[]", "[{}]", "\"text\"", "1", "true"] {
        for path in [UNIFIED, CHANNEL, RETRIEVE] {
            assert_eq!(scene.refused(path, body, 400).await.faulty_fields(), ["body"], "{body:?}");
        }
    }
    scene.assert_untouched().await;
}

#[tokio::test]
async fn a_body_that_is_not_utf8_names_the_body() {
    let scene = Scene::set().await;
    let mut body = scene.client.order_ready(&[PHONE]).to_string().replace("Thandi", "Th@ndi").into_bytes();
    let at = body.iter().position(|byte| *byte == b'@').unwrap();
    body[at] = 0xff;
    assert_eq!(scene.refused(CHANNEL, body, 400).await.faulty_fields(), ["body"]);
    scene.assert_untouched().await;
}

#[tokio::test]
async fn endless_nesting_is_refused() {
    let scene = Scene::set().await;
    for body in
        ["[".repeat(100_000), format!("{{\"a\":{}1{}}}", "[".repeat(5000), "]".repeat(5000)), "{\"a\":".repeat(100_000)]
    {
        assert_eq!(scene.refused(CHANNEL, body, 400).await.faulty_fields(), ["body"]);
    }
    scene.assert_untouched().await;
}

#[tokio::test]
async fn a_value_of_the_wrong_type_names_its_field() {
    let scene = Scene::set().await;
    let recipient = "/messages/0/recipients/0";
    let body = "/messages/0/components/0";
    for (pointer, value, field) in [
        ("/sender", json!(27_110_000_001_u64), "sender"),
        ("/messageType", json!(["NOTIFICATION"]), "messageType"),
        ("/templateName", json!({}), "templateName"),
        ("/templateId", json!(920), "templateId"),
        ("/messages", json!({}), "messages"),
        ("/messages", json!("none"), "messages"),
        ("/messages/0", json!("none"), "messages[0]"),
        ("/messages/0", json!([]), "messages[0]"),
        ("/messages/0", json!(null), "messages[0]"),
        ("/messages/0/recipients", json!("27821234567"), "messages[0].recipients"),
        ("/messages/0/recipients/0", json!("27821234567"), "messages[0].recipients[0]"),
        (&format!("{recipient}/to"), json!(27_821_234_567_u64), "messages[0].recipients[0].to"),
        (&format!("{recipient}/ctId"), json!(7), "messages[0].recipients[0].ctId"),
        (&format!("{recipient}/customerUserId"), json!(false), "messages[0].recipients[0].customerUserId"),
        ("/messages/0/components", json!({}), "messages[0].components"),
        (&format!("{body}/type"), json!(1), "messages[0].components[0].type"),
        (&format!("{body}/parameters"), json!("Thandi"), "messages[0].components[0].parameters"),
        (&format!("{body}/parameters/1"), json!(42), "messages[0].components[0].parameters[1]"),
        (&format!("{body}/cards"), json!(1), "messages[0].components[0].cards"),
        ("/fallback", json!(true), "fallback"),
        ("/fallback", json!({ "sendFallback": "yes" }), "fallback.sendFallback"),
        ("/fallback", json!({ "sendFallback": true, "unicode": 1 }), "fallback.unicode"),
        ("/fallback", json!({ "sendFallback": true, "text": ["a"] }), "fallback.text"),
    ] {
        scene.fault(&scene.with(pointer, value), field).await;
    }
    scene.assert_untouched().await;
}

#[tokio::test]
async fn an_unknown_enum_value_names_its_field() {
    let scene = Scene::set().await;
    let component = "/messages/0/components/0";
    for (pointer, value, field) in [
        ("/messageType", json!("notification"), "messageType"),
        ("/messageType", json!("SMS"), "messageType"),
        ("/messageType", json!("CONVERSATION"), "messageType"),
        (&format!("{component}/type"), json!("footer"), "messages[0].components[0].type"),
        (&format!("{component}/type"), json!({ "body": null }), "messages[0].components[0].type"),
        (&format!("{component}/format"), json!("AUDIO"), "messages[0].components[0].format"),
    ] {
        scene.fault(&scene.with(pointer, value), field).await;
    }
    let effect = json!([{ "payload": "A", "conversationState": "pause" }]);
    let component = json!({ "type": "button", "conversationParameters": effect });
    let field = "messages[0].components[0].conversationParameters[0].conversationState";
    scene.fault(&scene.with("/messages/0/components/0", component), field).await;
    for channel in [json!("FACEBOOK"), json!("whatsapp"), json!(1)] {
        let body = json!({ "channel": channel, "payload": scene.client.order_ready(&[PHONE]) });
        assert_eq!(scene.refused(UNIFIED, body.to_string(), 400).await.faulty_fields(), ["channel"]);
    }
    scene.assert_untouched().await;
}

#[tokio::test]
async fn every_missing_field_is_named_at_once() {
    let scene = Scene::set().await;
    let fields = scene.refused(CHANNEL, "{}", 400).await.faulty_fields();
    assert_eq!(fields, ["sender", "messageType", "messages"]);
    assert_eq!(scene.refused(UNIFIED, "{}", 400).await.faulty_fields(), ["channel", "payload"]);
    let empty = json!({ "channel": "WHATSAPP", "payload": {} }).to_string();
    let fields = scene.refused(UNIFIED, empty, 400).await.faulty_fields();
    assert_eq!(fields, ["payload.sender", "payload.messageType", "payload.messages"]);
    assert_eq!(scene.refused(RETRIEVE, "{}", 400).await.faulty_fields(), ["email", "password", "clientRef"]);
    scene.assert_untouched().await;
}

#[tokio::test]
async fn empty_arrays_and_texts_count_as_missing() {
    let scene = Scene::set().await;
    for (pointer, value, field) in [
        ("/messages", json!([]), "messages"),
        ("/messages", json!(null), "messages"),
        ("/messages/0/recipients", json!([]), "messages[0].recipients"),
        ("/messages/0/recipients", json!(null), "messages[0].recipients"),
        ("/sender", json!(""), "sender"),
        ("/templateName", json!(""), "templateName"),
        ("/templateId", json!(""), "templateId"),
        ("/fallback", json!({}), "fallback.sendFallback"),
    ] {
        scene.fault(&scene.with(pointer, value), field).await;
    }
    scene.assert_untouched().await;
}

#[tokio::test]
async fn a_chat_message_without_text_or_file_names_them() {
    let scene = Scene::set().await;
    let chat = |message: Value| {
        let mut payload = scene.client.chat(PHONE, "");
        payload["messages"][0].as_object_mut().unwrap().extend(message.as_object().unwrap().clone());
        payload
    };
    scene.fault(&chat(json!({})), "messages[0].messageText").await;
    scene.fault(&chat(json!({ "messageText": "x".repeat(4097) })), "messages[0].messageText").await;
    scene.fault(&chat(json!({ "media": {} })), "messages[0].media.url").await;
    scene.fault(&chat(json!({ "media": { "url": "javascript:alert(1)" } })), "messages[0].media.url").await;
    let long = json!({ "url": "https://files.example/a.png", "caption": "é".repeat(1025) });
    scene.fault(&chat(json!({ "media": long })), "messages[0].media.caption").await;
    let template = json!({ "messageText": "x", "components": [{ "type": "body", "parameters": ["1"] }] });
    scene.fault(&chat(template), "messages[0].components").await;
    scene.assert_untouched().await;
}

#[tokio::test]
async fn tracking_ids_that_are_too_long_are_named() {
    let scene = Scene::set().await;
    for name in ["ctId", "gstId"] {
        let payload = scene.with(&format!("/messages/0/recipients/0/{name}"), json!("é".repeat(256)));
        scene.fault(&payload, &format!("messages[0].recipients[0].{name}")).await;
    }
    scene.assert_untouched().await;
}

#[tokio::test]
async fn a_sender_that_is_not_a_number_of_the_client_is_named() {
    let scene = Scene::set().await;
    let other = scene.patchbay.new_client().await;
    for sender in ["27119999999", &other.number, "not a number", "0110000001"] {
        scene.fault(&scene.with("/sender", json!(sender)), "sender").await;
    }
    scene.assert_untouched().await;
}

#[tokio::test]
async fn a_nul_character_anywhere_names_its_field() {
    let scene = Scene::set().await;
    for (pointer, field) in [
        ("/messages/0/components/0/parameters/0", "messages[0].components[0].parameters[0]"),
        ("/messages/0/recipients/0/ctId", "messages[0].recipients[0].ctId"),
        ("/sender", "sender"),
        ("/aFieldThatIsIgnored", "aFieldThatIsIgnored"),
    ] {
        scene.fault(&scene.with(pointer, json!("a\0b")), field).await;
    }
    let login = json!({ "email": "a\0b", "password": "p", "clientRef": "c" }).to_string();
    assert_eq!(scene.refused(RETRIEVE, login, 400).await.faulty_fields(), ["email"]);
    scene.assert_untouched().await;
}

#[tokio::test]
async fn a_lone_surrogate_anywhere_names_its_field() {
    let scene = Scene::set().await;
    for half in ["\\ud83d", "\\ude00", "\\ud83dx", "\\ud83d\\ud83d"] {
        let body = scene.client.order_ready(&[PHONE]).to_string().replace("Thandi", half);
        let reply = scene.refused(CHANNEL, body, 400).await;
        assert_eq!(reply.faulty_fields(), ["messages[0].components[0].parameters[0]"], "{half}");
    }
    let ignored = scene.with("/ignored", json!("HALF")).to_string().replace("HALF", "\\udfff");
    assert_eq!(scene.refused(CHANNEL, ignored, 400).await.faulty_fields(), ["ignored"]);
    scene.assert_untouched().await;
}

#[tokio::test]
async fn a_whole_pair_of_surrogates_is_a_character() {
    let scene = Scene::set().await;
    let phone = scene.patchbay.new_phone();
    let body = scene.client.order_ready(&[&phone.msisdn]).to_string().replace("Thandi", "\\ud83d\\ude00");

    scene.client.post_raw(CHANNEL, "application/json", body).await.accepted();

    phone.receives("the emoji", |message| message["text"].as_str().unwrap().starts_with("Hi 😀,")).await;
}

#[tokio::test]
async fn unknown_fields_are_ignored() {
    let scene = Scene::set().await;
    let phone = scene.patchbay.new_phone();
    let mut payload = scene.client.order_ready(&[&phone.msisdn]);
    payload["priority"] = json!({ "nested": [1, 2.5, null] });
    payload["messages"][0]["colour"] = json!("red");
    payload["messages"][0]["recipients"][0]["name"] = json!(7);
    payload["messages"][0]["components"][0]["index"] = json!("0");

    let answer = scene.client.send_unified(&payload).await.accepted();

    assert_eq!(answer["acceptedCount"], 1);
    phone.receives("the template", |_| true).await;
}

#[tokio::test]
async fn a_misspelled_field_of_a_send_is_refused_with_the_field_that_was_meant() {
    let scene = Scene::set().await;
    for (pointer, field, meant) in [
        ("/fallBack", "fallBack", "fallback"),
        ("/message_typ", "message_typ", "messageType"),
        ("/messages/0/recipients/0/ctid", "messages[0].recipients[0].ctid", "ctId"),
        ("/messages/0/component", "messages[0].component", "components"),
    ] {
        let payload = scene.with(pointer, json!("order-7"));
        let reply = scene.refused(CHANNEL, payload.to_string(), 400).await;
        assert_eq!(reply.faulty_fields(), [field], "{}", reply.text);
        assert!(reply.text.contains(&format!("did you mean `{meant}`?")), "{}", reply.text);
    }
    scene.assert_untouched().await;
}

#[tokio::test]
async fn a_misspelled_query_parameter_is_refused_and_an_unknown_one_is_ignored() {
    let scene = Scene::set().await;
    let list = "/whatsapp-api-service/v2/batches";
    for name in ["Size", "siz", "PAGE"] {
        let reply = scene.client.get(&format!("{list}?{name}=1")).await;
        assert_error(&reply, 400, list);
        assert_eq!(reply.faulty_fields(), [name], "{}", reply.text);
        assert!(reply.text.contains("did you mean"), "{}", reply.text);
    }
    assert_eq!(scene.client.get(&format!("{list}?size=1&utm_source=mail")).await.status, 200);
}

#[tokio::test]
async fn another_content_type_is_415() {
    let scene = Scene::set().await;
    let body = scene.client.order_ready(&[PHONE]).to_string();
    for other in
        ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml"]
    {
        let reply = scene.client.post_raw(CHANNEL, other, body.clone()).await;
        assert_error(&reply, 415, CHANNEL);
        assert_eq!(reply.json()["error"], "Unsupported media type");
    }
    let headers = [("Authorization", scene.client.key.as_str())];
    assert_error(&scene.patchbay.ask(Method::POST, CHANNEL, &headers, body).await, 415, CHANNEL);
    scene.assert_untouched().await;
}

#[tokio::test]
async fn a_charset_in_the_content_type_is_accepted() {
    let scene = Scene::set().await;
    let body = scene.client.order_ready(&["nobody"]).to_string();
    scene.client.post_raw(CHANNEL, "application/json; charset=utf-8", body).await.accepted();
}

#[tokio::test]
async fn a_body_that_is_too_large_is_413() {
    let scene = Scene::set().await;
    let body = scene.with("/padding", json!("x".repeat(8 * 1024 * 1024))).to_string();
    for path in [CHANNEL, UNIFIED, WEBHOOK, RETRIEVE] {
        let reply = scene.refused(path, body.clone(), 413).await;
        assert_eq!(reply.json()["error"], "Payload too large");
    }
    scene.assert_untouched().await;
}

#[tokio::test]
async fn an_answer_is_never_larger_than_its_request_by_more_than_a_little() {
    let scene = Scene::set().await;
    // As many elements as fit into the largest body.
    let many = format!("[{}{{}}]", "{},".repeat(2_600_000));
    let sender = &scene.client.number;
    let head = format!(r#""sender":"{sender}","messageType":"NOTIFICATION","templateName":"x","templateId":"1""#);
    for payload in [
        format!(r#"{{{head},"messages":{many}}}"#),
        format!(r#"{{{head},"messages":[{{"recipients":{many}}}]}}"#),
        format!(r#"{{{head},"messages":[{{"recipients":[{{"to":"{PHONE}"}}],"components":{many}}}]}}"#),
        many.clone(),
    ] {
        let unified = format!(r#"{{"channel":"WHATSAPP","payload":{payload}}}"#);
        for (path, body) in [(CHANNEL, payload.clone()), (UNIFIED, unified), ("/sms/json", payload.clone())] {
            assert!(body.len() > 7_500_000 && body.len() < 8 << 20, "{} bytes", body.len());
            let key = [("X-API-Key", scene.client.key.as_str())];
            let reply = scene.client.post_raw_with(path, "application/json", body, &key).await;
            assert_eq!(reply.status, 400, "{path}: {}", reply.text.chars().take(500).collect::<String>());
            assert!(reply.text.len() < 64 << 10, "{path} answers {} bytes", reply.text.len());
        }
    }
    scene.assert_untouched().await;
}

#[tokio::test]
async fn the_limits_of_the_operator_hold_and_not_only_the_defaults() {
    let setup = PatchbaySetup::new().set("limits.max_body_bytes", "2000").set("limits.max_recipients", "2");
    let patchbay = setup.start().await;
    let client = patchbay.client("acme", "27110000001").await;

    let three = client.send(&client.order_ready(&[PHONE, PHONE, PHONE])).await;
    let mut padded = client.order_ready(&["nobody"]);
    padded["padding"] = json!("x".repeat(2000));

    assert_eq!(three.faulty_fields(), ["messages[0].recipients"]);
    assert_eq!(client.send(&padded).await.status, 413);
    client.send(&client.order_ready(&["nobody", "nobody"])).await.accepted();
}

#[tokio::test]
async fn a_webhook_configuration_with_faults_names_them_and_is_not_stored() {
    let scene = Scene::set().await;
    for (body, field) in [
        (json!({ "statusUpdateURL": "not an address" }), "statusUpdateURL"),
        (json!({ "statusUpdateURL": "ftp://hooks.example/x" }), "statusUpdateURL"),
        (json!({ "incomingMessageURL": 7 }), "incomingMessageURL"),
        (
            json!({ "chatbotWebhookURL": "https://hooks.example/x", "chatbotPayloadVersion": "v3" }),
            "chatbotPayloadVersion",
        ),
        (json!({ "chatbotIncludeOutgoing": "yes" }), "chatbotIncludeOutgoing"),
    ] {
        let reply = scene.refused(WEBHOOK, body.to_string(), 400).await;
        assert_eq!(reply.faulty_fields(), [field], "{}", reply.text);
    }
    scene.assert_untouched().await;
}

#[tokio::test]
async fn a_forged_callback_changes_nothing() {
    let scene = Scene::set().await;
    let path = "/providers/whatsapp-cloud/webhook";
    let metadata =
        json!({ "display_phone_number": scene.client.number, "phone_number_id": format!("1{}", scene.client.number) });
    let message = json!({ "from": PHONE, "id": "wamid.forged", "timestamp": "1760000000", "type": "text", "text": { "body": "hi" } });
    let value = json!({ "messaging_product": "whatsapp", "metadata": metadata, "messages": [message] });
    let changes = json!([{ "field": "messages", "value": value }]);
    let body = json!({ "object": "whatsapp_business_account", "entry": [{ "id": format!("2{}", scene.client.number), "changes": changes }] });
    let wrong = format!("sha256={}", "0".repeat(64));

    for headers in [&[][..], &[("x-hub-signature-256", wrong.as_str())][..], &[("x-hub-signature-256", "sha256=")][..]]
    {
        let reply = scene.patchbay.ask(Method::POST, path, headers, body.to_string()).await;
        assert_error(&reply, 401, path);
        assert_eq!(reply.json()["error"], "Invalid signature");
    }
    scene.assert_untouched().await;
}
