//! Callbacks: signature, order, repetition, batches, retries.

use std::{net::Ipv4Addr, time::Duration};

use hmac::Mac;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::host::{APP_SECRET, BUSINESS, Outside, PHONE, VERIFY_TOKEN, eventually, statuses_of, text};

#[tokio::test(flavor = "multi_thread")]
async fn every_callback_is_signed_over_its_raw_ascii_bytes() {
    let outside = Outside::start().await;
    outside.phone(PHONE, json!({"name": "Zoë 🎉"})).await;
    let written = json!({"to": BUSINESS, "text": "café 🎉"});
    let answer = outside.post(&format!("/phones/{PHONE}/messages"), written).await;
    outside.sink.inbound(answer["id"].as_str().unwrap()).await;
    let post = outside.sink.posts().remove(0);
    let mut mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(APP_SECRET.as_bytes()).unwrap();
    mac.update(&post.bytes);
    let expected = format!("sha256={}", hex::encode(mac.finalize().into_bytes()));
    assert_eq!(post.signature, expected);
    assert!(post.bytes.is_ascii(), "Meta escapes what is not ASCII");
    let message = &post.json["entry"][0]["changes"][0]["value"]["messages"][0];
    assert_eq!(message["text"]["body"], "café 🎉");
    assert_eq!(post.json["object"], "whatsapp_business_account");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_callback_that_is_refused_comes_again_and_the_order_stays() {
    let outside = Outside::start().await;
    outside.sink.refuse(3);
    outside.phone(PHONE, json!({"autoRead": true})).await;
    let wamid = outside.sent(text("x")).await;
    let statuses = outside.sink.statuses(&wamid, 3).await;
    let names: Vec<&Value> = statuses.iter().map(|status| &status["status"]).collect();
    assert_eq!(names, ["sent", "delivered", "read"]);
    assert!(statuses[0].get("pricing").is_some());
    assert!(statuses[1].get("pricing").is_some());
    assert!(statuses[2].get("pricing").is_none(), "the price was reported with delivered");
}

#[tokio::test(flavor = "multi_thread")]
async fn callbacks_wait_for_a_host_that_is_away() {
    let outside = Outside::start().await;
    outside.simulator.set_callback_url("http://127.0.0.1:1/gone".to_owned());
    let wamid = outside.sent(text("x")).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    outside.simulator.set_callback_url(outside.callback_url.clone());
    assert_eq!(outside.sink.statuses(&wamid, 2).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn callbacks_are_doubled_on_request() {
    let outside = Outside::start().await;
    outside.faults(json!({"duplicateCallbacks": true})).await;
    let wamid = outside.sent(text("x")).await;
    outside.sink.statuses(&wamid, 4).await;
    let posts = outside.sink.posts();
    assert_eq!(posts[0].bytes, posts[1].bytes);
}

#[tokio::test(flavor = "multi_thread")]
async fn callbacks_come_out_of_order_on_request() {
    let outside = Outside::start().await;
    outside.faults(json!({"reorderCallbacks": true})).await;
    let wamid = outside.sent(text("x")).await;
    let statuses = outside.sink.statuses(&wamid, 2).await;
    let names: Vec<&Value> = statuses.iter().map(|status| &status["status"]).collect();
    assert_eq!(names, ["delivered", "sent"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn callbacks_come_many_to_a_body_on_request() {
    let outside = Outside::start().await;
    outside.faults(json!({"batchCallbacks": true})).await;
    let mut wamids = Vec::new();
    for phone in 0..5 {
        let mut message = text("x");
        message["to"] = json!(format!("2782000020{phone}"));
        wamids.push(outside.sent(message).await);
    }
    for wamid in &wamids {
        outside.sink.statuses(wamid, 2).await;
    }
    let posts = outside.sink.posts();
    assert!(posts.len() < 10, "{} bodies for 10 statuses", posts.len());
    let first = &posts[0].json["entry"][0]["changes"][0]["value"];
    assert!(first["statuses"].as_array().unwrap().len() > 1);
    assert_eq!(first["metadata"]["phone_number_id"], BUSINESS);
}

#[tokio::test(flavor = "multi_thread")]
async fn delivered_is_left_out_on_request_and_read_carries_the_price() {
    let outside = Outside::start().await;
    outside.faults(json!({"skipDelivered": true})).await;
    outside.phone(PHONE, json!({"autoRead": true})).await;
    let wamid = outside.sent(text("x")).await;
    let statuses = outside.sink.statuses(&wamid, 2).await;
    assert_eq!(statuses[1]["status"], "read");
    assert!(statuses[1].get("pricing").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_status_can_come_before_the_answer() {
    let outside = Outside::start().await;
    outside.faults(json!({"statusBeforeAnswer": true})).await;
    let wamid = outside.sent(text("x")).await;
    assert_eq!(statuses_of(&outside.sink.posts(), &wamid)[0]["status"], "sent");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_and_callbacks_are_held_back_on_request() {
    let outside = Outside::start().await;
    outside.faults(json!({"holdAnswersMillis": 600, "delayMillis": 100})).await;
    let started = tokio::time::Instant::now();
    let wamid = outside.sent(text("x")).await;
    assert!(started.elapsed() >= Duration::from_millis(600));
    assert!(!outside.sink.statuses(&wamid, 1).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_status_has_no_contacts_and_no_user_id() {
    let outside = Outside::start().await;
    outside.phone(PHONE, json!({"onWhatsApp": false})).await;
    let wamid = outside.sent(text("x")).await;
    let statuses = outside.sink.statuses(&wamid, 1).await;
    assert_eq!(statuses[0]["status"], "failed");
    assert_eq!(statuses[0]["errors"][0]["code"], 131_026);
    assert!(statuses[0].get("recipient_user_id").is_none());
    assert_eq!(statuses[0]["recipient_id"], PHONE);
    assert!(outside.sink.values()[0].get("contacts").is_none());
    assert!(outside.inbox(PHONE, 0).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_send_to_a_user_id_names_the_user_id_only() {
    let outside = Outside::start().await;
    outside.phone(PHONE, json!({"userId": "ZA.100", "failWith": 131_049})).await;
    let message = json!({"to": null, "recipient": "ZA.100", "type": "text", "text": {"body": "x"}});
    let wamid = outside.sent(message).await;
    let status = outside.sink.statuses(&wamid, 1).await.remove(0);
    assert_eq!(status["recipient_user_id"], "ZA.100");
    assert!(status.get("recipient_id").is_none());
    assert_eq!(status["errors"][0]["code"], 131_049);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_handshake_and_an_override_require_the_right_challenge() {
    let outside = Outside::start().await;
    assert_eq!(outside.post("/simulator/handshake", json!({})).await["verified"], true);
    let path = "/v25.0/900/subscribed_apps";
    assert_eq!(outside.post(path, json!({})).await["success"], true);
    let right = json!({"override_callback_uri": outside.callback_url, "verify_token": VERIFY_TOKEN});
    assert_eq!(outside.post(path, right).await["success"], true);
    let wrong = json!({"override_callback_uri": outside.callback_url, "verify_token": "other"});
    let (status, error) = outside.call("POST", path, Some(wrong)).await;
    assert_eq!((status, error["error"]["code"].as_i64()), (400, Some(100)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_gives_up_callbacks_that_were_not_taken() {
    let outside = Outside::start().await;
    outside.simulator.set_callback_url("http://127.0.0.1:1/gone".to_owned());
    let wamid = outside.sent(text("x")).await;
    tokio::time::sleep(Duration::from_millis(150)).await;
    outside.post("/simulator/reset", json!({})).await;
    outside.simulator.set_callback_url(outside.callback_url.clone());
    let later = eventually("a later message", || async { Some(outside.sent(text("y")).await) }).await;
    outside.sink.statuses(&later, 2).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(statuses_of(&outside.sink.posts(), &wamid).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_address_ends_the_wait_between_attempts() {
    let outside = Outside::with_first_retry(Duration::from_secs(3600)).await;
    let refusing = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    outside.simulator.set_callback_url(format!("http://{}/", refusing.local_addr().unwrap()));
    let wamid = outside.sent(text("x")).await;
    drop(refusing.accept().await.unwrap());
    outside.simulator.set_callback_url(outside.callback_url.clone());
    outside.sink.statuses(&wamid, 1).await;
}
