//! One engine for all SMS: priorities, turns, and faults of an SMSC (issue 12, part 1; ADR 0035).

use harness::{Patchbay, PatchbaySetup, TestClient, TestPhone, eventually};
use reqwest::Method;
use serde_json::{Value, json};

/// Submits per second of the bind, if the test limits it.
const RATE: i64 = 20;

/// Recipients of a batch, for ten seconds of work.
const MANY: usize = 200;

async fn client(patchbay: &Patchbay, name: &str) -> TestClient {
    let client = patchbay.bare_client(name);
    patchbay.credits(&client, 1000);
    client
}

fn many(area: &str, count: usize) -> Value {
    (0..count).map(|number| json!({ "to": format!("27{area}{number:07}") })).collect()
}

/// Sends one text to many recipients, at once or at the time in `settings`.
async fn batch(patchbay: &Patchbay, client: &TestClient, recipients: Value, settings: Value) {
    let body = json!({ "recipients": recipients, "messageText": "One of many", "settings": settings });
    patchbay.sms(client, "/sms/json", &body).await.ok();
}

async fn one(patchbay: &Patchbay, client: &TestClient, phone: &TestPhone, pin: bool) {
    let body = json!({ "recipients": [{ "to": phone.msisdn }], "messageText": "Just one" });
    let mut headers = vec![("X-API-Key", client.key.as_str()), ("Content-Type", "application/json")];
    headers.extend(pin.then_some(("otpToken", "yes")));
    patchbay.ask(Method::POST, "/sms/json", &headers, body.to_string()).await.ok();
}

async fn smsc(patchbay: &Patchbay) -> Value {
    patchbay
        .http
        .get(format!("{}/simulator/smsc", patchbay.simulator_url()))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap()
}

/// Submits that the SMSC has accepted on all bound sessions.
async fn taken(patchbay: &Patchbay) -> i64 {
    let shown = smsc(patchbay).await;
    shown["sessions"].as_array().unwrap().iter().map(|session| session["taken"].as_i64().unwrap()).sum()
}

/// The number of messages of the SMS products in this state.
async fn at(patchbay: &Patchbay, state: &str) -> i64 {
    let mut db = patchbay.database().await;
    let counted = sqlx::query_scalar("SELECT count(*) FROM sms_message WHERE state = $1");
    counted.bind(state).fetch_one(&mut db).await.unwrap()
}

async fn all_delivered(patchbay: &Patchbay, count: usize) {
    let count = i64::try_from(count).unwrap();
    eventually("all receipts", || async { (at(patchbay, "DELIVERED").await == count).then_some(()) }).await;
}

fn paced() -> PatchbaySetup {
    PatchbaySetup::new().bind(&format!("name=paced&window=8&rate={RATE}"))
}

#[tokio::test]
async fn one_time_pins_overtake_a_batch_of_the_same_client() {
    let patchbay = paced().start().await;
    let (client, phone) = (client(&patchbay, "acme").await, patchbay.phone("27831234567"));
    batch(&patchbay, &client, many("82", MANY), json!({})).await;
    let before = taken(&patchbay).await;

    one(&patchbay, &client, &phone, true).await;
    phone.receives("the pin", |message| message["text"] == "Just one").await;

    let passed = taken(&patchbay).await - before;
    assert!(passed <= 3 * RATE, "{passed} of the batch went before it");
}

#[tokio::test]
async fn a_batch_delays_another_clients_message_by_no_more_than_a_second() {
    let patchbay = paced().start().await;
    let (busy, other) = (client(&patchbay, "busy").await, client(&patchbay, "other").await);
    batch(&patchbay, &busy, many("82", MANY), json!({})).await;
    eventually("the batch under way", || async { (taken(&patchbay).await > 2).then_some(()) }).await;

    for number in 0..3 {
        let phone = patchbay.phone(&format!("2783000000{number}"));
        let before = taken(&patchbay).await;
        one(&patchbay, &other, &phone, false).await;
        phone.receives("the message", |message| message["text"] == "Just one").await;
        let passed = taken(&patchbay).await - before;
        // One second of the bind, and another for the search.
        assert!(passed <= 2 * RATE, "{passed} submits went by before one message");
    }
}

#[tokio::test]
async fn messages_due_at_one_time_are_sent_in_turns_of_their_clients() {
    let patchbay = paced().start().await;
    let (busy, other) = (client(&patchbay, "busy").await, client(&patchbay, "other").await);
    let due = harness::real_time() + chrono::TimeDelta::hours(2);
    let at_one_time = json!({ "scheduledSmsDate": due.to_rfc3339_opts(chrono::SecondsFormat::Secs, true) });
    batch(&patchbay, &busy, many("82", MANY), at_one_time.clone()).await;
    batch(&patchbay, &other, many("83", 10), at_one_time).await;
    assert_eq!(taken(&patchbay).await, 0);

    patchbay.advance_clock(2 * 3600 + 1).await;

    let mine = "SELECT count(*) FROM sms_message WHERE state <> 'QUEUED' AND client_id = (SELECT id FROM client WHERE client_ref = 'other')";
    eventually("the few of the other", || async {
        let mut db = patchbay.database().await;
        let gone: i64 = sqlx::query_scalar(mine).fetch_one(&mut db).await.unwrap();
        (gone == 10).then_some(())
    })
    .await;
    let gone = taken(&patchbay).await;
    assert!(gone <= 10 + 4 * RATE, "{gone} went before the last of ten, of {MANY}");
}

#[tokio::test]
async fn an_smsc_that_throttles_or_has_a_full_queue_loses_nothing() {
    let patchbay = PatchbaySetup::new().bind("name=pair&window=4").bind("name=pair&window=4").start().await;
    let client = client(&patchbay, "acme").await;
    patchbay.simulate("/simulator/faults", &json!({ "smscThrottle": 6, "smscQueueFull": 3 })).await;

    batch(&patchbay, &client, many("82", 40), json!({})).await;

    all_delivered(&patchbay, 40).await;
    assert_eq!(taken(&patchbay).await, 40, "each once");
    let shown = smsc(&patchbay).await;
    let sessions = shown["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 2, "{shown}");
    assert_eq!(sessions.iter().map(|session| session["refused"].as_i64().unwrap()).sum::<i64>(), 9, "{shown}");
}

#[tokio::test]
async fn links_that_are_lost_lose_nothing_and_double_no_more_than_the_window() {
    let setup = PatchbaySetup::new().set("limits.unknown_after", "1s");
    let patchbay = setup.bind("name=pair&window=4&rate=60").bind("name=pair&window=4&rate=60").start().await;
    let client = client(&patchbay, "acme").await;
    let phones: Vec<TestPhone> = (0..60).map(|number| patchbay.phone(&format!("2782{number:07}"))).collect();
    batch(&patchbay, &client, many("82", phones.len()), json!({})).await;
    eventually("some of them", || async { (taken(&patchbay).await > 15).then_some(()) }).await;

    assert_eq!(patchbay.simulate("/simulator/smsc/drop", &json!({})).await["dropped"], 2);

    all_delivered(&patchbay, phones.len()).await;
    let mut doubles = 0;
    for phone in &phones {
        let got = phone.inbox().await.len();
        assert!(got >= 1, "{} got nothing", phone.msisdn);
        doubles += got - 1;
    }
    assert!(doubles <= 8, "{doubles} came twice");
}

#[tokio::test]
async fn an_smsc_that_answers_nonsense_or_nothing_is_asked_again() {
    let setup = PatchbaySetup::new().set("limits.unknown_after", "1s");
    let patchbay = setup.bind("name=one&window=2").start().await;
    let (client, phone) = (client(&patchbay, "acme").await, patchbay.phone("27820000001"));
    patchbay.simulate("/simulator/faults", &json!({ "smscNonsense": 1 })).await;

    one(&patchbay, &client, &phone, false).await;

    phone.receives("the SMS", |message| message["text"] == "Just one").await;
    all_delivered(&patchbay, 1).await;
    assert_eq!(phone.inbox().await.len(), 1);
}

#[tokio::test]
async fn receipts_join_over_a_crash_in_any_order_and_form() {
    let mut patchbay = PatchbaySetup::new().bind("name=one&ids=hexdec").start().await;
    let client = client(&patchbay, "acme").await;
    let faults = json!({ "smscHexIds": true, "smscReceiptDelayMillis": 1500 });
    patchbay.simulate("/simulator/faults", &faults).await;
    let long = json!({ "recipients": [{ "to": "27820000001" }], "messageText": "a".repeat(400) });
    patchbay.sms(&client, "/sms/json", &long).await.ok();
    eventually("three parts", || async { (taken(&patchbay).await == 3).then_some(()) }).await;
    eventually("the answers on disk", || async { (at(&patchbay, "QUEUED").await == 0).then_some(()) }).await;

    patchbay.kill();
    patchbay.launch().await;

    all_delivered(&patchbay, 1).await;
    patchbay.simulate("/simulator/faults", &json!({ "smscReceiptBeforeResponse": true })).await;
    patchbay.sms(&client, "/sms/json", &long).await.ok();
    all_delivered(&patchbay, 2).await;
}

#[tokio::test]
async fn one_time_pins_overtake_a_batch_that_is_answered() {
    let patchbay = paced().start().await;
    let (client, phone) = (client(&patchbay, "acme").await, patchbay.phone("27831234567"));
    let cells: Vec<String> = (0..MANY).map(|number| format!("2782{number:07}")).collect();
    let cells = cells.join(",");
    let fields =
        [("message", "One of many"), ("cell", cells.as_str()), ("priority", "true"), ("repliesperuserid", "true")];
    patchbay.batch(&client, "/smsbatch/sms", &fields).await;
    let before = taken(&patchbay).await;

    one(&patchbay, &client, &phone, true).await;
    phone.receives("the pin", |message| message["text"] == "Just one").await;

    let passed = taken(&patchbay).await - before;
    assert!(passed <= 3 * RATE, "{passed} of the batch went before it");
}
