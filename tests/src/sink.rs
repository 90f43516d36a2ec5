//! A receiver of webhooks that keeps what it gets and misbehaves on request.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, Uri},
    routing::post,
};
use serde_json::Value;

use crate::{eventually, outside_world};

/// One request that arrived.
#[derive(Debug, Clone)]
pub struct SinkRequest {
    /// Last part of the path.
    pub path: String,
    /// Headers.
    pub headers: HeaderMap,
    /// The body, byte for byte; of a GET its query.
    pub body: Bytes,
}

impl SinkRequest {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("webhook bodies are JSON")
    }

    /// The fields of a form.
    pub fn form(&self) -> HashMap<String, String> {
        let form = format!("form:?{}", String::from_utf8_lossy(&self.body));
        reqwest::Url::parse(&form).unwrap().query_pairs().into_owned().collect()
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> String {
        self.headers.get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
    }
}

#[derive(Default)]
struct Shared {
    received: Mutex<Vec<SinkRequest>>,
    behaviour: Mutex<HashMap<String, (StatusCode, Duration, u32)>>,
    answers: Mutex<HashMap<String, String>>,
    busy: Mutex<HashMap<String, Busy>>,
}

/// Requests to one path that are not answered yet.
#[derive(Default)]
struct Busy {
    now: usize,
    most: usize,
}

/// The receiver.
#[derive(Clone)]
pub struct WebhookSink {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl WebhookSink {
    /// Starts one on a free port.
    pub async fn start() -> Self {
        let shared = Arc::<Shared>::default();
        let router = Router::new().route("/{path}", post(take).get(take)).with_state(Arc::clone(&shared));
        let binding = tokio::net::TcpListener::bind("127.0.0.1:0");
        let listener = outside_world().spawn(binding).await.unwrap().unwrap();
        let address = listener.local_addr().unwrap();
        outside_world().spawn(async move { axum::serve(listener, router).await });
        Self { address, shared }
    }

    /// The address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// The requests that have arrived at a path.
    pub fn received(&self, path: &str) -> Vec<SinkRequest> {
        let received = self.shared.received.lock().unwrap();
        received.iter().filter(|one| one.path == path).cloned().collect()
    }

    /// The bodies that have arrived at a path, as JSON.
    pub fn bodies(&self, path: &str) -> Vec<Value> {
        self.received(path).iter().map(SinkRequest::json).collect()
    }

    /// The first body at a path that `wanted` likes, once it is there.
    pub async fn receives(&self, path: &str, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        eventually(what, || async { self.bodies(path).into_iter().find(|body| wanted(body)) }).await
    }

    /// Waits for so many requests at a path, and returns them.
    pub async fn receives_many(&self, path: &str, count: usize) -> Vec<SinkRequest> {
        eventually(&format!("{count} requests to {path}"), || async {
            let received = self.received(path);
            (received.len() >= count).then_some(received)
        })
        .await
    }

    /// The largest number of requests to a path that were unanswered at the same time.
    pub fn most_at_once(&self, path: &str) -> usize {
        self.shared.busy.lock().unwrap().get(path).map_or(0, |busy| busy.most)
    }

    /// From now on the path answers with this body.
    pub fn answers(&self, path: &str, body: &str) {
        self.shared.answers.lock().unwrap().insert(path.to_owned(), body.to_owned());
    }

    /// From now on the path answers `status` after `delay`, for the next `times` requests. Redirects lead to `elsewhere`.
    pub fn misbehave(&self, path: &str, status: u16, delay: Duration, times: u32) {
        let status = StatusCode::from_u16(status).unwrap();
        self.shared.behaviour.lock().unwrap().insert(path.to_owned(), (status, delay, times));
    }
}

async fn take(
    State(shared): State<Arc<Shared>>,
    Path(path): Path<String>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, HeaderMap, String) {
    // The content of a GET is in its query.
    let body = if body.is_empty() { Bytes::from(uri.query().unwrap_or_default().to_owned()) } else { body };
    let (status, delay) = {
        let mut behaviour = shared.behaviour.lock().unwrap();
        match behaviour.get_mut(&path) {
            Some((status, delay, times)) if *times > 0 => {
                *times -= 1;
                (*status, *delay)
            }
            _ => (StatusCode::OK, Duration::ZERO),
        }
    };
    shared.received.lock().unwrap().push(SinkRequest { path: path.clone(), headers, body });
    begin(&shared, &path);
    tokio::time::sleep(delay).await;
    let answer = shared.answers.lock().unwrap().get(&path).cloned().unwrap_or_default();
    shared.busy.lock().unwrap().entry(path).and_modify(|busy| busy.now -= 1);
    let mut headers = HeaderMap::new();
    if status.is_redirection() {
        headers.insert("location", HeaderValue::from_static("/elsewhere"));
    }
    (status, headers, answer)
}

fn begin(shared: &Shared, path: &str) {
    let mut all = shared.busy.lock().unwrap();
    let busy = all.entry(path.to_owned()).or_default();
    busy.now += 1;
    busy.most = busy.most.max(busy.now);
}
