//! Sends and their validation.

use serde_json::{Value, json};

use crate::host::{BUSINESS, Outside, PHONE, text};

#[tokio::test(flavor = "multi_thread")]
async fn a_text_is_accepted_sent_delivered_and_readable_on_the_phone() {
    let outside = Outside::start().await;
    let mut message = text("Hello");
    message["biz_opaque_callback_data"] = json!("msg_1");
    message["to"] = json!("+27 82 000 0001");
    let (status, answer) = outside.send(message).await;
    assert_eq!(status, 200);
    assert_eq!(answer["contacts"], json!([{"input": "+27 82 000 0001", "wa_id": PHONE}]));
    assert_eq!(answer["messages"][0]["message_status"], "accepted");
    let wamid = answer["messages"][0]["id"].as_str().unwrap();
    assert!(wamid.starts_with("wamid."));

    let statuses = outside.sink.statuses(wamid, 2).await;
    let names: Vec<&Value> = statuses.iter().map(|status| &status["status"]).collect();
    assert_eq!(names, ["sent", "delivered"]);
    for status in &statuses {
        assert_eq!(status["biz_opaque_callback_data"], "msg_1");
        assert_eq!(status["recipient_id"], PHONE);
        assert_eq!(status["pricing"]["category"], "service");
        assert!(status["timestamp"].is_string());
    }
    let inbox = outside.inbox(PHONE, 1).await;
    assert_eq!(inbox[0]["text"], "Hello");
    assert_eq!(inbox[0]["channel"], "WHATSAPP");
    assert_eq!(inbox[0]["status"], "delivered");
    assert_eq!(inbox[0]["phoneNumberId"], BUSINESS);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_without_a_token_is_refused_with_190() {
    let outside = Outside::start().await;
    for token in [None, Some("Bearer "), Some("Basic abc")] {
        let mut request = outside.http.post(outside.url("/v25.0/1/messages")).body("{}");
        if let Some(token) = token {
            request = request.header("Authorization", token);
        }
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 401);
        let body: Value = answer.json().await.unwrap();
        assert_eq!(body["error"]["code"], 190);
        assert_eq!(body["error"]["type"], "OAuthException");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_other_message_type_is_accepted_in_its_right_form() {
    let outside = Outside::start().await;
    let link = json!({"link": "https://host.example/a"});
    let messages = [
        json!({"type": "image", "image": {"link": "https://host.example/a.jpg", "caption": "c"}}),
        json!({"type": "audio", "audio": link}),
        json!({"type": "video", "video": link}),
        json!({"type": "document", "document": {"link": "http://host.example/a", "filename": "a.pdf"}}),
        json!({"type": "sticker", "sticker": link}),
        json!({"type": "location", "location": {"latitude": "-26.1", "longitude": 28.0, "name": "Shop"}}),
        json!({"type": "contacts", "contacts": [{"name": {"formatted_name": "A B", "first_name": "A"}}]}),
        json!({"type": "reaction", "reaction": {"message_id": "wamid.T", "emoji": ""}}),
        buttons(3, 20),
        list(10, "Menu"),
    ];
    for message in messages {
        outside.sent(message).await;
    }
    let inbox = outside.inbox(PHONE, 10).await;
    let find = |kind: &str| inbox.iter().find(|message| message["type"] == kind).unwrap();
    assert_eq!(find("location")["text"], "Shop");
    assert_eq!(find("image")["text"], "c");
    assert_eq!(find("interactive")["buttons"][2]["id"], "b2");
}

fn buttons(count: usize, title: usize) -> Value {
    let buttons: Vec<Value> = (0..count)
        .map(|n| json!({"type": "reply", "reply": {"id": format!("b{n}"), "title": format!("{n}{}", "x".repeat(title - 1))}}))
        .collect();
    json!({"type": "interactive", "interactive":
        {"type": "button", "body": {"text": "Rate us"}, "action": {"buttons": buttons}}})
}

fn list(rows: usize, button: &str) -> Value {
    let rows: Vec<Value> = (0..rows).map(|n| json!({"id": format!("r{n}"), "title": format!("Row {n}")})).collect();
    json!({"type": "interactive", "interactive": {"type": "list", "body": {"text": "Pick"},
        "action": {"button": button, "sections": [{"title": "Main", "rows": rows}]}}})
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_messages_are_refused_with_metas_codes() {
    let outside = Outside::start().await;
    let long = |n: usize| "x".repeat(n);
    let cases: Vec<(Value, i64)> = vec![
        (json!({"type": "text"}), 131_008),
        (json!({"type": "text", "text": {}}), 131_008),
        (text(""), 131_009),
        (text(&long(4097)), 100),
        (json!({"type": "telegram"}), 100),
        (json!({"type": "text", "text": {"body": "x"}, "to": "not a number"}), 131_009),
        (json!({"type": "text", "text": {"body": "x"}, "to": null}), 100),
        (json!({"type": "text", "text": {"body": "x"}, "messaging_product": "signal"}), 100),
        (json!({"type": "text", "text": {"body": "x"}, "biz_opaque_callback_data": long(513)}), 100),
        (json!({"type": "image", "image": {}}), 131_008),
        (json!({"type": "image", "image": {"link": "ftp://x"}}), 131_009),
        (json!({"type": "image", "image": {"id": "88001234567890123"}}), 131_009),
        (json!({"type": "image", "image": {"link": "https://x", "caption": long(1025)}}), 131_009),
        (json!({"type": "location", "location": {"latitude": 91, "longitude": 0}}), 131_009),
        (json!({"type": "location", "location": {"latitude": 1}}), 131_008),
        (json!({"type": "reaction", "reaction": {"emoji": "x"}}), 131_008),
        (json!({"type": "contacts", "contacts": []}), 131_009),
        (json!({"type": "contacts", "contacts": [{"name": {"formatted_name": "A"}}]}), 131_008),
        (buttons(4, 5), 131_009),
        (buttons(1, 21), 131_009),
        (list(11, "Menu"), 131_009),
        (list(1, &long(21)), 131_009),
    ];
    for (message, code) in cases {
        let (status, found, details) = outside.refused(message.clone()).await;
        assert_eq!((status, found), (400, code), "{message}: {details}");
    }
    assert!(outside.inbox(PHONE, 0).await.is_empty(), "a refused message reached the phone");
    text_at_its_limit_passes(&outside).await;
}

async fn text_at_its_limit_passes(outside: &Outside) {
    outside.sent(text(&"é".repeat(4096))).await;
    outside.sent(list(1, &"x".repeat(20))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_cannot_write_to_itself() {
    let outside = Outside::start().await;
    let number = json!({"phoneNumberId": BUSINESS, "wabaId": "900", "number": "+27 11 000 0000"});
    outside.post("/simulator/numbers", number).await;
    let mut message = text("x");
    message["to"] = json!("27110000000");
    assert_eq!(outside.refused(message).await.1, 131_021);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_id_is_a_recipient_and_a_given_number_takes_precedence() {
    let outside = Outside::start().await;
    outside.phone(PHONE, json!({"userId": "ZA.100"})).await;
    let message = json!({"to": null, "recipient": "ZA.100", "type": "text", "text": {"body": "x"}});
    let (_, answer) = outside.send(message).await;
    assert_eq!(answer["contacts"], json!([{"input": "ZA.100", "user_id": "ZA.100"}]));
    let both = json!({"to": "27820000002", "recipient": "ZA.100", "type": "text", "text": {"body": "y"}});
    let (_, answer) = outside.send(both).await;
    assert_eq!(answer["contacts"][0]["wa_id"], "27820000002");
    let unknown = json!({"to": null, "recipient": "ZA.999", "type": "text", "text": {"body": "x"}});
    assert_eq!(outside.refused(unknown).await.1, 131_026);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_names_the_whatsapp_number_of_the_phone() {
    let outside = Outside::start().await;
    outside.phone("5215500000001", json!({"waId": "525500000001"})).await;
    let mut message = text("hola");
    message["to"] = json!("5215500000001");
    let (_, answer) = outside.send(message).await;
    assert_eq!(answer["contacts"][0]["wa_id"], "525500000001");
    let wamid = answer["messages"][0]["id"].as_str().unwrap();
    let statuses = outside.sink.statuses(wamid, 1).await;
    assert_eq!(statuses[0]["recipient_id"], "525500000001");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_sends_too_fast_is_slowed_with_130429() {
    let outside = Outside::start().await;
    let number = json!({"phoneNumberId": BUSINESS, "throughput": 2});
    outside.post("/simulator/numbers", number).await;
    for _ in 0..4 {
        outside.sent(text("x")).await;
    }
    let (status, code, _) = outside.refused(text("x")).await;
    assert_eq!((status, code), (429, 130_429));
    outside.faults(json!({"enforceLimits": false})).await;
    outside.sent(text("x")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pair_is_slowed_after_45_messages_where_limits_are_asked_for() {
    let outside = Outside::start().await;
    outside.faults(json!({"enforceLimits": true})).await;
    for _ in 0..45 {
        outside.sent(text("x")).await;
    }
    assert_eq!(outside.refused(text("x")).await.1, 131_056);
    let mut other = text("x");
    other["to"] = json!("27820000002");
    outside.sent(other).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn outside_the_window_a_text_fails_if_limits_are_enforced() {
    let outside = Outside::start().await;
    outside.faults(json!({"enforceWindow": true})).await;
    let wamid = outside.sent(text("x")).await;
    let statuses = outside.sink.statuses(&wamid, 1).await;
    assert_eq!(statuses[0]["errors"][0]["code"], 131_047);
    let written = json!({"to": BUSINESS, "text": "hi"});
    outside.post(&format!("/phones/{PHONE}/messages"), written).await;
    let wamid = outside.sent(text("x")).await;
    assert_eq!(outside.sink.statuses(&wamid, 1).await[0]["status"], "sent");
}
