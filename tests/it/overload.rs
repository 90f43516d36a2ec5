//! Overload: 429 and 503 at once, while accepted work continues and memory does not grow.

use std::{
    io::Write,
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use futures::future::join_all;
use harness::{ClientReply, Patchbay, PatchbaySetup, TestClient, eventually};
use reqwest::Method;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use tokio::{io::AsyncWriteExt, time::timeout};

use crate::live_events::try_socket;

const CHANNEL: &str = "/whatsapp-api-service/v2/channels/whatsapp";
const NUMBERS: &str = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser";
const BODY: usize = 256 * 1024;
/// Limit for events that must happen at once.
const SOON: Duration = Duration::from_secs(10);

/// Limits with room for four bodies of this size.
fn room_for_four(body: usize) -> PatchbaySetup {
    PatchbaySetup::new()
        .set("limits.max_body_bytes", &body.to_string())
        .set("limits.plugin_bytes", &body.to_string())
        .set("limits.bytes_in_flight", &(4 * body).to_string())
        .set("limits.bytes_in_flight_per_client", &(3 * body).to_string())
}

fn assert_refused(reply: &ClientReply, status: u16) {
    assert_eq!(reply.status, status, "{}", reply.text);
    let error = if status == 429 { "Too many requests" } else { "Service unavailable" };
    assert_eq!(reply.json()["error"], error);
    let seconds: u64 = reply.header("retry-after").expect("it says when to come back").parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
}

/// A send that stops one byte before the end of its body, or earlier if it is refused.
fn unfinished(patchbay: &Patchbay, client: &TestClient, length: usize) -> TcpStream {
    let address = patchbay.url().replace("http://", "");
    let mut connection = TcpStream::connect(&address).unwrap();
    let head = format!(
        "POST {CHANNEL} HTTP/1.1\r\nHost: {address}\r\nAuthorization: {}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n",
        client.key
    );
    connection.write_all(head.as_bytes()).unwrap();
    drop(connection.write_all(&vec![b' '; length - 1]));
    connection
}

async fn until(patchbay: &Patchbay, metric: &str) {
    let there = || async { patchbay.get("/metrics").await.text.lines().any(|line| line == metric).then_some(()) };
    eventually(metric, there).await;
}

#[tokio::test]
async fn a_client_that_goes_too_fast_gets_429_and_its_neighbour_does_not() {
    let patchbay = PatchbaySetup::new().set("limits.requests_per_second_per_client", "5").start().await;
    let (fast, slow) = (patchbay.bare_client("fast"), patchbay.bare_client("slow"));

    let replies = join_all((0..40).map(|_| fast.get(NUMBERS))).await;

    let (served, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 200);
    assert!(served.len() >= 5 && !refused.is_empty(), "{} of 40 were served", served.len());
    refused.iter().for_each(|reply| assert_refused(reply, 429));
    assert_eq!(slow.get(NUMBERS).await.status, 200);
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert_eq!(fast.get(NUMBERS).await.status, 200, "after the time that Retry-After named");
}

#[tokio::test]
async fn a_send_to_many_recipients_delays_the_next_send() {
    let patchbay = PatchbaySetup::new().set("limits.recipients_per_second_per_client", "10").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let numbers: Vec<String> = (0..20).map(|at| format!("2784{at:07}")).collect();
    let payload = client.order_ready(&numbers.iter().map(String::as_str).collect::<Vec<_>>());
    client.send(&payload).await.accepted();

    assert_refused(&client.send(&payload).await, 429);

    assert_eq!(client.get(NUMBERS).await.status, 200, "requests that send nothing go on");
    assert_eq!(patchbay.messages_of("acme").await, 20);
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    client.send(&payload).await.accepted();
}

#[tokio::test]
async fn beyond_the_bytes_in_flight_the_slowest_body_of_the_largest_share_ends_and_probes_are_answered() {
    let patchbay = room_for_four(BODY).start().await;
    let clients = ["one", "two"].map(|name| patchbay.bare_client(name));
    let mut held: Vec<TcpStream> = (0..3).map(|_| unfinished(&patchbay, &clients[0], BODY)).collect();
    held.push(unfinished(&patchbay, &clients[1], BODY));
    let large = vec![b' '; BODY];
    until(&patchbay, &format!("patchbay_http_bytes_in_flight {}", 4 * BODY)).await;

    assert_refused(&clients[0].post_raw(CHANNEL, "application/json", large.clone()).await, 429);
    for probe in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(patchbay.get(probe).await.status, 200, "{probe}");
    }
    eventually("the slowest makes room", || async {
        let reply = clients[1].post_raw(CHANNEL, "application/json", large.clone()).await;
        (reply.status == 400).then_some(())
    })
    .await;
    until(&patchbay, &format!("patchbay_http_bytes_in_flight {}", 3 * BODY)).await;
    let metrics = patchbay.get("/metrics").await.text;
    assert!(metrics.contains("patchbay_http_requests_ended_total{reason=\"slowest\"} 1"), "{metrics}");
    assert!(metrics.contains("patchbay_http_requests_refused_total"), "{metrics}");
    drop(held);
}

#[tokio::test]
async fn beyond_the_requests_in_flight_the_slowest_ends_for_a_new_one() {
    let patchbay = PatchbaySetup::new().set("limits.requests_in_flight", "4").start().await;
    let client = patchbay.bare_client("acme");
    assert_eq!(client.get(NUMBERS).await.status, 200);
    let held: Vec<TcpStream> = (0..4).map(|_| unfinished(&patchbay, &client, BODY)).collect();
    until(&patchbay, "patchbay_http_requests_in_flight 4").await;
    assert_eq!(patchbay.get("/healthz").await.status, 200);
    eventually("a place", || async { (client.get(NUMBERS).await.status == 200).then_some(()) }).await;
    eventually("a place", || async { (patchbay.get("/openapi.json").await.status == 200).then_some(()) }).await;
    drop(held);
}

/// Peak of the resident memory of the process, in bytes.
fn highest_memory(patchbay: &Patchbay) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", patchbay.process_id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_flood_of_large_bodies_does_not_fill_the_memory() {
    const LARGE: usize = 4 * 1024 * 1024;
    let patchbay = room_for_four(LARGE).start().await;
    let client = patchbay.bare_client("acme");
    let headers = [("Authorization", client.key.as_str()), ("Content-Type", "application/json")];
    let body = json!({ "sender": "x".repeat(LARGE - 64) }).to_string();
    for _ in 0..2 {
        assert_eq!(patchbay.ask(Method::POST, CHANNEL, &headers, body.clone()).await.status, 400);
    }
    let before = highest_memory(&patchbay);

    // 512 MB of unfinished bodies and 128 MB of complete ones. At most 16 MB are in flight.
    let held: Vec<TcpStream> = (0..128).map(|_| unfinished(&patchbay, &client, LARGE)).collect();
    let sent = (0..32).map(|_| patchbay.ask(Method::POST, CHANNEL, &headers, body.clone()));
    let replies = join_all(sent).await;

    let grown = highest_memory(&patchbay).saturating_sub(before);
    assert!(replies.iter().all(|reply| matches!(reply.status, 400 | 429 | 503)), "{:?}", replies.last());
    assert!(replies.iter().any(|reply| reply.status != 400), "the flood was none");
    assert!(grown < 160 * 1024 * 1024, "{} MB more", grown >> 20);
    drop(held);
    eventually("room again", || async {
        (patchbay.ask(Method::POST, CHANNEL, &headers, body.clone()).await.status == 400).then_some(())
    })
    .await;
}

/// Raises the limit of open files of this process, because each connection of a test needs one.
fn open_many_files() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum }).unwrap();
    let enough = limit.maximum.is_none_or(|most| most >= 4_096);
    assert!(enough, "this test opens 1,100 connections: raise the limit of open files (ulimit -Hn)");
}

#[tokio::test]
async fn silent_connections_to_a_process_that_may_open_few_files_are_no_outage() {
    open_many_files();
    let patchbay = PatchbaySetup::new().descriptors(1_024).start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let address: SocketAddr = patchbay.url().trim_start_matches("http://").parse().unwrap();

    let mut silent = Vec::new();
    for _ in 0..1_100 {
        let connecting = timeout(SOON, tokio::net::TcpStream::connect(address));
        silent.push(connecting.await.expect("it takes connections").unwrap());
    }

    // Each on a new connection, like load balancers and new callers.
    let newcomer = harness::newcomer(SOON);
    for probe in ["/healthz", "/readyz"] {
        for _ in 0..20 {
            let answer = newcomer.get(format!("{}{probe}", patchbay.url())).send().await.unwrap();
            assert_eq!(answer.status(), 200, "{probe}");
        }
    }
    let send = newcomer
        .post(format!("{}{CHANNEL}", patchbay.url()))
        .header("Authorization", &client.key)
        .json(&client.order_ready(&["27820000001"]));
    assert_eq!(send.send().await.unwrap().status(), 202);
    // The connections to the database and the provider need open files too.
    patchbay.phone("27820000001").receives("the template", |_| true).await;
    assert_eq!(silent.len(), 1_100);
}

/// A debug build panics if a task takes a second session of the database while it holds one.
#[tokio::test]
async fn live_connections_that_one_client_opens_at_once_take_one_session_each_and_delay_no_neighbour() {
    open_many_files();
    let patchbay = PatchbaySetup::new().set("limits.database_connections", "4").start().await;
    let (crowd, neighbour) = (patchbay.bare_client("crowd"), patchbay.client("neighbour", "27110000001").await);
    for (count, recipient) in [(30, "27820000001"), (400, "27820000002")] {
        let base = patchbay.url();
        let opening = join_all((0..count).map(|_| try_socket(&base, "", Some(&crowd.key))));
        let payload = neighbour.order_ready(&[recipient]);
        let (opened, sent) = tokio::join!(opening, neighbour.send(&payload));
        sent.accepted();
        patchbay.phone(recipient).receives("the template", |_| true).await;
        let failure = opened.iter().find_map(|socket| socket.as_ref().err());
        assert!(failure.is_none(), "{failure:?}");
    }
    assert!(!patchbay.log().contains("panicked"), "{}", patchbay.log());
}

/// Requests with this head and a body of `length` bytes, of which at most half is sent.
async fn held_open(patchbay: &Patchbay, head: &str, length: usize) -> Vec<tokio::net::TcpStream> {
    let address: SocketAddr = patchbay.url().trim_start_matches("http://").parse().unwrap();
    let head = format!("POST {head}Host: {address}\r\nContent-Length: {length}\r\n\r\n");
    let begun = (0..100).map(|_| async {
        let mut connection = tokio::net::TcpStream::connect(address).await.unwrap();
        connection.write_all(head.as_bytes()).await.unwrap();
        let half = vec![b' '; length / 2];
        // If the request is refused, its body is not read to its end.
        drop(timeout(Duration::from_secs(3), connection.write_all(&half)).await);
        connection
    });
    join_all(begun).await
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn large_unfinished_bodies_of_strangers_cost_little_and_do_not_block_others() {
    const JSON: &str = "Content-Type: application/json\r\n";
    // The callbacks come from another address, through a proxy.
    let patchbay = PatchbaySetup::new().set("server.trusted_proxies", r#"["127.0.0.1/32"]"#).start().await;
    let client = patchbay.client("acme", "27110000001").await;
    client.send(&client.order_ready(&["27820000001"])).await.accepted();
    let before = highest_memory(&patchbay);

    let upload = "/plugin-service/api/v1/plugins?name=bot";
    let forged = format!("X-Forwarded-For: 203.0.113.9\r\nX-Hub-Signature-256: sha256={}\r\n", "0".repeat(64));
    let held = [
        held_open(&patchbay, &format!("{CHANNEL} HTTP/1.1\r\n{JSON}"), 8_000_000).await,
        held_open(&patchbay, &format!("{CHANNEL} HTTP/1.1\r\n{JSON}Authorization: nobodys-key\r\n"), 8_000_000).await,
        held_open(&patchbay, &format!("{upload} HTTP/1.1\r\nContent-Type: application/wasm\r\n"), 8_000_000).await,
        held_open(&patchbay, &format!("/providers/whatsapp-cloud/webhook HTTP/1.1\r\n{JSON}{forged}"), 2_900_000).await,
    ];

    let signed = json!({ "object": "whatsapp_business_account", "entry": [] });
    assert_eq!(patchbay.callback(&signed).await.status, 200, "a provider gets through");
    client.send(&client.order_ready(&["27820000002"])).await.accepted();
    patchbay.phone("27820000002").receives("the template", |_| true).await;
    let grown = highest_memory(&patchbay).saturating_sub(before);
    assert!(grown < 192 << 20, "{} MB more", grown >> 20);
    assert_eq!(held.iter().map(Vec::len).sum::<usize>(), 400);
}
