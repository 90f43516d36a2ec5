//! Replies of subscribers, and opt-outs (SPEC 4.8).

use std::collections::HashSet;

use harness::{Patchbay, PatchbaySetup, SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually};
use serde_json::{Value, json};

const SOURCE: &str = "PATCHBAY";

async fn stage() -> (SharedPatchbay, TestClient, TestPhone) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    patchbay.credits(&client, 20);
    let phone = patchbay.new_phone();
    (patchbay, client, phone)
}

async fn send(patchbay: &Patchbay, client: &TestClient, phone: &TestPhone, text: &str, settings: Value) -> String {
    let recipients = json!([{ "to": phone.msisdn, "identifier": "Thandi" }]);
    let body = json!({ "ctid": text, "recipients": recipients, "messageText": text, "settings": settings });
    patchbay.sms(client, "/sms/json", &body).await.ok()["gstid"].as_str().unwrap().to_owned()
}

async fn opted_out(patchbay: &Patchbay, client: &TestClient) -> Vec<Value> {
    let answer = patchbay.sms(client, "/sms/getUnsubscribelist", &json!({})).await.ok();
    answer["numbers"].as_array().unwrap().clone()
}

/// Waits until the phone is on the stop list, or off it.
async fn listed(patchbay: &Patchbay, client: &TestClient, phone: &TestPhone, wanted: bool) {
    eventually("the list", || async {
        let found = opted_out(patchbay, client).await.contains(&json!(phone.msisdn));
        (found == wanted).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_reply_is_reported_to_the_client_of_the_answered_message() {
    let (patchbay, client, phone) = stage().await;
    let sink = WebhookSink::start().await;
    let settings = json!({ "replyCallBackURL": sink.url("reply"), "replyCallBackMethod": "POST" });
    let gst_id = send(&patchbay, &client, &phone, "Coming?", settings).await;
    phone.receives("the SMS", |message| message["text"] == "Coming?").await;
    let long = format!("yes & {}", "no ".repeat(100));

    phone.write_sms(SOURCE, &long).await;

    let told = sink.receives_many("reply", 1).await.remove(0);
    assert_eq!(told.header("content-type"), "application/x-www-form-urlencoded");
    let told = told.form();
    let expected = [
        ("from", phone.msisdn.as_str()),
        ("to", SOURCE),
        ("gstid", &gst_id),
        ("ctid", "Coming?"),
        ("identifier", "Thandi"),
        ("messageText", &long),
    ];
    for (field, value) in expected {
        assert_eq!(told[field], value, "{told:?}");
    }
}

#[tokio::test]
async fn a_reply_belongs_to_the_latest_send() {
    let (patchbay, client, phone) = stage().await;
    let (other, sink) = (patchbay.new_bare_client(), WebhookSink::start().await);
    patchbay.credits(&other, 5);
    send(&patchbay, &client, &phone, "One", json!({ "replyCallBackURL": sink.url("first") })).await;
    send(&patchbay, &other, &phone, "Two", json!({ "replyCallBackURL": sink.url("second") })).await;
    for text in ["One", "Two"] {
        phone.receives(text, |message| message["text"] == text).await;
    }

    phone.write_sms(SOURCE, "hello").await;

    let told = sink.receives_many("second", 1).await.remove(0).form();
    assert_eq!((told["messageText"].as_str(), told["ctid"].as_str()), ("hello", "Two"));
    assert!(sink.received("first").is_empty());
}

#[tokio::test]
async fn a_subscriber_that_replies_stop_is_blocked_and_refunded_until_start() {
    let (patchbay, client, phone) = stage().await;
    send(&patchbay, &client, &phone, "One", json!({})).await;
    phone.receives("the SMS", |message| message["text"] == "One").await;
    assert_eq!(patchbay.sms_balance(&client).await, 19);

    phone.write_sms(SOURCE, " stop\n").await;
    listed(&patchbay, &client, &phone, true).await;

    let blocked = send(&patchbay, &client, &phone, "Two", json!({})).await;
    let answer = patchbay.sms(&client, "/sms/trackingMessageStatus", &json!({ "gstid": blocked })).await.ok();
    assert_eq!(answer["receipts"][0]["statusCode"], "620");
    assert_eq!(patchbay.sms_balance(&client).await, 19, "it is refunded");

    phone.write_sms(SOURCE, "Start").await;
    listed(&patchbay, &client, &phone, false).await;
    send(&patchbay, &client, &phone, "Three", json!({})).await;
    phone.receives("the SMS", |message| message["text"] == "Three").await;
    assert!(phone.inbox().await.iter().all(|message| message["text"] != "Two"));
}

#[tokio::test]
async fn a_scheduled_sms_is_not_sent_to_a_subscriber_that_stops_before() {
    let (patchbay, client, phone) = stage().await;
    let later = (harness::real_time() + chrono::TimeDelta::hours(5)).to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    let scheduled = send(&patchbay, &client, &phone, "Later", json!({ "scheduledSmsDate": later })).await;
    assert_eq!(patchbay.sms_balance(&client).await, 19);

    phone.write_sms(SOURCE, "UNSUBSCRIBE").await;
    listed(&patchbay, &client, &phone, true).await;

    let answer = patchbay.sms(&client, "/sms/trackingMessageStatus", &json!({ "gstid": scheduled })).await.ok();
    assert_eq!(answer["receipts"][0]["statusCode"], "620", "{answer}");
    assert_eq!(patchbay.sms_balance(&client).await, 20);
}

#[tokio::test]
async fn an_unsent_and_refunded_sms_may_be_sent_again_under_its_ctid() {
    let (patchbay, client, phone) = stage().await;
    let later = (harness::real_time() + chrono::TimeDelta::hours(5)).to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    let stopped = send(&patchbay, &client, &phone, "Later", json!({ "scheduledSmsDate": later })).await;
    for (word, wanted) in [("STOP", true), ("START", false)] {
        phone.write_sms(SOURCE, word).await;
        listed(&patchbay, &client, &phone, wanted).await;
    }
    assert_eq!(patchbay.sms_balance(&client).await, 20);

    let again = send(&patchbay, &client, &phone, "Later", json!({})).await;

    assert_ne!(again, stopped);
    phone.receives("the message that never left", |message| message["text"] == "Later").await;
    assert_eq!(send(&patchbay, &client, &phone, "Later", json!({})).await, again, "that one was sent");
    assert_eq!(patchbay.sms_balance(&client).await, 19);
}

#[tokio::test]
async fn a_blocked_recipient_is_reported_at_once_and_counts_as_not_sent_under_the_ctid() {
    let (patchbay, client, phone) = stage().await;
    let sink = WebhookSink::start().await;
    send(&patchbay, &client, &phone, "One", json!({})).await;
    phone.receives("the first SMS", |message| message["text"] == "One").await;
    phone.write_sms(SOURCE, "stop").await;
    listed(&patchbay, &client, &phone, true).await;
    let settings = json!({ "receiptCallBackURL": sink.url("receipt") });

    let blocked = send(&patchbay, &client, &phone, "Two", settings.clone()).await;

    let told = sink.receives_many("receipt", 1).await.remove(0).form();
    assert_eq!((&told["statusCode"], &told["gstid"], &told["ctid"]), (&"620".into(), &blocked, &"Two".into()));
    assert_eq!((&told["to"], &told["identifier"]), (&phone.msisdn, &"Thandi".into()));
    assert_eq!(told["statusDescription"], "Failed In Delivery: Blocked Or Rejected");
    let sent_before = send(&patchbay, &client, &phone, "One", json!({})).await;
    let found = patchbay.sms(&client, "/sms/trackingMessageStatus", &json!({ "ctid": "One" })).await.ok();
    assert_eq!(
        found["receipts"].as_array().map(Vec::len),
        Some(1),
        "a message that was sent before is skipped: {found}"
    );
    assert_eq!(found["receipts"][0]["gstid"], json!(sent_before));
    phone.write_sms(SOURCE, "start").await;
    listed(&patchbay, &client, &phone, false).await;
    send(&patchbay, &client, &phone, "Two", settings).await;
    phone.receives("the blocked message", |message| message["text"] == "Two").await;
}

#[tokio::test]
async fn each_of_several_simultaneous_requests_for_a_blocked_recipient_gets_the_report() {
    let (patchbay, client, phone) = stage().await;
    let sink = WebhookSink::start().await;
    send(&patchbay, &client, &phone, "One", json!({})).await;
    phone.receives("the first SMS", |message| message["text"] == "One").await;
    phone.write_sms(SOURCE, "stop").await;
    listed(&patchbay, &client, &phone, true).await;
    let settings = json!({ "receiptCallBackURL": sink.url("receipt") });

    let same = || send(&patchbay, &client, &phone, "Two", settings.clone());
    let requests = futures::future::join_all((0..8).map(|_| same())).await;

    let told = sink.receives_many("receipt", requests.len()).await;
    let told: HashSet<String> = told.iter().map(|call| call.form()["gstid"].clone()).collect();
    assert_eq!(told, requests.into_iter().collect());
}

#[tokio::test]
async fn a_scheduled_sms_can_be_answered_after_it_was_sent_and_not_before() {
    let patchbay = PatchbaySetup::new().start().await;
    let (client, other) = (patchbay.bare_client("acme"), patchbay.bare_client("other"));
    let (phone, sink) = (patchbay.phone("27820000001"), WebhookSink::start().await);
    for client in [&client, &other] {
        patchbay.credits(client, 5);
    }
    let to = |name: &str| json!({ "replyCallBackURL": sink.url(name) });
    send(&patchbay, &client, &phone, "One", to("now")).await;
    let later = (harness::real_time() + chrono::TimeDelta::hours(2)).to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    let mut settings = to("later");
    settings["scheduledSmsDate"] = json!(later);
    send(&patchbay, &other, &phone, "Later", settings).await;

    phone.write_sms(SOURCE, "to the first").await;
    assert_eq!(sink.receives_many("now", 1).await.remove(0).form()["messageText"], "to the first");

    send(&patchbay, &client, &phone, "Two", to("now")).await;
    patchbay.advance_clock(2 * 3600 + 60).await;
    phone.receives("the message that waited", |message| message["text"] == "Later").await;
    phone.write_sms(SOURCE, "to what waited").await;
    assert_eq!(sink.receives_many("later", 1).await.remove(0).form()["messageText"], "to what waited");
}

#[tokio::test]
async fn a_stop_is_of_one_client_and_an_operator_can_take_it_back() {
    let (patchbay, client, phone) = stage().await;
    let other = patchbay.new_bare_client();
    patchbay.credits(&other, 5);
    send(&patchbay, &client, &phone, "One", json!({})).await;
    phone.receives("the SMS", |message| message["text"] == "One").await;
    phone.write_sms(SOURCE, "quit").await;
    listed(&patchbay, &client, &phone, true).await;
    assert_eq!(opted_out(&patchbay, &other).await, Vec::<Value>::new());
    send(&patchbay, &other, &phone, "Of the other", json!({})).await;
    phone.receives("the SMS of the other", |message| message["text"] == "Of the other").await;

    let remove = ["opt-out", "remove", "--client", &client.client_ref, "--number", &phone.msisdn];
    assert_eq!(patchbay.admin(&remove)["removed"], true);
    listed(&patchbay, &client, &phone, false).await;
    assert_eq!(patchbay.admin(&remove)["removed"], false);
    let no_number = ["opt-out", "remove", "--client", &client.client_ref, "--number", "the shop"];
    assert!(patchbay.refused(&no_number).contains("is not a phone number"));
}

#[tokio::test]
async fn a_stop_is_taken_back_under_the_number_as_sends_write_it() {
    let (patchbay, client, phone) = stage().await;
    let local = format!("0{}", phone.msisdn.strip_prefix("27").unwrap());
    for written in [local, format!("%2B{}", phone.msisdn)] {
        send(&patchbay, &client, &phone, &written, json!({})).await;
        phone.write_sms(SOURCE, "stop").await;
        listed(&patchbay, &client, &phone, true).await;
        let path = format!("/sms/unsubscribelist/{written}");
        let headers = [("X-API-Key", client.key.as_str())];
        let removed = patchbay.ask(reqwest::Method::DELETE, &path, &headers, "").await.ok();
        assert_eq!(removed["number"], phone.msisdn.as_str(), "{written}");
        listed(&patchbay, &client, &phone, false).await;
    }
}

async fn receipt_of(patchbay: &Patchbay, client: &TestClient, gst_id: &str) -> Value {
    let answer = patchbay.sms(client, "/sms/trackingMessageStatus", &json!({ "gstid": gst_id })).await.ok();
    answer["receipts"][0]["statusCode"].clone()
}

#[tokio::test]
async fn a_stop_at_a_shared_source_is_for_every_client_that_wrote_from_it_and_so_is_start() {
    let (patchbay, client, phone) = stage().await;
    let (other, silent, sink) = (patchbay.new_bare_client(), patchbay.new_bare_client(), WebhookSink::start().await);
    patchbay.credits(&other, 5);
    let to = |name: &str| json!({ "replyCallBackURL": sink.url(name) });
    send(&patchbay, &client, &phone, "One", to("first")).await;
    send(&patchbay, &other, &phone, "Two", to("second")).await;
    for text in ["One", "Two"] {
        phone.receives(text, |message| message["text"] == text).await;
    }

    phone.write_sms(SOURCE, "Stop").await;

    for one in [&client, &other] {
        listed(&patchbay, one, &phone, true).await;
    }
    assert_eq!(opted_out(&patchbay, &silent).await, Vec::<Value>::new(), "it has not written");
    for (name, ct_id) in [("first", "One"), ("second", "Two")] {
        let told = sink.receives_many(name, 1).await.remove(0).form();
        assert_eq!((told["messageText"].as_str(), told["ctid"].as_str()), ("Stop", ct_id));
    }
    for one in [&client, &other] {
        let before = patchbay.sms_balance(one).await;
        let blocked = send(&patchbay, one, &phone, "Three", json!({})).await;
        assert_eq!(receipt_of(&patchbay, one, &blocked).await, "620");
        assert_eq!(patchbay.sms_balance(one).await, before, "it is refunded");
    }
    phone.write_sms(SOURCE, "START").await;
    for one in [&client, &other] {
        listed(&patchbay, one, &phone, false).await;
    }
    send(&patchbay, &client, &phone, "Four", json!({})).await;
    phone.receives("the SMS after START", |message| message["text"] == "Four").await;
    assert!(phone.inbox().await.iter().all(|message| message["text"] != "Three"));
}

#[tokio::test]
async fn a_stop_at_a_shared_source_is_for_clients_whose_messages_are_still_scheduled() {
    let (patchbay, client, phone) = stage().await;
    let other = patchbay.new_bare_client();
    patchbay.credits(&other, 5);
    send(&patchbay, &client, &phone, "One", json!({})).await;
    phone.receives("the SMS", |message| message["text"] == "One").await;
    let later = (harness::real_time() + chrono::TimeDelta::hours(5)).to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    let scheduled = send(&patchbay, &other, &phone, "Later", json!({ "scheduledSmsDate": later })).await;

    phone.write_sms(SOURCE, "UNSUBSCRIBE").await;

    for one in [&client, &other] {
        listed(&patchbay, one, &phone, true).await;
    }
    assert_eq!(receipt_of(&patchbay, &other, &scheduled).await, "620");
    assert_eq!(patchbay.sms_balance(&other).await, 5);
}

#[tokio::test]
async fn only_the_last_sender_gets_a_reply_that_is_no_stop_word_also_after_a_stop() {
    let (patchbay, client, phone) = stage().await;
    let (other, sink) = (patchbay.new_bare_client(), WebhookSink::start().await);
    patchbay.credits(&other, 5);
    let to = |name: &str| json!({ "replyCallBackURL": sink.url(name) });
    send(&patchbay, &client, &phone, "One", to("first")).await;
    send(&patchbay, &other, &phone, "Two", to("second")).await;
    for text in ["One", "Two"] {
        phone.receives(text, |message| message["text"] == text).await;
    }
    phone.write_sms(SOURCE, "stop").await;

    phone.write_sms(SOURCE, "please stop this").await;

    let words = |name: &str| -> Vec<String> {
        sink.received(name).iter().map(|told| told.form()["messageText"].clone()).collect()
    };
    sink.receives_many("second", 2).await;
    sink.receives_many("first", 1).await;
    let mut to_the_last = words("second");
    to_the_last.sort();
    assert_eq!(to_the_last, ["please stop this", "stop"]);
    assert_eq!(words("first"), ["stop"]);
}
