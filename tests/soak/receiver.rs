//! The neighbour's webhook receiver, which tells when the status of a message arrives.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use axum::{Json, Router, extract::State, routing::post};
use serde_json::Value;
use tokio::sync::oneshot;

/// Cheap to clone.
#[derive(Clone)]
pub struct Receiver {
    address: SocketAddr,
    expected: Expected,
}

type Expected = Arc<Mutex<HashMap<String, oneshot::Sender<()>>>>;

impl Receiver {
    /// Starts one on a free port.
    pub async fn start() -> Self {
        let expected = Expected::default();
        let router = Router::new().route("/status", post(take)).with_state(Arc::clone(&expected));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, expected }
    }

    /// The address for statuses.
    pub fn url(&self) -> String {
        format!("http://{}/status", self.address)
    }

    /// Resolves when the first status of the message with this `ctId` has arrived.
    pub fn expect(&self, ct_id: &str) -> oneshot::Receiver<()> {
        let (arrived, arrival) = oneshot::channel();
        self.expected.lock().unwrap().insert(ct_id.to_owned(), arrived);
        arrival
    }
}

async fn take(State(expected): State<Expected>, Json(body): Json<Value>) {
    let ct_id = body["ctId"].as_str().unwrap_or_default();
    if let Some(arrived) = expected.lock().unwrap().remove(ct_id) {
        // An attempt that was given up waits no more.
        let _ = arrived.send(());
    }
}
