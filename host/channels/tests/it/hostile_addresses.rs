//! A corpus of addresses that we must never call (`hostile_addresses.txt`), through each of the three callers: webhooks
//! (`post`), files (`fetch`) and plugins (`request`).

use std::{
    net::IpAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use crate::support::{Answer, Server};
use axum::body::Bytes;
use channels::http::{
    AddressPolicy, GuardedClient, GuardedRequest, GuardedSettings, NameResolver, PostError, ResolveFuture,
    WebhookAddress, WebhookPost,
};

const STRICT: AddressPolicy = AddressPolicy { allow_private: false };
const RELAXED: AddressPolicy = AddressPolicy { allow_private: true };

/// The lines of a section, each with the number that it has in the file.
fn section(name: &str) -> Vec<(usize, &'static str)> {
    let lines = include_str!("hostile_addresses.txt").lines().enumerate();
    let heading = format!("## [{name}]");
    let of_section = lines.skip_while(|(_, line)| !line.starts_with(&heading)).skip(1);
    of_section
        .take_while(|(_, line)| !line.starts_with("## "))
        .filter(|(_, line)| !line.is_empty())
        .map(|(at, line)| (at + 1, line))
        .collect()
}

/// The addresses of a section, with `\u{..}` decoded.
fn urls(name: &str) -> Vec<(usize, String)> {
    let unquoted = |line: &str| {
        let inner = line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).unwrap_or_else(|| panic!("{line}"));
        let mut parts = inner.split("\\u{");
        let mut text = parts.next().unwrap().to_owned();
        for part in parts {
            let (code, rest) = part.split_once('}').unwrap();
            text.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap());
            text.push_str(rest);
        }
        text.replace("\\\\", "\\")
    };
    section(name).into_iter().map(|(at, line)| (at, unquoted(line))).collect()
}

/// Names and their addresses.
fn names() -> Vec<(&'static str, IpAddr)> {
    let pair = |line: &'static str| {
        let (name, address) = line.split_once(' ').unwrap();
        (name, address.parse().unwrap())
    };
    section("names").into_iter().map(|(_, line)| pair(line)).collect()
}

/// Returns the next list of addresses with each look-up of any name. The last one stays.
struct Changing(Mutex<Vec<Vec<IpAddr>>>);

impl NameResolver for Changing {
    fn resolve(&self, _: &str) -> ResolveFuture {
        let mut answers = self.0.lock().unwrap();
        let answer = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
        Box::pin(async move { Ok(answer) })
    }
}

fn client(answers: Vec<Vec<IpAddr>>) -> GuardedClient {
    GuardedClient::new(GuardedSettings {
        connect_timeout: Duration::from_secs(1),
        total_timeout: Duration::from_secs(2),
        resolver: Arc::new(Changing(Mutex::new(answers))),
        ..GuardedSettings::default()
    })
    .unwrap()
}

fn nowhere() -> GuardedClient {
    // Nothing that is refused may be looked up.
    client(vec![vec!["240.0.0.1".parse().unwrap()]])
}

/// The answer of each kind of call to an address.
async fn call_each_way(
    guarded: &GuardedClient,
    url: &str,
    allow_private: bool,
) -> [(&'static str, Option<PostError>); 3] {
    let webhook = match WebhookAddress::checked(url, allow_private) {
        Ok(to) => guarded.post(WebhookPost::json(to, Bytes::from_static(b"{}"))).await.err(),
        Err(refused) => Some(refused),
    };
    let request = GuardedRequest {
        method: "GET".to_owned(),
        url: url.to_owned(),
        headers: Vec::new(),
        body: Bytes::new(),
        max_response_bytes: 10,
        timeout: None,
        allow_private,
    };
    [
        ("webhook", webhook),
        ("file", guarded.fetch(url, 10, allow_private).await.err()),
        ("plugin", guarded.request(request).await.err()),
    ]
}

async fn let_in(guarded: &GuardedClient, url: &str, allow_private: bool) -> Vec<String> {
    let mut open = Vec::new();
    for (caller, error) in call_each_way(guarded, url, allow_private).await {
        if !matches!(error, Some(PostError::Refused(_))) {
            open.push(format!("{caller}: {error:?}"));
        }
    }
    open
}

#[test]
fn the_corpus_has_at_least_three_hundred_different_addresses() {
    let all: Vec<String> = urls("never").into_iter().chain(urls("private")).map(|(_, url)| url).collect();
    let distinct: std::collections::BTreeSet<&String> = all.iter().collect();
    assert!(all.len() >= 500 && names().len() >= 30, "{} and {}", all.len(), names().len());
    assert_eq!(distinct.len(), all.len());
}

#[test]
fn no_hostile_address_can_be_saved() {
    let mut saved = Vec::new();
    for (at, url) in urls("never").into_iter().chain(urls("private")) {
        if STRICT.judge_url(&url).is_ok() {
            saved.push(format!("line {at}: {url:?}"));
        }
    }
    for (at, url) in urls("never") {
        if RELAXED.judge_url(&url).is_ok() {
            saved.push(format!("line {at}, with private targets allowed: {url:?}"));
        }
    }
    assert!(saved.is_empty(), "{}", saved.join("\n"));
}

#[tokio::test]
async fn no_caller_reaches_a_hostile_address() {
    let guarded = nowhere();
    let mut open = Vec::new();
    for (at, url) in urls("never").into_iter().chain(urls("private")) {
        open.extend(
            let_in(&guarded, &url, false).await.into_iter().map(|answer| format!("line {at}: {url:?} {answer}")),
        );
    }
    for (at, url) in urls("never") {
        open.extend(
            let_in(&guarded, &url, true).await.into_iter().map(|answer| format!("line {at}: {url:?} {answer}")),
        );
    }
    assert!(open.is_empty(), "{}", open.join("\n"));
}

#[tokio::test]
async fn no_caller_follows_a_name_that_leads_inside() {
    let mut open = Vec::new();
    for (name, address) in names() {
        let guarded = client(vec![vec![address]]);
        let url = format!("http://{name}/");
        assert!(STRICT.judge_url(&url).is_ok(), "{name} is judged when it is called");
        open.extend(let_in(&guarded, &url, false).await.into_iter().map(|answer| format!("{name} {address} {answer}")));
    }
    assert!(open.is_empty(), "{}", open.join("\n"));
}

#[tokio::test]
async fn a_name_that_changes_its_answer_is_judged_by_the_one_that_is_called() {
    let server = Server::start().await;
    let url = format!("http://rebind.example:{}/", server.port());
    let loopback: IpAddr = "127.0.0.1".parse().unwrap();
    let (mut open, mut calls) = (Vec::new(), 0);
    // Private targets are let through, so that the good answer can be one of this machine.
    for (name, address) in names().into_iter().filter(|(_, address)| RELAXED.judge_address(*address).is_err()) {
        let guarded = client(vec![vec![loopback], vec![address]]);
        server.answer(Answer::new(200, "").header("connection", "close"));
        let good = guarded.fetch(&url, 10, true).await;
        assert_eq!(good.unwrap().status, 200);
        calls += 1;
        open.extend(let_in(&guarded, &url, true).await.into_iter().map(|answer| format!("{name} {address} {answer}")));
    }
    assert!(open.is_empty(), "{}", open.join("\n"));
    assert!(calls > 15, "{calls}");
    assert_eq!(server.seen().len(), calls);
}

#[tokio::test]
async fn no_redirect_to_a_hostile_address_is_followed() {
    let server = Server::start().await;
    let guarded = client(vec![vec!["127.0.0.1".parse().unwrap()]]);
    let plain = |url: &str| !url.is_empty() && url.bytes().all(|byte| byte.is_ascii_graphic());
    let mut calls = 0;
    let all = urls("private").into_iter().chain(urls("never"));
    for ((_, url), status) in all.filter(|(_, url)| plain(url)).zip([301, 302, 303, 307, 308].into_iter().cycle()) {
        server.answer(Answer::new(status, "").header("location", url));
        let to = WebhookAddress::checked(&server.url("/hook"), true).unwrap();
        let post = WebhookPost::json(to, Bytes::from_static(b"{}"));
        assert_eq!(guarded.post(post).await.unwrap().status, status);
        calls += 1;
    }
    assert!(calls > 300, "{calls}");
    let seen = server.seen();
    assert!(seen.len() == calls && seen.iter().all(|one| one.target == "/hook"));
}
