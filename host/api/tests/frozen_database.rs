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

/// Longest wait of a caller: a query ends when the database is found silent, two seconds after its last answer. The
/// rest is for a busy machine.
const LONGEST: Duration = Duration::from_secs(10);
/// The same for later callers, which do not wait at all.
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

async fn answers(service: &Service) -> Vec<(&'static str, Answer, Duration)> {
    join_all(calls(service).into_iter().map(async |(name, call)| {
        let begun = Instant::now();
        let answer = service.send(call).await;
        (name, answer, begun.elapsed())
    }))
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_answered_while_the_database_is_frozen_and_normal_afterwards() {
    let service = Service::with(Options { built_ins: true, ..Options::default() }).await;
    let before: Vec<u16> = answers(&service).await.into_iter().map(|(_, answer, _)| answer.status.as_u16()).collect();

    let frozen = scratch::freeze().await;
    // The first round is there before anything is noticed.
    for (round, longest) in [LONGEST, AT_ONCE, AT_ONCE].into_iter().enumerate() {
        for (at, (name, answer, took)) in answers(&service).await.into_iter().enumerate() {
            assert!(took < longest, "{name} took {took:?}, round {round}");
            let status = answer.status.as_u16();
            // A request that needs no database is answered as ever, and readiness was found out the moment before.
            let is_believed = round == 0 && name == "readiness";
            assert!(
                is_believed || [502, 503].contains(&status) || (before[at] / 100 == 4 && status == before[at]),
                "{name}: {answer:?}"
            );
        }
        while service.send(Call::get("/readyz")).await.status == 200 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    drop(frozen);
    service.context.db.until_answering().await;

    let after = answers(&service).await;
    for (at, (name, answer, took)) in after.into_iter().enumerate() {
        assert_eq!(answer.status.as_u16(), before[at], "{name}: {answer:?}");
        assert!(took < LONGEST, "{name} took {took:?}");
    }
}
