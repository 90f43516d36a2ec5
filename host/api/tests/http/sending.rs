//! The HTTP part of sending (SPEC 4.1). The rules have their own tests.

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

const SMS: &str = "/whatsapp-api-service/v2/channels/sms";

/// A text to these numbers: an SMS has no window.
fn sms(numbers: &[&str]) -> Value {
    let recipients: Vec<Value> = numbers.iter().map(|number| json!({ "to": number })).collect();
    json!({ "messages": [{ "recipients": recipients, "messageText": "hello" }] })
}

#[tokio::test]
async fn a_repeated_key_replays_the_first_response_byte_for_byte() {
    let service = Service::start().await;
    let call = |body: &Value| Call::post(SMS, body.to_string()).key(&service.key).header("idempotency-key", "order-7");
    let first = service.send(call(&sms(&["+27830000001"]))).await;
    assert_eq!((first.status.as_u16(), &first.json()["acceptedCount"]), (202, &json!(1)), "{first:?}");
    let second = service.send(call(&sms(&["+27830000002"]))).await;
    assert_eq!((first.status, &first.bytes), (second.status, &second.bytes));
    assert_ne!(first.headers["x-request-id"], second.headers["x-request-id"]);
}

#[tokio::test]
async fn a_request_whose_recipients_were_all_rejected_leaves_its_key_free() {
    let service = Service::start().await;
    let call = |path: &str, body: &Value| {
        Call::post(path, body.to_string()).key(&service.key).header("idempotency-key", "order-8")
    };
    for _ in 0..2 {
        let rejected = service.send(call(WHATSAPP, &chat())).await;
        assert_eq!((&rejected.json()["acceptedCount"], &rejected.json()["rejectedCount"]), (&json!(0), &json!(1)));
        assert_eq!(rejected.json()["requestId"], rejected.headers["x-request-id"].to_str().unwrap(), "a new answer");
    }
    let accepted = service.send(call(SMS, &sms(&["+27830000001", "nobody"]))).await;
    assert_eq!((&accepted.json()["acceptedCount"], &accepted.json()["rejectedCount"]), (&json!(1), &json!(1)));
    let replayed = service.send(call(WHATSAPP, &chat())).await;
    assert_eq!(replayed.bytes, accepted.bytes, "an answer with accepted recipients is replayed");
}

#[tokio::test]
async fn simultaneous_requests_with_one_key_share_an_acceptance_and_not_a_rejection() {
    let service = Service::start().await;
    let call = |path: &str, body: &Value| {
        service.send(Call::post(path, body.to_string()).key(&service.key).header("idempotency-key", "order-9"))
    };
    let (wrong, good) = (chat(), sms(&["+27830000001"]));
    let (rejected, accepted, again) = tokio::join!(call(WHATSAPP, &wrong), call(SMS, &good), call(SMS, &good));
    assert_eq!(accepted.bytes, again.bytes);
    assert_eq!(accepted.json()["acceptedCount"], json!(1));
    // It is rejected on its own, or it replays the accepted one, if that came first.
    assert!(rejected.json()["acceptedCount"] == json!(0) || rejected.bytes == accepted.bytes, "{rejected:?}");
}

#[tokio::test]
async fn a_byte_order_mark_before_json_is_no_part_of_it() {
    let service = Service::start().await;
    let marked = [b"\xef\xbb\xbf".as_slice(), chat().to_string().as_bytes()].concat();
    let answer = service.send(Call::post(WHATSAPP, marked).key(&service.key)).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    assert_eq!(answer.json()["reqObject"], chat(), "the echo is the JSON without it");
    let twice = [b"\xef\xbb\xbf\xef\xbb\xbf".as_slice(), chat().to_string().as_bytes()].concat();
    assert_eq!(service.send(Call::post(WHATSAPP, twice).key(&service.key)).await.field(), "body");
    let login = [b"\xef\xbb\xbf".as_slice(), b"{}"].concat();
    let answer = service.send(Call::post("/messaging-service/WhatsApp/authenticate/retrieveApiKey", login)).await;
    assert_ne!(answer.field(), "body", "read, and refused for what is missing");
}

#[tokio::test]
async fn a_compressed_body_is_refused_for_being_compressed() {
    let service = Service::start().await;
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xab\xae\x05\0\x43\xbf\xa6\xa3\x02\0\0\0".to_vec();
    let post = |body: &[u8]| Call::post(WHATSAPP, body.to_vec()).key(&service.key);
    for (call, said) in [
        (post(&gzip).header("content-encoding", "gzip"), "gzip"),
        (post(&gzip), "gzip"),
        (post(b"{}").header("content-encoding", "br"), "br"),
        (post(b"{}").header("content-encoding", "identity, deflate"), "deflate"),
    ] {
        let refused = service.send(call).await;
        assert_eq!(refused.error(), (415, "Unsupported media type".to_owned()));
        let message = refused.json()["message"].as_str().unwrap().to_owned();
        assert!(message.contains(&format!("compressed ({said})")), "{message}");
    }
    let plain = post(chat().to_string().as_bytes()).header("content-encoding", "identity");
    assert_eq!(service.send(plain).await.status, 202);
}

#[tokio::test]
async fn a_request_without_a_host_is_refused_and_named() {
    let service = Service::start().await;
    let mut call = Call::post(WHATSAPP, chat().to_string()).key(&service.key);
    call.0.extensions_mut().insert(api::HeadFault { header: "Host", said: "is missing" });
    assert_eq!(service.send(call).await.field(), "Host");
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
async fn the_first_hundred_faults_are_listed_and_all_are_counted() {
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
async fn a_refusal_cuts_long_values_of_the_caller() {
    let service = Service::start().await;
    let mut body = chat();
    body["messageType"] = json!("x".repeat(15_000));
    let answer = service.post(WHATSAPP, &body).await;
    assert_eq!(answer.field(), "messageType");
    assert!(answer.bytes.len() < 6_000, "{} bytes", answer.bytes.len());
}
