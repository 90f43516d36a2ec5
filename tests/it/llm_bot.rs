//! `examples/llm-bot` and a local API that answers like a language model (`docs/plugins/llm.md`): a late answer, a tool, a
//! hand-over. `make soak` has a model that takes 40 s.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Json, Router,
    extract::State,
    http::HeaderMap,
    routing::{get, post},
};
use harness::{SharedPatchbay, TestClient, TestPhone, eventually, example};
use serde_json::{Value, json};
use tokio::sync::Notify;

const BOT: &str = "llm-bot";
const INSTRUCTIONS: &str = "You answer customers of a shop.";
const LATE: &str = "where is order 1001?";
const LATE_ANSWER: &str = "Order 1001 is on its way.";
const GREETING: &str = "Hello! How can I help?";
const PERSON: &str = "a person, please";

/// An API of chat completions, and the orders that its tool looks up.
struct LocalModel {
    /// The header `authorization` and the body of each request.
    requests: Mutex<Vec<(String, Value)>>,
    /// The question [`LATE`] is answered after this time and after `go`.
    delay: Duration,
    go: Notify,
}

impl LocalModel {
    async fn start(delay: Duration) -> (Arc<Self>, SocketAddr) {
        let model = Arc::new(Self { requests: Mutex::default(), delay, go: Notify::new() });
        let order = || async { Json(json!({ "status": "shipped" })) };
        let router = Router::new().route("/v1/chat/completions", post(complete)).route("/orders/1001", get(order));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = router.with_state(Arc::clone(&model));
        tokio::spawn(async move { axum::serve(listener, router).await });
        (model, address)
    }

    /// The texts of the messages of each request, without its instructions.
    fn prompts(&self) -> Vec<Vec<String>> {
        let requests = self.requests.lock().unwrap();
        let text = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
        requests.iter().map(|(_, body)| body["messages"].as_array().unwrap()[1..].iter().map(text).collect()).collect()
    }
}

async fn complete(State(model): State<Arc<LocalModel>>, headers: HeaderMap, Json(body): Json<Value>) -> Json<Value> {
    let authorization = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let last = body["messages"].as_array().and_then(|messages| messages.last()).cloned().unwrap_or_default();
    model.requests.lock().unwrap().push((authorization.to_owned(), body));
    let message = match (last["role"].as_str(), last["content"].as_str()) {
        (Some("tool"), Some(r#"{"status":"shipped"}"#)) if last["tool_call_id"] == "call-1" => says(LATE_ANSWER),
        (Some("user"), Some(LATE)) => {
            tokio::time::sleep(model.delay).await;
            model.go.notified().await;
            calls("order_status", &json!({ "number": "1001" }))
        }
        (Some("user"), Some(PERSON)) => calls("hand_over", &json!({ "reason": "The customer asks for a person." })),
        _ => says(GREETING),
    };
    Json(json!({ "choices": [{ "message": message }] }))
}

fn says(text: &str) -> Value {
    json!({ "role": "assistant", "content": text })
}

fn calls(tool: &str, arguments: &Value) -> Value {
    let function = json!({ "name": tool, "arguments": arguments.to_string() });
    let call = json!({ "id": "call-1", "type": "function", "function": function });
    json!({ "role": "assistant", "content": null, "tool_calls": [call] })
}

async fn activate(client: &TestClient, model: SocketAddr) {
    let config = json!({
        "api": format!("http://{model}/v1/chat/completions"),
        "key": "secret-key",
        "model": "small",
        "instructions": INSTRUCTIONS,
        "orderApi": format!("http://{model}"),
    });
    let version = client.upload(BOT, example(BOT)).await;
    let body = json!({ "version": version, "mode": "live", "config": config, "allowedHosts": [model.to_string()] });
    client.put_in_force(BOT, body).await;
}

async fn hears(phone: &TestPhone, text: &str) {
    phone.receives(text, |message| message["text"] == text).await;
}

#[tokio::test]
async fn a_bot_with_a_late_model_types_serves_others_uses_its_tool_and_hands_over() {
    println!("{}", answered_after(Duration::ZERO).await);
}

/// Plays the story with a first answer after `delay`. Returns the counts.
///
/// # Panics
///
/// If a customer gets another answer, or gets it at another time.
pub async fn answered_after(delay: Duration) -> String {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let (model, address) = LocalModel::start(delay).await;
    activate(&client, address).await;
    let (late, quick) = (patchbay.new_phone(), patchbay.new_phone());

    late.write(&client.number, LATE).await;
    eventually("the request", || async { (!model.prompts().is_empty()).then_some(()) }).await;
    eventually("the bot to type", || async { (late.state().await["typing"] == true).then_some(()) }).await;
    quick.write(&client.number, "hi").await;
    hears(&quick, GREETING).await;
    assert_eq!(late.inbox().await, Vec::<Value>::new(), "the first customer still waits");
    model.go.notify_one();
    hears(&late, LATE_ANSWER).await;
    late.write(&client.number, PERSON).await;
    hears(&late, "A colleague will answer you here.").await;

    let path = format!("/chat-service/api/v2/chats?scope=all&search={}", late.msisdn);
    eventually("the hand-over", || async {
        let chats = client.get(&path).await.ok();
        (chats["content"][0]["chatBotConversation"] == false).then_some(())
    })
    .await;
    let prompts = model.prompts();
    let texts = [&[LATE][..], &["hi"], &[LATE, "", r#"{"status":"shipped"}"#], &[LATE, LATE_ANSWER, PERSON]];
    assert_eq!(prompts, texts);
    let keys: Vec<String> = model.requests.lock().unwrap().iter().map(|(key, _)| key.clone()).collect();
    assert!(keys.iter().all(|key| key == "Bearer secret-key"), "{keys:?}");
    format!("{} requests, the first of {} s, a tool and a hand-over", prompts.len(), delay.as_secs())
}
