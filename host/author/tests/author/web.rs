//! Prepared answers of the web.

use crate::support::{fails, passes, play};

#[tokio::test]
async fn prepared_answers_come_back_by_method_address_and_body() {
    passes(
        "errand-bot",
        "
http:
  - request: GET https://shop.example/orders/*
    json: {state: shipped}
    expect: 1
  - request: POST https://shop.example/notes
    sends: {order: 7}
    status: 201
    expect: 2
  - request: GET https://shop.example/slow
    fails: timed out
steps:
  - customer: get https://shop.example/orders/1001
  - bot: '200 {\"state\":\"shipped\"}'
  - customer: post-twice https://shop.example/notes
  - bot: posted 201
  - customer: try https://shop.example/slow
  - bot: {contains: time}
",
    )
    .await;
}

#[tokio::test]
async fn several_answers_to_one_request_come_one_after_the_other() {
    passes(
        "errand-bot",
        "
http:
  - {request: GET https://shop.example/a, status: 503, expect: 1}
  - {request: GET https://shop.example/a, body: ready}
steps:
  - customer: get https://shop.example/a
  - bot: '503 '
  - customer: get https://shop.example/a
  - bot: 200 ready
  - customer: get https://shop.example/a
  - bot: 200 ready
",
    )
    .await;
}

#[tokio::test]
async fn http_limits_count_as_at_activation() {
    passes(
        "errand-bot",
        "
http limits: {requests: 1, response bytes: 4}
http: [{request: GET https://shop.example/, body: long}, {request: GET https://shop.example/more, body: longer}, {request: POST https://shop.example/, status: 201}]
steps:
  - customer: try https://shop.example/
  - bot: 200 long
  - customer: try https://shop.example/more
  - bot: {contains: larger than 4 bytes}
  - customer: post-twice https://shop.example/
  - fails: may send 1 requests
",
    )
    .await;
}

#[tokio::test]
async fn a_template_that_is_sent_later_comes_when_the_clock_reaches_it() {
    passes(
        "errand-bot",
        "
steps:
  - customer: campaign Zo
  - closed: true
  - clock: +1d
  - bot: {kind: template, name: order_ready, parameters: [Zo]}
  - customer: campaign Zo
  - closed: true
  - customer: no-campaign
  - clock: +2d
  - bot: nothing
",
    )
    .await;
}

#[tokio::test]
async fn an_unexpected_request_fails_the_test_and_is_named() {
    let file = "
http: [{request: GET https://shop.example/a}]
steps:
  - customer: try https://other.example/secret?x=1
  - bot: anything
";
    let printed = fails("errand-bot", file).await;
    assert!(printed.contains("unexpected request: GET https://other.example/secret?x=1"), "{printed}");
    assert!(printed.contains("prepared answers: GET https://shop.example/a"), "{printed}");
    let none = fails("errand-bot", "steps: [{customer: try https://other.example/}]").await;
    assert!(none.contains("no answer is prepared under `http:`"), "{none}");
}

#[tokio::test]
async fn an_answer_that_is_asked_for_too_often_or_too_rarely_fails_the_test() {
    let never = "
http:
  - request: GET https://shop.example/a
    expect: 1
steps: [{customer: hm}]
";
    let printed = fails("errand-bot", never).await;
    assert!(printed.contains("t.yaml:3: http: GET https://shop.example/a"), "{printed}");
    assert!(printed.contains("expected: 1 requests\n        got:      0 requests"), "{printed}");
    let twice = "
http: [{request: GET https://shop.example/a, expect: 1}]
steps:
  - customer: get https://shop.example/a
  - bot: anything
  - customer: get https://shop.example/a
  - bot: anything
";
    assert!(fails("errand-bot", twice).await.contains("got:      2 requests"));
}

#[tokio::test]
async fn allowed_hosts_count_as_at_activation_when_they_are_named() {
    passes(
        "errand-bot",
        "
allowed hosts: [shop.example]
http: [{request: GET https://other.example/}, {request: GET https://shop.example/, body: ok}]
steps:
  - customer: try https://shop.example/
  - bot: 200 ok
  - customer: try https://other.example/
  - bot: {contains: may not reach}
",
    )
    .await;
}

#[tokio::test]
async fn a_started_request_is_answered_when_the_clock_reaches_its_delay() {
    passes(
        "errand-bot",
        "
http:
  - {request: POST https://ai.example/chat, body: hello, after: 40s, expect: 1}
steps:
  - customer: start https://ai.example/chat
  - typing: true
  - bot: nothing
  - clock: +39s
  - bot: nothing
  - clock: +1s
  - bot: 200 hello
",
    )
    .await;
}

#[tokio::test]
async fn a_started_get_request_waits_for_a_slow_answer() {
    passes(
        "errand-bot",
        "
http: [{request: GET https://shop.example/slow, body: shipped, after: 5s, expect: 1}]
steps:
  - customer: start-get https://shop.example/slow
  - bot: nothing
  - clock: +5s
  - bot: 200 shipped
",
    )
    .await;
}

#[tokio::test]
async fn a_started_request_ends_at_its_deadline() {
    passes(
        "errand-bot",
        "
http: [{request: POST https://ai.example/chat, after: 2m}]
steps:
  - customer: start https://ai.example/chat
  - clock: +89s
  - bot: nothing
  - clock: +1s
  - bot: {contains: http-timed-out}
",
    )
    .await;
}

#[tokio::test]
async fn the_gaps_are_the_started_requests_that_never_end_never_fail_or_never_pass_their_deadline() {
    let yaml = "
http:
  - {request: POST https://ai.example/chat*, body: hello, after: 40s}
  - {request: POST https://ai.example/tools, fails: too large}
  - {request: POST https://ai.example/slow, after: 2m}
  - {request: GET https://shop.example/orders, after: 5s}
conversations:
  - name: a model that answers
    steps:
      - customer: start https://ai.example/chat?turn=1
      - clock: +40s
      - bot: 200 hello
      - customer: start https://ai.example/chat?turn=2
      - clock: +40s
      - bot: 200 hello
  - name: tools and a model that do not
    steps:
      - customer: start https://ai.example/tools
      - bot: {contains: too-large}
      - customer: start https://ai.example/slow
      - clock: +90s
      - bot: {contains: http-timed-out}
  - name: a request that is open at the end
    steps:
      - customer: start-get https://shop.example/orders
";
    let (printed, summary) = play("errand-bot", yaml).await.unwrap();
    assert_eq!(summary.passed, 3, "{printed:?}");

    let gaps = summary.coverage.gaps();
    let requests: Vec<&String> = gaps.iter().filter(|gap| gap.starts_with("started requests")).collect();
    assert_eq!(
        requests,
        [
            "started requests that end in no test: GET https://shop.example/orders",
            "started requests that fail in no test: POST https://ai.example/chat",
            "started requests whose deadline passes in no test: POST https://ai.example/chat, \
             POST https://ai.example/tools",
        ]
    );
}

#[tokio::test]
async fn a_sent_request_waits_three_seconds_or_the_limit_of_the_activation() {
    passes(
        "errand-bot",
        "
http:
  - {request: GET https://shop.example/slow, body: late, after: 3s}
  - {request: GET https://shop.example/slower, body: too late, after: 4s}
steps:
  - customer: try https://shop.example/slow
  - bot: 200 late
  - customer: try https://shop.example/slower
  - bot: {contains: http-timed-out}
",
    )
    .await;
    passes(
        "errand-bot",
        "
http limits: {timeout ms: 2000}
http:
  - {request: GET https://shop.example/slow, body: late, after: 2s}
  - {request: GET https://shop.example/slower, body: too late, after: 3s}
steps:
  - customer: try https://shop.example/slow
  - bot: 200 late
  - customer: try https://shop.example/slower
  - bot: {contains: http-timed-out}
",
    )
    .await;
}

#[tokio::test]
async fn the_facts_of_a_conversation_are_those_of_the_test() {
    passes(
        "errand-bot",
        "
session: {channel: sms}
steps:
  - customer: channel
  - bot: Channel::Sms
  - customer: tag vip
  - tagged: vip
  - customer: remind tea
  - customer: like
  - reacted: 👍
  - customer: recall
  - bot: vip | tea | Author::Customer TEXT remind tea; Author::Customer TEXT like; Author::Customer TEXT recall
  - customer: untag vip
  - customer: recall
  - bot: {contains: ' | tea | '}
",
    )
    .await;
}
