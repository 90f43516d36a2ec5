//! Phones: messages, taps, read receipts, and failures of sends.

use std::time::Duration;

use serde_json::{Value, json};

use crate::host::{BUSINESS, Outside, PHONE, text};

fn path(action: &str) -> String {
    format!("/phones/{PHONE}/{action}")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_of_a_phone_arrives_as_a_callback_of_meta() {
    let outside = Outside::start().await;
    let number = json!({"phoneNumberId": BUSINESS, "wabaId": "900", "number": "27110000000"});
    outside.post("/simulator/numbers", number).await;
    outside.phone(PHONE, json!({"name": "Zo", "username": "zo", "userId": "ZA.100"})).await;
    let sent = outside.sent(text("question")).await;
    let written = json!({"to": "27110000000", "text": "hi", "quote": sent});
    let answer = outside.post(&path("messages"), written).await;
    let wamid = answer["id"].as_str().unwrap();
    let value = outside.sink.inbound(wamid).await;
    let metadata = json!({"display_phone_number": "27110000000", "phone_number_id": BUSINESS});
    assert_eq!(value["metadata"], metadata);
    let contact = json!({"profile": {"name": "Zo", "username": "zo"}, "wa_id": PHONE, "user_id": "ZA.100"});
    assert_eq!(value["contacts"], json!([contact]));
    let message = &value["messages"][0];
    assert_eq!(message["from"], PHONE);
    assert_eq!(message["from_user_id"], "ZA.100");
    assert_eq!(message["text"]["body"], "hi");
    assert_eq!(message["context"], json!({"from": "27110000000", "id": sent}));
    assert!(outside.sink.posts().iter().all(|post| post.json["entry"][0]["id"] == "900"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_hides_its_number_is_known_by_its_user_id_only() {
    let outside = Outside::start().await;
    outside.phone(PHONE, json!({"hidePhone": true, "username": "zo"})).await;
    let written = json!({"to": BUSINESS, "text": "hi"});
    let answer = outside.post(&path("messages"), written).await;
    let value = outside.sink.inbound(answer["id"].as_str().unwrap()).await;
    assert!(value["messages"][0].get("from").is_none());
    assert!(value["contacts"][0].get("wa_id").is_none());
    let user_id = value["messages"][0]["from_user_id"].as_str().unwrap();
    assert!(user_id.starts_with("ZA."));
    let message = json!({"to": null, "recipient": user_id, "type": "text", "text": {"body": "x"}});
    let wamid = outside.sent(message).await;
    let status = outside.sink.statuses(&wamid, 1).await.remove(0);
    assert!(status.get("recipient_id").is_none());
    assert_eq!(status["recipient_user_id"], user_id);
}

#[tokio::test(flavor = "multi_thread")]
async fn locations_contacts_orders_and_reactions_are_written_too() {
    let outside = Outside::start().await;
    let sent = outside.sent(text("x")).await;
    let cases = [
        (json!({"type": "location"}), "/location/latitude", json!(-26.1076)),
        (json!({"type": "contacts"}), "/contacts/0/name/first_name", json!("Thandi")),
        (json!({"type": "order"}), "/order/product_items/0/product_retailer_id", json!("blue-mug")),
        (json!({"type": "reaction", "reaction": {"messageId": sent, "emoji": "👍"}}), "/reaction/emoji", json!("👍")),
        (json!({"type": "unsupported"}), "/errors/0/code", json!(131_051)),
    ];
    for (draft, pointer, expected) in cases {
        let answer = outside.post(&path("messages"), draft).await;
        let value = outside.sink.inbound(answer["id"].as_str().unwrap()).await;
        assert_eq!(value["messages"][0].pointer(pointer), Some(&expected));
    }
    let (status, error) = outside.call("POST", &path("messages"), Some(json!({"type": "fax"}))).await;
    assert_eq!(status, 400);
    assert!(error["error"].as_str().unwrap().contains("fax"));
}

#[tokio::test(flavor = "multi_thread")]
async fn tapping_a_quick_reply_answers_with_its_payload_and_context() {
    let outside = Outside::start().await;
    let survey = json!({"type": "template", "template": {"name": "survey", "language": {"code": "en"},
        "components": [{"type": "button", "sub_type": "quick_reply", "index": 1,
            "parameters": [{"type": "payload", "payload": "token-7"}]}]}});
    let sent = outside.sent(survey).await;
    outside.inbox(PHONE, 1).await;
    let answer = outside.post(&path("tap"), json!({"messageId": sent, "button": "Bad"})).await;
    let value = outside.sink.inbound(answer["id"].as_str().unwrap()).await;
    let message = &value["messages"][0];
    assert_eq!(message["type"], "button");
    assert_eq!(message["button"], json!({"text": "Bad", "payload": "token-7"}));
    assert_eq!(message["context"]["id"], sent);
    let first = outside.post(&path("tap"), json!({"button": 0})).await;
    let value = outside.sink.inbound(first["id"].as_str().unwrap()).await;
    assert_eq!(value["messages"][0]["button"]["payload"], "Good");
    let wrong = outside.call("POST", &path("tap"), Some(json!({"button": "Ugly"}))).await;
    assert_eq!(wrong.0, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn tapping_interactive_messages_gives_button_and_list_replies() {
    let outside = Outside::start().await;
    let buttons = json!({"type": "interactive", "interactive": {"type": "button",
        "body": {"text": "Rate us"}, "action": {"buttons": [
            {"type": "reply", "reply": {"id": "r_poor", "title": "Poor"}},
            {"type": "reply", "reply": {"id": "r_top", "title": "Excellent"}}]}}});
    let sent = outside.sent(buttons).await;
    outside.inbox(PHONE, 1).await;
    let answer = outside.post(&path("tap"), json!({"messageId": sent, "button": "r_top"})).await;
    let value = outside.sink.inbound(answer["id"].as_str().unwrap()).await;
    let reply = json!({"type": "button_reply", "button_reply": {"id": "r_top", "title": "Excellent"}});
    assert_eq!(value["messages"][0]["interactive"], reply);

    let list = json!({"type": "interactive", "interactive": {"type": "list", "body": {"text": "Pick"},
        "action": {"button": "Menu", "sections": [{"title": "Main", "rows": [
            {"id": "x1", "title": "Sales", "description": "Buy"}]}]}}});
    let sent = outside.sent(list).await;
    outside.inbox(PHONE, 2).await;
    let answer = outside.post(&path("tap"), json!({"messageId": sent, "button": "Sales"})).await;
    let value = outside.sink.inbound(answer["id"].as_str().unwrap()).await;
    let reply = json!({"id": "x1", "title": "Sales", "description": "Buy"});
    assert_eq!(value["messages"][0]["interactive"]["list_reply"], reply);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_is_off_gets_the_message_on_request() {
    let outside = Outside::start().await;
    outside.phone(PHONE, json!({"autoDeliver": false})).await;
    let wamid = outside.sent(text("x")).await;
    outside.sink.statuses(&wamid, 1).await;
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert_eq!(outside.inbox(PHONE, 1).await[0]["status"], "sent");
    assert_eq!(outside.post(&path("deliver"), json!({})).await["messageIds"], json!([wamid]));
    assert_eq!(outside.post(&path("read"), json!({"messageId": wamid})).await["messageIds"], json!([wamid]));
    assert_eq!(outside.post(&path("read"), json!({})).await["messageIds"], json!([]));
    let statuses = outside.sink.statuses(&wamid, 3).await;
    let names: Vec<&Value> = statuses.iter().map(|status| &status["status"]).collect();
    assert_eq!(names, ["sent", "delivered", "read"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_voice_note_can_be_played() {
    let outside = Outside::start().await;
    let voice = json!({"type": "audio", "audio": {"link": "https://host.example/a.ogg", "voice": true}});
    let wamid = outside.sent(voice).await;
    outside.sink.statuses(&wamid, 2).await;
    outside.post(&path("play"), json!({})).await;
    assert_eq!(outside.sink.statuses(&wamid, 3).await[2]["status"], "played");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_can_refuse_the_first_sends() {
    let outside = Outside::start().await;
    let rejection = json!({"rejectWith": {"status": 400, "code": 131_056, "times": 2}});
    outside.phone(PHONE, rejection).await;
    for _ in 0..2 {
        let (status, code, _) = outside.refused(text("x")).await;
        assert_eq!((status, code), (400, 131_056));
    }
    outside.sent(text("x")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_can_swallow_the_answer_and_still_get_the_message() {
    let outside = Outside::start().await;
    outside.phone(PHONE, json!({"timeout": true})).await;
    let message = json!({"messaging_product": "whatsapp", "to": PHONE, "type": "text",
        "text": {"body": "x"}, "biz_opaque_callback_data": "m1"});
    let call = outside
        .http
        .post(outside.url(&format!("/v25.0/{BUSINESS}/messages")))
        .bearer_auth("t")
        .json(&message)
        .timeout(Duration::from_millis(400))
        .send()
        .await;
    assert!(call.unwrap_err().is_timeout());
    let inbox = outside.inbox(PHONE, 1).await;
    let statuses = outside.sink.statuses(inbox[0]["id"].as_str().unwrap(), 2).await;
    assert_eq!(statuses[0]["biz_opaque_callback_data"], "m1");
}

#[tokio::test(flavor = "multi_thread")]
async fn mark_read_marks_earlier_messages_and_typing_shows_on_the_phone() {
    let outside = Outside::start().await;
    let mut ids = Vec::new();
    for line in ["one", "two", "three"] {
        let answer = outside.post(&path("messages"), json!({"to": BUSINESS, "text": line})).await;
        ids.push(answer["id"].clone());
    }
    let read = json!({"to": null, "status": "read", "message_id": ids[1],
        "typing_indicator": {"type": "text"}});
    let (status, answer) = outside.send(read).await;
    assert_eq!((status, answer), (200, json!({"success": true})));
    let outbox = outside.get(&path("outbox")).await;
    let marks: Vec<&Value> = outbox["messages"].as_array().unwrap().iter().map(|m| &m["readByBusiness"]).collect();
    assert_eq!(marks, [true, true, false]);
    assert_eq!(outside.get(&format!("/phones/{PHONE}")).await["typing"], true);
    outside.sent(text("answer")).await;
    assert_eq!(outside.get(&format!("/phones/{PHONE}")).await["typing"], false);
    let unknown = json!({"status": "read", "message_id": "wamid.none"});
    assert_eq!(outside.refused(unknown).await.1, 131_009);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_is_not_on_whatsapp_cannot_write_there() {
    let outside = Outside::start().await;
    outside.phone(PHONE, json!({"onWhatsApp": false})).await;
    let draft = json!({"to": BUSINESS, "text": "hi"});
    assert_eq!(outside.call("POST", &path("messages"), Some(draft)).await.0, 409);
    let wrong = json!({"onWhatsapp": true});
    let unknown = outside.call("PUT", &format!("/phones/{PHONE}"), Some(wrong)).await;
    assert_eq!(unknown.0, 400, "a field that does not exist must not pass unseen");
}
