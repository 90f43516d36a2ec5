//! The facts and the errors of a client's own component for the SMS fallback.

use chrono::{DateTime, TimeDelta, Timelike as _, Utc};
use harness::{Patchbay, PatchbaySetup, TestClient, TestPhone, WebhookSink, eventually};
use reqwest::Method;
use serde_json::json;

use crate::fallback::{decision, own, picky, reports, send, sms, text};

/// The outcomes of the calls of the component.
async fn outcomes(client: &TestClient) -> Vec<String> {
    let calls = client.get("/plugin-service/api/v1/plugins/picky-fallback/invocations").await.ok();
    let outcome = |call: &serde_json::Value| call["outcome"].as_str().unwrap().to_owned();
    calls["content"].as_array().unwrap().iter().map(outcome).collect()
}

#[tokio::test]
async fn a_component_gets_the_local_time_and_the_reference_of_its_client() {
    let (patchbay, client, sink, phone) = picky().await;
    let mut db = patchbay.database().await;
    // Nine hours ahead of UTC, without summer time.
    sqlx::query("UPDATE client SET time_zone = 'Asia/Tokyo' WHERE client_ref = $1")
        .bind(&client.client_ref)
        .execute(&mut db)
        .await
        .unwrap();
    let reason_at = |now: DateTime<Utc>| {
        let local = now + TimeDelta::hours(9);
        format!("Weekday::{} at {}, for {}", local.format("%A"), local.hour(), client.client_ref)
    };
    let earliest = reason_at(harness::real_time());

    send(&client, &phone, text("tell me when")).await;

    reports(&client, &sink, &phone, "FAILED").await;
    let latest = reason_at(harness::real_time());
    let (state, plugin, reason) = decision(&patchbay, &client).await;
    assert_eq!((state.as_str(), plugin.as_deref()), ("SKIPPED", Some("picky-fallback")));
    assert!([earliest, latest].contains(reason.as_ref().unwrap()), "{reason:?}");
}

#[tokio::test]
async fn an_error_that_may_pass_is_asked_about_again_and_then_the_default_rule_decides() {
    let (_patchbay, client, sink, phone) = picky().await;

    send(&client, &phone, text("see you later")).await;

    assert_eq!(sms(&phone).await["text"], "see you later");
    reports(&client, &sink, &phone, "DELIVERED").await;
    assert_eq!(outcomes(&client).await, ["refused", "refused", "refused"]);
}

#[tokio::test]
async fn the_default_rule_decides_at_once_after_an_error_that_stays() {
    let (_patchbay, client, sink, phone) = picky().await;

    send(&client, &phone, text("never mind")).await;

    assert_eq!(sms(&phone).await["text"], "never mind");
    reports(&client, &sink, &phone, "DELIVERED").await;
    assert_eq!(outcomes(&client).await, ["refused"]);
}

/// The reason for which the component sent nothing.
async fn reason(patchbay: &Patchbay, client: &TestClient, sink: &WebhookSink, phone: &TestPhone) -> String {
    reports(client, sink, phone, "FAILED").await;
    decision(patchbay, client).await.2.unwrap()
}

#[tokio::test]
async fn a_component_learns_that_its_recipient_was_seen_on_whatsapp() {
    let (patchbay, client, sink, phone) = picky().await;
    let every_code = json!({ "enabled": true, "mode": "ANY_131026" });
    client.request(Method::PUT, "/api/v1/clients/me/sms-fallback", Some(&every_code), &[]).await.ok();
    phone.set(json!({ "onWhatsApp": true })).await;
    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    reports(&client, &sink, &phone, "DELIVERED").await;
    phone.set(json!({ "onWhatsApp": false })).await;

    send(&client, &phone, text("seen before?")).await;

    assert_eq!(reason(&patchbay, &client, &sink, &phone).await, "seen: true");
}

#[tokio::test]
async fn a_component_learns_that_its_recipient_was_never_seen_on_whatsapp() {
    let (patchbay, client, sink, phone) = picky().await;

    send(&client, &phone, text("seen before?")).await;

    assert_eq!(reason(&patchbay, &client, &sink, &phone).await, "seen: false");
}

#[tokio::test]
async fn the_age_of_a_message_counts_from_its_request_and_not_from_its_failure() {
    let (patchbay, client, sink, phone) = own(PatchbaySetup::new().with_guests()).await;
    client.activate("picky-fallback").await;
    phone.set(json!({ "rejectWith": { "status": 400, "code": 131_056 } })).await;
    send(&client, &phone, text("how old?")).await;
    eventually("the first call to be refused", || async {
        (!patchbay.provider_sends(&client).await.is_empty()).then_some(())
    })
    .await;

    patchbay.advance_clock(2 * 3_600).await;
    phone.set(json!({ "rejectWith": null })).await;
    // The pause after the last refusal ends.
    patchbay.advance_clock(1_800).await;

    assert_eq!(reason(&patchbay, &client, &sink, &phone).await, "2 hours old");
}
