//! Acknowledged mails survive the death of the process, and a relay that is down.

use harness::eventually;
use serde_json::json;

use super::{
    PASSWORD, SENDER, Stage,
    peers::{Relay, smtplib, smtplib_all},
};

#[tokio::test]
async fn an_accepted_mail_is_sent_and_answered_even_if_the_process_is_killed() {
    let mut stage = Stage::start().await;
    let orders: Vec<_> = (0..5).map(|number| stage.order(PASSWORD, &format!("Mail {number}\n"))).collect();
    let answers = smtplib_all(&orders);
    stage.patchbay.kill();
    assert!(answers.iter().all(|answer| answer["code"] == 250), "{answers:?}");
    stage.patchbay.launch().await;

    for number in 0..5 {
        let text = format!("Mail {number}");
        stage.phone.receives(&text, |message| message["text"] == text.as_str()).await;
    }
    // If the process dies while a mail goes to the relay, the mail may arrive twice, with the same id.
    let results = || {
        let ids = stage.relay.mails().into_iter().filter(|mail| mail["headers"]["subject"] == "SMS: success");
        ids.map(|mail| mail["headers"]["message-id"].to_string()).collect::<std::collections::HashSet<_>>()
    };
    eventually("five results", || async { (results().len() == 5).then_some(()) }).await;
    assert_eq!(stage.balance().await, 15);
}

#[tokio::test]
async fn a_result_waits_for_a_relay_that_is_away() {
    let mut stage = Stage::start().await;
    let port = stage.relay.port;
    stage.relay = Relay::start();
    assert_eq!(smtplib(&stage.order(PASSWORD, "Hello\n")), 250);
    stage.phone.receives("the SMS", |message| message["text"] == "Hello").await;
    let put_off = async || {
        let mut db = stage.patchbay.database().await;
        let attempts: Option<i32> =
            sqlx::query_scalar("SELECT attempts FROM email_out").fetch_optional(&mut db).await.unwrap();
        attempts.unwrap_or(0)
    };
    eventually("the first attempt", || async { (put_off().await >= 1).then_some(()) }).await;
    for (attempts, pause) in [(2, 60), (3, 300), (4, 900)] {
        stage.patchbay.advance_clock(pause).await;
        eventually("another attempt", || async { (put_off().await >= attempts).then_some(()) }).await;
    }
    let back = Relay::start_at(port);
    stage.patchbay.advance_clock(1800).await;
    let result = back.receives("SMS: success").await;
    assert_eq!(result["recipients"], json!([SENDER]));
    eventually("nothing is left", || async { (stage.count("email_out").await == 0).then_some(()) }).await;
}

#[tokio::test]
async fn a_mail_that_the_relay_refuses_is_given_up_and_one_that_it_puts_off_after_three_days() {
    let stage = Stage::start().await;
    for address in ["refused@acme.example", "later@acme.example"] {
        stage.patchbay.admin(&["sender", "add", "--client", "acme", "--email", address]);
        let mut order = stage.order(PASSWORD, "Hello\n");
        order["sender"] = json!(address);
        order["mail"] = json!(format!("From: {address}\nSubject: {PASSWORD}\n\nHello\n"));
        assert_eq!(smtplib(&order), 250);
    }
    eventually("the refused one is gone", || async { (stage.count("email_out").await == 1).then_some(()) }).await;
    eventually("the other is put off", || async {
        (stage.count("email_out WHERE attempts = 1").await == 1).then_some(())
    })
    .await;
    stage.patchbay.advance_clock(72 * 3600).await;
    eventually("it is given up", || async { (stage.count("email_out").await == 0).then_some(()) }).await;
    assert_eq!(stage.relay.mails(), Vec::<serde_json::Value>::new());
}
