//! Limits on recipients: the client's blocklist, customers that stopped marketing (SPEC 6.4), and the messaging tiers
//! of Cloud numbers (SPEC part 8).

use harness::{ClientReply, Patchbay, PatchbaySetup, SharedPatchbay, TestClient, eventually};
use reqwest::Method;
use serde_json::{Value, json};

const BLOCKLIST: &str = "/messaging-service/WhatsApp/blocklist";
const SMS: &str = "/whatsapp-api-service/v2/channels/sms";
const CHECK: &str = "/whatsapp-api-service/v2/messages/check";

/// The rejected recipients of an answer as (number, reason).
fn rejected(answer: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let entries = answer["rejectedRecipients"].as_array().unwrap();
    entries.iter().map(|entry| (text(&entry["number"]), text(&entry["reason"]))).collect()
}

fn phone_number_id(client: &TestClient) -> String {
    format!("1{}", client.number)
}

async fn set_tier(patchbay: &Patchbay, client: &TestClient, tier: &str) {
    let event = json!({
        "type": "phone_quality", "phoneNumberId": phone_number_id(client), "event": "UPGRADE", "currentLimit": tier,
    });
    patchbay.simulate("/simulator/events", &event).await;
    tier_is(patchbay, client, tier).await;
}

async fn tier_is(patchbay: &Patchbay, client: &TestClient, tier: &str) {
    eventually("the tier", || async {
        let statement =
            "SELECT tier FROM messaging_tier WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)";
        let mut db = patchbay.database().await;
        let known: Option<String> =
            sqlx::query_scalar(statement).bind(&client.client_ref).fetch_optional(&mut db).await.unwrap();
        (known.as_deref() == Some(tier)).then_some(())
    })
    .await;
}

fn numbers(from: u32, count: u32) -> Vec<String> {
    (from..from + count).map(|at| format!("2784{at:07}")).collect()
}

async fn send_to(client: &TestClient, numbers: &[String]) -> Value {
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    client.send(&client.order_ready(&numbers)).await.accepted()
}

#[tokio::test]
async fn a_blocked_recipient_is_rejected_on_every_channel_until_it_is_removed() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_client().await, patchbay.new_client().await);
    let (phone, free) = (patchbay.new_phone(), patchbay.new_phone());

    let body = json!({ "recipients": [format!("+{}", phone.msisdn), phone.user_id().await], "reason": "asked us" });
    assert_eq!(client.post(BLOCKLIST, &body).await.ok(), json!({ "added": 2 }));
    assert_eq!(client.post(BLOCKLIST, &body).await.ok(), json!({ "added": 0 }));

    let answer = client.send(&client.order_ready(&[&phone.msisdn, &free.msisdn])).await.accepted();
    assert_eq!((&answer["acceptedCount"], &answer["status"]), (&json!(1), &json!("PARTIAL")));
    assert_eq!(rejected(&answer), [(phone.msisdn.clone(), "the recipient is on your blocklist".to_owned())]);
    let sms = json!({ "messages": [{ "recipients": [{ "to": phone.msisdn }], "messageText": "hi" }] });
    assert_eq!(client.post(SMS, &sms).await.accepted()["rejectedCount"], 1);
    let mut by_id = client.order_ready(&[]);
    by_id["messages"][0]["recipients"] = json!([{ "customerUserId": phone.user_id().await }]);
    assert_eq!(client.send(&by_id).await.accepted()["rejectedCount"], 1);
    assert_eq!(
        other.send(&other.order_ready(&[&phone.msisdn])).await.accepted()["rejectedCount"],
        0,
        "only the client of the blocklist is bound by it"
    );

    let page = client.get(&format!("{BLOCKLIST}?searchString=%2B{}", phone.msisdn)).await.ok();
    assert_eq!((&page["totalElements"], &page["content"][0]["recipient"]), (&json!(1), &json!(phone.msisdn)));
    assert_eq!(page["content"][0]["reason"], "asked us");
    let entry = format!("{BLOCKLIST}/{}", phone.msisdn);
    assert_eq!(other.request(Method::DELETE, &entry, None, &[]).await.status, 404);
    assert_eq!(client.request(Method::DELETE, &entry, None, &[]).await.status, 204);
    assert_eq!(client.request(Method::DELETE, &entry, None, &[]).await.status, 404);
    assert_eq!(client.send(&client.order_ready(&[&phone.msisdn])).await.accepted()["rejectedCount"], 0);
}

#[tokio::test]
async fn an_invalid_recipient_cannot_be_blocked() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let body = json!({ "recipients": ["0821234567", "27820000001", "me"] });
    assert_eq!(client.post(BLOCKLIST, &body).await.faulty_fields(), ["recipients[0]", "recipients[2]"]);
    assert_eq!(client.post(BLOCKLIST, &json!({})).await.faulty_fields(), ["recipients"]);
    let many = json!({ "recipients": vec!["27820000001"; 1001] });
    assert_eq!(client.post(BLOCKLIST, &many).await.faulty_fields(), ["recipients"]);
    assert_eq!(client.get(BLOCKLIST).await.ok()["totalElements"], 0);
}

/// Sends the preference `stop` or `resume` of a phone, and waits until it is stored.
async fn prefer(patchbay: &Patchbay, client: &TestClient, msisdn: &str, value: &str) {
    let event = json!({
        "type": "user_preferences", "phoneNumberId": phone_number_id(client), "msisdn": msisdn, "value": value,
    });
    patchbay.simulate("/simulator/events", &event).await;
    let stops = i64::from(value == "stop");
    eventually("the preference", || async {
        let statement =
            "SELECT count(*) FROM marketing_stop WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)";
        let mut db = patchbay.database().await;
        let count: i64 = sqlx::query_scalar(statement).bind(&client.client_ref).fetch_one(&mut db).await.unwrap();
        (count == stops).then_some(())
    })
    .await;
}

#[tokio::test]
async fn marketing_to_a_customer_who_said_stop_is_rejected_until_the_customer_resumes() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    let marketing = client.template("welcome", &phone.msisdn, json!([]));
    let utility = client.order_ready(&[&phone.msisdn]);

    prefer(&patchbay, &client, &phone.msisdn, "stop").await;

    let answer = client.send(&marketing).await.accepted();
    assert_eq!(answer["acceptedCount"], 0);
    assert!(rejected(&answer)[0].1.contains("marketing"), "{answer}");
    assert_eq!(client.send(&utility).await.accepted()["rejectedCount"], 0, "a utility template is no marketing");
    let mut by_id = marketing.clone();
    by_id["messages"][0]["recipients"] = json!([{ "customerUserId": phone.user_id().await }]);
    assert_eq!(client.send(&by_id).await.accepted()["rejectedCount"], 1, "by any address");

    prefer(&patchbay, &client, &phone.msisdn, "resume").await;
    assert_eq!(client.send(&marketing).await.accepted()["rejectedCount"], 0);
}

#[tokio::test]
async fn a_refusal_for_marketing_counts_as_a_stop() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    phone.set(json!({ "failWith": 131_050 })).await;
    let marketing = client.template("welcome", &phone.msisdn, json!([]));
    assert_eq!(client.send(&marketing).await.accepted()["rejectedCount"], 0);

    eventually("the stop", || async {
        let answer = client.send(&marketing).await.accepted();
        (answer["rejectedCount"] == 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_number_of_which_the_provider_has_said_nothing_has_no_limit_of_ours() {
    let patchbay = PatchbaySetup::new().set("server.workers", "false").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    assert_eq!(send_to(&client, &numbers(0, 300)).await["rejectedCount"], 0);
}

#[tokio::test]
async fn customers_beyond_the_tier_are_rejected_with_the_limit_and_counted_ones_are_not() {
    let patchbay = PatchbaySetup::new().set("testing.clock", "true").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    set_tier(&patchbay, &client, "TIER_50").await;

    assert_eq!(send_to(&client, &numbers(0, 30)).await["rejectedCount"], 0);
    let answer = send_to(&client, &numbers(20, 35)).await;
    assert_eq!((&answer["acceptedCount"], &answer["rejectedCount"]), (&json!(30), &json!(5)), "20 to 49 fit");
    let rejected = rejected(&answer);
    assert_eq!(rejected[0].0, numbers(50, 1)[0]);
    assert!(rejected[0].1.contains("50 different customers in 24 hours"), "{rejected:?}");
    assert_eq!(send_to(&client, &numbers(0, 50)).await["rejectedCount"], 0, "they count already");

    patchbay.advance_clock(24 * 3600 - 60).await;
    assert_eq!(send_to(&client, &numbers(60, 1)).await["rejectedCount"], 1, "not quite 24 hours");
    patchbay.advance_clock(16 * 60).await;
    assert_eq!(send_to(&client, &numbers(60, 50)).await["rejectedCount"], 0, "the count rolls on");
    assert_eq!(
        send_to(&client, &numbers(0, 1)).await["rejectedCount"],
        1,
        "a recipient that no longer counts is counted again"
    );

    set_tier(&patchbay, &client, "TIER_UNLIMITED").await;
    assert_eq!(send_to(&client, &numbers(200, 100)).await["rejectedCount"], 0);
}

/// The answer about a send to these numbers without sending it.
async fn check(client: &TestClient, numbers: &[String], query: &str) -> ClientReply {
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    let body = json!({ "channel": "WHATSAPP", "payload": client.order_ready(&numbers) });
    client.post(&format!("{CHECK}{query}"), &body).await
}

#[tokio::test]
async fn a_send_of_several_requests_is_checked_against_the_tier_as_a_whole() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", "27110000001").await;
    set_tier(&patchbay, &client, "TIER_50").await;
    assert_eq!(send_to(&client, &numbers(0, 10)).await["acceptedCount"], 10);

    let first = check(&client, &numbers(5, 25), "").await.ok();
    let second = check(&client, &numbers(30, 25), "?countedBefore=20").await.ok();
    let third = check(&client, &numbers(60, 5), "?countedBefore=40").await.ok();
    let alone = check(&client, &numbers(30, 25), "").await.ok();

    let counts = |answer: &Value| {
        ["acceptedCount", "rejectedCount", "countedRecipients"].map(|field| answer[field].as_u64().unwrap())
    };
    assert_eq!(counts(&first), [25, 0, 20], "five of them count already");
    assert_eq!(counts(&second), [20, 5, 20], "30 of 50 are used");
    assert!(rejected(&second)[0].1.contains("50 different customers in 24 hours"), "{second}");
    assert_eq!(counts(&third), [0, 5, 0]);
    assert_eq!(counts(&alone), [25, 0, 25], "alone it fits");
    assert_eq!(send_to(&client, &numbers(0, 55)).await["rejectedCount"], 5, "a check counts nothing");
}

#[tokio::test]
async fn the_count_before_a_check_is_a_whole_number() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let to = [patchbay.new_phone().msisdn];
    for wrong in ["-1", "1.5", "many", "2147483648"] {
        let refused = check(&client, &to, &format!("?countedBefore={wrong}")).await;
        assert_eq!(refused.faulty_fields(), ["countedBefore"], "{wrong}");
    }
    for fine in ["", "?countedBefore=", "?countedBefore=0", "?countedBefore=2147483647"] {
        let answer = check(&client, &to, fine).await.ok();
        assert_eq!((&answer["acceptedCount"], &answer["countedRecipients"]), (&json!(1), &json!(0)), "no tier: {fine}");
    }
}

#[tokio::test]
async fn sends_that_arrive_together_never_exceed_the_tier() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", "27110000001").await;
    set_tier(&patchbay, &client, "TIER_50").await;

    let sends = (0..20_u32).map(|at| {
        let client = client.clone();
        async move { send_to(&client, &numbers(at * 10, 10)).await["acceptedCount"].as_u64().unwrap() }
    });
    let accepted: u64 = futures::future::join_all(sends).await.into_iter().sum();

    assert_eq!(accepted, 50);
}

#[tokio::test]
async fn the_tier_of_a_number_is_read_when_it_is_added_and_hourly() {
    let patchbay = Patchbay::start().await;
    let client = patchbay.client("acme", "27110000001").await;
    tier_is(&patchbay, &client, "TIER_UNLIMITED").await;

    let less = json!({ "phoneNumberId": phone_number_id(&client), "messagingLimit": "TIER_50" });
    patchbay.simulate("/simulator/numbers", &less).await;
    patchbay.advance_clock(3601).await;
    tier_is(&patchbay, &client, "TIER_50").await;
}

#[tokio::test]
async fn waiting_marketing_is_not_sent_to_a_customer_who_says_stop() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    phone.set(json!({ "rejectWith": { "status": 500, "code": 131_000 } })).await;
    let answer = client.send(&client.template("welcome", &phone.msisdn, json!([]))).await.accepted();
    let batch = format!("/whatsapp-api-service/v2/batches/{}", answer["batchId"].as_str().unwrap());
    eventually("a refused call", || async { (!patchbay.provider_sends(&client).await.is_empty()).then_some(()) }).await;
    client.post(&format!("{batch}/pause"), &json!({})).await.ok();
    phone.set(json!({ "rejectWith": null })).await;

    prefer(&patchbay, &client, &phone.msisdn, "stop").await;
    let calls = patchbay.provider_sends(&client).await.len();
    client.post(&format!("{batch}/resume"), &json!({})).await.ok();

    let failed = "SELECT error_code FROM delivery_receipt
        WHERE state = 'FAILED' AND client_id = (SELECT id FROM client WHERE client_ref = $1)";
    let code = eventually("the failure", || async {
        let mut db = patchbay.database().await;
        let code: Option<String> =
            sqlx::query_scalar(failed).bind(&client.client_ref).fetch_optional(&mut db).await.unwrap();
        code
    })
    .await;
    assert_eq!(code, "131050");
    assert_eq!(patchbay.provider_sends(&client).await.len(), calls, "the provider is not asked");
    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    phone.receives("the message that is no marketing", |_| true).await;
    assert_eq!(phone.inbox().await.len(), 1);
}
