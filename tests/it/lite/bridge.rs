//! Lite over an HTTP bridge that speaks WAHA's API, as its documentation describes it (PROVIDERS D.3): the stub stands for it.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use axum::{
    Json, Router,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode},
    routing::{get, post},
};
use harness::{Setup, eventually};
use hmac::{Hmac, Mac};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::Sha512;

use super::{Lite, UP};

const KEY: &str = "key-of-the-bridge";
const SECRET: &str = "secret-of-the-webhooks";

/// What the stub knows.
#[derive(Default)]
struct Bridge {
    /// Status and configuration of each session.
    sessions: HashMap<String, (String, Value)>,
    /// Bodies of sends, with their paths.
    sent: Vec<(String, Value)>,
    /// Who is not on WhatsApp.
    absent: Vec<String>,
}

type Shared = Arc<Mutex<Bridge>>;
type Answer = (StatusCode, Json<Value>);

/// A pretend WAHA.
struct Waha {
    address: SocketAddr,
    bridge: Shared,
}

impl Waha {
    async fn start() -> Self {
        let bridge = Shared::default();
        let sends = ["sendText", "sendImage", "sendFile", "sendLocation", "sendVideo", "sendVoice"];
        let mut router = Router::new()
            .route("/api/sessions", post(create))
            .route("/api/sessions/{name}", get(show))
            .route("/api/sessions/{name}/{action}", post(act))
            .route("/api/{session}/auth/qr", get(code))
            .route("/api/contacts/check-exists", get(exists));
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

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The only session, once it is there: its name and its first webhook.
    async fn session(&self) -> (String, Value) {
        eventually("a session at the bridge", || async {
            let bridge = self.bridge.lock().unwrap();
            let (name, (_, config)) = bridge.sessions.iter().next()?;
            Some((name.clone(), config["webhooks"][0].clone()))
        })
        .await
    }

    fn set_status(&self, name: &str, status: &str) {
        self.bridge.lock().unwrap().sessions.get_mut(name).unwrap().0 = status.to_owned();
    }

    fn status(&self, name: &str) -> String {
        self.bridge.lock().unwrap().sessions[name].0.clone()
    }

    /// Posts an event to the webhook of the session, as WAHA signs it. Answers the status.
    #[expect(clippy::disallowed_methods, reason = "somebody else's server has its own clock and its own client")]
    async fn tells(&self, event: &str, payload: Value, secret: &str) -> u16 {
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

    fn sent(&self) -> Vec<(String, Value)> {
        self.bridge.lock().unwrap().sent.clone()
    }
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
    let absent = bridge.lock().unwrap().absent.contains(&query["phone"]);
    Ok(Json(json!({ "numberExists": !absent, "chatId": format!("{}@c.us", query["phone"]) })))
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
    let id = format!("true_{}_3EB0{:016}", body["chatId"].as_str().unwrap(), bridge.sent.len());
    Ok((StatusCode::CREATED, Json(json!({ "id": id, "timestamp": 1, "fromMe": true }))))
}

fn with(waha: &Waha) -> Setup {
    Setup::new()
        .set("whatsapp_lite.bridge_url", &waha.url())
        .set("whatsapp_lite.bridge_api_key", KEY)
        .set("whatsapp_lite.webhook_secret", SECRET)
}

#[tokio::test]
async fn a_number_behind_a_bridge_is_paired_sends_and_receives() {
    let waha = Waha::start().await;
    let patchbay = with(&waha).start().await;
    let lite = Lite::new(&patchbay, patchbay.bare_client("acme"), "27831000001").await;
    lite.ask(Method::POST, "/connect", None).await.accepted();
    assert_eq!(lite.waits_for_scan().await, "2@code-of-the-bridge");
    let (session, webhook) = waha.session().await;
    assert_eq!(webhook["hmac"]["key"], SECRET);
    waha.set_status(&session, "WORKING");
    let texts = lite.told(UP).await;
    assert_eq!(texts, ["Initializing...", "Connecting...", UP]);

    let payload = {
        let mut payload = lite.client.chat("27820000001", "over the bridge");
        payload["messages"][0]["recipients"][0]["ctId"] = json!("ct-1");
        payload
    };
    lite.client.send(&payload).await.accepted();
    lite.client.statuses(&lite.sink, "ct-1", "ACCEPTED").await;
    let (path, body) = waha.sent()[0].clone();
    let expected = json!({ "session": session, "chatId": "27820000001@c.us", "text": "over the bridge" });
    assert_eq!((path.as_str(), body), ("sendText", expected));
    for (ack, name) in [(1, "SERVER"), (2, "DEVICE"), (3, "READ")] {
        let id = "true_27820000001@c.us_3EB00000000000000001";
        let told = json!({ "id": id, "from": "27820000001@c.us", "fromMe": true, "ack": ack, "ackName": name });
        assert_eq!(waha.tells("message.ack", told, SECRET).await, 200);
    }
    let statuses = lite.client.statuses(&lite.sink, "ct-1", "READ").await;
    assert_eq!(statuses, ["ACCEPTED", "SENT", "DELIVERED", "READ"]);

    let told = json!({
        "id": "false_27820000001@c.us_AAAA", "timestamp": 1_760_000_000, "from": "27820000001@c.us", "fromMe": false,
        "to": "27831000001@c.us", "body": "thank you", "hasMedia": false, "_data": { "notifyName": "Zo" },
    });
    assert_eq!(waha.tells("message", told.clone(), SECRET).await, 200);
    assert_eq!(waha.tells("message", told, SECRET).await, 200);
    let body = lite.sink.receives("incoming", "the message", |body| body["text"] == "thank you").await;
    assert_eq!((&body["sender"], &body["profileName"]), (&json!("27820000001"), &json!("Zo")));
    assert_eq!(lite.sink.bodies("incoming").len(), 1, "a repetition is no second message");

    lite.ask(Method::POST, "/disconnect", None).await.accepted();
    lite.told("Disconnected by API request").await;
    assert_eq!(waha.status(&session), "STOPPED");
    lite.ask(Method::POST, "/connect", None).await.accepted();
    lite.up_times(2).await;
}

#[tokio::test]
async fn a_webhook_of_a_bridge_must_be_signed_and_be_about_a_lite_number() {
    let waha = Waha::start().await;
    let patchbay = with(&waha).start().await;
    let lite = Lite::new(&patchbay, patchbay.bare_client("acme"), "27831000001").await;
    lite.ask(Method::POST, "/connect", None).await.accepted();
    waha.session().await;
    let told = json!({ "id": "false_27820000001@c.us_BBBB", "timestamp": 1_760_000_000, "from": "27820000001@c.us", "body": "x" });
    assert_eq!(waha.tells("message", told.clone(), "another secret").await, 401);
    let group = json!({ "id": "false_1@g.us_CCCC", "timestamp": 1_760_000_000, "from": "1203@g.us", "body": "x" });
    assert_eq!(waha.tells("message", group, SECRET).await, 200);
    let nobody = uuid::Uuid::from_u128(1);
    let path = format!("/providers/whatsapp-lite/webhook/{nobody}/{nobody}");
    let unsigned = patchbay.ask(Method::POST, &path, &[("content-type", "application/json")], "{}").await;
    assert_eq!(unsigned.status, 401);
    assert!(lite.sink.bodies("incoming").is_empty());
}

#[tokio::test]
async fn files_places_and_absent_recipients_over_a_bridge() {
    let waha = Waha::start().await;
    let patchbay = with(&waha).start().await;
    let lite = Lite::new(&patchbay, patchbay.bare_client("acme"), "27831000001").await;
    lite.ask(Method::POST, "/connect", None).await.accepted();
    let (session, _) = waha.session().await;
    waha.set_status(&session, "WORKING");
    lite.told(UP).await;
    waha.bridge.lock().unwrap().absent.push("27820000002".to_owned());
    let mut payload = lite.client.chat("27820000002", "anybody?");
    payload["messages"][0]["recipients"][0]["ctId"] = json!("ct-2");
    lite.client.send(&payload).await.accepted();
    lite.client.statuses(&lite.sink, "ct-2", "FAILED").await;
    let picture = json!({
        "sender": lite.number,
        "messageType": "CHAT",
        "messages": [{
            "recipients": [{ "to": "27820000001", "ctId": "ct-3" }],
            "media": { "url": "https://files.example/cat.jpg", "caption": "a cat" },
        }],
    });
    lite.client.send(&picture).await.accepted();
    lite.client.statuses(&lite.sink, "ct-3", "ACCEPTED").await;
    let sent = waha.sent();
    assert_eq!(sent.len(), 1, "nothing goes to somebody who is not there: {sent:?}");
    let (path, body) = &sent[0];
    assert_eq!(path, "sendImage");
    assert_eq!((&body["file"]["url"], &body["caption"]), (&json!("https://files.example/cat.jpg"), &json!("a cat")));
}
