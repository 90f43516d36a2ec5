//! Sessions: how they are paired by QR code, how they end, and which node holds them (SPEC 3.3, 6.3).

use harness::{Patchbay, SharedPatchbay, eventually};
use reqwest::Method;
use serde_json::json;

use super::{Lite, UP};

async fn fresh(patchbay: &SharedPatchbay) -> Lite<'_> {
    let number = patchbay.new_phone().msisdn.replacen("2782", "2783", 1);
    Lite::new(patchbay, patchbay.new_bare_client(), &number).await
}

#[tokio::test]
async fn a_number_that_was_never_connected_has_no_session() {
    let patchbay = SharedPatchbay::get().await;
    let lite = fresh(&patchbay).await;
    let session = lite.session().await;
    assert_eq!(session["status"], "No Session");
    assert_eq!(session.get("statusType"), None);
    assert_eq!(session["whatsAppNumber"]["whatsAppProvider"], "WHATSAPP_LITE");
    assert_eq!(lite.ask(Method::GET, "/qr", None).await.status, 404);
    assert_eq!(lite.ask(Method::GET, "/qr.png", None).await.status, 404);
}

#[tokio::test]
async fn a_scanned_code_connects_and_every_stage_is_reported_with_the_exact_text_in_order() {
    let patchbay = SharedPatchbay::get().await;
    let lite = fresh(&patchbay).await;
    lite.ask(Method::POST, "/connect", None).await.accepted();
    let code = lite.waits_for_scan().await;
    assert!(lite.session().await["qrWaits"].as_bool().unwrap());
    lite.device("scan", &json!({ "code": code })).await;
    let texts = lite.told(UP).await;
    assert_eq!(
        texts,
        [
            "Initializing...",
            "Connecting...",
            "Paired Successfully",
            "Connected",
            "Connected (Authenticated)",
            "Logged In",
            "Sync Complete. You can now send messages",
        ]
    );
    let bodies = lite.sink.bodies("session");
    let types: Vec<&str> = bodies.iter().map(|body| body["statusType"].as_str().unwrap()).collect();
    assert_eq!(types, ["connecting", "connecting", "connecting", "connecting", "connecting", "connecting", "success"]);
    for body in &bodies {
        assert_eq!(body["whatsAppNumber"], json!(lite.number));
        assert!(body["timestamp"].as_i64().unwrap() > 1_600_000_000_000, "{body}");
        assert_eq!(body.as_object().unwrap().len(), 4, "{body}");
    }
    let session = lite.session().await;
    assert_eq!(
        (&session["statusType"], &session["paired"], &session["qrWaits"]),
        (&json!("success"), &json!(true), &json!(false))
    );
    assert_eq!(lite.ask(Method::GET, "/qr", None).await.status, 404, "a code that was scanned is none any more");
}

#[tokio::test]
async fn the_code_comes_as_a_picture_too() {
    let patchbay = SharedPatchbay::get().await;
    let lite = fresh(&patchbay).await;
    lite.ask(Method::POST, "/connect", None).await.accepted();
    lite.waits_for_scan().await;
    let url = format!("{}/messaging-service/WhatsApp/WhatsAppLiteSessions/{}/qr.png", patchbay.url(), lite.id);
    let picture = patchbay.http.get(url).header("Authorization", &lite.client.key).send().await.unwrap();
    assert_eq!(picture.status(), 200);
    assert_eq!(picture.headers()["content-type"], "image/png");
    assert_eq!(picture.headers()["cache-control"], "no-store");
    assert!(picture.bytes().await.unwrap().starts_with(b"\x89PNG\r\n\x1a\n"));
}

#[tokio::test]
async fn the_next_code_replaces_the_shown_one_which_pairs_no_more() {
    let patchbay = SharedPatchbay::get().await;
    let lite = fresh(&patchbay).await;
    lite.ask(Method::POST, "/connect", None).await.accepted();
    let first = lite.waits_for_scan().await;

    lite.befalls("next_code").await;
    let next = eventually("another code", || async { Some(lite.waits_for_scan().await).filter(|code| *code != first) });
    let next = next.await;

    let scan = format!("{}/lite/devices/{}/scan", patchbay.simulator_url(), lite.number);
    let old = patchbay.http.post(scan).json(&json!({ "code": first })).send().await.unwrap();
    assert_eq!(old.status(), 409);
    lite.device("scan", &json!({ "code": next })).await;
    lite.told(UP).await;
}

#[tokio::test]
async fn an_unscanned_code_ends_the_attempt_until_the_next_connect() {
    let patchbay = SharedPatchbay::get().await;
    let lite = fresh(&patchbay).await;
    lite.ask(Method::POST, "/connect", None).await.accepted();
    lite.waits_for_scan().await;
    lite.befalls("qr_timeout").await;
    lite.told("Disconnected: QR Code timeout").await;
    assert_eq!(lite.session().await["statusType"], "disconnected");
    lite.pair().await;
}

#[tokio::test]
async fn a_failed_pairing_is_reported() {
    let patchbay = SharedPatchbay::get().await;
    let lite = fresh(&patchbay).await;
    lite.ask(Method::POST, "/connect", None).await.accepted();
    lite.waits_for_scan().await;
    lite.befalls("pair_failed").await;
    lite.told("Paired Failed").await;
    let session = lite.session().await;
    assert_eq!((&session["statusType"], &session["paired"]), (&json!("disconnected"), &json!(false)));
}

#[tokio::test]
async fn another_device_ends_the_connection_and_the_pairing_stays() {
    let patchbay = SharedPatchbay::get().await;
    let lite = fresh(&patchbay).await;
    lite.pair().await;
    lite.befalls("replaced").await;
    lite.told("Disconnected: Logged in on another device").await;
    assert_eq!(lite.session().await["paired"], true);
    lite.ask(Method::POST, "/connect", None).await.accepted();
    lite.up_times(2).await;
    assert!(lite.texts().contains(&"Logged In Successfully".to_owned()), "a later login: {:?}", lite.texts());
}

#[tokio::test]
async fn a_phone_that_unlinks_the_device_ends_the_pairing() {
    let patchbay = SharedPatchbay::get().await;
    let lite = fresh(&patchbay).await;
    lite.pair().await;
    lite.befalls("logged_out").await;
    lite.told("Logged Out").await;
    assert_eq!(lite.session().await["paired"], false);
}

#[tokio::test]
async fn a_logout_is_reported_in_two_steps_and_the_next_connection_needs_a_code() {
    let patchbay = SharedPatchbay::get().await;
    let lite = fresh(&patchbay).await;
    lite.pair().await;
    lite.ask(Method::POST, "/logout", None).await.accepted();
    let texts = lite.told("Logged out from the system").await;
    assert_eq!(texts[texts.len() - 2..], ["Logging out...", "Logged out from the system"]);
    lite.ask(Method::POST, "/connect", None).await.accepted();
    lite.waits_for_scan().await;
}

#[tokio::test]
async fn a_disconnected_number_stays_paired() {
    let patchbay = SharedPatchbay::get().await;
    let lite = fresh(&patchbay).await;
    lite.pair().await;
    lite.ask(Method::POST, "/disconnect", None).await.accepted();
    lite.told("Disconnected by API request").await;
    assert_eq!(lite.session().await["paired"], true);
    lite.ask(Method::POST, "/connect", None).await.accepted();
    lite.up_times(2).await;
}

#[tokio::test]
async fn a_fault_while_syncing_is_reported_and_the_sync_still_succeeds() {
    let patchbay = SharedPatchbay::get().await;
    let lite = fresh(&patchbay).await;
    lite.ask(Method::POST, "/connect", None).await.accepted();
    lite.waits_for_scan().await;
    lite.befalls("sync_fails").await;
    lite.device("scan", &json!({})).await;
    let texts = lite.told(UP).await;
    assert_eq!(texts[texts.len() - 2..], ["Syncing metadata (errors occurred)...", UP]);
}

#[tokio::test]
async fn a_lost_connection_is_restored_automatically() {
    let patchbay = Patchbay::start().await;
    let lite = Lite::connected(&patchbay, patchbay.bare_client("acme"), "27831000001").await;
    lite.befalls("drop").await;
    lite.told("Disconnected").await;
    patchbay.advance_clock(6).await;
    lite.up_times(2).await;
}

#[tokio::test]
async fn a_flagged_number_cannot_be_connected_before_its_time_and_then_reconnects_automatically() {
    let patchbay = Patchbay::start().await;
    let lite = Lite::connected(&patchbay, patchbay.bare_client("acme"), "27831000001").await;
    lite.device("befall", &json!({ "event": "ban", "seconds": 24 * 3600 })).await;
    lite.told("Disconnected").await;
    assert!(lite.session().await["bannedUntil"].is_string());
    let refused = lite.ask(Method::POST, "/connect", None).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert!(refused.json()["message"].as_str().unwrap().contains("cannot connect before"), "{}", refused.text);

    patchbay.advance_clock(23 * 3600).await;
    assert_eq!(lite.ask(Method::POST, "/connect", None).await.status, 409);
    lite.befalls("unban").await;
    assert_eq!(lite.texts().iter().filter(|text| *text == UP).count(), 1, "no process connects it before");
    patchbay.advance_clock(3601).await;
    lite.up_times(2).await;
    assert_eq!(lite.session().await.get("bannedUntil"), None);
}

#[tokio::test]
async fn a_session_is_held_by_one_node_and_taken_over_when_that_dies() {
    let mut patchbay = Patchbay::start().await;
    let client = patchbay.bare_client("acme");
    let (id, sink, number) = {
        let lite = Lite::connected(&patchbay, client.clone(), "27831000001").await;
        (lite.id.clone(), lite.sink.clone(), lite.number.clone())
    };
    let node = patchbay.second_node().await;
    patchbay.kill();
    let taken_over = || async {
        let texts: Vec<String> =
            sink.bodies("session").iter().map(|body| body["status"].as_str().unwrap().to_owned()).collect();
        (texts.iter().filter(|text| *text == UP).count() == 2).then_some(texts)
    };
    let texts = eventually("the second node's connection", taken_over).await;
    assert!(texts.contains(&"Disconnected".to_owned()), "a new session was disconnected before: {texts:?}");
    patchbay.phone("27820000001").write(&number, "hello").await;
    sink.receives("incoming", "the message", |body| body["text"] == "hello").await;
    let client = node.client(&client);
    let session = client.get(&format!("/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}")).await.ok();
    assert_eq!(session["statusType"], "success");
}

#[tokio::test]
async fn a_cloud_number_has_no_session() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let path = format!("/messaging-service/WhatsApp/WhatsAppLiteSessions/{}", client.number_id);
    let refused = client.get(&path).await;
    assert_eq!(refused.status, 400);
    assert!(refused.text.contains("is not a WhatsApp Lite number"), "{}", refused.text);
    assert_eq!(client.post(&format!("{path}/connect"), &json!({})).await.status, 400);
}
