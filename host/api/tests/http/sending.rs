//! What HTTP adds to sending (SPEC 4.1); the rules have their own tests.

use serde_json::{Value, json};

use super::service::{Call, Service};

const UNIFIED: &str = "/whatsapp-api-service/v2/messages";
const WHATSAPP: &str = "/whatsapp-api-service/v2/channels/whatsapp";

/// Outside the 24-hour window, so it is accepted with its recipient rejected.
fn chat() -> Value {
    json!({
        "sender": "+27820001001",
        "messageType": "CHAT",
        "messages": [{"recipients": [{"to": "+27830000001", "ctId": "a"}], "messageText": "hello"}],
    })
}

#[tokio::test]
async fn both_endpoints_answer_202_with_json() {
    let service = Service::start().await;
    for (path, body) in [(UNIFIED, json!({"channel": "WHATSAPP", "payload": chat()})), (WHATSAPP, chat())] {
        let answer = service.post(path, &body).await;
        assert_eq!(answer.status, 202, "{answer:?}");
        assert_eq!(answer.headers["content-type"], "application/json");
        let said = answer.json();
        assert_eq!((&said["acceptedCount"], &said["rejectedCount"]), (&json!(0), &json!(1)));
        assert_eq!(said["requestId"], answer.headers["x-request-id"].to_str().unwrap());
    }
}

#[tokio::test]
async fn a_repeated_key_replays_the_first_response_byte_for_byte() {
    let service = Service::start().await;
    let call =
        |body: &Value| Call::post(WHATSAPP, body.to_string()).key(&service.key).header("idempotency-key", "order-7");
    let first = service.send(call(&chat())).await;
    let mut other = chat();
    other["messages"][0]["messageText"] = json!("something else");
    let second = service.send(call(&other)).await;
    assert_eq!((first.status, &first.bytes), (second.status, &second.bytes));
    assert_ne!(first.headers["x-request-id"], second.headers["x-request-id"]);
}

#[tokio::test]
async fn a_malformed_idempotency_key_is_refused_and_named() {
    let service = Service::start().await;
    for bad in ["", "two words", &"a".repeat(256)] {
        let call = Call::post(WHATSAPP, chat().to_string()).key(&service.key).header("idempotency-key", bad);
        assert_eq!(service.send(call).await.field(), "Idempotency-Key", "{bad:?}");
    }
}

#[tokio::test]
async fn faults_name_their_fields() {
    let service = Service::start().await;
    let mut unknown_sender = chat();
    unknown_sender["sender"] = json!("27820009999");
    assert_eq!(service.post(WHATSAPP, &unknown_sender).await.field(), "sender");
    let wrong_type = json!({"sender": 5});
    assert_eq!(service.post(WHATSAPP, &wrong_type).await.field(), "sender");
    let nul = r#"{"sender":"2782\u00000001001"}"#;
    assert_eq!(service.send(Call::post(WHATSAPP, nul).key(&service.key)).await.field(), "sender");
}

#[tokio::test]
async fn of_many_faults_the_first_hundred_are_listed_and_all_are_counted() {
    let service = Service::start().await;
    let with_faults = |count: usize| {
        let mut body = chat();
        body["messageType"] = json!("NOTIFICATION");
        body["templateName"] = json!("a");
        body["templateId"] = json!("1");
        body["messages"][0]["components"] = json!(vec![json!({"type": "header", "url": "x"}); count]);
        body
    };
    for (count, listed, said) in [
        (2, 2, "and 1 more: details names them"),
        (100, 100, "details names them"),
        (250, 100, "and 249 more: details names the first 100"),
    ] {
        let answer = service.post(WHATSAPP, &with_faults(count)).await;
        assert_eq!(answer.field(), "messages[0].components[0].url");
        let body = answer.json();
        assert_eq!(body["details"].as_array().unwrap().len(), listed);
        assert!(body["message"].as_str().unwrap().ends_with(said), "{}", body["message"]);
    }
}

#[tokio::test]
async fn a_refusal_does_not_repeat_all_that_the_caller_wrote() {
    let service = Service::start().await;
    let mut body = chat();
    body["messageType"] = json!("x".repeat(15_000));
    let answer = service.post(WHATSAPP, &body).await;
    assert_eq!(answer.field(), "messageType");
    assert!(answer.bytes.len() < 6_000, "{} bytes", answer.bytes.len());
}
