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
    http::{HeaderMap, StatusCode},
    routing::post,
};
use serde_json::Value;

use crate::outside_world;

/// One request that arrived.
#[derive(Debug, Clone)]
pub struct Received {
    /// Last part of the path.
    pub path: String,
    /// Headers.
    pub headers: HeaderMap,
    /// The body, byte for byte.
    pub body: Bytes,
}

impl Received {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("webhook bodies are JSON")
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> String {
        self.headers.get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
    }
}

#[derive(Default)]
struct Shared {
    received: Mutex<Vec<Received>>,
    behaviour: Mutex<HashMap<String, (StatusCode, Duration, u32)>>,
}

/// The receiver.
#[derive(Clone)]
pub struct Sink {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Sink {
    /// Starts one on a free port.
    pub async fn start() -> Self {
        let shared = Arc::<Shared>::default();
        let router = Router::new().route("/{path}", post(take)).with_state(Arc::clone(&shared));
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

    /// What arrived at a path so far.
    pub fn received(&self, path: &str) -> Vec<Received> {
        let received = self.shared.received.lock().unwrap();
        received.iter().filter(|one| one.path == path).cloned().collect()
    }

    /// From now on the path answers `status` after `delay`, for the next `times` requests.
    pub fn misbehave(&self, path: &str, status: u16, delay: Duration, times: u32) {
        let status = StatusCode::from_u16(status).unwrap();
        self.shared.behaviour.lock().unwrap().insert(path.to_owned(), (status, delay, times));
    }
}

async fn take(
    State(shared): State<Arc<Shared>>,
    Path(path): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
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
    shared.received.lock().unwrap().push(Received { path, headers, body });
    tokio::time::sleep(delay).await;
    status
}
