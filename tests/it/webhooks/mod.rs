//! The delivery of webhooks: signed for third-party libraries, repeated until they are received, in order, and
//! independent of other receivers (SPEC 2.12, 4.7, CONTRACT 2 and 7).

pub mod peers;

use std::{collections::BTreeSet, time::Duration};

use harness::{Patchbay, PatchbaySetup, SharedPatchbay, SinkRequest, TestClient, WebhookSink, eventually};
use serde_json::{Value, json};

use peers::{Case, verdicts, verdicts_of_examples};

const CONFIGURATIONS: &str = "/messaging-service/WhatsApp/WhatsAppClientWebHook";
const NUMBER: &str = "27110000001";
const CUSTOMER: &str = "27820000001";
/// `webhooks.retry_schedule` in seconds.
const SCHEDULE: [u64; 9] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

/// The shared server with a new client, its webhooks and their configuration.
async fn shared() -> (SharedPatchbay, TestClient, WebhookSink, Value) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let sink = WebhookSink::start().await;
    let configuration = client.webhooks_to(&sink, "v2").await;
    (patchbay, client, sink, configuration)
}

/// A separate server, for tests that move the clock.
async fn own(setup: PatchbaySetup) -> (Patchbay, TestClient, WebhookSink, Value) {
    let patchbay = setup.start().await;
    let client = patchbay.client("acme", NUMBER).await;
    let sink = WebhookSink::start().await;
    let configuration = client.webhooks_to(&sink, "v2").await;
    (patchbay, client, sink, configuration)
}

async fn secret(client: &TestClient, configuration: &Value) -> String {
    let id = configuration["id"].as_str().unwrap();
    client.get(&format!("{CONFIGURATIONS}/{id}/secret")).await.ok()["secret"].as_str().unwrap().to_owned()
}

async fn rotate(client: &TestClient, configuration: &Value) -> String {
    let id = configuration["id"].as_str().unwrap();
    let path = format!("{CONFIGURATIONS}/{id}/secret/rotate");
    client.post(&path, &json!({})).await.ok()["secret"].as_str().unwrap().to_owned()
}

/// The HTTP status of each attempt so far, oldest first, and the last error.
async fn attempts(patchbay: &Patchbay, client: &TestClient) -> (Vec<Option<i16>>, Option<String>) {
    let mut db = patchbay.database().await;
    let statement = "SELECT status_code, error FROM webhook_attempt
        WHERE client_id = (SELECT id FROM client WHERE client_ref = $1) ORDER BY id";
    let rows: Vec<(Option<i16>, Option<String>)> =
        sqlx::query_as(statement).bind(&client.client_ref).fetch_all(&mut db).await.unwrap();
    let last = rows.last().and_then(|row| row.1.clone());
    (rows.into_iter().map(|row| row.0).collect(), last)
}

async fn attempted(patchbay: &Patchbay, client: &TestClient, count: usize) {
    let what = format!("attempt {count} to be written down");
    eventually(&what, || async { (attempts(patchbay, client).await.0.len() >= count).then_some(()) }).await;
}

#[tokio::test]
async fn third_party_libraries_verify_the_signature() {
    let (patchbay, client, sink, configuration) = shared().await;
    patchbay.new_phone().write(&client.number, "h\u{e9}llo \u{1f44b} \u{12a0}").await;
    let received =
        [sink.receives_many("incoming", 1).await.remove(0), sink.receives_many("chatbot", 1).await.remove(0)];
    let secret = secret(&client, &configuration).await;
    assert!(secret.starts_with("whsec_"), "not the form of Standard Webhooks");

    let mut cases: Vec<Case> = received.iter().map(|received| Case::of(&secret, received)).collect();
    let genuine = cases.len();
    cases.push(Case { body: cases[0].body.replace("RECEIVED", "RECEIVEX"), ..cases[0].clone() });
    cases.push(Case { secret: "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=".to_owned(), ..cases[0].clone() });
    cases.push(cases[0].with_header("webhook-id", "another-id"));
    let earlier = received[0].header("webhook-timestamp").parse::<i64>().unwrap() - 1;
    cases.push(cases[0].with_header("webhook-timestamp", &earlier.to_string()));

    let examples = verdicts_of_examples(&cases);
    assert_eq!(examples.len(), 5, "five languages");
    for (library, verdicts) in verdicts(&cases).into_iter().chain(examples) {
        let ok: Vec<bool> = verdicts.iter().map(|verdict| verdict == "ok").collect();
        assert!(ok[..genuine].iter().all(|ok| *ok), "{library} refuses genuine ones: {verdicts:?}");
        assert!(ok[genuine..].iter().all(|ok| !*ok), "{library} takes forged ones: {verdicts:?}");
    }
}

#[tokio::test]
async fn a_rotated_secret_and_its_successor_both_sign_for_a_day() {
    let (patchbay, client, sink, configuration) = own(PatchbaySetup::new()).await;
    let phone = patchbay.phone(CUSTOMER);
    let old = secret(&client, &configuration).await;
    let new = rotate(&client, &configuration).await;
    assert_ne!(old, new);
    assert_eq!(secret(&client, &configuration).await, new);

    phone.write(&client.number, "within the day").await;
    let within = sink.receives_many("incoming", 1).await.remove(0);
    patchbay.advance_clock(24 * 3600 + 1).await;
    phone.write(&client.number, "after the day").await;
    let after = sink.receives_many("incoming", 2).await.remove(1);

    let cases = [Case::of(&old, &within), Case::of(&new, &within)];
    for (library, verdicts) in verdicts(&cases) {
        assert_eq!(verdicts, ["ok", "ok"], "{library}");
    }
    assert_eq!(within.header("webhook-signature").split(' ').count(), 2);
    assert_eq!(after.header("webhook-signature").split(' ').count(), 1);
    // Both libraries refuse timestamps of tomorrow, so this signature is checked here.
    assert!(peers::is_signed_by(&new, &after) && !peers::is_signed_by(&old, &after));
}

#[tokio::test]
async fn the_secret_of_another_client_is_out_of_reach() {
    let (patchbay, _client, _sink, configuration) = shared().await;
    let stranger = patchbay.new_bare_client();
    let id = configuration["id"].as_str().unwrap();
    assert_eq!(stranger.get(&format!("{CONFIGURATIONS}/{id}/secret")).await.status, 404);
    assert_eq!(stranger.post(&format!("{CONFIGURATIONS}/{id}/secret/rotate"), &json!({})).await.status, 404);
}

#[tokio::test]
async fn a_retry_has_the_same_id_and_bytes_and_a_fresh_timestamp_and_signature() {
    let (patchbay, client, sink, configuration) = own(PatchbaySetup::new()).await;
    sink.misbehave("incoming", 500, Duration::ZERO, 2);
    patchbay.phone(CUSTOMER).write(&client.number, "try me").await;
    attempted(&patchbay, &client, 2).await;
    for count in [2, 3] {
        if sink.received("incoming").len() < count {
            patchbay.advance_clock(400).await;
        }
        sink.receives_many("incoming", count).await;
        attempted(&patchbay, &client, count + 1).await;
    }

    let received = sink.received("incoming");

    assert_eq!(received.len(), 3);
    let distinct = |of: fn(&SinkRequest) -> String| received.iter().map(of).collect::<BTreeSet<_>>().len();
    assert_eq!(distinct(|one| one.header("webhook-id")), 1);
    assert_eq!(distinct(|one| hex::encode(&one.body)), 1);
    assert_eq!(distinct(|one| one.header("webhook-timestamp")), 3);
    assert_eq!(distinct(|one| one.header("webhook-signature")), 3);
    let secret = secret(&client, &configuration).await;
    assert!(received.iter().all(|one| peers::is_signed_by(&secret, one)));
    patchbay.advance_clock(100_000).await;
    patchbay.phone(CUSTOMER).write(&client.number, "next").await;
    assert_eq!(sink.receives_many("incoming", 4).await.len(), 4, "events that were taken are not sent again");
}

#[tokio::test]
async fn a_receiver_that_never_takes_it_is_tried_as_the_schedule_says_and_then_given_up() {
    let (patchbay, client, sink, _) = own(PatchbaySetup::new()).await;
    sink.misbehave("incoming", 503, Duration::ZERO, u32::MAX);
    patchbay.phone(CUSTOMER).write(&client.number, "nobody listens").await;
    sink.receives_many("incoming", 1).await;
    let mut db = patchbay.database().await;
    for (tries, planned) in (1..).zip(SCHEDULE) {
        // When an attempt is stored, the next one has its due time: within 20% of the schedule.
        let due = eventually("the retry to be planned", || async {
            let mut db = patchbay.database().await;
            let statement = "SELECT extract(epoch FROM due_at)::float8 FROM webhook_delivery WHERE attempts = $1 AND state = 'PENDING'";
            sqlx::query_scalar::<_, f64>(statement).bind(tries).fetch_optional(&mut db).await.unwrap()
        })
        .await;
        let last: f64 = sink.received("incoming").last().unwrap().header("webhook-timestamp").parse().unwrap();
        let (delay, planned) = (due - last, f64::from(u32::try_from(planned).unwrap()));
        assert!(delay >= planned * 0.8 - 1.0 && delay <= planned * 1.2 + 15.0, "retry {tries}: {delay} of {planned} s");
        // The first pause is so short that it can end in real time.
        let made = sink.received("incoming").len();
        assert!(tries == 1 || made == usize::try_from(tries).unwrap(), "retry {tries} came before its time");
        patchbay.advance_clock((planned * 1.2) as u64 + 1).await;
        sink.receives_many("incoming", usize::try_from(tries).unwrap() + 1).await;
    }

    let state = eventually("the end", || async {
        let mut db = patchbay.database().await;
        let statement = "SELECT state FROM webhook_delivery WHERE attempts = 10";
        sqlx::query_scalar::<_, String>(statement).fetch_optional(&mut db).await.unwrap()
    })
    .await;

    assert_eq!(state, "EXHAUSTED");
    patchbay.advance_clock(400_000).await;
    patchbay.phone(CUSTOMER).write(&client.number, "one more").await;
    sink.receives_many("incoming", 11).await;
    let tried: i64 = sqlx::query_scalar("SELECT count(*) FROM webhook_attempt WHERE status_code = 503")
        .fetch_one(&mut db)
        .await
        .unwrap();
    assert!((10..=11).contains(&tried), "{tried} attempts");
    let texts: Vec<Value> = sink.bodies("incoming").iter().map(|body| body["text"].clone()).collect();
    assert_eq!(texts.iter().filter(|text| *text == "nobody listens").count(), 10);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (patchbay, client, sink, _) = own(PatchbaySetup::new()).await;
    for (index, status) in (1..).zip([301, 302, 307, 308]) {
        sink.misbehave("incoming", status, Duration::ZERO, 1);
        patchbay.phone(CUSTOMER).write(&client.number, &format!("redirected {index}")).await;
        sink.receives_many("incoming", index).await;
        // The chatbot event of the same message is an attempt too.
        attempted(&patchbay, &client, 2 * index).await;
    }

    assert!(sink.received("elsewhere").is_empty());

    patchbay.advance_clock(10).await;
    sink.receives_many("incoming", 8).await;
    assert!(sink.received("elsewhere").is_empty());
}

#[tokio::test]
async fn a_receiver_that_is_gone_is_turned_off_and_the_others_go_on() {
    let (patchbay, client, sink, _) = shared().await;
    let phone = patchbay.new_phone();
    sink.misbehave("incoming", 410, Duration::ZERO, 1);
    phone.write(&client.number, "first").await;
    eventually("the endpoint to be off", || async {
        let mut db = patchbay.database().await;
        let statement = "SELECT count(*) FROM webhook_endpoint WHERE disabled_at IS NOT NULL
            AND client_id = (SELECT id FROM client WHERE client_ref = $1)";
        let off: i64 = sqlx::query_scalar(statement).bind(&client.client_ref).fetch_one(&mut db).await.unwrap();
        (off == 1).then_some(())
    })
    .await;

    for text in ["second", "third"] {
        phone.write(&client.number, text).await;
        sink.receives("chatbot", text, |event| event["messageText"] == text).await;
    }

    assert_eq!(sink.received("incoming").len(), 1);
}

#[tokio::test]
async fn a_dead_receiver_of_one_client_does_not_hold_up_anothers() {
    let (patchbay, client, sink, _) = shared().await;
    let (dead, silent) = (patchbay.new_client().await, WebhookSink::start().await);
    dead.webhooks_to(&silent, "v2").await;
    for path in ["incoming", "chatbot"] {
        silent.misbehave(path, 200, Duration::from_secs(600), u32::MAX);
    }
    for _ in 0..40 {
        patchbay.new_phone().write(&dead.number, "to a dead receiver").await;
    }
    sink_is_busy(&silent).await;

    for index in 0..20 {
        patchbay.new_phone().write(&client.number, &format!("message {index}")).await;
    }

    sink.receives_many("incoming", 20).await;
    sink.receives_many("chatbot", 20).await;
    let mut db = patchbay.database().await;
    let statement = "SELECT count(*) FROM webhook_delivery WHERE state = 'DELIVERED'
        AND client_id = (SELECT id FROM client WHERE client_ref = $1)";
    let taken: i64 = sqlx::query_scalar(statement).bind(&dead.client_ref).fetch_one(&mut db).await.unwrap();
    assert_eq!(taken, 0, "the dead receiver has answered nothing yet");
}

/// Waits until a receiver has as many requests in flight as permitted.
async fn sink_is_busy(sink: &WebhookSink) {
    eventually("the dead receiver to be busy", || async { (sink.most_at_once("incoming") >= 32).then_some(()) }).await;
    assert_eq!(sink.most_at_once("incoming"), 32, "limits.webhook_concurrency_per_endpoint");
}

#[tokio::test]
async fn a_slow_receiver_gets_the_first_attempts_of_a_conversation_in_order_and_one_at_a_time() {
    let (patchbay, client, sink, _) = shared().await;
    let phone = patchbay.new_phone();
    sink.misbehave("incoming", 200, Duration::from_millis(150), u32::MAX);
    for index in 0..8 {
        phone.write(&client.number, &format!("message {index}")).await;
    }

    sink.receives_many("incoming", 8).await;

    let texts: Vec<Value> = sink.bodies("incoming").iter().map(|body| body["text"].clone()).collect();
    assert_eq!(texts, (0..8).map(|index| json!(format!("message {index}"))).collect::<Vec<_>>());
    assert_eq!(sink.most_at_once("incoming"), 1);
}

#[tokio::test]
async fn a_failed_first_attempt_does_not_delay_the_next_delivery_of_its_conversation() {
    let (patchbay, client, sink, _) = own(PatchbaySetup::new()).await;
    let phone = patchbay.phone(CUSTOMER);
    sink.misbehave("incoming", 500, Duration::ZERO, 1);
    for text in ["fails at first", "second", "third"] {
        phone.write(&client.number, text).await;
    }
    sink.receives_many("incoming", 3).await;
    // Three incoming events and three chatbot events.
    attempted(&patchbay, &client, 6).await;

    patchbay.advance_clock(7).await;

    sink.receives_many("incoming", 4).await;
    let texts: Vec<Value> = sink.bodies("incoming").iter().map(|body| body["text"].clone()).collect();
    assert_eq!(texts, ["fails at first", "second", "third", "fails at first"]);
}

#[tokio::test]
async fn the_incoming_and_the_chatbot_webhook_fire_on_their_own() {
    let (patchbay, client, sink, _) = shared().await;
    sink.misbehave("incoming", 500, Duration::ZERO, u32::MAX);
    let phone = patchbay.new_phone();

    for index in 1..=3 {
        phone.write(&client.number, &format!("message {index}")).await;
    }

    sink.receives_many("chatbot", 3).await;
    sink.receives_many("incoming", 3).await;
}

#[tokio::test]
async fn a_custom_shaper_writes_the_bodies_of_its_client() {
    let patchbay = SharedPatchbay::with_guests().await;
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    client.webhooks_to(&sink, "v2").await;
    client.activate("stamping-shaper").await;
    let (plain, plain_sink) = (patchbay.new_client().await, WebhookSink::start().await);
    plain.webhooks_to(&plain_sink, "v2").await;
    let phone = patchbay.new_phone();

    phone.write(&client.number, "hello").await;
    phone.write(&plain.number, "hello").await;
    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();

    let incoming = sink.receives("incoming", "the stamped body", |_| true).await;
    assert_eq!(incoming, json!({ "stampedBy": "stamping-shaper", "words": "hello" }));
    let status = sink.receives("status", "the stamped status", |body| body["state"] == "DELIVERED").await;
    assert_eq!(status["reference"], format!("ct-{}", phone.msisdn));
    assert_eq!(plain_sink.receives("incoming", "the usual body", |_| true).await["messageContentType"], "TEXT");

    let mut db = patchbay.database().await;
    let gst_id: String = sqlx::query_scalar("SELECT gst_id FROM outbound_message WHERE ct_id = $1")
        .bind(format!("ct-{}", phone.msisdn))
        .fetch_one(&mut db)
        .await
        .unwrap();
    let story = client.get(&format!("/messaging-service/WhatsApp/messages/{gst_id}")).await.ok();
    let told = story["timeline"].as_array().unwrap().iter().filter(|entry| entry["kind"] == "WEBHOOK");
    let shapers: Vec<&Value> = told.map(|entry| &entry["plugin"]).collect();
    assert!(!shapers.is_empty() && shapers.iter().all(|name| *name == "stamping-shaper"), "{story}");
}

#[tokio::test]
async fn the_built_in_shaper_takes_over_if_a_custom_one_fails() {
    let patchbay = SharedPatchbay::with_guests().await;
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    client.webhooks_to(&sink, "v2").await;
    client.activate("stamping-shaper").await;
    let phone = patchbay.new_phone();
    for (count, text) in (1..).zip(["trap", "nonsense", "nothing", "fine"]) {
        phone.write(&client.number, text).await;
        sink.receives_many("chatbot", count).await;
    }

    let last = sink.receives("incoming", "the last body", |body| body["words"] == "fine").await;

    assert_eq!(last["stampedBy"], "stamping-shaper");
    let texts: Vec<Value> = sink.bodies("incoming").iter().map(|body| body["text"].clone()).collect();
    assert_eq!(texts, [json!("trap"), json!("nonsense"), Value::Null], "`nothing` sends nothing");
    let path = "/plugin-service/api/v1/plugins/stamping-shaper/invocations?size=50";
    let calls = client.get(path).await.ok();
    let calls = calls["content"].as_array().unwrap();
    assert!(calls.iter().any(|call| call["outcome"] == "trapped"), "{calls:?}");
    assert!(calls.iter().any(|call| call["error"].as_str().is_some_and(|error| error.contains("JSON"))), "{calls:?}");
}
