//! Requests to a database whose processes are frozen. It is a program of its own, because all databases of a test
//! program freeze together.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic, in its helper functions too")]

#[expect(dead_code, reason = "the other tests of requests use more of it")]
#[path = "http/service.rs"]
mod service;

use std::time::{Duration, Instant};

use futures::future::join_all;
use serde_json::json;
use service::{Answer, Call, Options, Service};

/// Patience for callers. A query ends when the database is found silent, and otherwise waits while it is frozen.
const PATIENCE: Duration = Duration::from_secs(60);
/// A caller that waits for a frozen database waits longer than this. Later callers do not wait.
const AT_ONCE: Duration = Duration::from_secs(2);

/// One request for each product and way in.
fn calls(service: &Service) -> Vec<(&'static str, Call)> {
    let send = json!({
        "sender": "+27820001001",
        "messageType": "CHAT",
        "messages": [{"recipients": [{"to": "+27830000001"}], "messageText": "hello"}],
    });
    let sms = json!({"messages": [{"recipients": [{"to": "27830000001"}], "messageText": "hello"}]});
    let post = |path: &str, body: &serde_json::Value| Call::post(path, body.to_string()).key(&service.key);
    let get = |path: &str| Call::get(path).key(&service.key);
    vec![
        ("readiness", Call::get("/readyz")),
        ("sends", post("/whatsapp-api-service/v2/channels/whatsapp", &send)),
        ("lists", get("/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser")),
        ("live chat", get("/chat-service/api/v2/chats?scope=active")),
        ("plugins", get("/plugin-service/api/v1/plugins")),
        ("JSON gateway", Call::post("/sms/json", sms.to_string()).header("x-api-key", &service.key)),
        (
            "batch gateway",
            Call::post("/smsbatch/sms", "cell=27830000001&message=hello")
                .without("content-type")
                .header("content-type", "application/x-www-form-urlencoded")
                .key(&service.key),
        ),
        (
            "web chat",
            Call::post("/web-chat/sessions", json!({"siteKey": "none"}).to_string())
                .header("origin", "https://a.example"),
        ),
        (
            "files",
            Call::get(
                "/media/00000000-0000-0000-0000-000000000001/00000000-0000-0000-0000-000000000002?expires=1&signature=x",
            ),
        ),
        ("contacts", get("/messaging-service/WhatsApp/contacts")),
    ]
}

/// The answers to one round of calls, and the longest wait of a caller.
async fn round(service: &Service) -> (Vec<(&'static str, Answer)>, Duration) {
    let begun = Instant::now();
    let answers = join_all(calls(service).into_iter().map(async |(name, call)| (name, service.send(call).await)));
    let answers = tokio::time::timeout(PATIENCE, answers).await.unwrap();
    (answers, begun.elapsed())
}

/// Checks a round while the database is frozen. Readiness may be of the moment before, if that is `believed`.
fn check_refusals(answers: &[(&'static str, Answer)], before: &[u16], believed: bool) {
    for ((name, answer), before) in answers.iter().zip(before) {
        let status = answer.status.as_u16();
        let is_believed = believed && *name == "readiness";
        // A request that needs no database is answered as ever.
        let needs_none = before / 100 == 4 && status == *before;
        assert!(is_believed || needs_none || [502, 503].contains(&status), "{name}: {answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_answered_while_the_database_is_frozen_and_normal_afterwards() {
    let service = Service::with(Options { built_ins: true, ..Options::default() }).await;
    let before: Vec<u16> = round(&service).await.0.iter().map(|(_, answer)| answer.status.as_u16()).collect();

    let frozen = scratch::freeze().await;
    // The first round is there before anything is noticed.
    check_refusals(&round(&service).await.0, &before, true);
    let silent_and_quick = async {
        while service.send(Call::get("/readyz")).await.status == 200 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        // A busy machine delays some rounds. If callers wait for the database, each round is slow.
        loop {
            let (answers, took) = round(&service).await;
            check_refusals(&answers, &before, false);
            if took < AT_ONCE {
                break;
            }
        }
    };
    let became_quick = tokio::time::timeout(PATIENCE, silent_and_quick).await;
    assert!(became_quick.is_ok(), "callers wait for a database that is known to be silent");
    drop(frozen);
    service.context.db.until_answering().await;

    let (after, _) = round(&service).await;
    for ((name, answer), before) in after.iter().zip(before) {
        assert_eq!(answer.status.as_u16(), before, "{name}: {answer:?}");
    }
}
