//! Outgoing HTTP: allowed hosts, sent requests, and each limit within and beyond its bound.

use std::time::{Duration, Instant};

use plugin_host::{CallLimits, HttpFault};
use serde_json::{Value, json};

use crate::network::{Does, Outside};
use crate::support::{client, limits};

fn get(url: &str) -> Value {
    json!({ "method": "GET", "url": url })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_to_an_allowed_host_is_sent_as_it_is_and_its_response_comes_back() {
    let test = Outside::that(Does::Counts).await;
    let headers = json!([["Authorization", "Bearer x"], ["X-Two", "a"], ["X-Two", "b"]]);
    let order = json!({ "method": "post", "url": "https://EXAMPLE.org/a?b=c#d", "headers": headers, "body": 3 });
    assert_eq!(test.orders(json!([order])).await, ["200 [x-number: 0] number 0"]);
    let asked = test.web.asked.lock().unwrap();
    let (of, request) = &asked[0];
    assert_eq!(*of, client(1));
    assert_eq!((request.method.as_str(), request.url.as_str()), ("POST", "https://example.org/a?b=c"));
    assert_eq!(request.body.as_deref(), Some(b"xxx".as_slice()));
    let headers: Vec<_> = request.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let expected = [("authorization", "Bearer x"), ("x-two", "a"), ("x-two", "b"), ("idempotency-key", "turn-1-1")];
    assert_eq!(headers, expected);
    assert_eq!(request.most_bytes, 1 << 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_host_numbers_the_requests_of_a_turn_in_the_idempotency_key() {
    let test = Outside::that(Does::Counts).await;
    let own = json!({ "method": "GET", "url": "https://example.org/", "headers": [["Idempotency-Key", "mine"]] });
    let refused = get("https://elsewhere.example/");
    for _ in 0..2 {
        test.orders(json!([own, refused, own])).await;
    }
    let keys: Vec<String> = test
        .web
        .requests()
        .into_iter()
        .flat_map(|request| request.headers.into_iter().filter(|(name, _)| name == "idempotency-key"))
        .map(|(_, value)| value)
        .collect();
    assert_eq!(keys, ["turn-1-1", "turn-1-2", "turn-1-1", "turn-1-2"], "the same when the call is made again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_not_granted_or_is_wrong_is_not_sent_and_the_plugin_gets_the_cure() {
    let test = Outside::that(Does::Counts).await;
    let with =
        |name: &str, value: &str| json!({ "method": "GET", "url": "https://example.org/", "headers": [[name, value]] });
    let cases = [
        (get("https://elsewhere.example/"), "http-not-granted: this plugin may not reach `elsewhere.example`"),
        (get("https://sub.example.org/"), "name `sub.example.org` in `allowedHosts`"),
        (get("https://example.org:8443/"), "http-not-granted: this plugin may not reach `example.org:8443`"),
        (get("https://user:secret@example.org/"), "holds a user name or a password"),
        (get("ftp://example.org/"), "only https and http"),
        (get("/orders"), "the url is not absolute"),
        (json!({ "method": "TRACE", "url": "https://example.org/" }), "the method `TRACE` is not one of GET, POST"),
        (with("Host", "other.example"), "the header `host` is set by the host; leave it out"),
        (with("Transfer-Encoding", "chunked"), "the header `transfer-encoding` is set by the host"),
        (with("content-length", "3"), "the header `content-length`"),
        (with("Connection", "close"), "the header `connection`"),
        (with("a b", "c"), "`a b` is not the name of a header"),
        (with("a", "b\r\nc: d"), "has a line break"),
    ];
    for (order, expected) in cases {
        let said = test.orders(json!([order])).await;
        assert!(said[0].contains(expected), "{order}: {said:?}");
    }
    assert!(test.web.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_without_granted_hosts_reaches_none_and_one_without_a_network_gets_an_error() {
    let test = Outside::that(Does::Counts).await;
    let error = crate::support::TestHost::with_hostile_guests(limits()).await.command("http").await.unwrap_err();
    assert!(error.to_string().contains("it was not given any host"), "{error}");
    let host = Outside::start(&test.directory, limits(), None).await;
    let offline = Outside { host, web: test.web, directory: test.directory };
    let said = offline.orders(json!([get("https://example.org/")])).await;
    assert!(said[0].contains("this host has no way out"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_sends_as_many_requests_as_the_limit_says() {
    let test = Outside::with(Does::Counts, CallLimits { http_requests: 2, ..limits() }).await;
    let one = get("https://example.org/");
    let said = test.orders(json!([one, one, one])).await;
    assert!(said[0].starts_with("200") && said[1].starts_with("200"), "{said:?}");
    assert!(said[2].contains("a call may send 2 requests"), "{said:?}");
    assert_eq!(test.web.requests().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_and_headers_of_requests_go_up_to_the_limit() {
    let most = CallLimits { http_request_bytes: 100, http_headers: 2, http_header_bytes: 20, ..limits() };
    let test = Outside::with(Does::Counts, most).await;
    let order = |body: usize, headers: Value| json!([{ "method": "PUT", "url": "https://example.org/", "body": body, "headers": headers }]);
    assert!(test.orders(order(100, json!([]))).await[0].starts_with("200"));
    assert!(test.orders(order(101, json!([]))).await[0].contains("the body has 101 bytes; 100 are allowed"));
    assert!(test.orders(order(0, json!([["a", "b"], ["c", "d"]]))).await[0].starts_with("200"));
    assert!(test.orders(order(0, json!([["a", ""], ["b", ""], ["c", ""]]))).await[0].contains("there are 3 headers"));
    assert!(test.orders(order(0, json!([["a", "1234567890123456789"]]))).await[0].starts_with("200"));
    assert!(test.orders(order(0, json!([["a", "12345678901234567890"]]))).await[0].contains("of 21 bytes"));
    let long = format!("https://example.org/{}", "x".repeat(8_192));
    assert!(test.orders(json!([get(&long)])).await[0].contains("8192 are allowed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn responses_go_up_to_the_limit_even_if_the_sender_does_not_keep_to_it() {
    let small = |bytes| CallLimits { http_response_bytes: bytes, http_headers: 3, ..limits() };
    let one = json!([get("https://example.org/")]);
    assert!(Outside::with(Does::Floods(100), small(100)).await.orders(one.clone()).await[0].starts_with("200"));
    let said = Outside::with(Does::Floods(101), small(100)).await.orders(one.clone()).await;
    assert!(said[0].contains("larger than 100 bytes"), "{said:?}");
    assert!(Outside::with(Does::Decorates(3), small(100)).await.orders(one.clone()).await[0].starts_with("200"));
    let said = Outside::with(Does::Decorates(4), small(100)).await.orders(one).await;
    assert!(said[0].contains("4 headers"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_response_is_waited_for_up_to_the_limit_or_the_timeout_of_the_plugin() {
    let limits = CallLimits { http_timeout: Duration::from_millis(300), ..limits() };
    let test = Outside::with(Does::Hangs, limits).await;
    let began = Instant::now();
    let said = test.orders(json!([get("https://example.org/")])).await;
    assert_eq!(said, ["http-timed-out: no response in time"]);
    assert!(began.elapsed() >= Duration::from_millis(300));
    let quick = json!({ "method": "GET", "url": "https://example.org/", "timeout_ms": 20 });
    let patient = json!({ "method": "GET", "url": "https://example.org/", "timeout_ms": 60_000 });
    test.orders(json!([quick, patient])).await;
    let waits: Vec<_> = test.web.requests().iter().map(|request| request.timeout).collect();
    assert_eq!(waits, [300, 20, 300].map(Duration::from_millis));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_times_out_early_enough_for_the_plugin_to_report_it() {
    let limits = CallLimits { wall_clock: Duration::from_millis(900), ..limits() };
    let test = Outside::with(Does::Hangs, limits).await;
    let said = test.orders(json!([get("https://example.org/")])).await;
    assert_eq!(said, ["http-timed-out: no response in time"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_failure_of_the_http_client_reaches_the_plugin_with_its_text() {
    for (fault, expected) in [
        (HttpFault::TimedOut, "http-timed-out: no response in time"),
        (HttpFault::TooLarge, "http-too-large: the response is larger than 1048576 bytes"),
        (HttpFault::Refused("a private address".into()), "http-not-granted: a private address"),
        (HttpFault::Failed("connection reset".into()), "http-failed: connection reset"),
    ] {
        let test = Outside::that(Does::Fails(fault)).await;
        assert_eq!(test.orders(json!([get("https://example.org/")])).await, [expected]);
    }
}
