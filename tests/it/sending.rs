//! Sends through both endpoints: their answers, accepted recipients and rejected ones (SPEC 2.2, 2.5, 4.1).

use harness::{PatchbaySetup, SharedPatchbay, TestClient, eventually};
use serde_json::{Value, json};

const CHECK: &str = "/whatsapp-api-service/v2/messages/check";

/// The rejected recipients of an answer as (number, reason).
fn rejected(answer: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let entries = answer["rejectedRecipients"].as_array().unwrap();
    entries.iter().map(|entry| (text(&entry["number"]), text(&entry["reason"]))).collect()
}

fn to_recipients(client: &TestClient, recipients: Value) -> Value {
    let mut payload = client.order_ready(&[]);
    payload["messages"][0]["recipients"] = recipients;
    payload
}

#[tokio::test]
async fn a_template_sent_through_the_unified_endpoint_reaches_the_phone() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());

    client.send_unified(&client.order_ready(&[&phone.msisdn])).await.accepted();

    let message = phone.receives("the template", |_| true).await;
    assert_eq!(message["from"], client.number);
    assert!(message["text"].as_str().unwrap().starts_with("Hi Thandi, order #42 is ready."), "{message}");
}

#[tokio::test]
async fn a_template_sent_through_the_channel_endpoint_reaches_the_phone() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());

    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();

    phone.receives("the template", |message| message["type"] == "template").await;
}

#[tokio::test]
async fn the_answer_of_both_endpoints_carries_every_field() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    let payload = client.order_ready(&[&phone.msisdn]);

    for reply in [client.send(&payload).await, client.send_unified(&payload).await] {
        let answer = reply.accepted();
        let fields: Vec<&String> = answer.as_object().unwrap().keys().collect();
        let mut expected = vec![
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
        ];
        expected.sort_unstable();
        let mut sorted = fields.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, expected);
        assert!(answer["batchId"].as_str().unwrap().parse::<uuid::Uuid>().is_ok(), "{answer}");
        assert_eq!(answer["status"], "ACCEPTED");
        assert_eq!(answer["channel"], "WHATSAPP");
        assert_eq!(answer["acceptedCount"], 1);
        assert_eq!(answer["rejectedCount"], 0);
        assert_eq!(answer["rejectedRecipients"], json!([]));
        assert_eq!(answer["requestId"].as_str(), reply.request_id.as_deref());
        let timestamp = answer["timestamp"].as_str().unwrap();
        assert!(timestamp.ends_with('Z') && chrono::DateTime::parse_from_rfc3339(timestamp).is_ok(), "{timestamp}");
        for text in ["response", "message"] {
            assert!(!answer[text].as_str().unwrap().is_empty(), "{text} says nothing");
        }
    }
}

#[tokio::test]
async fn the_request_is_echoed_byte_for_byte() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    let mut payload = client.order_ready(&[&phone.msisdn]);
    payload["theirOwnField"] = json!({ "kept": [1, null, "é"] });
    let written = format!("{}  ", serde_json::to_string_pretty(&payload).unwrap());

    let reply =
        client.post_raw("/whatsapp-api-service/v2/channels/whatsapp", "application/json", written.clone()).await;

    assert_eq!(reply.accepted()["reqObject"], payload);
    assert!(reply.text.contains(written.trim_end()), "not as it was written: {}", reply.text);
}

#[tokio::test]
async fn one_bad_number_is_rejected_and_the_others_are_sent_to() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());

    let answer = client.send(&client.order_ready(&["0821234567", &phone.msisdn, "12345"])).await.accepted();

    assert_eq!(
        (&answer["status"], &answer["acceptedCount"], &answer["rejectedCount"]),
        (&json!("PARTIAL"), &json!(1), &json!(2))
    );
    let rejected = rejected(&answer);
    assert_eq!([&rejected[0].0, &rejected[1].0], ["0821234567", "12345"]);
    assert!(rejected.iter().all(|(_, reason)| reason.contains("phone number")), "{rejected:?}");
    phone.receives("the template", |_| true).await;
}

#[tokio::test]
async fn numbers_are_taken_from_seven_to_fifteen_digits_and_no_others() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let good = ["1234567", "+1234567", "123456789012345"];
    let bad = [
        "123456",
        "1234567890123456",
        "+0123456789",
        "++27821234567",
        "27 82 123 4567",
        " 27821234567",
        "27821234567\n",
        "27-82",
        "٢٧٨٢١٢٣٤٥٦٧",
        "+",
    ];

    let answer = client.send(&client.order_ready(&[&good[..], &bad[..]].concat())).await.accepted();

    assert_eq!(answer["acceptedCount"], good.len());
    let numbers: Vec<String> = rejected(&answer).into_iter().map(|(number, _)| number).collect();
    assert_eq!(numbers, bad, "each is echoed as it was written");
}

#[tokio::test]
async fn the_sender_itself_is_rejected() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;

    let answer = client.send(&client.order_ready(&[&format!("+{}", client.number)])).await.accepted();

    let rejected = rejected(&answer);
    assert_eq!(rejected[0].0, format!("+{}", client.number));
    assert!(rejected[0].1.contains("sender"), "{rejected:?}");
}

#[tokio::test]
async fn a_request_with_only_rejected_recipients_is_partial_with_none_accepted() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;

    let answer = client.send_unified(&to_recipients(&client, json!([{ "to": "nobody" }, {}]))).await.accepted();

    assert_eq!(answer["status"], "PARTIAL");
    assert_eq!((&answer["acceptedCount"], &answer["rejectedCount"]), (&json!(0), &json!(2)));
    assert_eq!(rejected(&answer)[1].0, "", "an empty entry has no number to echo");
    assert_eq!(patchbay.messages_of(&client.client_ref).await, 0);
}

#[tokio::test]
async fn a_recipient_with_only_a_bsuid_is_sent_to_by_it() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    let user_id = phone.user_id().await;

    let answer = client.send(&to_recipients(&client, json!([{ "customerUserId": user_id }]))).await.accepted();

    assert_eq!(answer["acceptedCount"], 1);
    let message = phone.receives("the template", |_| true).await;
    assert_eq!(message["body"]["recipient"], user_id);
    assert!(message["body"].get("to").is_none(), "{message}");
}

#[tokio::test]
async fn the_number_takes_precedence_over_a_bsuid() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone, other) = (patchbay.new_client().await, patchbay.new_phone(), patchbay.new_phone());
    let entry = json!([{ "to": format!("+{}", phone.msisdn), "customerUserId": other.user_id().await }]);

    client.send(&to_recipients(&client, entry)).await.accepted();

    let message = phone.receives("the template", |_| true).await;
    assert_eq!(message["body"]["to"], phone.msisdn, "digits without +");
    assert!(other.inbox().await.is_empty());
}

#[tokio::test]
async fn a_malformed_bsuid_with_a_number_is_ignored() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    let entry = json!([{ "to": phone.msisdn, "customerUserId": "not-a-bsuid" }]);

    let answer = client.send(&to_recipients(&client, entry)).await.accepted();

    assert_eq!((&answer["status"], &answer["acceptedCount"]), (&json!("ACCEPTED"), &json!(1)));
    phone.receives("the template", |_| true).await;
}

#[tokio::test]
async fn a_malformed_bsuid_without_a_number_is_rejected() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let entries = json!([{ "customerUserId": "not-a-bsuid" }, { "customerUserId": "ZA." }, { "to": "", "customerUserId": "ZA.1 2" }]);

    let answer = client.send(&to_recipients(&client, entries)).await.accepted();

    assert_eq!((&answer["status"], &answer["acceptedCount"]), (&json!("PARTIAL"), &json!(0)));
    let numbers: Vec<String> = rejected(&answer).into_iter().map(|(number, _)| number).collect();
    assert_eq!(numbers, ["not-a-bsuid", "ZA.", "ZA.1 2"]);
}

#[tokio::test]
async fn every_element_of_messages_has_its_own_parameters_and_recipients() {
    let patchbay = SharedPatchbay::get().await;
    let (client, first, second) = (patchbay.new_client().await, patchbay.new_phone(), patchbay.new_phone());
    let mut payload = client.order_ready(&[&first.msisdn]);
    payload["messages"].as_array_mut().unwrap().push(json!({
        "recipientNumbers": [{ "to": second.msisdn }],
        "components": [
            { "type": "body", "parameters": ["Sipho", "#43"] },
            { "type": "button", "parameters": ["43"] },
        ],
    }));

    let answer = client.send(&payload).await.accepted();

    assert_eq!(answer["acceptedCount"], 2);
    first.receives("its own text", |message| message["text"].as_str().unwrap().contains("Thandi, order #42")).await;
    second.receives("its own text", |message| message["text"].as_str().unwrap().contains("Sipho, order #43")).await;
}

#[tokio::test]
async fn a_recipient_named_twice_gets_two_messages() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());

    let answer = client.send(&client.order_ready(&[&phone.msisdn, &phone.msisdn])).await.accepted();

    assert_eq!(answer["acceptedCount"], 2);
    eventually("both messages", || async { (phone.inbox().await.len() == 2).then_some(()) }).await;
}

#[tokio::test]
async fn a_sender_may_be_written_with_a_plus() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    let mut payload = client.order_ready(&[&phone.msisdn]);
    payload["sender"] = json!(format!("+{}", client.number));

    client.send(&payload).await.accepted();

    phone.receives("the template", |message| message["from"] == client.number).await;
}

#[tokio::test]
async fn a_thousand_recipients_fit_in_one_request_and_are_all_stored() {
    // Without workers nothing is sent, which leaves the processors to other tests.
    let patchbay = PatchbaySetup::new().set("server.workers", "false").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let numbers: Vec<String> = (0..1000).map(|at| format!("2783{at:07}")).collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();

    let answer = client.send(&client.order_ready(&numbers)).await.accepted();

    assert_eq!((&answer["status"], &answer["acceptedCount"]), (&json!("ACCEPTED"), &json!(1000)));
    let rows = patchbay.rows_of("acme").await;
    assert_eq!((rows["outbound_message"], rows["outbound_work"], rows["outbound_part"]), (1000, 1000, 1));
}

#[tokio::test]
async fn a_thousand_and_one_recipients_are_refused_whole() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let numbers: Vec<String> = (0..1001).map(|at| format!("2783{at:07}")).collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    let mut in_two = client.order_ready(&numbers[..500]);
    let second = client.order_ready(&numbers[500..])["messages"][0].clone();
    in_two["messages"].as_array_mut().unwrap().push(second);

    assert_eq!(client.send(&client.order_ready(&numbers)).await.faulty_fields(), ["messages[0].recipients"]);
    assert_eq!(client.send(&in_two).await.faulty_fields(), ["messages"], "the limit counts over all messages");
    assert_eq!(patchbay.messages_of(&client.client_ref).await, 0);
}

#[tokio::test]
async fn a_burst_to_one_number_never_exceeds_the_rate_of_the_provider() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    // At 80 a second this takes longer than the renewal period of a worker's lease.
    let phones: Vec<_> = (0..450).map(|_| patchbay.new_phone()).collect();
    let numbers: Vec<&str> = phones.iter().map(|phone| phone.msisdn.as_str()).collect();

    client.send(&client.order_ready(&numbers)).await.accepted();

    let sends = eventually("all sends", || async {
        let sends = patchbay.provider_sends(&client).await;
        (sends.iter().filter(|send| send["status"] == 200).count() >= phones.len()).then_some(sends)
    })
    .await;
    let refused: Vec<&Value> = sends.iter().filter(|send| send["status"] != 200).map(|send| &send["code"]).collect();
    assert!(refused.is_empty(), "refused with {refused:?}");
    assert_eq!(sends.len(), phones.len(), "each was sent once");
}

#[tokio::test]
async fn a_check_names_the_recipients_that_a_send_would_reject_and_stores_nothing() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    let blocked = patchbay.new_phone();
    let body = json!({ "recipients": [format!("+{}", blocked.msisdn)], "reason": "asked us" });
    client.post("/messaging-service/WhatsApp/blocklist", &body).await.ok();
    let payload = client.order_ready(&[&phone.msisdn, &blocked.msisdn, "083", &client.number]);
    let before = patchbay.rows_of(&client.client_ref).await;

    let check = client.post(CHECK, &json!({ "channel": "WHATSAPP", "payload": payload })).await.ok();

    assert_eq!((&check["acceptedCount"], &check["rejectedCount"]), (&json!(1), &json!(3)), "{check}");
    assert_eq!(patchbay.rows_of(&client.client_ref).await, before);
    let sent = client.send_unified(&payload).await.accepted();
    assert_eq!(rejected(&check), rejected(&sent));
}

#[tokio::test]
async fn the_faults_of_a_check_are_those_of_the_send() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    let fine = client.order_ready(&[&phone.msisdn]);
    let changed = |field: &str, value: Value| {
        let mut payload = fine.clone();
        payload[field] = value;
        payload
    };
    let mut without_values = fine.clone();
    without_values["messages"][0].as_object_mut().unwrap().remove("components");
    for payload in [
        changed("sender", json!("27999999999")),
        changed("templateId", json!("1")),
        changed("messages", json!([])),
        without_values,
        json!({}),
    ] {
        let check = client.post(CHECK, &json!({ "channel": "WHATSAPP", "payload": payload })).await;
        let send = client.send_unified(&payload).await;
        assert_eq!((check.status, check.faulty_fields()), (send.status, send.faulty_fields()), "{payload}");
    }
    let outside = json!({ "sender": client.number, "messageType": "CHAT",
        "messages": [{ "recipients": [{ "to": phone.msisdn }], "messageText": "hello" }] });
    let check = client.post(CHECK, &json!({ "channel": "WHATSAPP", "payload": outside })).await.ok();
    assert_eq!(check["rejectedCount"], 1, "no message of the customer in 24 hours: {check}");
}

#[tokio::test]
async fn a_check_of_an_sms_judges_its_source() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let of = |payload: Value| json!({ "channel": "SMS", "payload": payload });
    let messages = json!([{ "recipients": [{ "to": "27820000001" }], "messageText": "hello" }]);

    let fine = client.post(CHECK, &of(json!({ "messages": messages }))).await.ok();
    let unknown = client.post(CHECK, &of(json!({ "sender": "NoSuchShop", "messages": messages }))).await;

    assert_eq!(fine["acceptedCount"], 1, "{fine}");
    assert_eq!(unknown.status, 400, "{}", unknown.text);
}
