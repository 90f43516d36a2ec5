//! A running simulator with a host that accepts its callbacks.
#![expect(clippy::disallowed_methods, reason = "a test is not the host: it makes its own HTTP client")]

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use serde_json::{Value, json};
use simulator::{CallbackLine, Simulator, SimulatorConfig};
use tokio::net::TcpListener;

pub const APP_SECRET: &str = "app-secret";
/// Key for the signature of callbacks about pages.
pub const MESSENGER_SECRET: &str = "messenger-secret";
pub const VERIFY_TOKEN: &str = "verify-token";
/// Phone-number id of the business in most tests.
pub const BUSINESS: &str = "555000111";
pub const PHONE: &str = "27820000001";
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Clone)]
pub struct Post {
    pub signature: String,
    pub bytes: Bytes,
    pub json: Value,
}

/// A host that stores its callbacks.
#[derive(Clone, Default)]
pub struct Sink {
    posts: Arc<Mutex<Vec<Post>>>,
    refusals: Arc<AtomicU32>,
}

impl Sink {
    /// Answers 500 to this many of the next callbacks.
    pub fn refuse(&self, count: u32) {
        self.refusals.store(count, Ordering::SeqCst);
    }

    pub fn posts(&self) -> Vec<Post> {
        self.posts.lock().unwrap().clone()
    }

    /// Waits until `found` returns something from the callbacks.
    pub async fn wait<T>(&self, what: &str, found: impl Fn(&[Post]) -> Option<T>) -> T {
        eventually(what, || std::future::ready(found(&self.posts()))).await
    }

    /// All `value` objects in order of arrival.
    pub fn values(&self) -> Vec<Value> {
        self.posts().iter().flat_map(values_of).collect()
    }

    /// Waits for `count` statuses of a message and returns them.
    pub async fn statuses(&self, wamid: &str, count: usize) -> Vec<Value> {
        self.wait(&format!("{count} statuses of {wamid}"), |posts| {
            let found = statuses_of(posts, wamid);
            (found.len() >= count).then_some(found)
        })
        .await
    }

    /// Waits for the inbound message with this id and returns the whole `value`.
    pub async fn inbound(&self, wamid: &str) -> Value {
        self.wait(&format!("message {wamid}"), |posts| {
            let is_it = |value: &Value| value["messages"][0]["id"] == wamid;
            posts.iter().flat_map(values_of).find(is_it)
        })
        .await
    }
}

pub fn values_of(post: &Post) -> Vec<Value> {
    let mut values = Vec::new();
    for entry in post.json["entry"].as_array().unwrap() {
        for change in entry["changes"].as_array().unwrap() {
            values.push(change["value"].clone());
        }
    }
    values
}

pub fn statuses_of(posts: &[Post], wamid: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for value in posts.iter().flat_map(values_of) {
        for status in value["statuses"].as_array().into_iter().flatten() {
            if status["id"] == wamid {
                found.push(status.clone());
            }
        }
    }
    found
}

/// Polls until there is a value, and panics after a timeout.
pub async fn eventually<T, F: Future<Output = Option<T>>>(what: &str, mut probe: impl FnMut() -> F) -> T {
    let started = tokio::time::Instant::now();
    loop {
        if let Some(found) = probe().await {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "waited in vain for {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn take(State(sink): State<Sink>, headers: HeaderMap, bytes: Bytes) -> StatusCode {
    let left = sink.refusals.load(Ordering::SeqCst);
    if left > 0 {
        sink.refusals.store(left - 1, Ordering::SeqCst);
        return StatusCode::INTERNAL_SERVER_ERROR;
    }
    let signature = headers["x-hub-signature-256"].to_str().unwrap().to_owned();
    let json = serde_json::from_slice(&bytes).unwrap();
    sink.posts.lock().unwrap().push(Post { signature, bytes, json });
    StatusCode::OK
}

async fn challenge(Query(query): Query<std::collections::HashMap<String, String>>) -> Result<String, StatusCode> {
    if query["hub.mode"] == "subscribe" && query["hub.verify_token"] == VERIFY_TOKEN {
        Ok(query["hub.challenge"].clone())
    } else {
        Err(StatusCode::FORBIDDEN)
    }
}

pub struct Outside {
    pub simulator: Simulator,
    pub sink: Sink,
    pub http: reqwest::Client,
    pub callback_url: String,
}

impl Outside {
    pub async fn start() -> Self {
        Self::with_first_retry(SimulatorConfig::FIRST_RETRY).await
    }

    pub async fn with_first_retry(first_retry: Duration) -> Self {
        let sink = Sink::default();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let callback_url = format!("http://{}/webhook", listener.local_addr().unwrap());
        let app = Router::new().route("/webhook", post(take).get(challenge)).with_state(sink.clone());
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        let simulator =
            Simulator::start(SimulatorConfig { first_retry, ..config(callback_url.clone()) }).await.unwrap();
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { simulator, sink, http, callback_url }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.simulator.http_addr())
    }

    /// A call with a token. Returns status and JSON (null if there is none).
    pub async fn call(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let url = if path.starts_with("http") { path.to_owned() } else { self.url(path) };
        let mut request = self.http.request(method.parse().unwrap(), url).bearer_auth("any-token");
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap_or(Value::Null))
    }

    pub async fn get(&self, path: &str) -> Value {
        let (status, body) = self.call("GET", path, None).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    pub async fn fetch(&self, url: &str) -> Vec<u8> {
        let answer = self.http.get(url).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 200, "{url}");
        answer.bytes().await.unwrap().to_vec()
    }

    pub async fn post(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.call("POST", path, Some(body)).await;
        assert!(status < 300, "{path}: {status} {answer}");
        answer
    }

    pub async fn put(&self, path: &str, body: Value) {
        let (status, answer) = self.call("PUT", path, Some(body)).await;
        assert_eq!(status, 200, "{answer}");
    }

    pub async fn phone(&self, msisdn: &str, patch: Value) {
        let (status, answer) = self.call("PUT", &format!("/phones/{msisdn}"), Some(patch)).await;
        assert_eq!(status, 200, "{answer}");
    }

    pub async fn faults(&self, faults: Value) {
        self.post("/simulator/faults", faults).await;
    }

    /// Sends to [`PHONE`] unless the message names another number. Returns status and answer.
    pub async fn send(&self, message: Value) -> (u16, Value) {
        let mut full = json!({"messaging_product": "whatsapp", "to": PHONE});
        full.as_object_mut().unwrap().extend(message.as_object().unwrap().clone());
        self.call("POST", &format!("/v25.0/{BUSINESS}/messages"), Some(full)).await
    }

    /// Sends a message that must be accepted. Returns the message id.
    pub async fn sent(&self, message: Value) -> String {
        let (status, answer) = self.send(message).await;
        assert_eq!(status, 200, "{answer}");
        answer["messages"][0]["id"].as_str().unwrap().to_owned()
    }

    /// Sends a message that must be refused. Returns HTTP status, code and details.
    pub async fn refused(&self, message: Value) -> (u16, i64, String) {
        let (status, answer) = self.send(message).await;
        let error = &answer["error"];
        assert!(error["fbtrace_id"].is_string(), "{status} {answer}");
        let details = error["error_data"]["details"].as_str().unwrap_or_default().to_owned();
        (status, error["code"].as_i64().unwrap(), details)
    }

    /// Waits until a phone has `count` messages and returns them.
    pub async fn inbox(&self, msisdn: &str, count: usize) -> Vec<Value> {
        let path = format!("/phones/{msisdn}/inbox");
        eventually(&format!("{count} messages in {path}"), || async {
            let messages = self.get(&path).await["messages"].as_array().unwrap().clone();
            (messages.len() >= count).then_some(messages)
        })
        .await
    }
}

pub fn config(callback_url: String) -> SimulatorConfig {
    let free = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    SimulatorConfig {
        listen: free,
        smsc_listen: free,
        callback_url,
        app_secret: APP_SECRET.to_owned(),
        verify_token: VERIFY_TOKEN.to_owned(),
        messenger: CallbackLine {
            url: String::new(),
            app_secret: MESSENGER_SECRET.to_owned(),
            verify_token: VERIFY_TOKEN.to_owned(),
        },
        first_retry: SimulatorConfig::FIRST_RETRY,
    }
}

pub fn text(body: &str) -> Value {
    json!({"type": "text", "text": {"body": body}})
}
