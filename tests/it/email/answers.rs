//! Mails after the result: replies of phones, and messages that do not arrive.

use serde_json::json;

use super::{
    DOMAIN, PASSWORD, PHONE, SENDER, Stage,
    peers::{smtplib, smtplib_all},
};

#[tokio::test]
async fn replies_of_the_phone_are_mailed_to_the_sender() {
    let stage = Stage::start().await;
    let mut order = stage.order(PASSWORD, "Coming?\n");
    order["mail"] = json!(format!("Message-ID: <asked@acme.example>\n{}", order["mail"].as_str().unwrap()));
    assert_eq!(smtplib(&order), 250);
    stage.phone.receives("the SMS", |message| message["text"] == "Coming?").await;

    let long = format!("Yes, {}Grüße", "on my way ".repeat(30));
    stage.phone.write_sms("PATCHBAY", &long).await;

    let told = stage.relay.receives(&format!("SMS from {PHONE}")).await;
    assert_eq!(told["recipients"], json!([SENDER]));
    assert_eq!(told["headers"]["from"], format!("{PHONE}@{DOMAIN}"));
    assert_eq!(told["headers"]["in-reply-to"], "<asked@acme.example>");
    assert_eq!(told["headers"]["auto-submitted"], "auto-replied");
    assert_eq!(told["body"].as_str().unwrap().trim_end(), long);
}

#[tokio::test]
async fn a_stopped_recipient_is_named_in_the_result_and_refunded() {
    let stage = Stage::start().await;
    assert_eq!(smtplib(&stage.order(PASSWORD, "One\n")), 250);
    stage.phone.receives("the SMS", |message| message["text"] == "One").await;
    stage.phone.write_sms("PATCHBAY", "STOP").await;
    stage.relay.receives(&format!("SMS from {PHONE}")).await;

    assert_eq!(smtplib(&stage.order_to(&[PHONE, "27829990001"], PASSWORD, "Two\n")), 250);

    harness::eventually("the result", || async {
        let blocked = format!("blocked: {PHONE} (has stopped your messages");
        stage.relay.mails().into_iter().find(|mail| mail["body"].as_str().unwrap().contains(&blocked))
    })
    .await;
    assert_eq!(stage.balance().await, 18);
}

#[tokio::test]
async fn an_undelivered_sms_is_reported_by_mail() {
    let stage = Stage::start().await;
    stage.phone.set(json!({ "smsState": "UNDELIV" })).await;
    let mut order = stage.order(PASSWORD, "Anybody there?\n");
    order["mail"] = json!(format!("Message-ID: <lost@acme.example>\n{}", order["mail"].as_str().unwrap()));
    smtplib_all(&[order]);
    let told = stage.relay.receives(&format!("SMS to {PHONE} not delivered")).await;
    assert_eq!(told["headers"]["in-reply-to"], "<lost@acme.example>");
    assert!(told["body"].as_str().unwrap().contains("receipt: "), "{told}");
}
