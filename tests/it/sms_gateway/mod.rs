//! The JSON SMS gateway (SPEC 2.14, 4.8; parts 7 and 8).

mod late_receipts;

use std::time::Duration;

use harness::{Patchbay, PatchbaySetup, SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually};
use reqwest::Method;
use serde_json::{Value, json};

const SEND: &str = "/sms/json";
const TRACK: &str = "/sms/trackingMessageStatus";

async fn stage(credits: u32) -> (SharedPatchbay, TestClient, TestPhone) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    if credits > 0 {
        patchbay.credits(&client, credits);
    }
    let phone = patchbay.new_phone();
    (patchbay, client, phone)
}

fn one(ct_id: &str, phone: &TestPhone, text: &str) -> Value {
    let recipients = json!([{ "to": phone.msisdn, "identifier": "Thandi" }]);
    json!({ "messages": [{ "ctid": ct_id, "recipients": recipients, "messageText": text }] })
}

/// Sends a body and returns the id of its request.
async fn sent(patchbay: &Patchbay, client: &TestClient, body: &Value) -> String {
    let answer = patchbay.sms(client, SEND, body).await.ok();
    assert_eq!(
        (&answer["statusCode"], &answer["statusDescription"]),
        (&json!("100"), &json!("MESSAGE_ACCEPTED_FOR_PROCESSING"))
    );
    assert!(answer["completionTime"].as_str().unwrap().ends_with("+00:00"), "{answer}");
    answer["gstid"].as_str().unwrap().to_owned()
}

/// Waits until all messages of a request have this state. It reads the database, because tracking queries are limited.
async fn state(patchbay: &Patchbay, gst_id: &str, wanted: &str) {
    let mut db = patchbay.database().await;
    let id: uuid::Uuid = gst_id.parse().unwrap();
    for _ in 0..600 {
        let statement = "SELECT count(*) FROM sms_message WHERE request_id = $1 AND state <> $2";
        let others: i64 = sqlx::query_scalar(statement).bind(id).bind(wanted).fetch_one(&mut db).await.unwrap();
        if others == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the messages of {gst_id} did not become {wanted}");
}

#[tokio::test]
async fn an_sms_is_charged_arrives_and_can_be_tracked() {
    let (patchbay, client, phone) = stage(10).await;

    let gst_id = sent(&patchbay, &client, &one("order-7", &phone, "Your order is ready.")).await;

    let sms = phone.receives("the SMS", |message| message["channel"] == "SMS").await;
    assert_eq!((&sms["text"], &sms["from"]), (&json!("Your order is ready."), &json!("PATCHBAY")));
    state(&patchbay, &gst_id, "DELIVERED").await;
    assert_eq!(patchbay.sms_balance(&client).await, 9);
    for ask in [json!({ "ctid": "order-7" }), json!({ "gstid": gst_id, "showfinalstatus": "true" })] {
        let answer = patchbay.sms(&client, TRACK, &ask).await.ok();
        let receipt = &answer["receipts"][0];
        assert_eq!((&answer["statusCode"], &receipt["statusCode"]), (&json!("100"), &json!("600")), "{answer}");
        assert_eq!((&receipt["ctid"], &receipt["gstid"]), (&json!("order-7"), &json!(gst_id)));
        assert_eq!((&receipt["to"], &receipt["identifier"]), (&json!(phone.msisdn), &json!("Thandi")));
        assert_eq!(receipt["statusDescription"], "Delivery Success");
    }
}

#[tokio::test]
async fn segments_are_the_unit_of_credits_and_prices_go_by_country() {
    let (patchbay, client, phone) = stage(100).await;
    sent(&patchbay, &client, &one("a", &phone, &"a".repeat(161))).await;
    assert_eq!(patchbay.sms_balance(&client).await, 98);

    let price = ["credits", "price", "--client", &client.client_ref, "--prefix", "27", "--credits", "3"];
    assert_eq!(patchbay.admin(&price)["credits"], 3);
    let mut unicode = one("b", &phone, &"a".repeat(71));
    unicode["unicode"] = json!("true");
    sent(&patchbay, &client, &unicode).await;
    assert_eq!(patchbay.sms_balance(&client).await, 92);
}

#[tokio::test]
async fn without_credits_nothing_is_stored_and_nothing_charged() {
    let (patchbay, client, phone) = stage(1).await;
    let before = patchbay.rows_of(&client.client_ref).await;

    let refused = patchbay.sms(&client, SEND, &one("a", &phone, &"a".repeat(161))).await;

    assert_eq!((refused.status, &refused.json()["statusCode"]), (402, &json!("402")), "{}", refused.text);
    assert_eq!(patchbay.rows_of(&client.client_ref).await, before);
    assert_eq!(patchbay.sms_balance(&client).await, 1);
}

#[tokio::test]
async fn a_balance_never_falls_below_zero_however_many_ask_at_once() {
    let (patchbay, client, phone) = stage(5).await;
    let sends = (0..12).map(|at| {
        let body = one(&format!("race-{at}"), &phone, "hi");
        let (patchbay, client) = (&patchbay, &client);
        async move { patchbay.sms(client, SEND, &body).await.status }
    });
    let mut answers = futures_of(sends).await;
    answers.sort_unstable();
    assert_eq!(answers, [vec![200; 5], vec![402; 7]].concat());
    assert_eq!(patchbay.sms_balance(&client).await, 0);
}

async fn futures_of<F: Future>(all: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut running: Vec<_> = all.map(Box::pin).collect();
    let mut done: Vec<Option<F::Output>> = running.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, done) in running.iter_mut().zip(&mut done) {
            if done.is_none()
                && let std::task::Poll::Ready(output) = future.as_mut().poll(context)
            {
                *done = Some(output);
            }
        }
        if done.iter().all(Option::is_some) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}

#[tokio::test]
async fn the_same_under_the_same_ctid_is_not_sent_twice() {
    let (patchbay, client, phone) = stage(10).await;
    let other = patchbay.new_phone();
    let body = one("order-8", &phone, "Ready.");
    let first = sent(&patchbay, &client, &body).await;

    assert_eq!(sent(&patchbay, &client, &body).await, first, "it is answered by the request that sent it");
    assert_eq!(patchbay.sms_balance(&client).await, 9);

    let mut more = body.clone();
    more["messages"][0]["recipients"] = json!([{ "to": phone.msisdn }, { "to": other.msisdn }]);
    assert_ne!(sent(&patchbay, &client, &more).await, first);
    assert_eq!(patchbay.sms_balance(&client).await, 8, "a recipient that has it already is skipped");
    other.receives("the SMS", |message| message["channel"] == "SMS").await;
    assert_eq!(phone.inbox().await.iter().filter(|message| message["channel"] == "SMS").count(), 1);
}

#[tokio::test]
async fn one_text_goes_to_many_at_the_top() {
    let (patchbay, client, phone) = stage(10).await;
    let other = patchbay.new_phone();
    let recipients = json!([{ "to": phone.msisdn }, { "to": other.msisdn }]);
    sent(&patchbay, &client, &json!({ "ctid": "all", "recipients": recipients, "messageText": "Hello" })).await;
    for phone in [phone, other] {
        phone.receives("the SMS", |message| message["text"] == "Hello").await;
    }
    assert_eq!(patchbay.sms_balance(&client).await, 8);
}

#[tokio::test]
async fn receipts_are_sent_by_get_until_they_are_accepted() {
    let (patchbay, client, phone) = stage(10).await;
    let sink = WebhookSink::start().await;
    let mut body = one("order-9", &phone, "Ready.");
    body["settings"] = json!({ "receiptCallBackURL": sink.url("receipt") });

    let gst_id = sent(&patchbay, &client, &body).await;

    let told = eventually("the last receipt", || async {
        let forms: Vec<_> = sink.received("receipt").iter().map(harness::SinkRequest::form).collect();
        forms.into_iter().find(|form| form["statusCode"] == "600")
    })
    .await;
    assert_eq!(told["stid"].len(), gst_id.len(), "{told:?}");
    let expected = [("ctid", "order-9"), ("gstid", &gst_id), ("to", &phone.msisdn), ("identifier", "Thandi")];
    for (field, value) in expected {
        assert_eq!(told[field], value, "{told:?}");
    }
    assert_eq!(told["statusDescription"], "Delivery Success");
}

#[tokio::test]
async fn a_callback_that_does_not_arrive_is_tried_again_for_a_day() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("acme");
    patchbay.credits(&client, 10);
    let (sink, phone) = (WebhookSink::start().await, patchbay.phone("27820000001"));
    sink.misbehave("receipt", 500, Duration::ZERO, 1_000);
    let mut body = one("a", &phone, "Ready.");
    body["settings"] = json!({ "receiptCallBackURL": sink.url("receipt") });
    let gst_id = sent(&patchbay, &client, &body).await;
    state(&patchbay, &gst_id, "DELIVERED").await;
    let before = sink.receives_many("receipt", 1).await.len();

    patchbay.advance_clock(3600).await;
    sink.receives_many("receipt", before + 1).await;

    patchbay.advance_clock(24 * 3600).await;
    let mut db = patchbay.database().await;
    for _ in 0..600 {
        let left: i64 = sqlx::query_scalar("SELECT count(*) FROM sms_callback").fetch_one(&mut db).await.unwrap();
        if left == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("callbacks are given up after a day");
}

#[tokio::test]
async fn a_missed_status_is_not_reported_after_a_later_one() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("acme");
    patchbay.credits(&client, 10);
    let (sink, phone) = (WebhookSink::start().await, patchbay.phone("27820000001"));
    patchbay.simulate("/simulator/faults", &json!({ "smscReceiptDelayMillis": 1000 })).await;
    sink.misbehave("receipt", 500, Duration::ZERO, 1_000);
    let mut body = one("a", &phone, "Ready.");
    body["settings"] = json!({ "receiptCallBackURL": sink.url("receipt") });

    let gst_id = sent(&patchbay, &client, &body).await;
    state(&patchbay, &gst_id, "DELIVERED").await;

    let mut db = patchbay.database().await;
    let owed: Vec<String> = sqlx::query_scalar("SELECT form FROM sms_callback").fetch_all(&mut db).await.unwrap();
    assert!(owed.len() == 1 && owed[0].contains("statusCode=600"), "{owed:?}");
    sink.misbehave("receipt", 200, Duration::ZERO, 0);
    patchbay.advance_clock(3600).await;
    let arrived = eventually("the callbacks to arrive", || async {
        let left: i64 = sqlx::query_scalar("SELECT count(*) FROM sms_callback")
            .fetch_one(&mut patchbay.database().await)
            .await
            .unwrap();
        (left == 0).then(|| sink.received("receipt"))
    });
    let arrived: Vec<String> = arrived.await.iter().map(|one| one.form()["statusCode"].clone()).collect();
    assert_eq!(arrived.last().map(String::as_str), Some("600"), "{arrived:?}");
}

#[tokio::test]
async fn a_callback_address_is_checked_like_that_of_a_webhook() {
    let (patchbay, client, phone) = stage(10).await;
    let mut body = one("a", &phone, "Ready.");
    body["settings"] =
        json!({ "receiptCallBackURL": "ftp://a.example/", "replyCallBackURL": "https://u:p@a.example/" });
    let refused = patchbay.sms(&client, SEND, &body).await;
    assert_eq!(refused.faulty_fields(), ["settings.receiptCallBackURL", "settings.replyCallBackURL"]);
    assert_eq!(patchbay.sms_balance(&client).await, 10);
}

#[tokio::test]
async fn an_sms_that_cannot_arrive_is_at_620() {
    let (patchbay, client, phone) = stage(10).await;
    phone.set(json!({ "smsState": "UNDELIV" })).await;
    let gst_id = sent(&patchbay, &client, &one("a", &phone, "Ready.")).await;
    state(&patchbay, &gst_id, "FAILED").await;
    let answer = patchbay.sms(&client, TRACK, &json!({ "gstid": gst_id })).await.ok();
    assert_eq!(answer["receipts"][0]["statusCode"], "620");
    assert_eq!(patchbay.sms_balance(&client).await, 9, "the network had it: it is not refunded");
}

#[tokio::test]
async fn an_unsaved_text_is_deleted_when_it_is_delivered() {
    let (patchbay, client, phone) = stage(10).await;
    let secret = "pin 4711-forget-me";
    let mut body = one("a", &phone, secret);
    body["settings"] = json!({ "dsm": "true" });

    let gst_id = sent(&patchbay, &client, &body).await;

    phone.receives("the SMS", |message| message["text"] == secret).await;
    state(&patchbay, &gst_id, "DELIVERED").await;
    let mut db = patchbay.database().await;
    let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM outbound_part WHERE content::text LIKE '%forget-me%'")
        .fetch_one(&mut db)
        .await
        .unwrap();
    assert_eq!(kept, 0);
    assert!(!patchbay.log().contains("forget-me"));
}

#[tokio::test]
async fn an_sms_accepted_by_the_operator_has_501_and_no_callback_of_final_states() {
    let (patchbay, client, phone) = stage(10).await;
    phone.set(json!({ "smsState": "ACCEPTD" })).await;
    let other = patchbay.new_phone();
    let mut body = one("a", &phone, "Ready.");
    body["messages"][0]["recipients"] = json!([{ "to": phone.msisdn }, { "to": other.msisdn }]);

    let gst_id = sent(&patchbay, &client, &body).await;

    let statuses = async |only_final: &str| {
        let ask = json!({ "gstid": gst_id, "showfinalstatus": only_final });
        let answer = patchbay.sms(&client, TRACK, &ask).await.ok();
        let receipts = answer["receipts"].as_array().unwrap().clone();
        receipts.iter().map(|one| one["statusCode"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let request: uuid::Uuid = gst_id.parse().unwrap();
    eventually("both to be where they end", || async {
        let statement = "SELECT count(*) FROM sms_message WHERE request_id = $1 AND state IN ('SENT', 'DELIVERED')";
        let mut db = patchbay.database().await;
        let there: i64 = sqlx::query_scalar(statement).bind(request).fetch_one(&mut db).await.unwrap();
        (there == 2).then_some(())
    })
    .await;
    assert_eq!(statuses("false").await, ["501", "600"]);
    assert_eq!(statuses("true").await, ["600"]);
}

#[tokio::test]
async fn a_scheduled_sms_leaves_when_its_time_has_come() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("acme");
    patchbay.credits(&client, 10);
    let phone = patchbay.phone("27820000001");
    let due = harness::real_time() + chrono::TimeDelta::hours(2);
    let mut body = one("a", &phone, "Later.");
    body["settings"] = json!({ "scheduledSmsDate": due.to_rfc3339_opts(chrono::SecondsFormat::Secs, true) });

    let gst_id = sent(&patchbay, &client, &body).await;

    assert_eq!(patchbay.sms_balance(&client).await, 9, "it is charged when it is accepted");
    let answer = patchbay.sms(&client, TRACK, &json!({ "gstid": gst_id })).await.ok();
    assert_eq!(answer["receipts"][0]["statusCode"], "100");
    patchbay.advance_clock(7_000).await;
    sent(&patchbay, &client, &one("b", &phone, "Now.")).await;
    phone.receives("the other", |message| message["text"] == "Now.").await;
    assert!(phone.inbox().await.iter().all(|message| message["text"] != "Later."));
    patchbay.advance_clock(300).await;
    phone.receives("the SMS", |message| message["text"] == "Later.").await;
}

#[tokio::test]
async fn a_thousand_recipients_are_taken_and_one_more_is_not() {
    let (patchbay, client, _) = stage(1000).await;
    let with = |count: usize| {
        let to: Vec<Value> = (0..count).map(|at| json!({ "to": format!("2784{at:07}") })).collect();
        json!({ "recipients": to, "messageText": "Hello", "settings": { "scheduledSmsDate": "2099-01-01T00:00:00Z" } })
    };
    let refused = patchbay.sms(&client, SEND, &with(1001)).await;
    assert_eq!(refused.faulty_fields(), ["recipients"]);
    let mut whole = with(1000);
    whole["settings"] = Value::Null;
    sent(&patchbay, &client, &whole).await;
    assert_eq!(patchbay.sms_balance(&client).await, 0);
}

#[tokio::test]
async fn each_fault_names_its_field_and_nothing_is_stored() {
    let (patchbay, client, phone) = stage(10).await;
    let before = patchbay.rows_of(&client.client_ref).await;
    let mut far = one("a", &phone, "hi");
    far["settings"] = json!({ "scheduledSmsDate": "2099-01-01T00:00:00Z" });
    let cases = [
        (json!({}), vec!["messages"]),
        (json!({ "messageText": "hi" }), vec!["recipients"]),
        (json!({ "recipients": [{ "to": "123" }], "messageText": "hi" }), vec!["recipients[0].to"]),
        (json!({ "messages": "x" }), vec!["messages"]),
        (far, vec!["settings.scheduledSmsDate"]),
    ];
    for (body, fields) in cases {
        assert_eq!(patchbay.sms(&client, SEND, &body).await.faulty_fields(), fields, "{body}");
    }
    assert_eq!(patchbay.rows_of(&client.client_ref).await, before);
}

#[tokio::test]
async fn fields_absent_from_an_element_of_messages_come_from_the_top() {
    let (patchbay, client, phone) = stage(10).await;
    let to = json!([{ "to": phone.msisdn }]);
    let messages = json!([{ "recipients": to, "messageText": "Hello", "unicode": "true" }]);
    let body = json!({ "ctid": "whole", "messages": messages });

    let gst_id = sent(&patchbay, &client, &body).await;

    let sms = phone.receives("the SMS", |message| message["text"] == "Hello").await;
    assert_eq!(sms["dataCoding"], 8, "{sms}");
    let told = patchbay.sms(&client, TRACK, &json!({ "ctid": "whole" })).await.ok();
    assert_eq!(told["receipts"][0]["gstid"], gst_id.as_str(), "{told}");
    assert_eq!(sent(&patchbay, &client, &body).await, gst_id, "it is not sent twice");
    assert_eq!(patchbay.sms_balance(&client).await, 9);
}

#[tokio::test]
async fn get_is_for_light_use_and_has_no_body() {
    let (patchbay, client, phone) = stage(10).await;
    let path = format!("{SEND}?to={},0820000009&messageText=Hello%20you&ctid=g", phone.msisdn);
    let headers = [("X-API-Key", client.key.as_str())];

    let answer = patchbay.ask(Method::GET, &path, &headers, "").await.ok();

    assert_eq!(answer["statusCode"], "100");
    phone.receives("the SMS", |message| message["text"] == "Hello you").await;
    assert_eq!(patchbay.sms_balance(&client).await, 8);
    let refused = patchbay.ask(Method::GET, &path, &headers, "{}").await;
    assert_eq!(refused.faulty_fields(), ["body"]);
}

#[tokio::test]
async fn an_id_can_be_queried_ten_times_and_then_once_in_ten_minutes() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("acme");
    let ask = || async { patchbay.sms(&client, TRACK, &json!({ "ctid": "a" })).await.ok()["statusCode"].clone() };
    for _ in 0..10 {
        assert_eq!(ask().await, "100");
    }
    assert_eq!(ask().await, "228");
    for id in ["b", " a"] {
        assert_eq!(patchbay.sms(&client, TRACK, &json!({ "ctid": id })).await.ok()["statusCode"], "100");
    }
    patchbay.advance_clock(590).await;
    assert_eq!(ask().await, "228");
    patchbay.advance_clock(20).await;
    assert_eq!(ask().await, "100");
    assert_eq!(ask().await, "228");
    patchbay.advance_clock(601).await;
    assert_eq!(ask().await, "100");
}

#[tokio::test]
async fn messages_are_found_by_their_day() {
    let (patchbay, client, phone) = stage(10).await;
    let gst_id = sent(&patchbay, &client, &one("a", &phone, "hi")).await;
    let today = harness::real_time().format("%Y-%m-%d").to_string();
    let found = patchbay.sms(&client, TRACK, &json!({ "sentDate": today })).await.ok();
    assert_eq!(found["receipts"][0]["gstid"], json!(gst_id), "{found}");
    let none = patchbay.sms(&client, TRACK, &json!({ "sentDate": "2020-01-01" })).await.ok();
    assert_eq!(none["receipts"], json!([]));
}

#[tokio::test]
async fn the_key_is_in_a_header_of_its_own() {
    let (patchbay, client, _) = stage(0).await;
    let headers = [("Authorization", client.key.as_str()), ("Content-Type", "application/json")];
    assert_eq!(patchbay.ask(Method::POST, "/sms/getBalance", &headers, "{}").await.status, 401);
    assert_eq!(patchbay.sms_balance(&client).await, 0);
}

#[tokio::test]
async fn credits_are_added_by_the_operator() {
    let (patchbay, client, _) = stage(0).await;
    let answer = patchbay.credits(&client, 25);
    assert_eq!(answer, json!({ "clientRef": client.client_ref, "balance": 25 }));
    assert_eq!(patchbay.credits(&client, 5)["balance"], 30);
    let refused = patchbay.refused(&["credits", "add", "--client", &client.client_ref, "--amount", "0"]);
    assert!(refused.contains("whole number"), "{refused}");
    assert!(patchbay.refused(&["credits", "add", "--client", "nobody", "--amount", "1"]).contains("nobody"));
}

#[tokio::test]
async fn asking_for_the_head_of_an_answer_sends_nothing() {
    let (patchbay, client, phone) = stage(10).await;
    let headers = [("X-API-Key", client.key.as_str())];
    let light = format!("{SEND}?to={}&messageText=Hello", phone.msisdn);
    let batch = format!("/smsbatch/sms?cell={}&message=Hello&senderid=S", phone.msisdn);
    for path in [light, batch] {
        assert_eq!(patchbay.ask(Method::HEAD, &path, &headers, "").await.status, 405, "{path}");
    }
    assert_eq!(patchbay.sms_balance(&client).await, 10);
}
