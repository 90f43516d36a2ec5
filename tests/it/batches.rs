//! Batches: lists, progress, pause, resume, cancel, and reports of a batch or of a day.

use harness::{Patchbay, PatchbaySetup, SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually};
use serde_json::{Value, json};

const BATCHES: &str = "/whatsapp-api-service/v2/batches";

/// Sends a template to all these phones, and returns the id of the batch.
async fn send(client: &TestClient, phones: &[TestPhone]) -> String {
    let numbers: Vec<&str> = phones.iter().map(|phone| phone.msisdn.as_str()).collect();
    client.send(&client.order_ready(&numbers)).await.accepted()["batchId"].as_str().unwrap().to_owned()
}

async fn progress(client: &TestClient, batch: &str) -> Value {
    client.get(&format!("{BATCHES}/{batch}")).await.ok()
}

async fn tell(client: &TestClient, batch: &str, what: &str) -> Value {
    client.post(&format!("{BATCHES}/{batch}/{what}"), &json!({})).await.ok()
}

/// A server whose number sends so slowly that a batch can be stopped.
async fn slow(seconds_per_message: &str) -> (Patchbay, TestClient, WebhookSink) {
    let _ = seconds_per_message;
    let patchbay = PatchbaySetup::new().set("limits.cloud_rate_per_number", "5").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    (patchbay, client, sink)
}

fn phones(patchbay: &Patchbay, count: u32) -> Vec<TestPhone> {
    (0..count).map(|at| patchbay.phone(&format!("2785{at:07}"))).collect()
}

async fn received(phones: &[TestPhone]) -> usize {
    let mut count = 0;
    for phone in phones {
        count += phone.inbox().await.len();
    }
    count
}

#[tokio::test]
async fn a_batch_is_listed_with_its_counts_and_tells_how_far_it_is() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    let first = client.send(&client.order_ready(&[&phone.msisdn, "083"])).await.accepted();
    let second = client.send(&client.order_ready(&["083"])).await.accepted();

    let page = client.get(BATCHES).await.ok();

    assert_eq!(page["totalElements"], 2);
    let ids: Vec<&Value> = page["content"].as_array().unwrap().iter().map(|batch| &batch["batchId"]).collect();
    assert_eq!(ids, [&second["batchId"], &first["batchId"]], "the newest first");
    let batch = &page["content"][1];
    assert_eq!((&batch["acceptedCount"], &batch["rejectedCount"]), (&json!(1), &json!(1)));
    assert_eq!(batch["templateName"], "order_ready");
    assert_eq!((&batch["requestId"], &batch["sender"]), (&first["requestId"], &json!(client.number)));
    let id = first["batchId"].as_str().unwrap();
    eventually("the delivery", || async { (progress(&client, id).await["progress"]["delivered"] == 1).then_some(()) })
        .await;
    assert_eq!(progress(&client, id).await["state"], "DONE", "no message waits");
    let done = client.get(BATCHES).await.ok();
    assert!(done["content"].as_array().unwrap().iter().all(|batch| batch["state"] == "DONE"), "{done}");
    let created = batch["createdTime"].as_str().unwrap();
    assert_eq!(client.get(&format!("{BATCHES}?to={created}")).await.ok()["totalElements"], 0);
    assert_eq!(client.get(&format!("{BATCHES}?from={created}")).await.ok()["totalElements"], 2);
    assert_eq!(client.get(&format!("{BATCHES}?from=yesterday")).await.faulty_fields(), ["from"]);
}

#[tokio::test]
async fn a_paused_batch_sends_nothing_until_it_is_resumed_and_loses_nothing() {
    let (patchbay, client, sink) = slow("").await;
    let phones = phones(&patchbay, 60);
    let batch = send(&client, &phones).await;

    let paused = tell(&client, &batch, "pause").await;

    assert_eq!(paused["state"], "PAUSED");
    assert!(paused["progress"]["queued"].as_u64().unwrap() > 30, "{paused}");
    let other = patchbay.phone("27860000001");
    client.send(&client.order_ready(&[&other.msisdn])).await.accepted();
    other.receives("another send, which goes on", |_| true).await;
    // Calls in flight are finished; no new call begins.
    eventually("calm", || async {
        let now = progress(&client, &batch).await["progress"].clone();
        (now["accepted"] == 0 && now["sent"] == 0).then_some(())
    })
    .await;
    let before = received(&phones).await;
    assert!(before < 60);
    assert_eq!(tell(&client, &batch, "pause").await["state"], "PAUSED", "asking again changes nothing");
    assert_eq!(received(&phones).await, before);

    assert_eq!(tell(&client, &batch, "resume").await["state"], "OPEN");

    eventually("all of it", || async {
        (progress(&client, &batch).await["progress"]["delivered"] == 60).then_some(())
    })
    .await;
    assert_eq!(received(&phones).await, 60, "each once");
    drop(sink);
}

#[tokio::test]
async fn a_cancelled_batch_fails_only_unsent_messages() {
    let (patchbay, client, sink) = slow("").await;
    let phones = phones(&patchbay, 60);
    let batch = send(&client, &phones).await;

    let cancelled = tell(&client, &batch, "cancel").await;

    let failed = cancelled["progress"]["failed"].as_u64().unwrap();
    assert_eq!((&cancelled["state"], failed > 30), (&json!("CANCELLED"), true), "{cancelled}");
    eventually("the end of the rest", || async {
        let now = progress(&client, &batch).await["progress"].clone();
        (now["delivered"].as_u64().unwrap() + now["failed"].as_u64().unwrap() == 60).then_some(())
    })
    .await;
    let delivered = progress(&client, &batch).await["progress"]["delivered"].as_u64().unwrap();
    assert_eq!(received(&phones).await as u64, delivered, "none that failed has arrived");
    eventually("the webhooks", || async {
        let told = sink.bodies("status");
        let failures: Vec<&Value> = told.iter().filter(|body| body["status"] == "FAILED").collect();
        let right = failures.iter().all(|body| body["errorCode"] == "900410");
        (failures.len() as u64 == failed && right).then_some(())
    })
    .await;
    assert_eq!(tell(&client, &batch, "cancel").await["state"], "CANCELLED", "asking again changes nothing");
    for what in ["pause", "resume"] {
        assert_eq!(client.post(&format!("{BATCHES}/{batch}/{what}"), &json!({})).await.status, 409);
    }
}

#[tokio::test]
async fn a_repeated_call_respects_a_paused_or_cancelled_batch() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    phone.set(json!({ "rejectWith": { "status": 500, "code": 131_000 } })).await;
    let batch = send(&client, std::slice::from_ref(&phone)).await;
    eventually("a refused call", || async { (!patchbay.provider_sends(&client).await.is_empty()).then_some(()) }).await;

    tell(&client, &batch, "pause").await;
    phone.set(json!({ "rejectWith": null })).await;
    tell(&client, &batch, "cancel").await;

    eventually("the failure", || async { (progress(&client, &batch).await["progress"]["failed"] == 1).then_some(()) })
        .await;
    assert!(phone.inbox().await.is_empty());
}

#[tokio::test]
async fn the_report_of_a_batch_has_one_line_per_message_in_both_forms() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phones: Vec<TestPhone> = (0..3).map(|_| patchbay.new_phone()).collect();
    let batch = send(&client, &phones).await;
    client.send(&client.order_ready(&[&patchbay.new_phone().msisdn])).await.accepted();
    eventually("the deliveries", || async {
        (progress(&client, &batch).await["progress"]["delivered"] == 3).then_some(())
    })
    .await;

    let csv = client.get(&format!("{BATCHES}/{batch}/report")).await;
    assert_eq!((csv.status, csv.header("content-type")), (200, Some("text/csv; charset=utf-8")));
    let lines: Vec<&str> = csv.text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[0].starts_with("gstId,ctId,batchId,"), "{}", lines[0]);
    for (line, phone) in lines[1..].iter().zip(&phones) {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!((fields[2], fields[7], fields[9]), (batch.as_str(), phone.msisdn.as_str(), "DELIVERED"), "{line}");
        assert_eq!(fields.len(), lines[0].split(',').count());
    }
    let ndjson = client.get(&format!("{BATCHES}/{batch}/report?format=ndjson")).await;
    let objects: Vec<Value> = ndjson.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let receivers: Vec<&str> = objects.iter().map(|line| line["receiver"].as_str().unwrap()).collect();
    assert_eq!(receivers, phones.iter().map(|phone| phone.msisdn.as_str()).collect::<Vec<_>>());
    assert_eq!(client.get(&format!("{BATCHES}/{batch}/report?format=pdf")).await.faulty_fields(), ["format"]);
}

#[tokio::test]
async fn the_messages_of_a_batch_are_listed_by_page_and_by_state_with_the_reason_of_each_failure() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phones: Vec<TestPhone> = (0..3).map(|_| patchbay.new_phone()).collect();
    phones[1].set(json!({ "onWhatsApp": false })).await;
    let mut numbers: Vec<&str> = phones.iter().map(|phone| phone.msisdn.as_str()).collect();
    numbers.push("083");
    let answer = client.send(&client.order_ready(&numbers)).await.accepted();
    let batch = answer["batchId"].as_str().unwrap();
    client.send(&client.order_ready(&[&patchbay.new_phone().msisdn])).await.accepted();
    eventually("the ends", || async {
        let now = progress(&client, batch).await["progress"].clone();
        (now["delivered"] == 2 && now["failed"] == 1).then_some(())
    })
    .await;
    let list = format!("{BATCHES}/{batch}/messages");

    let page = client.get(&list).await.ok();

    assert_eq!(page["totalElements"], 3, "neither rejected recipients nor messages of other batches");
    let receivers: Vec<&str> =
        page["content"].as_array().unwrap().iter().map(|one| one["receiver"].as_str().unwrap()).collect();
    assert_eq!(receivers, numbers[..3]);
    let delivered = &page["content"][0];
    assert_eq!((&delivered["status"], &delivered["channel"]), (&json!("DELIVERED"), &json!("WHATSAPP")));
    assert_eq!(delivered["ctId"], format!("ct-{}", phones[0].msisdn));
    assert_eq!((delivered["deliveryTime"].is_string(), delivered.get("errorCode")), (true, None), "{delivered}");
    let story = format!("/messaging-service/WhatsApp/messages/{}", delivered["gstId"].as_str().unwrap());
    assert_eq!(client.get(&story).await.ok()["batchId"], *batch);
    let failed = client.get(&format!("{list}?status=FAILED")).await.ok();
    let failure = &failed["content"][0];
    assert_eq!((&failed["totalElements"], &failure["receiver"]), (&json!(1), &json!(phones[1].msisdn)));
    assert_eq!((&failure["status"], &failure["errorCode"]), (&json!("FAILED"), &json!("131026")));
    assert!(failure["errorCodeString"].is_string(), "{failure}");
    let second = client.get(&format!("{list}?status=DELIVERED&size=1&page=1")).await.ok();
    assert_eq!((&second["totalElements"], &second["last"]), (&json!(2), &json!(true)));
    assert_eq!(second["content"][0]["receiver"], phones[2].msisdn);
    let beyond = client.get(&format!("{list}?size=1&page=3")).await.ok();
    assert_eq!((&beyond["totalElements"], &beyond["content"]), (&json!(3), &json!([])));
}

#[tokio::test]
async fn the_list_of_messages_is_empty_for_an_empty_batch_and_refuses_unknown_states_and_batches() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let answer = client.send(&client.order_ready(&["083"])).await.accepted();
    let list = format!("{BATCHES}/{}/messages", answer["batchId"].as_str().unwrap());

    let empty = client.get(&list).await.ok();

    assert_eq!((&empty["totalElements"], &empty["content"]), (&json!(0), &json!([])));
    assert_eq!(client.get(&format!("{list}?status=QUEUED")).await.ok()["totalElements"], 0);
    for unknown in ["failed", "LOST"] {
        assert_eq!(client.get(&format!("{list}?status={unknown}")).await.faulty_fields(), ["status"], "{unknown}");
    }
    assert_eq!(client.get(&format!("{BATCHES}/{}/messages", uuid::Uuid::nil())).await.status, 404);
}

#[tokio::test]
async fn reports_and_stories_distinguish_numbers_and_user_ids() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    let user_id = phone.user_id().await;
    let mut payload = client.order_ready(&[&phone.msisdn]);
    payload["messages"][0]["recipients"] = json!([
        { "customerUserId": user_id }, { "to": phone.msisdn, "customerUserId": user_id }, { "to": phone.msisdn },
    ]);
    let batch = client.send(&payload).await.accepted()["batchId"].as_str().unwrap().to_owned();
    let report = client.get(&format!("{BATCHES}/{batch}/report?format=ndjson")).await;
    let lines: Vec<Value> = report.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let named = |message: &Value| (message.get("receiver").cloned(), message.get("recipientUserId").cloned());
    let (number, user_id) = (Some(json!(phone.msisdn)), Some(json!(user_id)));
    let expected = [(None, user_id.clone()), (number.clone(), user_id), (number, None)];
    assert_eq!(lines.iter().map(named).collect::<Vec<_>>(), expected);
    for (line, expected) in lines.iter().zip(expected) {
        let path = format!("/messaging-service/WhatsApp/messages/{}", line["gstId"].as_str().unwrap());
        assert_eq!(named(&client.get(&path).await.ok()), expected);
    }
}

#[tokio::test]
async fn the_report_of_a_day_has_the_messages_of_that_day_alone_over_all_pages() {
    let patchbay = PatchbaySetup::new().set("server.workers", "false").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let numbers: Vec<String> = (0..1000).map(|at| format!("2783{at:07}")).collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    let answer = client.send(&client.order_ready(&numbers)).await.accepted();
    let day = answer["timestamp"].as_str().unwrap()[..10].to_owned();

    let report = client.get(&format!("/whatsapp-api-service/v2/reports/{day}?format=ndjson")).await;

    assert_eq!((report.status, report.text.lines().count()), (200, 1000));
    let other = client.get("/whatsapp-api-service/v2/reports/2020-02-29").await;
    assert_eq!((other.status, other.text.lines().count()), (200, 1), "the headings alone");
    for no_day in ["2020-02-30", "20-02-29", "-5000-01-01", "+262142-12-31"] {
        assert_eq!(client.get(&format!("/whatsapp-api-service/v2/reports/{no_day}")).await.status, 404, "{no_day}");
    }
    for no_time in ["-5000-01-01T00:00:00", "%2B11000-01-01T00:00:00", "26-01-01T00:00:00"] {
        assert_eq!(client.get(&format!("{BATCHES}?from={no_time}")).await.faulty_fields(), ["from"], "{no_time}");
    }
}
