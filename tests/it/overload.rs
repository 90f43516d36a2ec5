//! Too much at once: 429 and 503 at once, while what is in hand goes on and memory stays where it is.

use std::{io::Write, net::TcpStream, time::Duration};

use harness::{Client, Patchbay, Reply, Setup, eventually};
use reqwest::Method;
use serde_json::json;

const CHANNEL: &str = "/whatsapp-api-service/v2/channels/whatsapp";
const NUMBERS: &str = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser";
const BODY: usize = 256 * 1024;

/// Room for a few bodies of this size only.
fn room_for_four(body: usize) -> Setup {
    Setup::new()
        .set("limits.max_body_bytes", &body.to_string())
        .set("limits.plugin_bytes", &body.to_string())
        .set("limits.bytes_in_flight", &(4 * body).to_string())
        .set("limits.bytes_in_flight_per_client", &(3 * body).to_string())
}

fn assert_refused(reply: &Reply, status: u16) {
    assert_eq!(reply.status, status, "{}", reply.text);
    let error = if status == 429 { "Too many requests" } else { "Service unavailable" };
    assert_eq!(reply.json()["error"], error);
    let seconds: u64 = reply.header("retry-after").expect("it says when to come back").parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
}

/// A send whose body stops short of its end, or where it was refused.
fn half_sent(patchbay: &Patchbay, client: &Client, length: usize) -> TcpStream {
    let address = patchbay.url().replace("http://", "");
    let mut connection = TcpStream::connect(&address).unwrap();
    let head = format!(
        "POST {CHANNEL} HTTP/1.1\r\nHost: {address}\r\nAuthorization: {}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n",
        client.key
    );
    connection.write_all(head.as_bytes()).unwrap();
    drop(connection.write_all(&vec![b' '; length / 2]));
    connection
}

/// Waits until a metric has this value.
async fn until(patchbay: &Patchbay, metric: &str) {
    let there = || async { patchbay.get("/metrics").await.text.lines().any(|line| line == metric).then_some(()) };
    eventually(metric, there).await;
}

#[tokio::test]
async fn a_client_that_goes_too_fast_gets_429_and_its_neighbour_does_not() {
    let patchbay = Setup::new().set("limits.requests_per_second_per_client", "5").start().await;
    let (fast, slow) = (patchbay.bare_client("fast"), patchbay.bare_client("slow"));

    let replies = futures::future::join_all((0..40).map(|_| fast.get(NUMBERS))).await;

    let (served, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 200);
    assert!(served.len() >= 5 && !refused.is_empty(), "{} of 40 were served", served.len());
    refused.iter().for_each(|reply| assert_refused(reply, 429));
    assert_eq!(slow.get(NUMBERS).await.status, 200);
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert_eq!(fast.get(NUMBERS).await.status, 200, "after the time that Retry-After named");
}

#[tokio::test]
async fn a_send_to_many_recipients_delays_the_next_send() {
    let patchbay = Setup::new().set("limits.recipients_per_second_per_client", "10").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let numbers: Vec<String> = (0..20).map(|at| format!("2784{at:07}")).collect();
    let payload = client.order_ready(&numbers.iter().map(String::as_str).collect::<Vec<_>>());
    client.send(&payload).await.accepted();

    assert_refused(&client.send(&payload).await, 429);

    assert_eq!(client.get(NUMBERS).await.status, 200, "what is no send goes on");
    assert_eq!(patchbay.messages_of("acme").await, 20);
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    client.send(&payload).await.accepted();
}

#[tokio::test]
async fn beyond_the_bytes_in_flight_bodies_are_refused_and_probes_are_answered() {
    let patchbay = room_for_four(BODY).start().await;
    let clients = ["one", "two"].map(|name| patchbay.bare_client(name));
    let mut held: Vec<TcpStream> = (0..3).map(|_| half_sent(&patchbay, &clients[0], BODY)).collect();
    held.push(half_sent(&patchbay, &clients[1], BODY));
    let large = vec![b' '; BODY];
    until(&patchbay, &format!("patchbay_http_bytes_in_flight {}", 4 * BODY)).await;

    assert_refused(&clients[0].post_raw(CHANNEL, "application/json", large.clone()).await, 503);
    assert_refused(&clients[1].post_raw(CHANNEL, "application/json", large.clone()).await, 503);
    for probe in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(patchbay.get(probe).await.status, 200, "{probe}");
    }
    let metrics = patchbay.get("/metrics").await.text;
    assert!(metrics.contains("patchbay_http_requests_refused_total"), "{metrics}");

    drop(held);
    eventually("room again", || async {
        let reply = clients[1].post_raw(CHANNEL, "application/json", large.clone()).await;
        (reply.status == 400).then_some(())
    })
    .await;
}

#[tokio::test]
async fn beyond_the_requests_in_flight_everybody_is_refused_until_there_is_room() {
    let patchbay = Setup::new().set("limits.requests_in_flight", "4").start().await;
    let client = patchbay.bare_client("acme");
    let held: Vec<TcpStream> = (0..4).map(|_| half_sent(&patchbay, &client, BODY)).collect();
    until(&patchbay, "patchbay_http_requests_in_flight 4").await;
    assert_refused(&client.get(NUMBERS).await, 503);
    assert_refused(&patchbay.get("/openapi.json").await, 503);
    assert_eq!(patchbay.get("/healthz").await.status, 200);
    drop(held);
    eventually("room again", || async { (client.get(NUMBERS).await.status == 200).then_some(()) }).await;
}

/// Resident memory of the process at its highest, in bytes.
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

    // 512 MB of bodies that do not end and 128 MB of those that do, of which 16 MB may be there at once.
    let held: Vec<TcpStream> = (0..128).map(|_| half_sent(&patchbay, &client, LARGE)).collect();
    let sent = (0..32).map(|_| patchbay.ask(Method::POST, CHANNEL, &headers, body.clone()));
    let replies = futures::future::join_all(sent).await;

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
