//! Messages in long-lived conversations: the conversation endpoint, statuses and incoming messages (SPEC 2.3, 4.1, 6.1, 6.2).

use harness::{ClientReply, Patchbay, SharedPatchbay, TestClient, TestPhone, WebhookSink};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{close, create, opened};

const PATH: &str = "/whatsapp-api-service/v2/json";

fn text(client: &TestClient, to: &str, conversation: &str, text: &str) -> Value {
    json!({
        "sender": client.number,
        "messageType": "CONVERSATION",
        "messages": [{
            "recipientNumbers": [{ "to": to, "ctId": format!("ct-{text}"), "gstId": format!("gst-{text}") }],
            "conversationId": conversation,
            "messageText": text,
        }],
    })
}

async fn send(client: &TestClient, payload: &Value) -> Value {
    client.post(PATH, payload).await.accepted()
}

async fn in_touch() -> (SharedPatchbay, TestClient, WebhookSink, TestPhone) {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone, sink) = (patchbay.new_client().await, patchbay.new_phone(), WebhookSink::start().await);
    client.webhooks_to(&sink, "v2").await;
    (patchbay, client, sink, phone)
}

/// Lets the customer write, and returns the body of the incoming webhook.
async fn write(phone: &TestPhone, client: &TestClient, sink: &WebhookSink, text: &str) -> Value {
    phone.write(&client.number, text).await;
    sink.receives("incoming", "the incoming webhook", |body| body["text"] == text).await
}

/// The reason for which a payload's only recipient was rejected.
async fn rejected(client: &TestClient, payload: &Value) -> String {
    let answer = send(client, payload).await;
    assert_eq!((&answer["acceptedCount"], &answer["rejectedCount"]), (&json!(0), &json!(1)), "{answer}");
    assert_eq!(answer["status"], "PARTIAL");
    let entry = &answer["rejectedRecipients"][0];
    let recipient = &payload["messages"][0]["recipientNumbers"][0];
    assert_eq!(entry["number"], recipient["to"]);
    entry["reason"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_free_text_reaches_the_customer_and_every_status_names_its_conversation() {
    let (_patchbay, client, sink, phone) = in_touch().await;
    write(&phone, &client, &sink, "hello").await;
    let id = opened(&client, json!({ "recipient": phone.msisdn })).await;

    let answer = send(&client, &text(&client, &phone.msisdn, &id, "one")).await;

    for field in [
        "response",
        "batchId",
        "reqObject",
        "status",
        "message",
        "requestId",
        "channel",
        "timestamp",
        "acceptedCount",
        "rejectedCount",
        "acceptedRecipients",
        "rejectedRecipients",
    ] {
        assert!(answer.get(field).is_some(), "{field}");
    }
    assert_eq!((&answer["status"], &answer["channel"]), (&json!("ACCEPTED"), &json!("WHATSAPP")));
    let shown = phone.receives("the text", |message| message["text"] == "one").await;
    assert_eq!(shown["type"], "text");
    assert_eq!(client.statuses(&sink, "ct-one", "DELIVERED").await, ["ACCEPTED", "SENT", "DELIVERED"]);
    send(&client, &text(&client, &phone.msisdn, &id, "two")).await;
    client.statuses(&sink, "ct-two", "DELIVERED").await;
    let statuses: Vec<Value> = sink.bodies("status");
    let participant = &statuses[0]["participantId"];
    assert!(participant.as_str().unwrap().parse::<Uuid>().is_ok());
    for status in &statuses {
        assert_eq!((&status["conversationId"], &status["participantId"]), (&json!(id), participant), "{status}");
        assert_eq!(status["conversationCtId"], "ct-one", "of the first text that had one");
        assert_eq!(status["gstId"].as_str().unwrap(), status["ctId"].as_str().unwrap().replace("ct", "gst"));
    }
}

#[tokio::test]
async fn the_participant_of_the_conversation_engine_is_no_chat_and_stays_the_same_in_the_next_conversation() {
    let (_patchbay, client, sink, phone) = in_touch().await;
    let first = opened(&client, json!({ "recipient": phone.msisdn })).await;
    let before = write(&phone, &client, &sink, "before").await;
    let chat = sink.receives("chatbot", "the chatbot webhook", |body| body["messageText"] == "before").await;
    close(&client, &first).await.ok();
    let second = opened(&client, json!({ "recipient": phone.msisdn })).await;
    let after = write(&phone, &client, &sink, "after").await;

    assert_ne!(before["participantId"], chat["chatParticipantId"]);
    assert_eq!((&before["conversationId"], &after["conversationId"]), (&json!(first), &json!(second)));
    assert_eq!(before["participantId"], after["participantId"]);
}

#[tokio::test]
async fn a_text_outside_the_24_hours_is_accepted_and_the_providers_refusal_is_a_status() {
    let (patchbay, sink) = (Patchbay::start().await, WebhookSink::start().await);
    patchbay.simulate("/simulator/faults", &json!({ "enforceWindow": true })).await;
    let (client, phone) = (patchbay.client("acme", "27820001001").await, patchbay.phone("27820000001"));
    client.webhooks_to(&sink, "v2").await;
    let id = opened(&client, json!({ "recipient": phone.msisdn })).await;

    let answer = send(&client, &text(&client, &phone.msisdn, &id, "cold")).await;

    assert_eq!(answer["acceptedCount"], 1, "{answer}");
    let failed = sink.receives("status", "the failure", |body| body["status"] == "FAILED").await;
    assert_eq!((&failed["errorCode"], &failed["conversationId"]), (&json!("131047"), &json!(id)), "{failed}");
}

#[tokio::test]
async fn a_closed_conversation_takes_no_text() {
    let (_patchbay, client, _sink, phone) = in_touch().await;
    let id = opened(&client, json!({ "recipient": phone.msisdn })).await;
    close(&client, &id).await.ok();

    let reason = rejected(&client, &text(&client, &phone.msisdn, &id, "late")).await;

    assert!(reason.contains("closed"), "{reason}");
    assert!(phone.inbox().await.is_empty());
}

#[tokio::test]
async fn an_expired_conversation_takes_no_text() {
    let patchbay = Patchbay::start().await;
    let client = patchbay.client("acme", "27820001001").await;
    let id = opened(&client, json!({ "recipient": "27820000001" })).await;
    patchbay.advance_clock(30 * 24 * 3600).await;

    let reason = rejected(&client, &text(&client, "27820000001", &id, "late")).await;

    assert!(reason.contains("expired"), "{reason}");
}

#[tokio::test]
async fn a_conversation_that_is_not_the_senders_is_unknown() {
    let (patchbay, client, _sink, phone) = in_touch().await;
    let stranger = patchbay.new_client().await;
    let theirs = opened(&stranger, json!({ "recipient": phone.msisdn })).await;
    let unowned = Uuid::from_u128(9).to_string();

    let foreign = rejected(&client, &text(&client, &phone.msisdn, &theirs, "x")).await;
    let unknown = rejected(&client, &text(&client, &phone.msisdn, &unowned, "x")).await;

    assert_eq!(foreign, unknown);
    assert!(unknown.contains("not known"), "{unknown}");
}

#[tokio::test]
async fn only_the_customer_of_a_conversation_is_written_to_in_it() {
    let (patchbay, client, sink, phone) = in_touch().await;
    write(&phone, &client, &sink, "hello").await;
    let other = patchbay.new_phone();
    let id = opened(&client, json!({ "recipient": phone.msisdn })).await;

    let reason = rejected(&client, &text(&client, &other.msisdn, &id, "x")).await;
    assert!(reason.contains("not the customer"), "{reason}");

    let mut both = text(&client, &phone.msisdn, &id, "both");
    both["messages"][0]["recipientNumbers"].as_array_mut().unwrap().push(json!({ "to": other.msisdn }));
    let answer = send(&client, &both).await;
    assert_eq!((&answer["acceptedCount"], &answer["rejectedCount"]), (&json!(1), &json!(1)));
    // Another address of the same customer is accepted too.
    let mut by_user = text(&client, &phone.msisdn, &id, "by user");
    by_user["messages"][0]["recipientNumbers"] = json!([{ "customerUserId": phone.user_id().await }]);
    assert_eq!(send(&client, &by_user).await["acceptedCount"], 1);
    phone.receives("the text", |message| message["text"] == "by user").await;
}

#[tokio::test]
async fn a_customer_without_a_phone_number_is_written_to_by_bsuid() {
    let (_patchbay, client, sink, phone) = in_touch().await;
    let user = phone.user_id().await;
    let id = opened(&client, json!({ "customerUserId": user })).await;
    let came = write(&phone, &client, &sink, "hello").await;
    assert_eq!(came["conversationId"], id, "the sender has that phone number");

    let mut payload = text(&client, "", &id, "one");
    payload["messages"][0]["recipientNumbers"] = json!([{ "customerUserId": user }]);
    assert_eq!(send(&client, &payload).await["acceptedCount"], 1);

    phone.receives("the text", |message| message["text"] == "one").await;
    let again = create(&client, json!({ "recipient": phone.msisdn })).await.ok();
    assert_eq!((&again["conversationStatusCode"], &again["conversationId"]), (&json!("452"), &json!(id)));
}

#[tokio::test]
async fn a_conversation_takes_texts_to_the_user_id_that_it_was_opened_with() {
    let (patchbay, client, _sink, phone) = in_touch().await;
    let (user, other) = (phone.user_id().await, patchbay.new_phone().user_id().await);
    let id = opened(&client, json!({ "recipient": phone.msisdn, "customerUserId": user })).await;
    let to_user = |user: &str, words: &str| {
        let mut payload = text(&client, "", &id, words);
        payload["messages"][0]["recipientNumbers"] = json!([{ "customerUserId": user }]);
        payload
    };

    assert_eq!(send(&client, &to_user(&user, "one")).await["acceptedCount"], 1);

    phone.receives("the text", |message| message["text"] == "one").await;
    assert_eq!(
        send(&client, &to_user(&other, "two")).await["acceptedCount"],
        0,
        "the conversation of another customer"
    );
}

#[tokio::test]
async fn an_incoming_message_names_its_conversation() {
    let (_patchbay, client, sink, phone) = in_touch().await;
    let without = write(&phone, &client, &sink, "before").await;
    assert_eq!(without["messageType"], "INTERACTION");
    assert!(without.get("conversationId").is_none() && without.get("participantId").is_none(), "{without}");

    let id = opened(&client, json!({ "recipient": phone.msisdn })).await;
    let within = write(&phone, &client, &sink, "during").await;
    assert_eq!((&within["messageType"], &within["conversationId"]), (&json!("CONVERSATION"), &json!(id)));
    assert!(within["participantId"].is_string());

    close(&client, &id).await.ok();
    let after = write(&phone, &client, &sink, "after").await;
    assert_eq!(after["messageType"], "INTERACTION");
    assert!(after.get("conversationId").is_none());
}

#[tokio::test]
async fn a_template_of_the_conversation_endpoint_belongs_to_the_active_conversation() {
    let (_patchbay, client, sink, phone) = in_touch().await;
    let id = opened(&client, json!({ "recipient": phone.msisdn })).await;
    let mut template = client.order_ready(&[&phone.msisdn]);
    template["messages"][0]["recipients"][0]["ctId"] = json!("within");
    assert_eq!(send(&client, &template).await["acceptedCount"], 1);
    template["messages"][0]["recipients"][0]["ctId"] = json!("outside");
    client.send(&template).await.accepted();

    client.statuses(&sink, "within", "DELIVERED").await;
    client.statuses(&sink, "outside", "DELIVERED").await;
    for status in sink.bodies("status") {
        let named = status.get("conversationId").cloned();
        assert_eq!(named, (status["ctId"] == "within").then(|| json!(id)), "{status}");
    }
}

#[tokio::test]
async fn a_repeated_key_replays_the_first_answer_and_sends_nothing() {
    let (_patchbay, client, sink, phone) = in_touch().await;
    write(&phone, &client, &sink, "hello").await;
    let id = opened(&client, json!({ "recipient": phone.msisdn })).await;
    let payload = text(&client, &phone.msisdn, &id, "once");
    let send = || async {
        let headers = [("Idempotency-Key", "conversation-key")];
        client.request(Method::POST, PATH, Some(&payload), &headers).await
    };

    let (first, again): (ClientReply, ClientReply) = (send().await, send().await);

    assert_eq!((first.status, &first.text), (again.status, &again.text));
    client.statuses(&sink, "ct-once", "DELIVERED").await;
    assert_eq!(phone.inbox().await.len(), 1);
    close(&client, &id).await.ok();
    assert_eq!(send().await.text, first.text, "the first answer, also after the end of the conversation");
}

#[tokio::test]
async fn a_wrong_conversation_send_is_a_400_that_names_every_field() {
    let (_patchbay, client, _sink, phone) = in_touch().await;
    let mut payload = text(&client, &phone.msisdn, "nonsense", "x");
    payload["templateName"] = json!("order_ready");
    payload["messages"][0]["components"] = json!([{ "type": "body", "parameters": ["a"] }]);
    let mut fields = client.post(PATH, &payload).await.faulty_fields();
    fields.sort();
    assert_eq!(fields, ["messages[0].components", "messages[0].conversationId", "templateName"]);
    assert_eq!(client.post(PATH, &client.chat(&phone.msisdn, "x")).await.faulty_fields(), ["messageType"]);
}

#[tokio::test]
async fn a_close_and_a_send_at_the_same_time_leave_no_message_in_a_closed_conversation() {
    let (patchbay, client, _sink, phone) = in_touch().await;
    for round in 0..6 {
        let id = opened(&client, json!({ "recipient": phone.msisdn })).await;
        let payload = text(&client, &phone.msisdn, &id, &format!("round {round}"));
        let (sent, closed) = tokio::join!(send(&client, &payload), close(&client, &id));
        assert_eq!(closed.ok()["closeStatus"], true);
        let after = send(&client, &payload).await;
        assert_eq!(after["acceptedCount"], 0);
        let mut db = patchbay.database().await;
        let stored: i64 = sqlx::query_scalar("SELECT count(*) FROM outbound_message WHERE conversation_id = $1")
            .bind(id.parse::<Uuid>().unwrap())
            .fetch_one(&mut db)
            .await
            .unwrap();
        assert_eq!(json!(stored), sent["acceptedCount"]);
    }
}
