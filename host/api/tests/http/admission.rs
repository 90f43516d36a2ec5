//! Admission: the work in progress, and the pace of one client (`limits.*_in_flight`,
//! `limits.*_per_second_per_client`).

use std::{convert::Infallible, time::Duration};

use api::{AdmissionSettings, GracePeriods};
use axum::body::{Body, Bytes};
use channels::whatsapp_cloud::callback::signature;
use futures::{StreamExt, stream};
use serde_json::json;

use super::service::{APP_SECRET, Answer, Call, Options, Service};

const NUMBERS: &str = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser";
const SEND: &str = "/whatsapp-api-service/v2/channels/whatsapp";
const CALLBACK: &str = "/providers/whatsapp-cloud/webhook";
/// A grace that no test outlives.
const LONG: Duration = Duration::from_secs(3600);
const LOGIN: &str = "/messaging-service/WhatsApp/authenticate/retrieveApiKey";

async fn service(change: impl FnOnce(&mut AdmissionSettings)) -> Service {
    let mut options = Options { body_timeout: Duration::from_secs(30), ..Options::default() };
    change(&mut options.admission);
    Service::with(options).await
}

/// The same, once the key of its client has been used.
async fn with_known_key(change: impl FnOnce(&mut AdmissionSettings)) -> Service {
    let service = service(change).await;
    assert_eq!(service.get(NUMBERS).await.status, 200);
    service
}

/// A body that stops after its first bytes.
fn unfinished(bytes: usize) -> Body {
    let begin = stream::iter([Ok::<_, Infallible>(Bytes::from(vec![b' '; bytes]))]);
    Body::from_stream(begin.chain(stream::pending()))
}

/// Requests that hang in the middle of their bodies for as long as the body may take.
struct Hanging(Vec<tokio::task::JoinHandle<()>>);

impl Hanging {
    async fn start(service: &Service, count: usize, call: impl Fn() -> Call) -> Self {
        let router = service.router.clone();
        let tasks = (0..count).map(|_| {
            let answering = tower::ServiceExt::oneshot(router.clone(), call().0);
            tokio::spawn(async move { drop(answering.await) })
        });
        let hanging = Self(tasks.collect());
        tokio::time::sleep(Duration::from_millis(100)).await;
        hanging
    }

    async fn end(self) {
        for task in self.0 {
            task.abort();
            drop(task.await);
        }
    }
}

#[tokio::test]
async fn a_client_above_its_rate_gets_the_time_to_wait() {
    let service = service(|limits| limits.requests_per_second = 3).await;
    for _ in 0..3 {
        assert_eq!(service.get(NUMBERS).await.status, 200);
    }
    let answer = service.get(NUMBERS).await;
    assert_eq!(answer.error(), (429, "Too many requests".to_owned()));
    assert_eq!(answer.headers["retry-after"], "1");
    assert_eq!(service.send(Call::get("/openapi.json")).await.status, 200, "only the client is concerned");
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(service.get(NUMBERS).await.status, 200);
}

#[tokio::test]
async fn a_send_with_many_recipients_delays_the_next_one_and_nothing_else() {
    let service = service(|limits| limits.recipients_per_second = 5).await;
    let recipients: Vec<_> = (0..10).map(|at| json!({"to": format!("2783000000{at}")})).collect();
    let send = json!({
        "sender": "27820001001",
        "messageType": "CHAT",
        "messages": [{"recipients": recipients, "messageText": "hello"}],
    });
    assert_eq!(service.post(SEND, &send).await.status, 202);
    let answer = service.post(SEND, &send).await;
    assert_eq!(answer.error(), (429, "Too many requests".to_owned()));
    assert_eq!(answer.headers["retry-after"], "2", "five are owed, and one must be there");
    assert_eq!(service.get(NUMBERS).await.status, 200);
}

/// Asks until the answer has this status: a request that waits for its caller is ended for another one after a second.
async fn until(service: &Service, status: u16, call: impl Fn() -> Call) -> Answer {
    let asking = async {
        loop {
            let answer = service.send(call()).await;
            if answer.status == status {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), asking).await.unwrap()
}

#[tokio::test]
async fn beyond_the_limit_every_request_is_refused_at_once_except_probes() {
    let service = with_known_key(|limits| {
        limits.requests = 3;
        limits.graces.others = LONG;
    })
    .await;
    let hanging = Hanging::start(&service, 3, || Call::post(SEND, unfinished(10)).key(&service.key)).await;
    let answer = service.get("/openapi.json").await;
    assert_eq!(answer.error(), (503, "Service unavailable".to_owned()));
    assert_eq!(answer.headers["retry-after"], "1");
    for probe in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(service.send(Call::get(probe).from("127.0.0.1")).await.status, 200, "{probe}");
    }
    hanging.end().await;
    assert_eq!(service.get(NUMBERS).await.status, 200, "places come back when callers hang up");
}

#[tokio::test]
async fn beyond_the_places_the_slowest_makes_room() {
    let service = with_known_key(|limits| limits.requests = 3).await;
    let slow = || Call::post(SEND, unfinished(10)).key(&service.key);
    let ended = tokio::spawn(tower::ServiceExt::oneshot(service.router.clone(), slow().0));
    let _hanging = Hanging::start(&service, 2, slow).await;
    until(&service, 200, || Call::get("/openapi.json")).await;
    assert_eq!(ended.await.unwrap().unwrap().status(), 503, "it was the slowest of those that have the most");
}

#[tokio::test]
async fn one_client_cannot_take_all_places() {
    let service = service(|limits| limits.requests_per_client = 2).await;
    let hanging = Hanging::start(&service, 2, || Call::post(SEND, unfinished(10)).key(&service.key)).await;
    let answer = service.get(NUMBERS).await;
    assert_eq!(answer.error(), (429, "Too many requests".to_owned()));
    assert_eq!(answer.headers["retry-after"], "1");
    assert_eq!(service.send(right_login()).await.status, 200, "others have theirs");
    hanging.end().await;
    assert_eq!(service.get(NUMBERS).await.status, 200);
}

#[tokio::test]
async fn callers_without_a_key_cannot_block_callers_with_a_key_at_their_address() {
    let service = with_known_key(|limits| {
        limits.requests_per_source = 2;
        limits.graces.own_source = LONG;
    })
    .await;
    let _hanging = Hanging::start(&service, 2, || Call::post(LOGIN, unfinished(10))).await;
    let refused = service.send(Call::post(LOGIN, "{}")).await;
    assert_eq!(refused.error(), (429, "Too many requests".to_owned()));
    assert_eq!(service.get(NUMBERS).await.status, 200);
}

/// A well-formed callback with a wrong signature that announces 3 MB and brings `bytes`.
fn forged(bytes: usize) -> Call {
    let signature = format!("sha256={}", "0".repeat(64));
    Call::post(CALLBACK, unfinished(bytes))
        .header("content-length", "3000000")
        .header("x-hub-signature-256", &signature)
}

/// One that is signed and tells nothing that is known here.
fn signed() -> Call {
    let body = json!({"object": "whatsapp_business_account", "entry": []}).to_string();
    let signature = signature(APP_SECRET, body.as_bytes());
    Call::post(CALLBACK, body).header("x-hub-signature-256", &signature)
}

fn right_login() -> Call {
    let login = json!({"email": "ada@acme.example", "password": "correct horse", "clientRef": "acme"}).to_string();
    Call::post(LOGIN, login)
}

#[tokio::test]
async fn bytes_that_strangers_declare_but_do_not_send_are_not_counted() {
    let service = service(|_| {}).await;
    // Together they announce three times the limit of the process.
    let _hanging = Hanging::start(&service, 22, || forged(0).from("192.0.2.1")).await;
    for source in ["192.0.2.1", "198.51.100.1"] {
        assert_eq!(service.send(signed().from(source)).await.status, 200);
        assert_eq!(service.send(right_login().from(source)).await.status, 200);
    }
}

#[tokio::test]
async fn bytes_of_a_source_count_as_they_come() {
    let service = service(|limits| {
        limits.bytes_per_source = 4_000_000;
        limits.graces.own_source = LONG;
    })
    .await;
    // A buffer is at most twice as large as the received bytes.
    let _hanging = Hanging::start(&service, 3, || forged(700_000)).await;
    assert_eq!(service.send(signed()).await.status, 200);
    assert_eq!(service.send(forged(2_000_000)).await.error(), (429, "Too many requests".to_owned()));
    assert_eq!(service.send(signed().from("192.0.2.1")).await.status, 200, "others have their own share");
}

#[tokio::test]
async fn one_source_cannot_keep_other_strangers_out() {
    let service = service(|limits| {
        limits.requests_per_source = 2;
        limits.graces.own_source = LONG;
    })
    .await;
    for source in ["192.0.2.1", "127.0.0.1"] {
        let _hanging = Hanging::start(&service, 2, || forged(0).from(source)).await;
        let refused = service.send(signed().from(source)).await;
        assert_eq!(refused.error(), (429, "Too many requests".to_owned()));
        assert_eq!(refused.headers["retry-after"], "1");
        assert_eq!(service.send(signed().from("192.0.2.2")).await.status, 200);
        until(&service, 200, || signed().from(source)).await;
    }
}

#[tokio::test]
async fn many_sources_that_send_slowly_keep_neither_logins_nor_callbacks_out() {
    let service = service(|limits| limits.requests = 20).await;
    let router = service.router.clone();
    let slow: Vec<_> = (1..=40)
        .map(|number| {
            let call = forged(10).from(&format!("192.0.2.{number}"));
            tokio::spawn(tower::ServiceExt::oneshot(router.clone(), call.0))
        })
        .collect();
    until(&service, 200, || right_login().from("198.51.100.1")).await;
    until(&service, 200, || signed().from("198.51.100.2")).await;
    assert_eq!(service.get(NUMBERS).await.status, 200, "the other half of the process is for clients");
    slow.into_iter().for_each(|task| task.abort());
}

#[tokio::test]
async fn many_sources_with_refused_bodies_that_never_end_keep_neither_logins_nor_callbacks_out() {
    let service = service(|limits| limits.requests = 20).await;
    let router = service.router.clone();
    // Each body is larger than a login may be, so it is read and dropped for some seconds.
    let refused =
        |number| Call::post(LOGIN, unfinished(10)).header("content-length", "50000").from(&format!("192.0.2.{number}"));
    let begin = |number| tokio::spawn(tower::ServiceExt::oneshot(router.clone(), refused(number).0));
    let tasks: Vec<_> = (1..=10).map(begin).collect();
    until(&service, 200, || right_login().from("198.51.100.1")).await;
    until(&service, 200, || signed().from("198.51.100.2")).await;
    assert!(tasks.iter().any(|task| !task.is_finished()), "a newcomer does not wait until all of them are over");
    tasks.into_iter().for_each(|task| task.abort());
}

#[tokio::test]
async fn many_complete_logins_of_many_sources_keep_neither_logins_nor_callbacks_out() {
    // The limits of a process.
    let service = service(|limits| (limits.requests, limits.requests_per_source) = (2_048, 256)).await;
    let router = service.router.clone();
    let wrong = |number: usize| {
        let login = json!({"email": format!("{number}@acme.example"), "password": "wrong", "clientRef": "acme"});
        Call::post(LOGIN, login.to_string()).from(&format!("192.0.2.{}", number % 18))
    };
    // Each source may have 64, and together they are more than all callers without a key may have.
    let begin = |number| tokio::spawn(tower::ServiceExt::oneshot(router.clone(), wrong(number).0));
    let tasks: Vec<_> = (0..18 * 62).map(begin).collect();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(service.send(signed().from("198.51.100.1")).await.status, 200);
    assert_eq!(service.send(right_login().from("198.51.100.2")).await.status, 200);
    let waiting = tasks.iter().filter(|task| !task.is_finished()).count();
    assert!(waiting > 0, "they still wait for their turns");
    tasks.into_iter().for_each(|task| task.abort());
}

#[tokio::test]
async fn bytes_are_counted_as_they_come() {
    let service = service(|limits| {
        limits.bytes = 30_000;
        limits.graces.others = LONG;
    })
    .await;
    let half = || Call::post(SEND, unfinished(12_000)).header("content-length", "12000").key(&service.key);
    let hanging = Hanging::start(&service, 2, half).await;
    let answer = service.send(Call::post(SEND, vec![b' '; 10_000]).header("content-length", "10000").key(&service.key));
    assert_eq!(answer.await.error(), (503, "Service unavailable".to_owned()));
    assert_eq!(service.get(NUMBERS).await.status, 200, "requests that need no room go on");
    hanging.end().await;
    let answer = service.send(Call::post(SEND, vec![b' '; 10_000]).key(&service.key)).await;
    assert_eq!(answer.error().0, 400, "there is room again");
}

#[tokio::test]
async fn one_client_cannot_take_all_bytes() {
    let service = service(|limits| limits.bytes_per_client = 15_000).await;
    let come = || Call::post(SEND, unfinished(11_000)).header("content-length", "12000").key(&service.key);
    let _hanging = Hanging::start(&service, 1, come).await;
    let more = Call::post(SEND, vec![b' '; 5_000]).header("content-length", "5000").key(&service.key);
    assert_eq!(service.send(more).await.error(), (429, "Too many requests".to_owned()));
}

#[tokio::test]
async fn a_body_above_the_share_of_a_client_is_taken_when_it_is_alone_and_leaves_room_for_little_ones() {
    let service = service(|limits| limits.bytes_per_client = 10_000).await;
    let large = || Call::post(SEND, vec![b' '; 15_000]).header("content-length", "15000").key(&service.key);
    assert_eq!(service.send(large()).await.error().0, 400, "it is read");
    let coming = || Call::post(SEND, vec![b' '; 15_000]).key(&service.key);
    assert_eq!(service.send(coming()).await.error().0, 400, "without its length in front, too");

    let come = || Call::post(SEND, unfinished(14_000)).header("content-length", "15000").key(&service.key);
    let hanging = Hanging::start(&service, 1, come).await;
    assert_eq!(service.send(large()).await.error(), (429, "Too many requests".to_owned()), "one of them at a time");
    let little = Call::post(SEND, vec![b' '; 2_000]).header("content-length", "2000").key(&service.key);
    assert_eq!(service.send(little).await.error().0, 400, "there is room for it");
    hanging.end().await;
    let _hanging = Hanging::start(&service, 1, || Call::post(SEND, unfinished(5_000)).key(&service.key)).await;
    assert_eq!(service.send(large()).await.error().0, 429, "the client has half of its share in flight");
}

#[tokio::test]
async fn a_body_larger_than_the_whole_limit_is_refused_as_too_large() {
    let service = service(|limits| limits.bytes = 12_000).await;
    let declared = Call::post(SEND, vec![b' '; 15_000]).header("content-length", "15000").key(&service.key);
    let coming = Call::post(SEND, vec![b' '; 15_000]).key(&service.key);
    for call in [declared, coming] {
        let refused = service.send(call).await;
        assert_eq!(refused.error(), (413, "Payload too large".to_owned()));
        let message = refused.json()["message"].as_str().unwrap().to_owned();
        assert!(message.contains("limits.bytes_in_flight") && message.contains("12000"), "{message}");
    }
    assert_eq!(service.get(NUMBERS).await.status, 200);
}

#[tokio::test]
async fn an_answer_that_is_not_read_counts_until_it_is_gone() {
    let service = service(|limits| {
        limits.requests = 2;
        limits.graces = GracePeriods { own_source: LONG, others: LONG };
    })
    .await;
    let unread = || tower::ServiceExt::oneshot(service.router.clone(), Call::get(NUMBERS).key(&service.key).0);
    let (first, second) = (unread().await.unwrap(), unread().await.unwrap());
    assert_eq!(service.get(NUMBERS).await.error().0, 503);
    drop((first, second));
    assert_eq!(service.get(NUMBERS).await.status, 200);
}

#[tokio::test]
async fn a_client_that_does_not_read_its_answers_is_refused_at_its_share_and_others_are_not() {
    let service = service(|limits| {
        limits.bytes_per_client = 2_000;
        limits.graces = GracePeriods { own_source: LONG, others: LONG };
    })
    .await;
    let unread = || tower::ServiceExt::oneshot(service.router.clone(), Call::get(NUMBERS).key(&service.key).0);
    let mut held = Vec::new();
    let refused = loop {
        let response = unread().await.unwrap();
        if response.status() != 200 {
            break response;
        }
        held.push(response);
        assert!(held.len() < 100, "an answer has some bytes");
    };
    assert_eq!(refused.status(), 429);
    assert!(held.len() > 1, "it has a share");
    assert_eq!(service.send(right_login()).await.status, 200);
    drop(held);
    assert_eq!(service.get(NUMBERS).await.status, 200);
}

#[tokio::test]
async fn bytes_that_all_requests_share_are_not_counted() {
    let service = service(|limits| limits.bytes_per_source = 100).await;
    let unread = |path: &'static str| tower::ServiceExt::oneshot(service.router.clone(), Call::get(path).0);
    let mut held = Vec::new();
    for path in
        ["/openapi.json", "/docs", "/docs/swagger-ui-bundle.js", "/web-chat/widget.js", "/web-chat/preview", "/console"]
    {
        for _ in 0..3 {
            held.push(unread(path).await.unwrap());
        }
    }
    assert!(held.iter().all(|response| response.status() == 200));
}

#[tokio::test]
async fn a_login_has_few_bytes() {
    let service = Service::start().await;
    let long = json!({"email": "x".repeat(17_000)}).to_string();
    assert_eq!(service.send(Call::post(LOGIN, long)).await.error(), (413, "Payload too large".to_owned()));
}

#[tokio::test]
async fn the_batch_gateway_gets_its_errors_as_xml() {
    let service = Service::start().await;
    let answer = service.send(Call::get("/smsbatch/nothing")).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.headers["content-type"]),
        (404, &"application/xml; charset=utf-8".parse().unwrap())
    );
    let text = String::from_utf8(answer.bytes).unwrap();
    assert!(text.contains("<response xmlns=\"urn:patchbay:batch-sms\"><result><status code=\"1000\">"), "{text}");
    assert!(answer.headers.contains_key("x-request-id"));
}
