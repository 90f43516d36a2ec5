//! Partner events from the account callbacks of the provider, compared byte for byte except for their time (SPEC 6.4;
//! PROVIDERS 0.3 to 0.6, A.10).

use harness::{Patchbay, SharedPatchbay, TestClient, WebhookSink, eventually};
use serde_json::{Value, json};

const CONFIGURATIONS: &str = "/messaging-service/WhatsApp/WhatsAppClientWebHook";

async fn told() -> (SharedPatchbay, TestClient, WebhookSink) {
    let patchbay = SharedPatchbay::get().await;
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    client.post(CONFIGURATIONS, &json!({ "eventWebhookURL": sink.url("events") })).await.ok();
    (patchbay, client, sink)
}

fn phone_number_id(client: &TestClient) -> String {
    format!("1{}", client.number)
}

fn account(client: &TestClient) -> String {
    format!("2{}", client.number)
}

async fn happens(patchbay: &Patchbay, event: Value) {
    patchbay.simulate("/simulator/events", &event).await;
}

/// Waits for this number of events on a path. Returns them oldest first, without their times.
async fn events(sink: &WebhookSink, path: &str, count: usize) -> Vec<Value> {
    let received = sink.receives_many(path, count).await;
    let mut bodies: Vec<Value> = received.iter().map(|one| one.json()).collect();
    for body in &mut bodies {
        assert!(body.as_object_mut().unwrap().remove("timestamp").unwrap().is_u64());
    }
    bodies
}

#[tokio::test]
async fn the_providers_rating_of_a_number_is_read_and_reported_in_one_event() {
    let (patchbay, client, sink) = told().await;
    let quality = json!({
        "type": "phone_quality", "phoneNumberId": phone_number_id(&client), "event": "DOWNGRADE",
        "currentLimit": "TIER_2K", "qualityRating": "RED", "status": "BANNED",
    });
    happens(&patchbay, quality).await;

    let expected = json!({
        "eventType": "PHONE_QUALITY_CHANGED", "whatsAppNumber": client.number, "qualityRating": "RED",
        "messagingLimitTier": "TIER_1K", "channelStatus": "RESTRICTED",
    });
    assert_eq!(events(&sink, "events", 1).await, [expected]);

    let unset = json!({
        "type": "phone_quality", "phoneNumberId": phone_number_id(&client), "event": "ONBOARDING",
        "currentLimit": "TIER_NOT_SET", "qualityRating": "UNKNOWN", "status": "CONNECTED",
    });
    happens(&patchbay, unset).await;
    let bare = json!({
        "eventType": "PHONE_QUALITY_CHANGED", "whatsAppNumber": client.number, "channelStatus": "CONNECTED",
    });
    assert_eq!(events(&sink, "events", 2).await[1], bare, "unknown fields are left out");
}

#[tokio::test]
async fn a_change_of_a_templates_status_is_told_with_a_reason_only_where_it_was_rejected() {
    let (patchbay, client, sink) = told().await;
    let (name, waba) = ("order_ready", account(&client));
    for (index, (event, reason)) in
        [("REJECTED", Some("INVALID_FORMAT")), ("PAUSED", None), ("DISABLED", None), ("REINSTATED", None)]
            .into_iter()
            .enumerate()
    {
        let status =
            json!({ "type": "template_status", "wabaId": waba, "name": name, "event": event, "reason": reason });
        happens(&patchbay, status).await;
        let mut expected = json!({
            "eventType": "TEMPLATE_STATUS_CHANGED", "whatsAppNumber": client.number, "templateName": name,
            "templateStatus": if event == "REINSTATED" { "APPROVED" } else { event },
        });
        if let Some(reason) = reason {
            expected["rejectedReason"] = json!(reason);
        }
        assert_eq!(events(&sink, "events", index + 1).await[index], expected);
    }
}

#[tokio::test]
async fn a_change_of_a_templates_quality_names_both_scores() {
    let (patchbay, client, sink) = told().await;
    let quality =
        json!({ "type": "template_quality", "wabaId": account(&client), "name": "order_ready", "quality": "RED" });
    happens(&patchbay, quality).await;
    let told = events(&sink, "events", 1).await.remove(0);
    let previous = told["previousQualityScore"].clone();
    assert!(["GREEN", "YELLOW", "UNKNOWN"].contains(&previous.as_str().unwrap()), "{told}");
    let expected = json!({
        "eventType": "TEMPLATE_QUALITY_CHANGED", "whatsAppNumber": client.number, "templateName": "order_ready",
        "previousQualityScore": previous, "newQualityScore": "RED",
    });
    assert_eq!(told, expected);
}

#[tokio::test]
async fn changed_parts_of_a_template_are_reported() {
    let (patchbay, client, sink) = told().await;
    let changed = json!({
        "type": "template_components", "wabaId": account(&client), "name": "order_ready",
        "body": "Hello {{1}}, fetch order {{2}} now",
    });
    happens(&patchbay, changed).await;
    let expected = json!({
        "eventType": "TEMPLATE_COMPONENTS_CHANGED", "whatsAppNumber": client.number, "templateName": "order_ready",
        "templateLanguage": "en", "templateElement": "BODY",
    });
    assert_eq!(events(&sink, "events", 1).await, [expected]);
}

#[tokio::test]
async fn an_opt_out_and_opt_in_of_marketing_are_reported() {
    let (patchbay, client, sink) = told().await;
    let phone = patchbay.new_phone();
    for (index, value) in ["stop", "resume"].into_iter().enumerate() {
        let preference = json!({
            "type": "user_preferences", "msisdn": phone.msisdn, "phoneNumberId": phone_number_id(&client), "value": value,
        });
        happens(&patchbay, preference).await;
        let expected = json!({
            "eventType": "USER_PREFERENCE", "whatsAppNumber": client.number, "waId": phone.msisdn,
            "category": "MARKETING", "preferenceValue": value,
        });
        assert_eq!(events(&sink, "events", index + 1).await[index], expected);
    }
}

#[tokio::test]
async fn a_customers_new_number_is_told_with_the_old_one() {
    let (patchbay, client, sink) = told().await;
    let (old, new) = (patchbay.new_phone(), patchbay.new_phone());
    let change = json!({
        "type": "number_change", "msisdn": old.msisdn, "newMsisdn": new.msisdn, "phoneNumberId": phone_number_id(&client),
    });
    happens(&patchbay, change).await;
    let expected = json!({
        "eventType": "USER_CHANGED_NUMBER", "whatsAppNumber": client.number, "oldNumber": old.msisdn,
        "newNumber": new.msisdn,
    });
    assert_eq!(events(&sink, "events", 1).await, [expected]);
}

#[tokio::test]
async fn an_account_event_is_reported_for_each_number_to_the_address_of_that_number() {
    let (patchbay, client, sink) = told().await;
    let second = format!("2712{}", &client.number[4..]);
    let (node, waba) = (format!("1{second}"), account(&client));
    patchbay.simulate("/simulator/numbers", &json!({ "phoneNumberId": node, "wabaId": waba, "number": second })).await;
    let line = [
        "number",
        "add",
        "--client",
        &client.client_ref,
        "--number",
        &second,
        "--provider",
        "WHATSAPP_CLOUD",
        "--phone-number-id",
        &node,
        "--waba-id",
        &waba,
        "--access-token",
        "token-of-the-tests",
    ];
    let added = patchbay.admin(&line);
    let own = json!({ "whatsAppNumberId": added["whatsAppNumber"]["id"], "eventWebhookURL": sink.url("own") });
    client.post(CONFIGURATIONS, &own).await.ok();

    happens(&patchbay, json!({ "type": "account_update", "wabaId": waba, "event": "ACCOUNT_RESTRICTION" })).await;
    // The tier and the rating are in the same event if the hourly read of the number has already found them.
    for (place, number) in [("events", client.number.as_str()), ("own", second.as_str())] {
        let told = events(&sink, place, 1).await;
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(told[0]["eventType"], "PHONE_QUALITY_CHANGED");
        assert_eq!((&told[0]["whatsAppNumber"], &told[0]["channelStatus"]), (&json!(number), &json!("RESTRICTED")));
    }

    let paused = json!({ "type": "template_status", "wabaId": waba, "name": "order_ready", "event": "PAUSED" });
    happens(&patchbay, paused).await;
    assert_eq!(events(&sink, "events", 2).await[1]["whatsAppNumber"], client.number.as_str());
    assert_eq!(events(&sink, "own", 2).await[1]["whatsAppNumber"], second.as_str());

    let more = json!({ "max_daily_conversations_per_business": "TIER_UNLIMITED", "max_phone_numbers_per_waba": 20 });
    let more = json!({ "type": "raw", "wabaId": waba, "field": "business_capability_update", "value": more });
    happens(&patchbay, more).await;
    for (path, number) in [("events", client.number.as_str()), ("own", second.as_str())] {
        let told = events(&sink, path, 3).await.remove(2);
        assert_eq!((&told["eventType"], &told["whatsAppNumber"]), (&json!("PHONE_QUALITY_CHANGED"), &json!(number)));
        assert_eq!(told["messagingLimitTier"], "TIER_UNLIMITED", "{told}");
    }
}

#[tokio::test]
async fn a_silent_change_of_a_number_is_detected_within_the_hour_and_reported_once() {
    let patchbay = Patchbay::start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sink = WebhookSink::start().await;
    client.post(CONFIGURATIONS, &json!({ "eventWebhookURL": sink.url("events") })).await.ok();
    let due = async || {
        let mut db = patchbay.database().await;
        let statement = "SELECT look_due_at FROM number_quality";
        sqlx::query_scalar::<_, chrono::DateTime<chrono::Utc>>(statement).fetch_one(&mut db).await.unwrap()
    };
    let an_hour_later = async || {
        let before = due().await;
        patchbay.advance_clock(3601).await;
        // The due time moves by a minute while the number is read, and by an hour after that.
        eventually("the number to be looked at", || async {
            (due().await - before > chrono::TimeDelta::minutes(30)).then_some(())
        })
        .await;
    };
    an_hour_later().await;
    an_hour_later().await;
    assert!(sink.received("events").is_empty(), "it is as it was");

    let unsaid = json!({ "phoneNumberId": "127110000001", "qualityRating": "YELLOW", "status": "FLAGGED" });
    patchbay.simulate("/simulator/numbers", &unsaid).await;
    an_hour_later().await;

    let expected = json!({
        "eventType": "PHONE_QUALITY_CHANGED", "whatsAppNumber": "27110000001", "qualityRating": "YELLOW",
        "messagingLimitTier": "TIER_UNLIMITED", "channelStatus": "FLAGGED",
    });
    assert_eq!(events(&sink, "events", 1).await, [expected]);
    an_hour_later().await;
    assert_eq!(sink.received("events").len(), 1);
}
