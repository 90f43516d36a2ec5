//! A stub of WAHA: an HTTP bridge to WhatsApp with the API of its documentation (PROVIDERS D.3).

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use axum::{
    Json, Router,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode},
    routing::{get, post, put},
};
use harness::eventually;
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha512;

pub(super) const KEY: &str = "key-of-the-bridge";
pub(super) const SECRET: &str = "secret-of-the-webhooks";

#[derive(Default)]
pub(super) struct Bridge {
    /// Status and configuration of each session.
    sessions: HashMap<String, (String, Value)>,
    /// Paths and bodies of sends.
    sent: Vec<(String, Value)>,
    /// Numbers without WhatsApp.
    pub(super) absent: Vec<String>,
    /// The chats of numbers that WhatsApp knows by another address.
    pub(super) accounts: HashMap<String, String>,
    /// Answers of sends that are lost: the message goes out, and the caller gets an error.
    pub(super) lost_answers: usize,
}

type Shared = Arc<Mutex<Bridge>>;
type Answer = (StatusCode, Json<Value>);

pub(super) struct Waha {
    address: SocketAddr,
    pub(super) bridge: Shared,
}

impl Waha {
    pub(super) async fn start() -> Self {
        let bridge = Shared::default();
        let sends =
            ["sendText", "sendImage", "sendFile", "sendLocation", "sendVideo", "sendVoice", "sendSeen", "startTyping"];
        let mut router = Router::new()
            .route("/api/sessions", post(create))
            .route("/api/sessions/{name}", get(show))
            .route("/api/sessions/{name}/{action}", post(act))
            .route("/api/{session}/auth/qr", get(code))
            .route("/api/contacts/check-exists", get(exists))
            .route("/api/reaction", put(react));
        for path in sends {
            let send =
                move |state: State<Shared>, headers: HeaderMap, body: Json<Value>| send(state, headers, body, path);
            router = router.route(&format!("/api/{path}"), post(send));
        }
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = router.with_state(Arc::clone(&bridge));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, bridge }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits for the only session, and returns its name and its first webhook.
    pub(super) async fn session(&self) -> (String, Value) {
        eventually("a session at the bridge", || async {
            let bridge = self.bridge.lock().unwrap();
            let (name, (_, config)) = bridge.sessions.iter().next()?;
            Some((name.clone(), config["webhooks"][0].clone()))
        })
        .await
    }

    pub(super) fn set_status(&self, name: &str, status: &str) {
        self.bridge.lock().unwrap().sessions.get_mut(name).unwrap().0 = status.to_owned();
    }

    pub(super) fn status(&self, name: &str) -> String {
        self.bridge.lock().unwrap().sessions[name].0.clone()
    }

    /// Posts a signed event to the webhook of the session, and returns the status.
    #[expect(clippy::disallowed_methods, reason = "another project has its own clock and its own client")]
    pub(super) async fn tells(&self, event: &str, payload: Value, secret: &str) -> u16 {
        let (name, webhook) = self.session().await;
        let body = json!({
            "id": "evt_1", "timestamp": chrono::Utc::now().timestamp_millis(), "event": event, "session": name,
            "payload": payload, "engine": "NOWEB",
        });
        let body = body.to_string();
        let mut mac = Hmac::<Sha512>::new_from_slice(secret.as_bytes()).unwrap();
        mac.update(body.as_bytes());
        let signature = hex::encode(mac.finalize().into_bytes());
        let call = reqwest::Client::new()
            .post(webhook["url"].as_str().unwrap())
            .header("content-type", "application/json")
            .header("X-Webhook-Hmac", signature)
            .header("X-Webhook-Hmac-Algorithm", "sha512")
            .body(body);
        call.send().await.unwrap().status().as_u16()
    }

    pub(super) fn sent(&self) -> Vec<(String, Value)> {
        self.bridge.lock().unwrap().sent.clone()
    }
}

/// The time of the bridge, in seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "another server has its own clock")]
pub(super) fn seconds() -> i64 {
    chrono::Utc::now().timestamp()
}

fn keyed(headers: &HeaderMap) -> Result<(), Answer> {
    let key = headers.get("x-api-key").and_then(|key| key.to_str().ok());
    if key == Some(KEY) { Ok(()) } else { Err((StatusCode::UNAUTHORIZED, Json(json!({ "message": "Unauthorized" })))) }
}

async fn create(State(bridge): State<Shared>, headers: HeaderMap, Json(body): Json<Value>) -> Result<Answer, Answer> {
    keyed(&headers)?;
    let name = body["name"].as_str().unwrap().to_owned();
    let mut bridge = bridge.lock().unwrap();
    if bridge.sessions.contains_key(&name) {
        let said = json!({ "statusCode": 422, "message": "Session already exists. Use PUT to update it." });
        return Err((StatusCode::UNPROCESSABLE_ENTITY, Json(said)));
    }
    assert_eq!(body["start"], true);
    bridge.sessions.insert(name.clone(), ("SCAN_QR_CODE".to_owned(), body["config"].clone()));
    Ok((StatusCode::CREATED, Json(json!({ "name": name, "status": "STARTING" }))))
}

async fn show(
    State(bridge): State<Shared>,
    headers: HeaderMap,
    Path(name): Path<String>,
) -> Result<Json<Value>, Answer> {
    keyed(&headers)?;
    let bridge = bridge.lock().unwrap();
    let Some((status, _)) = bridge.sessions.get(&name) else {
        return Err((StatusCode::NOT_FOUND, Json(json!({ "message": "Session not found" }))));
    };
    Ok(Json(json!({ "name": name, "status": status })))
}

async fn act(
    State(bridge): State<Shared>,
    headers: HeaderMap,
    Path((name, action)): Path<(String, String)>,
) -> Result<Answer, Answer> {
    keyed(&headers)?;
    let status = match action.as_str() {
        "start" | "restart" => "WORKING",
        "stop" | "logout" => "STOPPED",
        other => panic!("WAHA has no action {other}"),
    };
    bridge.lock().unwrap().sessions.get_mut(&name).unwrap().0 = status.to_owned();
    Ok((StatusCode::CREATED, Json(json!({ "name": name, "status": status }))))
}

async fn code(headers: HeaderMap, Query(query): Query<HashMap<String, String>>) -> Result<Json<Value>, Answer> {
    keyed(&headers)?;
    assert_eq!(query["format"], "raw");
    Ok(Json(json!({ "value": "2@code-of-the-bridge" })))
}

async fn exists(
    State(bridge): State<Shared>,
    headers: HeaderMap,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Json<Value>, Answer> {
    keyed(&headers)?;
    let (bridge, phone) = (bridge.lock().unwrap(), &query["phone"]);
    let account = bridge.accounts.get(phone).cloned().unwrap_or_else(|| format!("{phone}@c.us"));
    Ok(Json(json!({ "numberExists": !bridge.absent.contains(phone), "chatId": account })))
}

async fn send(
    State(bridge): State<Shared>,
    headers: HeaderMap,
    Json(body): Json<Value>,
    path: &str,
) -> Result<Answer, Answer> {
    keyed(&headers)?;
    let mut bridge = bridge.lock().unwrap();
    bridge.sent.push((path.to_owned(), body.clone()));
    if bridge.lost_answers > 0 {
        bridge.lost_answers -= 1;
        let said = json!({ "statusCode": 504, "message": "Gateway Timeout" });
        return Err((StatusCode::GATEWAY_TIMEOUT, Json(said)));
    }
    let id = format!("true_{}_3EB0{:016}", body["chatId"].as_str().unwrap(), bridge.sent.len());
    Ok((StatusCode::CREATED, Json(json!({ "id": id, "timestamp": 1, "fromMe": true }))))
}

/// A reaction is sent by PUT with the whole id of its message. The answer contains no id.
async fn react(
    State(bridge): State<Shared>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Result<Json<Value>, Answer> {
    keyed(&headers)?;
    bridge.lock().unwrap().sent.push(("reaction".to_owned(), body));
    Ok(Json(json!({})))
}
