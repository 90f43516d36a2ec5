//! The guarded client against a real server: rebinding, redirects, caps, times.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use crate::support::{Answer, Server};
use axum::body::{Body, Bytes};
use channels::http::{
    AddressRefused, GuardedClient, GuardedRequest, GuardedSettings, NameResolver, PostAnswer, PostError, ResolveFuture,
    WebhookAddress, WebhookPost,
};

/// Answers each lookup of a name with the next list of addresses; the last one stays.
#[derive(Default)]
struct Scripted {
    names: Mutex<HashMap<String, Vec<Vec<IpAddr>>>>,
}

impl Scripted {
    fn knows(self, name: &str, answers: &[&[&str]]) -> Self {
        let answers = answers.iter().map(|list| list.iter().map(|text| text.parse().unwrap()).collect()).collect();
        self.names.lock().unwrap().insert(name.to_owned(), answers);
        self
    }
}

impl NameResolver for Scripted {
    fn resolve(&self, host: &str) -> ResolveFuture {
        let mut names = self.names.lock().unwrap();
        let found =
            names.get_mut(host).map(|answers| if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() });
        Box::pin(async move { found.ok_or_else(|| std::io::Error::other("no such name")) })
    }
}

fn client(resolver: Scripted) -> GuardedClient {
    GuardedClient::new(GuardedSettings {
        connect_timeout: Duration::from_secs(1),
        total_timeout: Duration::from_secs(2),
        resolver: Arc::new(resolver),
        ..GuardedSettings::default()
    })
    .unwrap()
}

async fn post(guarded: &GuardedClient, url: String, allow_private: bool) -> Result<PostAnswer, PostError> {
    let to = WebhookAddress::checked(&url, allow_private)?;
    guarded.post(WebhookPost::json(to, Bytes::from_static(b"{\"a\":1}"))).await
}

fn loopback_refused(error: PostError) {
    match error {
        PostError::Refused(AddressRefused::Range { range: "loopback", .. }) => {}
        other => panic!("refused for another reason: {other:?}"),
    }
}

fn resolved_refused(error: PostError, host: &str, range: &str) {
    match &error {
        PostError::Refused(AddressRefused::Resolved { host: named, range: found }) => {
            assert_eq!((named.as_str(), *found), (host, range));
        }
        other => panic!("refused for another reason: {other:?}"),
    }
    let said = error.to_string();
    assert!(said.contains(host) && !said.contains(range) && !said.contains("127.0.0.1"), "{said}");
}

#[tokio::test]
async fn a_webhook_arrives_byte_for_byte_and_its_answer_comes_back() {
    let server = Server::start().await;
    server.answer(Answer::new(202, "taken").header("retry-after", "7"));
    let to = WebhookAddress::checked(&server.url("/hook?x=1"), true).unwrap();
    let mut call = WebhookPost::json(to, Bytes::from_static(b"{\"a\":1}"));
    call.headers.insert("webhook-id", "msg_1".parse().unwrap());
    let answer = client(Scripted::default()).post(call).await.unwrap();
    assert_eq!((answer.status, answer.body_start.as_str()), (202, "taken"));
    assert_eq!(answer.retry_after, Some(Duration::from_secs(7)));
    let seen = server.last();
    assert_eq!((seen.method.as_str(), seen.target.as_str()), ("POST", "/hook?x=1"));
    assert_eq!(seen.body, &b"{\"a\":1}"[..]);
    assert_eq!(seen.header("webhook-id"), Some("msg_1"));
    assert_eq!(seen.header("content-type"), Some("application/json"));
    assert!(seen.header("user-agent").unwrap().starts_with("Patchbay/"));
}

#[tokio::test]
async fn a_literal_private_address_is_refused_when_calling_too() {
    let server = Server::start().await;
    let guarded = client(Scripted::default());
    loopback_refused(post(&guarded, server.url("/"), false).await.unwrap_err());
    loopback_refused(guarded.fetch(&server.url("/"), 10, false).await.unwrap_err());
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_name_that_resolves_to_loopback_is_refused_without_its_address() {
    let server = Server::start().await;
    let guarded = client(Scripted::default().knows("evil.example", &[&["127.0.0.1"]]));
    let url = format!("http://evil.example:{}/", server.port());
    resolved_refused(post(&guarded, url.clone(), false).await.unwrap_err(), "evil.example", "loopback");
    assert!(server.seen().is_empty());
    server.answer(Answer::new(200, ""));
    assert_eq!(post(&guarded, url, true).await.unwrap().status, 200);
}

#[tokio::test]
async fn dns_rebinding_after_an_allowed_answer_does_not_help() {
    let server = Server::start().await;
    // The relaxed policy lets loopback through and link-local not, so that both answers can be tried without a network.
    let guarded = client(Scripted::default().knows("rebind.example", &[&["127.0.0.1"], &["169.254.169.254"]]));
    let url = format!("http://rebind.example:{}/", server.port());
    server.answer(Answer::new(200, "").header("connection", "close"));
    assert_eq!(post(&guarded, url.clone(), true).await.unwrap().status, 200);
    // Every new connection checks its address.
    let second = post(&guarded, url, true).await;
    resolved_refused(second.unwrap_err(), "rebind.example", "link-local");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_connection_made_under_the_relaxed_policy_is_not_reused_under_the_strict_one() {
    let server = Server::start().await;
    let guarded = client(Scripted::default().knows("shared.example", &[&["127.0.0.1"]]));
    let url = format!("http://shared.example:{}/", server.port());
    server.answer(Answer::new(200, ""));
    assert_eq!(post(&guarded, url.clone(), true).await.unwrap().status, 200);
    resolved_refused(post(&guarded, url, false).await.unwrap_err(), "shared.example", "loopback");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn only_allowed_addresses_of_a_name_are_tried() {
    let server = Server::start().await;
    // 240.0.0.1 is refused under either policy; the call goes to the other one.
    let guarded = client(Scripted::default().knows("mixed.example", &[&["240.0.0.1", "127.0.0.1"]]));
    server.answer(Answer::new(200, "ok"));
    let answer = post(&guarded, format!("http://mixed.example:{}/", server.port()), true).await.unwrap();
    assert_eq!(answer.body_start, "ok");
}

#[tokio::test]
async fn a_redirect_inside_is_an_answer_and_is_not_followed() {
    let server = Server::start().await;
    for status in [301, 302, 303, 307, 308] {
        server.answer(Answer::new(status, "").header("location", server.url("/internal")));
        let answer = post(&client(Scripted::default()), server.url("/hook"), true).await.unwrap();
        assert_eq!(answer.status, status);
    }
    assert!(server.seen().iter().all(|seen| seen.target == "/hook"));
}

#[tokio::test]
async fn a_name_that_does_not_resolve_and_a_closed_port_are_connection_faults() {
    let guarded = client(Scripted::default());
    let unknown = post(&guarded, "http://nowhere.example/".to_owned(), false).await;
    assert!(matches!(unknown, Err(PostError::Connect(_))), "{unknown:?}");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let closed = post(&guarded, format!("http://127.0.0.1:{port}/secret-path"), true).await;
    let Err(PostError::Connect(reason)) = closed else { panic!("{closed:?}") };
    assert!(!reason.contains("secret-path"), "the URL is repeated in {reason:?}");
}

#[tokio::test]
async fn a_receiver_that_never_answers_times_out() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let answer = post(&client(Scripted::default()), url, true).await;
    assert_eq!(answer, Err(PostError::Timeout));
}

#[tokio::test]
async fn an_endless_answer_to_a_webhook_is_cut_and_still_counts() {
    let server = Server::start().await;
    let endless = futures::stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from_static(&[b'x'; 4096])));
    server.answer(Answer::new(200, Body::from_stream(endless)));
    let answer = post(&client(Scripted::default()), server.url("/"), true).await.unwrap();
    assert_eq!((answer.status, answer.body_start.len()), (200, 1024));
}

#[tokio::test]
async fn the_kept_beginning_of_an_answer_is_text_without_nul() {
    let server = Server::start().await;
    let mut body = vec![b'a'; 1023];
    body.extend_from_slice("é\0".as_bytes());
    server.answer(Answer::new(500, body));
    let answer = post(&client(Scripted::default()), server.url("/"), true).await.unwrap();
    assert!(answer.body_start.len() <= 1024 && !answer.body_start.contains('\0'));
    server.answer(Answer::new(500, "a\0b"));
    let answer = post(&client(Scripted::default()), server.url("/"), true).await.unwrap();
    assert_eq!(answer.body_start, "a\u{fffd}b");
}

#[tokio::test]
async fn a_fetched_file_may_have_exactly_the_allowed_size() {
    let server = Server::start().await;
    let guarded = client(Scripted::default());
    server.answer(Answer::new(200, vec![7u8; 1000]).header("content-type", "image/png"));
    let fetched = guarded.fetch(&server.url("/a.png"), 1000, true).await.unwrap();
    assert_eq!((fetched.body.len(), fetched.content_type.as_deref()), (1000, Some("image/png")));
    server.answer(Answer::new(200, vec![7u8; 1001]));
    assert_eq!(guarded.fetch(&server.url("/a.png"), 1000, true).await, Err(PostError::BodyTooLarge { limit: 1000 }));
    // Without a length in front, too.
    let chunks = futures::stream::iter((0..11).map(|_| Ok::<_, std::io::Error>(Bytes::from_static(&[1; 100]))));
    server.answer(Answer::new(200, Body::from_stream(chunks)));
    assert_eq!(guarded.fetch(&server.url("/a.png"), 1000, true).await, Err(PostError::BodyTooLarge { limit: 1000 }));
}

#[tokio::test]
async fn headers_that_belong_to_the_client_are_refused() {
    let server = Server::start().await;
    let guarded = client(Scripted::default());
    for (name, value) in [("Host", "internal"), ("Transfer-Encoding", "chunked"), ("a b", "c"), ("x", "a\r\nb: c")] {
        let request = GuardedRequest {
            method: "POST".to_owned(),
            url: server.url("/"),
            headers: vec![(name.to_owned(), value.to_owned())],
            body: Bytes::new(),
            max_response_bytes: 4,
            timeout: None,
            allow_private: true,
        };
        assert!(matches!(guarded.request(request).await, Err(PostError::Invalid(_))), "{name} was accepted");
    }
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn http_calls_of_plugins_carry_method_headers_and_body() {
    let server = Server::start().await;
    server.answer(Answer::new(404, "none").header("x-answer", "yes"));
    let request = GuardedRequest {
        method: "put".to_owned(),
        url: server.url("/thing"),
        headers: vec![("x-ask".to_owned(), "please".to_owned())],
        body: Bytes::from_static(b"data"),
        max_response_bytes: 4,
        timeout: Some(Duration::from_secs(1)),
        allow_private: true,
    };
    let answer = client(Scripted::default()).request(request.clone()).await.unwrap();
    assert_eq!((answer.status, &answer.body[..]), (404, &b"none"[..]));
    assert!(answer.headers.contains(&("x-answer".to_owned(), "yes".to_owned())));
    let seen = server.last();
    assert_eq!((seen.method.as_str(), seen.header("x-ask"), &seen.body[..]), ("PUT", Some("please"), &b"data"[..]));
    server.answer(Answer::new(200, "longer"));
    let refused = client(Scripted::default()).request(request.clone()).await;
    assert_eq!(refused, Err(PostError::BodyTooLarge { limit: 4 }));
    let strict = GuardedRequest { allow_private: false, ..request };
    loopback_refused(client(Scripted::default()).request(strict).await.unwrap_err());
}
