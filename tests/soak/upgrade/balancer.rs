//! A load balancer before the nodes: each request goes to the next node that is ready. If a connection fails, it goes to
//! another one, with the same `Idempotency-Key`.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use tokio::task::JoinHandle;

/// Interval between two questions for `/readyz`.
const POLL: Duration = Duration::from_millis(200);
/// Limit for an answer to that question.
const PROBE: Duration = Duration::from_secs(5);
/// Nodes that a request tries, and pauses while none is ready.
const ATTEMPTS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(50);
/// A node becomes ready within this time.
const PATIENCE: Duration = Duration::from_secs(120);
/// Headers of one connection.
const OF_A_CONNECTION: [header::HeaderName; 4] =
    [header::HOST, header::CONNECTION, header::CONTENT_LENGTH, header::TRANSFER_ENCODING];

struct Node {
    url: String,
    is_ready: bool,
}

/// A connection that failed.
#[derive(Debug, Clone)]
pub struct LostConnection {
    pub at: Instant,
    pub node: String,
    pub request: String,
}

#[derive(Default)]
struct Traffic {
    nodes: Vec<Node>,
    turn: usize,
    answers: usize,
    refusals: Vec<String>,
    lost: Vec<LostConnection>,
}

#[derive(Clone)]
struct Shared {
    traffic: Arc<Mutex<Traffic>>,
    http: reqwest::Client,
}

/// The balancer. It ends when this is dropped.
pub struct Balancer {
    address: SocketAddr,
    shared: Shared,
    tasks: [JoinHandle<()>; 2],
}

impl Balancer {
    pub async fn start() -> Self {
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        let shared = Shared { traffic: Arc::default(), http };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().fallback(forward).with_state(shared.clone());
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        let polling = tokio::spawn(poll(shared.clone()));
        Self { address, shared, tasks: [serving, polling] }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Adds a node, and waits until it is ready.
    pub async fn add(&self, url: &str) {
        self.shared.traffic.lock().unwrap().nodes.push(Node { url: url.to_owned(), is_ready: false });
        let began = Instant::now();
        while !self.is_ready(url) {
            assert!(began.elapsed() < PATIENCE, "{url} is not ready after {PATIENCE:?}");
            tokio::time::sleep(POLL).await;
        }
    }

    fn is_ready(&self, url: &str) -> bool {
        self.shared.traffic.lock().unwrap().nodes.iter().any(|node| node.url == url && node.is_ready)
    }

    /// Forgets a node that has ended.
    pub fn remove(&self, url: &str) {
        self.shared.traffic.lock().unwrap().nodes.retain(|node| node.url != url);
    }

    /// The next node that is ready, for connections that do not go through the balancer.
    pub fn next_node(&self) -> Option<String> {
        self.shared.next_node()
    }

    /// Answers so far.
    pub fn answers(&self) -> usize {
        self.shared.traffic.lock().unwrap().answers
    }

    /// Requests that were answered with an error, or not at all.
    pub fn refusals(&self) -> Vec<String> {
        self.shared.traffic.lock().unwrap().refusals.clone()
    }

    pub fn lost_connections(&self) -> Vec<LostConnection> {
        self.shared.traffic.lock().unwrap().lost.clone()
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl Shared {
    fn next_node(&self) -> Option<String> {
        let mut traffic = self.traffic.lock().unwrap();
        traffic.turn += 1;
        let ready: Vec<&Node> = traffic.nodes.iter().filter(|node| node.is_ready).collect();
        let turn = traffic.turn.checked_rem(ready.len())?;
        ready.get(turn).map(|node| node.url.clone())
    }

    fn set_ready(&self, url: &str, is_ready: bool) {
        for node in self.traffic.lock().unwrap().nodes.iter_mut().filter(|node| node.url == url) {
            node.is_ready = is_ready;
        }
    }

    fn note_loss(&self, node: &str, request: &str) {
        self.set_ready(node, false);
        let lost = LostConnection { at: Instant::now(), node: node.to_owned(), request: request.to_owned() };
        self.traffic.lock().unwrap().lost.push(lost);
    }

    fn note_answer(&self, request: &str, status: StatusCode, body: &[u8]) {
        let mut traffic = self.traffic.lock().unwrap();
        traffic.answers += 1;
        if status.is_client_error() || status.is_server_error() {
            traffic.refusals.push(format!("{request}: {status} {}", String::from_utf8_lossy(body)));
        }
    }

    async fn ask(&self, node: &str, parts: &Parts, body: &Bytes) -> reqwest::Result<(StatusCode, HeaderMap, Bytes)> {
        let url = format!("{node}{}", parts.uri);
        let mut headers = parts.headers.clone();
        OF_A_CONNECTION.iter().for_each(|name| drop(headers.remove(name)));
        let request = self.http.request(parts.method.clone(), url).headers(headers).body(body.clone());
        let response = request.send().await?;
        let (status, mut headers) = (response.status(), response.headers().clone());
        OF_A_CONNECTION.iter().for_each(|name| drop(headers.remove(name)));
        Ok((status, headers, response.bytes().await?))
    }
}

async fn poll(shared: Shared) {
    loop {
        let urls: Vec<String> = shared.traffic.lock().unwrap().nodes.iter().map(|node| node.url.clone()).collect();
        for url in urls {
            let answer = shared.http.get(format!("{url}/readyz")).timeout(PROBE).send().await;
            shared.set_ready(&url, answer.is_ok_and(|answer| answer.status() == StatusCode::OK));
        }
        tokio::time::sleep(POLL).await;
    }
}

async fn forward(State(shared): State<Shared>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let line = format!("{} {}", parts.method, parts.uri);
    for _ in 0..ATTEMPTS {
        let Some(node) = shared.next_node() else {
            shared.traffic.lock().unwrap().refusals.push(format!("{line}: no node is ready"));
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        match shared.ask(&node, &parts, &body).await {
            Ok((status, headers, body)) => {
                shared.note_answer(&line, status, &body);
                return (status, headers, Body::from(body)).into_response();
            }
            Err(_) => shared.note_loss(&node, &line),
        }
    }
    StatusCode::BAD_GATEWAY.into_response()
}
