//! Peers that send requests and do not read the answers: their number is limited, and other callers do not notice them.

use std::{net::SocketAddr, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use futures::future::join_all;
use h2::client::{ResponseFuture, SendRequest};
use harness::{Patchbay, PatchbaySetup, TestClient, WebhookSink, eventually};
use reqwest::Method;
use serde_json::json;
use tokio::{net::TcpStream, task::JoinHandle, time::timeout};

const NUMBERS: &str = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser";
const LOGIN: &str = "/messaging-service/WhatsApp/authenticate/retrieveApiKey";

/// An HTTP/2 connection with a small window that sends PINGs and never enlarges the window.
struct Deaf {
    requests: SendRequest<Bytes>,
    answers: Vec<ResponseFuture>,
    ended: JoinHandle<()>,
}

impl Deaf {
    async fn open(patchbay: &Patchbay) -> Self {
        Self::with_window(patchbay, 0).await
    }

    async fn with_window(patchbay: &Patchbay, window: u32) -> Self {
        let address: SocketAddr = patchbay.url().trim_start_matches("http://").parse().unwrap();
        let stream = TcpStream::connect(address).await.unwrap();
        let mut builder = h2::client::Builder::new();
        builder.initial_window_size(window).max_concurrent_reset_streams(1_000);
        let (requests, mut connection) = builder.handshake(stream).await.unwrap();
        let mut pings = connection.ping_pong().unwrap();
        let ended = tokio::spawn(async move {
            let pinging = async {
                while pings.ping(h2::Ping::opaque()).await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
            };
            tokio::select! {
                _ = connection => {}
                () = pinging => {}
            }
        });
        Self { requests, answers: Vec::new(), ended }
    }

    /// Sends up to `times` requests, as long as the server accepts them.
    async fn ask(&mut self, patchbay: &Patchbay, path: &str, times: usize) {
        for _ in 0..times {
            let uri = format!("{}{path}", patchbay.url());
            let request = get(&uri);
            let Ok(Ok(ready)) = timeout(Duration::from_millis(300), self.requests.clone().ready()).await else {
                return;
            };
            self.requests = ready;
            self.answers.push(self.requests.send_request(request, true).unwrap().0);
        }
    }
}

/// A request from another address, through a proxy.
fn get(uri: &str) -> http::Request<()> {
    http::Request::get(uri).header("x-forwarded-for", "203.0.113.9").body(()).unwrap()
}

/// The number of requests in flight in the metrics of the server.
async fn in_flight(patchbay: &Patchbay) -> u64 {
    let metrics = patchbay.get("/metrics").await.text;
    let line = metrics.lines().find(|line| line.starts_with("patchbay_http_requests_in_flight ")).unwrap().to_owned();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn unread_answers_block_neither_logins_nor_callbacks_nor_clients() {
    let patchbay = PatchbaySetup::new().set("server.trusted_proxies", r#"["127.0.0.0/8"]"#).start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let mut deaf = join_all((0..20).map(|_| Deaf::open(&patchbay))).await;
    for (connection, path) in deaf.iter_mut().zip(["/openapi.json", "/docs"].into_iter().cycle()) {
        connection.ask(&patchbay, path, 102).await;
    }
    for _ in 0..10 {
        let login = json!({"email": "x@acme.example", "password": "wrong", "clientRef": "acme"}).to_string();
        let headers = [("Content-Type", "application/json"), ("X-Forwarded-For", "198.51.100.7")];
        assert_eq!(patchbay.ask(Method::POST, LOGIN, &headers, login).await.status, 401);
        assert_eq!(patchbay.callback(&json!({"object": "whatsapp_business_account", "entry": []})).await.status, 200);
        client.send(&client.order_ready(&["27820000001"])).await.accepted();
        assert_eq!(client.get(NUMBERS).await.status, 200);
    }
    // The last answer to the neighbour may still be on its way out.
    eventually("one address has its share, and no more", || async {
        (in_flight(&patchbay).await <= 256).then_some(())
    })
    .await;
}

#[tokio::test]
async fn an_answer_of_which_nothing_is_taken_ends_with_its_stream_and_the_connection_goes_on() {
    let patchbay = PatchbaySetup::new().set("limits.write_timeout", "1s").start().await;
    let mut deaf = Deaf::open(&patchbay).await;
    deaf.ask(&patchbay, "/openapi.json", 3).await;
    for answer in std::mem::take(&mut deaf.answers) {
        let mut body = answer.await.unwrap().into_body();
        let ended = timeout(Duration::from_secs(20), body.data()).await.expect("it is cut off");
        assert!(ended.is_some_and(|data| data.is_err()), "the stream is reset");
    }
    assert!(!deaf.ended.is_finished());
    eventually("its places are free", || async { (in_flight(&patchbay).await == 0).then_some(()) }).await;
    deaf.ask(&patchbay, "/healthz", 1).await;
    let answer = deaf.answers.pop().unwrap().await.unwrap();
    assert_eq!(answer.status(), 200, "the connection goes on");
}

#[tokio::test]
async fn the_last_part_of_an_answer_that_is_not_taken_ends_with_its_stream_and_the_connection_of_a_proxy_goes_on() {
    let patchbay = PatchbaySetup::new()
        .set("server.trusted_proxies", r#"["127.0.0.0/8"]"#)
        .set("limits.write_timeout", "1s")
        .start()
        .await;
    let client = patchbay.bare_client("acme");
    // There is room for the first byte of a short answer.
    let mut proxy = Deaf::with_window(&patchbay, 1).await;
    let mut request = get(&format!("{}{NUMBERS}", patchbay.url()));
    request.headers_mut().insert("authorization", client.key.parse().unwrap());
    proxy.requests = proxy.requests.ready().await.unwrap();
    let answer = proxy.requests.send_request(request, true).unwrap().0.await.unwrap();
    assert_eq!(answer.status(), 200);
    let mut body = answer.into_body();
    let cut = async { while body.data().await.expect("the answer is not complete").is_ok() {} };
    timeout(Duration::from_secs(60), cut).await.expect("its stream is reset");
    eventually("its place is free", || async { (in_flight(&patchbay).await == 0).then_some(()) }).await;

    let other = http::Request::get(format!("{}/openapi.json", patchbay.url()));
    let other = other.header("x-forwarded-for", "198.51.100.7").body(()).unwrap();
    let answer = proxy.requests.send_request(other, true).unwrap().0.await.unwrap();
    assert_eq!(answer.status(), 200, "another caller behind the same proxy is served");
    assert!(!proxy.ended.is_finished());
}

/// Open files of the process below this folder.
fn open_files(patchbay: &Patchbay, folder: &std::path::Path) -> usize {
    let descriptors = std::fs::read_dir(format!("/proc/{}/fd", patchbay.process_id())).unwrap();
    let targets = descriptors.flatten().filter_map(|descriptor| std::fs::read_link(descriptor.path()).ok());
    targets.filter(|target| target.starts_with(folder)).count()
}

/// The path of a file of 1 MiB that the client received from a customer.
async fn received_file(patchbay: &Patchbay, client: &TestClient) -> String {
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let bytes: Vec<u8> = b"GIF89a".iter().copied().cycle().take(1 << 20).collect();
    let image =
        json!({ "to": client.number, "type": "image", "base64": STANDARD.encode(bytes), "mimeType": "image/gif" });
    patchbay.phone("27840000002").send(image).await;
    let incoming = eventually("the file", || async { sink.bodies("incoming").into_iter().next() }).await;
    let url = incoming["mediaUrl"].as_str().unwrap();
    url.splitn(4, '/').nth(3).map(|path| format!("/{path}")).unwrap()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn unread_downloads_open_only_the_files_of_their_share_and_others_get_theirs() {
    const SHARE: usize = 20;
    let media = tempfile::tempdir().unwrap();
    let patchbay = PatchbaySetup::new()
        .set("server.trusted_proxies", r#"["127.0.0.0/8"]"#)
        .set("media.store", media.path().to_str().unwrap())
        .set("limits.requests_in_flight_per_source", &SHARE.to_string())
        .start()
        .await;
    let client = patchbay.client("acme", "27110000001").await;
    let path = received_file(&patchbay, &client).await;
    let mut deaf = join_all((0..4).map(|_| Deaf::open(&patchbay))).await;
    for connection in &mut deaf {
        connection.ask(&patchbay, &path, 30).await;
    }
    eventually("the share is full", || async { (in_flight(&patchbay).await >= SHARE as u64).then_some(()) }).await;

    for other in ["198.51.100.7", "198.51.100.8"] {
        let headers = [("X-Forwarded-For", other)];
        let file = patchbay.ask(Method::GET, &path, &headers, String::new()).await;
        assert_eq!((file.status, file.text.len()), (200, 1 << 20), "another address");
    }
    client.send(&client.order_ready(&["27820000001"])).await.accepted();
    eventually("one address has its share, and no more", || async {
        (in_flight(&patchbay).await <= SHARE as u64).then_some(())
    })
    .await;
    let open = open_files(&patchbay, media.path());
    assert!((1..=SHARE).contains(&open), "{open} open files");
}
