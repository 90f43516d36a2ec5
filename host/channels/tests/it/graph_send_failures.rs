//! The next step after a failed send (PROVIDERS A.4, A.11).

use std::time::Duration;

use channels::whatsapp_cloud::{CloudApi, CloudSend, CloudSettings, MediaIds};
use domain::{
    address::{Address, AddressKind},
    carriage::{Acceptance, SendFailure},
    content::OutboundContent,
    inbound::ProviderFailure,
};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{
    graph_send_bodies::{accepted, api, number},
    support::{Answer, Server},
};

async fn send_over(api: &CloudApi) -> Result<Acceptance, SendFailure> {
    let content = OutboundContent::Text { body: "Hello".to_owned() };
    let send = CloudSend {
        phone: Some("27820000001"),
        bsuid: None,
        content: &content,
        uploaded: &MediaIds::new(),
        quoted: None,
        opaque: "m",
    };
    api.send(&number(), &send).await
}

async fn failure_of(answer: Answer) -> SendFailure {
    let server = Server::start().await;
    server.answer(answer);
    let failure = send_over(&api(&server)).await.unwrap_err();
    assert_eq!(server.seen().len(), 1, "the adapter must not send again by itself");
    failure
}

fn graph_error(status: u16, code: i64) -> Answer {
    let error = json!({"message":format!("(#{code}) text"),"type":"OAuthException","code":code,
        "error_data":{"messaging_product":"whatsapp","details":"the details"},"fbtrace_id":"A1"});
    Answer::json(status, json!({ "error": error }))
}

fn failure(code: i64) -> ProviderFailure {
    ProviderFailure { code, text: "the details".to_owned() }
}

#[tokio::test]
async fn an_answer_with_a_broken_character_still_accepts_the_message() {
    for odd in [r"\ud83d", r"\u0000", "\t"] {
        let server = Server::start().await;
        let body = format!(r#"{{"contacts":[{{"input":"{odd}","x":1e400}}],"messages":[{{"id":"wamid.1"}}]}}"#);
        server.answer(Answer::new(200, body));
        assert!(send_over(&api(&server)).await.is_ok(), "{odd:?}");
    }
}

#[tokio::test]
async fn each_group_of_codes_leads_to_its_own_action() {
    let reject = |code| SendFailure::Rejected(failure(code));
    let retry = |code| SendFailure::Retry { failure: failure(code), after: None };
    let slow = |code| SendFailure::SlowDown { failure: failure(code), after: None };
    let stopped = |code| SendFailure::AccountStopped(failure(code));
    let cases = [
        (401, 190, stopped(190)),
        (401, 0, stopped(0)),
        (403, 10, reject(10)),
        (403, 200, reject(200)),
        (400, 4, slow(4)),
        (400, 80_007, slow(80_007)),
        (429, 130_429, slow(130_429)),
        (500, 1, retry(1)),
        (503, 2, retry(2)),
        (500, 131_000, retry(131_000)),
        (500, 131_016, retry(131_016)),
        (500, 131_057, slow(131_057)),
        (400, 131_056, SendFailure::RecipientLimited(failure(131_056))),
        (400, 131_026, SendFailure::Unreachable(failure(131_026))),
        (400, 131_009, reject(131_009)),
        (400, 131_047, reject(131_047)),
        (404, 132_001, reject(132_001)),
        (400, 131_062, reject(131_062)),
        (400, 999_999, reject(999_999)),
        (429, 999_999, slow(999_999)),
    ];
    for (status, code, expected) in cases {
        assert_eq!(failure_of(graph_error(status, code)).await, expected, "code {code} with status {status}");
    }
}

#[tokio::test]
async fn the_details_are_the_text_and_the_message_stands_in_for_them() {
    let answer = Answer::json(400, json!({"error":{"message":"only this","code":"131009"}}));
    let text = ProviderFailure { code: 131_009, text: "only this".to_owned() };
    assert_eq!(failure_of(answer).await, SendFailure::Rejected(text));
}

#[tokio::test]
async fn the_wait_comes_from_the_headers() {
    let with_header = failure_of(graph_error(503, 2).header("retry-after", "30")).await;
    assert_eq!(with_header, SendFailure::Retry { failure: failure(2), after: Some(Duration::from_secs(30)) });
    let usage = json!({"WABA1":[{"type":"messages","call_count":100,"estimated_time_to_regain_access":3}],
                       "WABA2":[{"type":"messages","estimated_time_to_regain_access":5}]});
    let with_usage = failure_of(graph_error(400, 80_007).header("x-business-use-case-usage", usage.to_string())).await;
    assert_eq!(with_usage, SendFailure::SlowDown { failure: failure(80_007), after: Some(Duration::from_secs(300)) });
}

#[tokio::test]
async fn a_gateway_in_between_is_judged_by_its_status() {
    for (status, resend_is_safe) in [(429, true), (503, true), (500, false), (502, false), (504, false)] {
        let failure = failure_of(Answer::new(status, "<html>busy</html>")).await;
        let safe = matches!(failure, SendFailure::SlowDown { .. } | SendFailure::Retry { .. });
        let unknown = matches!(failure, SendFailure::Unknown { .. });
        assert_eq!((safe, unknown), (resend_is_safe, !resend_is_safe), "status {status}: {failure:?}");
    }
    assert!(matches!(failure_of(Answer::new(404, "")).await, SendFailure::Rejected(ProviderFailure { code: 404, .. })));
    assert!(matches!(failure_of(Answer::new(401, "")).await, SendFailure::AccountStopped(_)));
}

#[tokio::test]
async fn an_unreadable_success_is_unknown_and_not_a_failure() {
    let bodies: [&str; 5] = ["", "not json", "{}", r#"{"messages":[]}"#, r#"{"messages":[{"id":""}]}"#];
    for body in bodies {
        let failure = failure_of(Answer::new(200, body)).await;
        assert!(matches!(failure, SendFailure::Unknown { .. }), "{body:?}: {failure:?}");
    }
}

#[tokio::test]
async fn a_success_status_with_an_error_is_that_error() {
    assert_eq!(failure_of(graph_error(200, 131_009)).await, SendFailure::Rejected(failure(131_009)));
}

#[tokio::test]
async fn a_message_held_back_by_meta_is_accepted() {
    let server = Server::start().await;
    for status in ["held_for_quality_assessment", "paused"] {
        let body =
            json!({"contacts":[{"wa_id":"5511987654321"}],"messages":[{"id":"wamid.H","message_status":status}]});
        server.answer(Answer::json(200, body));
        let taken = send_over(&api(&server)).await.unwrap();
        let canonical = Address::of_kind(AddressKind::Phone, "5511987654321").unwrap();
        assert_eq!(
            taken,
            Acceptance { provider_id: Some("wamid.H".into()), learned: vec![canonical], held: true, sent: false }
        );
    }
}

#[tokio::test]
async fn a_refused_connection_means_that_nothing_was_sent() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let graph_url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let api = CloudApi::new(CloudSettings { graph_url, ..CloudSettings::default() }).unwrap();
    assert!(matches!(send_over(&api).await, Err(SendFailure::NotSent { .. })));
}

/// A server that reads the request and then does `what` instead of answering.
async fn rude(what: fn(&mut Vec<u8>) -> bool) -> CloudApi {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let graph_url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut request = vec![0u8; 64 * 1024];
                let _ = stream.read(&mut request).await;
                let mut answer = Vec::new();
                if what(&mut answer) {
                    let _ = stream.write_all(&answer).await;
                } else {
                    tokio::time::sleep(Duration::from_secs(60)).await;
                }
            });
        }
    });
    CloudApi::new(CloudSettings { graph_url, timeout: Duration::from_millis(500), ..CloudSettings::default() }).unwrap()
}

#[tokio::test]
async fn a_request_that_was_written_and_not_answered_is_unknown() {
    let hangs_up = rude(|_| true).await;
    assert!(matches!(send_over(&hangs_up).await, Err(SendFailure::Unknown { .. })));
    let says_nothing = rude(|_| false).await;
    assert!(matches!(send_over(&says_nothing).await, Err(SendFailure::Unknown { .. })));
    let breaks_off = rude(|answer| {
        answer.extend_from_slice(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"messages\":[");
        true
    })
    .await;
    assert!(matches!(send_over(&breaks_off).await, Err(SendFailure::Unknown { .. })));
}

#[tokio::test]
async fn a_message_without_recipient_is_refused_without_a_call() {
    let server = Server::start().await;
    let content = OutboundContent::Text { body: "Hello".to_owned() };
    let send = CloudSend {
        phone: None,
        bsuid: None,
        content: &content,
        uploaded: &MediaIds::new(),
        quoted: None,
        opaque: "m",
    };
    assert!(matches!(api(&server).send(&number(), &send).await, Err(SendFailure::Rejected(_))));
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_hostile_id_cannot_reach_another_path() {
    let server = Server::start().await;
    server.answer(accepted());
    let mut number = number();
    number.phone_number_id = "../v1/other?x=1#".to_owned();
    let content = OutboundContent::Text { body: "Hello".to_owned() };
    let send = CloudSend {
        phone: Some("27820000001"),
        bsuid: None,
        content: &content,
        uploaded: &MediaIds::new(),
        quoted: None,
        opaque: "m",
    };
    api(&server).send(&number, &send).await.unwrap();
    assert_eq!(server.last().target, "/v25.0/..%2Fv1%2Fother%3Fx=1%23/messages");
}

#[test]
fn an_invalid_graph_url_is_refused_with_its_setting() {
    for graph_url in ["", "graph", "ftp://graph", "mailto:a@b"] {
        let settings = CloudSettings { graph_url: graph_url.to_owned(), ..CloudSettings::default() };
        let Err(error) = CloudApi::new(settings) else { panic!("{graph_url:?} was accepted") };
        assert!(error.to_string().contains("whatsapp_cloud.graph_url"));
    }
}

#[test]
fn the_token_does_not_print() {
    assert!(!format!("{:?}", number()).contains("TOKEN"));
}
