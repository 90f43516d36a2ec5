//! States of an outbound message: statuses in any order, refusals, and calls without an answer (SPEC 3.2, PROVIDERS A.9
//! and A.11).

use harness::{Patchbay, PatchbaySetup, SharedPatchbay, TestClient, WebhookSink, eventually, inbound_text, status};
use reqwest::Method;
use serde_json::{Value, json};

const ALL: [&str; 4] = ["ACCEPTED", "SENT", "DELIVERED", "READ"];
/// A number for servers that a test does not share.
const NUMBER: &str = "27110000001";
const CUSTOMER: &str = "27820000001";
const OTHER_CUSTOMER: &str = "27820000002";

/// A separate server whose provider has faults, with one client and its webhooks.
async fn with_faults(setup: PatchbaySetup, faults: Value) -> (Patchbay, TestClient, WebhookSink) {
    let patchbay = setup.start().await;
    let client = patchbay.client("acme", NUMBER).await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    patchbay.simulate("/simulator/faults", &faults).await;
    (patchbay, client, sink)
}

async fn shared() -> (SharedPatchbay, TestClient, WebhookSink) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    (patchbay, client, sink)
}

fn statuses_of(sink: &WebhookSink, phone: &str) -> Vec<String> {
    let of_phone = sink.bodies("status").into_iter().filter(|body| body["ctId"] == format!("ct-{phone}"));
    of_phone.map(|body| body["status"].as_str().unwrap().to_owned()).collect()
}

async fn status_body(sink: &WebhookSink, phone: &str, state: &str) -> Value {
    let ct_id = format!("ct-{phone}");
    sink.receives("status", &format!("{state} of {phone}"), |body| body["ctId"] == ct_id && body["status"] == state)
        .await
}

async fn sends_to(patchbay: &Patchbay, client: &TestClient, phone: &str) -> Vec<Value> {
    let sends = patchbay.provider_sends(client).await;
    sends.into_iter().filter(|send| send["body"]["to"] == phone).collect()
}

/// Sends to another phone and waits for the delivery. By then, all earlier statuses of the number have been processed.
async fn another_is_delivered(client: &TestClient, sink: &WebhookSink, phone: &str) {
    client.send(&client.order_ready(&[phone])).await.accepted();
    status_body(sink, phone, "DELIVERED").await;
}

#[tokio::test]
async fn repeated_callbacks_are_reported_once() {
    let (patchbay, client, sink) = with_faults(PatchbaySetup::new(), json!({ "duplicateCallbacks": true })).await;
    for phone in [CUSTOMER, OTHER_CUSTOMER] {
        patchbay.phone(phone).set(json!({ "autoRead": true })).await;
        client.send(&client.order_ready(&[phone])).await.accepted();
        status_body(&sink, phone, "READ").await;
    }
    assert_eq!(statuses_of(&sink, CUSTOMER), ALL);
}

#[tokio::test]
async fn a_status_names_the_customer_by_number_and_user_id_as_soon_as_the_provider_does() {
    let (patchbay, client, sink) = shared().await;
    let (by_number, by_id) = (patchbay.new_phone(), patchbay.new_phone());
    let mut payload = client.order_ready(&[]);
    payload["messages"][0]["recipients"] = json!([
        { "to": by_number.msisdn, "ctId": "by-number" },
        { "customerUserId": by_id.user_id().await, "ctId": "by-id" },
    ]);
    client.send(&payload).await.accepted();
    for (ct_id, phone) in [("by-number", &by_number), ("by-id", &by_id)] {
        client.statuses(&sink, ct_id, "DELIVERED").await;
        let bodies: Vec<Value> = sink.bodies("status").into_iter().filter(|body| body["ctId"] == ct_id).collect();
        let after_accepted = bodies.iter().filter(|body| body["status"] != "ACCEPTED");
        for body in after_accepted {
            assert_eq!(body["receiver"], phone.msisdn, "{body}");
            assert_eq!(body["recipientUserId"], phone.user_id().await, "{body}");
        }
    }
}

#[tokio::test]
async fn statuses_that_arrive_last_first_are_reported_in_order() {
    let (patchbay, client, sink) = with_faults(PatchbaySetup::new(), json!({ "reorderCallbacks": true })).await;
    patchbay.phone(CUSTOMER).set(json!({ "autoRead": true })).await;

    client.send(&client.order_ready(&[CUSTOMER])).await.accepted();

    assert_eq!(client.statuses(&sink, "ct-27820000001", "READ").await, ALL);
    another_is_delivered(&client, &sink, OTHER_CUSTOMER).await;
    assert_eq!(statuses_of(&sink, CUSTOMER), ALL, "a late callback changes nothing");
}

#[tokio::test]
async fn many_statuses_in_one_callback_are_all_taken() {
    let (_patchbay, client, sink) = with_faults(PatchbaySetup::new(), json!({ "batchCallbacks": true })).await;
    let phones: Vec<String> = (0..20).map(|index| format!("278300000{index:02}")).collect();
    let recipients: Vec<&str> = phones.iter().map(String::as_str).collect();

    client.send(&client.order_ready(&recipients)).await.accepted();

    for phone in &phones {
        status_body(&sink, phone, "DELIVERED").await;
        assert_eq!(statuses_of(&sink, phone), ALL[..3]);
    }
}

#[tokio::test]
async fn a_message_that_is_read_counts_as_delivered_too() {
    let (patchbay, client, sink) = with_faults(PatchbaySetup::new(), json!({ "skipDelivered": true })).await;
    patchbay.phone(CUSTOMER).set(json!({ "autoRead": true })).await;

    client.send(&client.order_ready(&[CUSTOMER])).await.accepted();

    assert_eq!(client.statuses(&sink, "ct-27820000001", "READ").await, ALL);
    let read = status_body(&sink, CUSTOMER, "READ").await;
    assert_eq!(read["deliveryTime"], read["readTime"], "it has the later time: {read}");
}

#[tokio::test]
async fn a_status_that_overtakes_the_answer_to_its_send_is_not_lost() {
    let (patchbay, client, sink) = with_faults(PatchbaySetup::new(), json!({ "statusBeforeAnswer": true })).await;

    client.send(&client.order_ready(&[CUSTOMER])).await.accepted();

    assert_eq!(client.statuses(&sink, "ct-27820000001", "DELIVERED").await, ALL[..3]);
    assert_eq!(sends_to(&patchbay, &client, CUSTOMER).await.len(), 1);
}

#[tokio::test]
async fn a_status_of_an_unknown_message_waits_until_the_message_is_known() {
    // The simulator's callbacks come too late and its answers are slow, so the status of the test is the first report.
    let faults = json!({ "holdAnswersMillis": 1500, "delayMillis": 600_000 });
    let (patchbay, client, sink) = with_faults(PatchbaySetup::new(), faults).await;
    client.send(&client.order_ready(&[CUSTOMER])).await.accepted();
    let sends = eventually("the provider to have the message", || async {
        let sends = sends_to(&patchbay, &client, CUSTOMER).await;
        (!sends.is_empty()).then_some(sends)
    })
    .await;
    let early = status(sends[0]["wamid"].as_str().unwrap(), "delivered", None);

    assert_eq!(patchbay.callback(&client.callback(early)).await.status, 200);

    status_body(&sink, CUSTOMER, "ACCEPTED").await;
    patchbay.advance_clock(6).await;
    assert_eq!(client.statuses(&sink, "ct-27820000001", "DELIVERED").await, ALL[..3]);
}

#[tokio::test]
async fn an_answer_that_overtakes_the_answer_to_its_send_names_its_message() {
    // The callbacks of the simulator come too late and its answers are slow, so the reply of the test comes first.
    let faults = json!({ "holdAnswersMillis": 1500, "delayMillis": 600_000 });
    let (patchbay, client, sink) = with_faults(PatchbaySetup::new(), faults).await;
    client.send(&client.order_ready(&[CUSTOMER])).await.accepted();
    let sends = eventually("the provider to have the message", || async {
        let sends = sends_to(&patchbay, &client, CUSTOMER).await;
        (!sends.is_empty()).then_some(sends)
    })
    .await;
    let mut reply = inbound_text("wamid.early", Some(CUSTOMER), None, "this order?");
    reply["messages"][0]["context"] = json!({ "from": client.number, "id": sends[0]["wamid"] });
    let later = inbound_text("wamid.later", Some(CUSTOMER), None, "please");

    for message in [reply, later] {
        assert_eq!(patchbay.callback(&client.callback(message)).await.status, 200);
    }

    let came = sink.receives_many("incoming", 2).await;
    let texts: Vec<Value> = came.iter().map(|body| body.json()["text"].clone()).collect();
    assert_eq!(texts, ["this order?", "please"]);
    let quoted = sink.receives("chatbot", "the reply", |body| body["messageText"] == "this order?").await;
    assert!(quoted["quotedText"].is_string(), "{quoted}");
}

#[tokio::test]
async fn an_outdated_event_changes_nothing() {
    let (patchbay, client, sink) = shared().await;
    let (phone, other) = (patchbay.new_phone(), patchbay.new_phone());
    phone.set(json!({ "autoRead": true, "autoDeliver": false })).await;
    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    status_body(&sink, &phone.msisdn, "SENT").await;
    let send = sends_to(&patchbay, &client, &phone.msisdn).await.remove(0);
    let (wamid, opaque) = (send["wamid"].as_str().unwrap(), send["body"]["biz_opaque_callback_data"].as_str());
    for state in ["read", "delivered", "failed"] {
        assert_eq!(patchbay.callback(&client.callback(status(wamid, state, opaque))).await.status, 200);
    }

    another_is_delivered(&client, &sink, &other.msisdn).await;

    assert_eq!(statuses_of(&sink, &phone.msisdn), ALL);
}

#[tokio::test]
async fn a_voice_note_that_was_played_is_reported_as_played() {
    let (patchbay, client, sink) = shared().await;
    let phone = patchbay.new_phone();
    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    status_body(&sink, &phone.msisdn, "DELIVERED").await;
    let send = sends_to(&patchbay, &client, &phone.msisdn).await.remove(0);

    let played = status(send["wamid"].as_str().unwrap(), "played", None);
    patchbay.callback(&client.callback(played)).await;

    let body = status_body(&sink, &phone.msisdn, "PLAYED").await;
    assert!(body["playedTime"].is_string(), "{body}");
    assert_eq!(statuses_of(&sink, &phone.msisdn), ["ACCEPTED", "SENT", "DELIVERED", "READ", "PLAYED"]);
}

#[tokio::test]
async fn a_failure_is_reported_with_the_providers_code_and_words() {
    let (patchbay, client, sink) = shared().await;
    let phone = patchbay.new_phone();
    phone.set(json!({ "failWith": 131_049 })).await;

    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();

    let body = status_body(&sink, &phone.msisdn, "FAILED").await;
    assert_eq!(body["errorCode"], "131049");
    assert!(!body["errorCodeString"].as_str().unwrap().is_empty());
    assert_eq!(body["sender"], client.number);
    assert_eq!(body["receiver"], phone.msisdn);
    assert_eq!(statuses_of(&sink, &phone.msisdn), ["ACCEPTED", "FAILED"]);
}

#[tokio::test]
async fn a_message_refused_for_the_pair_rate_goes_out_a_little_later() {
    let (patchbay, client, sink) = shared().await;
    let phone = patchbay.new_phone();
    phone.set(json!({ "rejectWith": { "status": 400, "code": 131_056, "times": 1 } })).await;

    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();

    assert_eq!(client.statuses(&sink, &format!("ct-{}", phone.msisdn), "DELIVERED").await, ALL[..3]);
    let sends = sends_to(&patchbay, &client, &phone.msisdn).await;
    assert_eq!(sends.iter().map(|send| send["code"].as_i64()).collect::<Vec<_>>(), [Some(131_056), None]);
}

/// Meta counts incoming messages too, so it can refuse at a rate that is below ours.
#[tokio::test]
async fn messages_that_are_refused_because_customers_used_up_the_rate_go_out_later() {
    let (patchbay, client, sink) = shared().await;
    let (writer, phone, other) = (patchbay.new_phone(), patchbay.new_phone(), patchbay.new_phone());
    phone.set(json!({ "rejectWith": { "status": 429, "code": 130_429, "times": 2 } })).await;

    for text in ["one", "two", "three"] {
        writer.write(&client.number, text).await;
    }
    client.send(&client.order_ready(&[&phone.msisdn, &other.msisdn])).await.accepted();

    for recipient in [&phone, &other] {
        let ct_id = format!("ct-{}", recipient.msisdn);
        assert_eq!(client.statuses(&sink, &ct_id, "DELIVERED").await, ALL[..3]);
    }
    let codes = |sends: Vec<Value>| sends.iter().map(|send| send["code"].as_i64()).collect::<Vec<_>>();
    let refused = sends_to(&patchbay, &client, &phone.msisdn).await;
    assert_eq!(codes(refused), [Some(130_429), Some(130_429), None]);
    assert_eq!(codes(sends_to(&patchbay, &client, &other.msisdn).await), [None]);
    sink.receives_many("incoming", 3).await;
}

#[tokio::test]
async fn a_passing_fault_of_the_provider_is_tried_again() {
    let (patchbay, client, sink) = shared().await;
    let phone = patchbay.new_phone();
    phone.set(json!({ "rejectWith": { "status": 500, "code": 131_000, "times": 2 } })).await;

    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();

    assert_eq!(client.statuses(&sink, &format!("ct-{}", phone.msisdn), "DELIVERED").await, ALL[..3]);
    assert_eq!(sends_to(&patchbay, &client, &phone.msisdn).await.len(), 3);
}

#[tokio::test]
async fn a_message_with_a_refused_access_token_waits_for_four_hours_and_then_fails_with_the_code() {
    let (patchbay, client, sink) = with_faults(PatchbaySetup::new(), json!({})).await;
    patchbay.phone(CUSTOMER).set(json!({ "rejectWith": { "status": 401, "code": 190 } })).await;
    client.send(&client.order_ready(&[CUSTOMER])).await.accepted();
    patchbay.until_logged("until the account of this inbox is repaired").await;
    assert!(statuses_of(&sink, CUSTOMER).is_empty());

    patchbay.advance_clock(4 * 3600).await;

    let body = status_body(&sink, CUSTOMER, "FAILED").await;
    assert_eq!(body["errorCode"], "190");
    assert_eq!(statuses_of(&sink, CUSTOMER), ["FAILED"]);
    assert_eq!(sends_to(&patchbay, &client, CUSTOMER).await.len(), 1);
    let metrics = patchbay.get("/metrics").await.text;
    assert!(metrics.contains(r#"patchbay_legs_failed_total{channel="WHATSAPP",code="190"}"#), "{metrics}");
}

#[tokio::test]
async fn a_new_access_token_sends_the_messages_that_wait_for_it() {
    let (patchbay, client, sink) = with_faults(PatchbaySetup::new(), json!({})).await;
    patchbay.phone(CUSTOMER).set(json!({ "rejectWith": { "status": 401, "code": 190, "times": 1 } })).await;
    client.send(&client.order_ready(&[CUSTOMER])).await.accepted();
    patchbay.until_logged("until the account of this inbox is repaired").await;
    client.send(&client.order_ready(&[OTHER_CUSTOMER])).await.accepted();

    let renew = ["number", "renew-token", "--client", &client.client_ref, "--number", NUMBER, "--access-token-stdin"];
    patchbay.admin_given(&renew, "fresh\n");

    for waiting in [CUSTOMER, OTHER_CUSTOMER] {
        status_body(&sink, waiting, "ACCEPTED").await;
    }
}

#[tokio::test]
async fn an_unanswered_send_is_settled_by_its_late_status_and_not_repeated() {
    let setup = PatchbaySetup::new().set("limits.cloud_timeout", "500ms");
    let (patchbay, client, sink) = with_faults(setup, json!({ "delayMillis": 4000 })).await;
    patchbay.phone(CUSTOMER).set(json!({ "timeout": true })).await;
    client.send(&client.order_ready(&[CUSTOMER])).await.accepted();
    in_doubt(&patchbay).await;

    assert_eq!(client.statuses(&sink, "ct-27820000001", "DELIVERED").await, ALL[..3]);

    patchbay.advance_clock(600).await;
    another_is_delivered(&client, &sink, OTHER_CUSTOMER).await;
    assert_eq!(sends_to(&patchbay, &client, CUSTOMER).await.len(), 1);
    assert!(!is_ambiguous(&patchbay, CUSTOMER).await);
}

#[tokio::test]
async fn an_unanswered_send_without_any_status_is_repeated_once_after_a_minute() {
    let setup = PatchbaySetup::new().set("limits.cloud_timeout", "500ms");
    let (patchbay, client, sink) = with_faults(setup, json!({ "delayMillis": 600_000 })).await;
    patchbay.phone(CUSTOMER).set(json!({ "timeout": true })).await;
    client.send(&client.order_ready(&[CUSTOMER])).await.accepted();
    in_doubt(&patchbay).await;
    patchbay.advance_clock(30).await;
    client.send(&client.order_ready(&[OTHER_CUSTOMER])).await.accepted();
    status_body(&sink, OTHER_CUSTOMER, "ACCEPTED").await;
    assert_eq!(sends_to(&patchbay, &client, CUSTOMER).await.len(), 1, "the minute is not over");
    patchbay.phone(CUSTOMER).set(json!({ "timeout": false })).await;

    patchbay.advance_clock(31).await;

    status_body(&sink, CUSTOMER, "ACCEPTED").await;
    let sends = sends_to(&patchbay, &client, CUSTOMER).await;
    assert_eq!(sends.len(), 2);
    let opaque = |send: &Value| send["body"]["biz_opaque_callback_data"].clone();
    assert_eq!(opaque(&sends[0]), opaque(&sends[1]), "both calls can be told to be one message");
    assert!(is_ambiguous(&patchbay, CUSTOMER).await);
    patchbay.advance_clock(600).await;
    client.send(&client.order_ready(&["27820000003"])).await.accepted();
    status_body(&sink, "27820000003", "ACCEPTED").await;
    assert_eq!(sends_to(&patchbay, &client, CUSTOMER).await.len(), 2);
}

#[tokio::test]
async fn a_send_fails_if_its_repetition_is_not_answered_either() {
    let setup = PatchbaySetup::new().set("limits.cloud_timeout", "500ms");
    let (patchbay, client, sink) = with_faults(setup, json!({ "delayMillis": 600_000 })).await;
    patchbay.phone(CUSTOMER).set(json!({ "timeout": true })).await;
    client.send(&client.order_ready(&[CUSTOMER])).await.accepted();
    // After the repetition, only a status can settle the message, so that wait is longer.
    for (calls, patience) in [(1, 61), (2, 3600)] {
        eventually("a call to be in doubt", || async {
            let called = sends_to(&patchbay, &client, CUSTOMER).await.len() == calls;
            (called && phase(&patchbay).await.as_deref() == Some("UNKNOWN")).then_some(())
        })
        .await;
        patchbay.advance_clock(patience).await;
    }

    let body = status_body(&sink, CUSTOMER, "FAILED").await;

    assert_eq!(body["errorCode"], "900408");
    assert_eq!(sends_to(&patchbay, &client, CUSTOMER).await.len(), 2);
}

/// The client prefers a lost message to one that arrives twice.
async fn wants_none_twice(client: &TestClient) {
    let change = json!({ "atMostOnce": true });
    let changed = client.request(Method::PUT, "/api/v1/clients/me", Some(&change), &[]).await.ok();
    assert_eq!(changed["atMostOnce"], true);
}

#[tokio::test]
async fn a_message_in_doubt_of_a_client_that_wants_none_twice_fails_and_is_not_sent_again() {
    let setup = PatchbaySetup::new().set("limits.cloud_timeout", "500ms");
    let (patchbay, client, sink) = with_faults(setup, json!({ "delayMillis": 600_000 })).await;
    wants_none_twice(&client).await;
    patchbay.phone(CUSTOMER).set(json!({ "timeout": true })).await;
    client.send(&client.order_ready(&[CUSTOMER])).await.accepted();
    in_doubt(&patchbay).await;
    patchbay.advance_clock(30).await;
    client.send(&client.order_ready(&[OTHER_CUSTOMER])).await.accepted();
    status_body(&sink, OTHER_CUSTOMER, "ACCEPTED").await;
    assert!(statuses_of(&sink, CUSTOMER).is_empty(), "the minute is not over");

    patchbay.advance_clock(31).await;

    let body = status_body(&sink, CUSTOMER, "FAILED").await;
    assert_eq!(body["errorCode"], "900409");
    assert!(body["errorCodeString"].as_str().unwrap().starts_with("outcome unknown, not repeated"), "{body}");
    assert_eq!(statuses_of(&sink, CUSTOMER), ["FAILED"]);
    assert_eq!(sends_to(&patchbay, &client, CUSTOMER).await.len(), 1);
    assert!(!is_ambiguous(&patchbay, CUSTOMER).await);
}

#[tokio::test]
async fn a_message_in_doubt_of_a_client_that_wants_none_twice_is_settled_by_its_late_status() {
    let setup = PatchbaySetup::new().set("limits.cloud_timeout", "500ms");
    let (patchbay, client, sink) = with_faults(setup, json!({ "delayMillis": 4000 })).await;
    wants_none_twice(&client).await;
    patchbay.phone(CUSTOMER).set(json!({ "timeout": true })).await;
    client.send(&client.order_ready(&[CUSTOMER])).await.accepted();
    in_doubt(&patchbay).await;

    assert_eq!(client.statuses(&sink, "ct-27820000001", "DELIVERED").await, ALL[..3]);

    patchbay.advance_clock(600).await;
    another_is_delivered(&client, &sink, OTHER_CUSTOMER).await;
    assert_eq!(statuses_of(&sink, CUSTOMER), ALL[..3]);
    assert_eq!(sends_to(&patchbay, &client, CUSTOMER).await.len(), 1);
}

#[tokio::test]
async fn a_message_in_doubt_that_is_not_sent_again_brings_no_sms() {
    let setup = PatchbaySetup::new().set("limits.cloud_timeout", "500ms");
    let (patchbay, client, sink) = with_faults(setup, json!({ "delayMillis": 600_000 })).await;
    wants_none_twice(&client).await;
    patchbay.phone(CUSTOMER).set(json!({ "timeout": true })).await;
    let mut payload = client.order_ready(&[CUSTOMER]);
    payload["fallback"] = json!({ "sendFallback": true, "text": "By SMS" });
    client.send(&payload).await.accepted();
    in_doubt(&patchbay).await;

    patchbay.advance_clock(61).await;

    let body = status_body(&sink, CUSTOMER, "FAILED").await;
    assert_eq!(body["errorCode"], "900409", "a failure is reported only if no leg is left: {body}");
    let mut db = patchbay.database().await;
    let legs: Vec<String> = sqlx::query_scalar("SELECT channel FROM outbound_leg").fetch_all(&mut db).await.unwrap();
    assert_eq!(legs, ["WHATSAPP"]);
}

#[tokio::test]
async fn of_two_clients_with_calls_at_a_kill_only_the_one_that_may_get_doubles_sends_again() {
    let (mut patchbay, once, sink) = with_faults(PatchbaySetup::new(), json!({ "delayMillis": 600_000 })).await;
    let other = patchbay.client("other", "27110000002").await;
    other.webhooks_to(&sink, "v2").await;
    wants_none_twice(&once).await;
    for (client, phone) in [(&once, CUSTOMER), (&other, OTHER_CUSTOMER)] {
        patchbay.phone(phone).set(json!({ "timeout": true })).await;
        client.send(&client.order_ready(&[phone])).await.accepted();
        eventually("the call", || async { (sends_to(&patchbay, client, phone).await.len() == 1).then_some(()) }).await;
    }

    patchbay.kill();
    for phone in [CUSTOMER, OTHER_CUSTOMER] {
        patchbay.phone(phone).set(json!({ "timeout": false })).await;
    }
    patchbay.launch().await;
    patchbay.advance_clock(61).await;

    status_body(&sink, OTHER_CUSTOMER, "ACCEPTED").await;
    let failed = status_body(&sink, CUSTOMER, "FAILED").await;
    assert_eq!(failed["errorCode"], "900409");
    assert_eq!(sends_to(&patchbay, &once, CUSTOMER).await.len(), 1);
    assert_eq!(sends_to(&patchbay, &other, OTHER_CUSTOMER).await.len(), 2);
    assert_eq!((is_ambiguous(&patchbay, CUSTOMER).await, is_ambiguous(&patchbay, OTHER_CUSTOMER).await), (false, true));
}

async fn in_doubt(patchbay: &Patchbay) {
    let what = "the call to be in doubt";
    eventually(what, || async { (phase(patchbay).await.as_deref() == Some("UNKNOWN")).then_some(()) }).await;
}

async fn phase(patchbay: &Patchbay) -> Option<String> {
    let mut db = patchbay.database().await;
    sqlx::query_scalar("SELECT phase FROM outbound_work").fetch_optional(&mut db).await.unwrap()
}

/// Whether the message to a recipient may have been sent twice.
async fn is_ambiguous(patchbay: &Patchbay, phone: &str) -> bool {
    let statement = "SELECT leg.ambiguous FROM outbound_leg leg JOIN outbound_message message
        ON message.client_id = leg.client_id AND message.id = leg.message_id WHERE message.address_value = $1";
    let mut db = patchbay.database().await;
    sqlx::query_scalar(statement).bind(phone).fetch_one(&mut db).await.unwrap()
}
