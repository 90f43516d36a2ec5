//! SMS whose last receipt comes late, or never (SPEC 4.8; parts 7 and 8).

use harness::{PatchbaySetup, eventually};
use reqwest::Method;
use serde_json::json;

use super::{TRACK, one, sent, state};

#[tokio::test]
async fn an_unsaved_text_is_deleted_if_no_receipt_arrives() {
    let mut patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("acme");
    patchbay.credits(&client, 10);
    let phone = patchbay.phone("27820000001");
    phone.set(json!({ "smsState": "NONE" })).await;
    for (ct_id, dsm) in [("a", "true"), ("b", "false")] {
        let mut body = one(ct_id, &phone, &format!("forget-me {dsm}"));
        body["settings"] = json!({ "dsm": dsm });
        let gst_id = sent(&patchbay, &client, &body).await;
        state(&patchbay, &gst_id, "ACCEPTED").await;
    }
    // The validity of two days, plus one day.
    let due = "UPDATE sms_request SET forget_at = now()
        WHERE forget_at BETWEEN now() + interval '71 hours' AND now() + interval '73 hours'";
    let mut db = patchbay.database().await;
    assert_eq!(sqlx::query(due).execute(&mut db).await.unwrap().rows_affected(), 1);
    let left = "SELECT content::text FROM outbound_part WHERE content::text LIKE '%forget-me%'";

    patchbay.terminate().await;
    patchbay.launch().await;

    let left = eventually("one of them to be forgotten", || async {
        let kept: Vec<String> = sqlx::query_scalar(left).fetch_all(&mut patchbay.database().await).await.unwrap();
        (kept.len() == 1).then_some(kept)
    });
    assert!(left.await[0].contains("forget-me false"));
    let found = patchbay.sms(&client, TRACK, &json!({ "ctid": "a" })).await.ok();
    assert_eq!(found["receipts"][0]["statusCode"], "500", "that is all that is known of it: {found}");
}

#[tokio::test]
async fn a_receipt_that_comes_after_the_text_was_forgotten_counts() {
    let mut patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("acme");
    patchbay.credits(&client, 10);
    let phone = patchbay.phone("27820000001");
    patchbay.simulate("/simulator/faults", &json!({ "smscReceiptDelayMillis": 5000 })).await;
    let mut body = one("a", &phone, "forget-me");
    body["settings"] = json!({ "dsm": "true" });
    let gst_id = sent(&patchbay, &client, &body).await;
    state(&patchbay, &gst_id, "ACCEPTED").await;
    let mut db = patchbay.database().await;
    sqlx::query("UPDATE sms_request SET forget_at = now()").execute(&mut db).await.unwrap();

    patchbay.terminate().await;
    patchbay.launch().await;

    let left = "SELECT count(*) FROM outbound_part WHERE content::text LIKE '%forget-me%'";
    eventually("it to be forgotten", || async {
        let kept: i64 = sqlx::query_scalar(left).fetch_one(&mut patchbay.database().await).await.unwrap();
        (kept == 0).then_some(())
    })
    .await;
    state(&patchbay, &gst_id, "DELIVERED").await;
}

#[tokio::test]
async fn an_sms_that_may_have_arrived_is_not_refunded_when_its_repetition_is_stopped() {
    let patchbay = PatchbaySetup::new().set("limits.unknown_after", "5s").start().await;
    let client = patchbay.bare_client("acme");
    patchbay.credits(&client, 10);
    let phone = patchbay.phone("27820000001");
    patchbay.simulate("/simulator/faults", &json!({ "smscNonsense": 1 })).await;
    let gst_id = sent(&patchbay, &client, &one("a", &phone, "Your order is ready.")).await;
    let stands = async |condition: &str| {
        let statement = format!(
            "SELECT count(*) FROM outbound_work JOIN outbound_leg USING (client_id, message_id, ordinal) WHERE {condition}"
        );
        eventually(condition, || async {
            let mut db = patchbay.database().await;
            let count: i64 = sqlx::query_scalar(&statement).fetch_one(&mut db).await.unwrap();
            (count == 1).then_some(())
        })
        .await;
    };
    stands("phase = 'UNKNOWN'").await;
    patchbay.simulate("/simulator/faults", &json!({ "smscThrottle": 100_000 })).await;
    stands("phase = 'READY' AND ambiguous").await;

    phone.write_sms("PATCHBAY", "STOP").await;

    state(&patchbay, &gst_id, "FAILED").await;
    let statement = "SELECT error_code, error_text FROM delivery_receipt WHERE state = 'FAILED'";
    let mut db = patchbay.database().await;
    let (code, text): (String, String) = sqlx::query_as(statement).fetch_one(&mut db).await.unwrap();
    assert_eq!(code, "900451", "{text}");
    assert!(text.contains("stopped") && text.ends_with("may have arrived"), "{text}");
    assert_eq!(patchbay.sms_balance(&client).await, 9, "it may have been sent");
}

#[tokio::test]
async fn an_sms_in_doubt_of_a_client_that_wants_none_twice_ends_as_unknown_without_a_repetition_or_a_refund() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("acme");
    patchbay.credits(&client, 10);
    let change = json!({ "atMostOnce": true });
    client.request(Method::PUT, "/api/v1/clients/me", Some(&change), &[]).await.ok();
    let phone = patchbay.phone("27820000001");
    patchbay.simulate("/simulator/faults", &json!({ "smscNonsense": 1 })).await;
    let gst_id = sent(&patchbay, &client, &one("a", &phone, "Your order is ready.")).await;
    eventually("the SMS to be in doubt", || async {
        let mut db = patchbay.database().await;
        let phase: Option<String> =
            sqlx::query_scalar("SELECT phase FROM outbound_work").fetch_optional(&mut db).await.unwrap();
        (phase.as_deref() == Some("UNKNOWN")).then_some(())
    })
    .await;

    patchbay.advance_clock(61).await;

    state(&patchbay, &gst_id, "FAILED").await;
    let mut db = patchbay.database().await;
    let code = "SELECT error_code FROM delivery_receipt WHERE state = 'FAILED'";
    assert_eq!(sqlx::query_scalar::<_, String>(code).fetch_one(&mut db).await.unwrap(), "900409");
    let receipt = "SELECT receipt FROM sms_message";
    assert_eq!(sqlx::query_scalar::<_, String>(receipt).fetch_one(&mut db).await.unwrap(), "UNKNOWN");
    assert_eq!(patchbay.sms_balance(&client).await, 9, "it may have arrived");
    sent(&patchbay, &client, &one("b", &phone, "Your other order is ready.")).await;
    phone.receives("the next SMS", |message| message["text"] == "Your other order is ready.").await;
    assert_eq!(phone.inbox().await.len(), 1);
}
