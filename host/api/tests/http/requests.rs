//! The log of requests (`GET /api/v1/requests`).

use chrono::TimeDelta;
use serde_json::{Value, json};
use tenancy::accounts::Role;

use super::service::{Answer, Call, Service};

const LOG: &str = "/api/v1/requests";
const SEND: &str = "/whatsapp-api-service/v2/channels/whatsapp";
const BLOCKLIST: &str = "/messaging-service/WhatsApp/blocklist";

/// The stored requests that a query finds.
async fn logged(service: &Service, query: &str) -> Vec<Value> {
    service.request_log.flush().await;
    let answer = service.get(&format!("{LOG}?{query}")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["content"].as_array().unwrap().clone()
}

fn id(answer: &Answer) -> &str {
    answer.headers["x-request-id"].to_str().unwrap()
}

#[tokio::test]
async fn a_request_is_logged_with_its_id_key_status_and_duration() {
    let service = Service::start().await;
    let answer = service.get(&format!("{BLOCKLIST}?page=0")).await;
    let found = logged(&service, "").await;
    assert_eq!(found.len(), 1, "{found:?}");
    let one = &found[0];
    assert_eq!((one["requestId"].as_str(), one["path"].as_str()), (Some(id(&answer)), Some(BLOCKLIST)));
    assert_eq!((one["method"].as_str(), one["status"].as_u64()), (Some("GET"), Some(200)));
    assert_eq!(one["keyStart"].as_str(), Some(&service.key[..4]));
    assert!(one["durationMillis"].as_f64().unwrap() > 0.0 && one.get("body").is_none(), "{one}");
    let me = service.get("/api/v1/users/me").await.json();
    assert_eq!(one["userId"], me["id"]);
}

#[tokio::test]
async fn the_body_of_a_failed_request_is_masked_and_that_of_a_good_one_is_not_kept() {
    let service = Service::start().await;
    let body = json!({
        "sender": "27820001001", "messageType": "CHAT", "password": "hunter2", "messages": [{"messageText": "secret words"}]
    });
    assert_eq!(service.post(SEND, &body).await.status, 400);
    assert_eq!(service.send(Call::post(SEND, "{\"a\": ").key(&service.key)).await.status, 400);
    let good = json!({ "recipients": ["27820000099"], "reason": "asked" });
    assert!(service.post(BLOCKLIST, &good).await.status.is_success());

    let bodies: Vec<Value> = logged(&service, "").await.iter().map(|one| one["body"].clone()).collect();
    assert_eq!(bodies[0], Value::Null);
    assert_eq!(bodies[1], "(not JSON, 6 bytes)");
    let masked: Value = serde_json::from_str(bodies[2].as_str().unwrap()).unwrap();
    assert_eq!(
        masked,
        json!({
            "sender": "*** (11 characters)", "messageType": "CHAT", "password": "*** (7 characters)",
            "messages": [{"messageText": "*** (12 characters)"}]
        })
    );
}

#[tokio::test]
async fn a_phone_number_in_a_path_is_masked() {
    let service = Service::start().await;
    let call = axum::http::Request::delete(format!("{BLOCKLIST}/27820000099"));
    let call = Call(call.body(axum::body::Body::empty()).unwrap()).key(&service.key);
    service.send(call).await;
    assert_eq!(logged(&service, "").await[0]["path"], format!("{BLOCKLIST}/***"));
}

#[tokio::test]
async fn filters_find_requests_by_status_path_method_time_and_id() {
    let service = Service::start().await;
    let listed = service.get(BLOCKLIST).await;
    let failed = service.post(SEND, &json!({})).await;
    let missing = service.get("/messaging-service/WhatsApp/messages/0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41").await;
    assert_eq!((failed.status.as_u16(), missing.status.as_u16()), (400, 404));
    let (listed, failed, missing) = (id(&listed), id(&failed), id(&missing));
    let now = service.context.now();
    let time = |seconds| (now + TimeDelta::seconds(seconds)).format("%Y-%m-%dT%H:%M:%SZ").to_string();
    for (query, expected) in [
        ("status=failed".to_owned(), vec![missing, failed]),
        ("status=404".to_owned(), vec![missing]),
        ("status=4xx&method=post".to_owned(), vec![failed]),
        ("path=/whatsapp-api-service".to_owned(), vec![failed]),
        ("path=/messaging-service/&status=2xx".to_owned(), vec![listed]),
        ("path=/messaging-service/WhatsApp/messages&status=failed".to_owned(), vec![missing]),
        (format!("requestId={failed}"), vec![failed]),
        (format!("requestId={failed}&status=404"), vec![]),
        (format!("from={}&path=/whatsapp-api-service", time(-1)), vec![failed]),
        (format!("from={}&path=/whatsapp-api-service", time(2)), vec![]),
        (format!("to={}&status=failed", time(-1)), vec![]),
        (format!("to={}&status=failed", time(2)), vec![missing, failed]),
        ("status=failed&size=1&page=1".to_owned(), vec![failed]),
    ] {
        let found = logged(&service, &query).await;
        let found: Vec<&str> = found.iter().map(|one| one["requestId"].as_str().unwrap()).collect();
        assert_eq!(found, expected, "{query}");
    }
    for (query, field) in [
        ("status=600", "status"),
        ("requestId=x", "requestId"),
        ("from=yesterday", "from"),
        ("to=soon", "to"),
        ("size=0", "size"),
    ] {
        assert_eq!(service.get(&format!("{LOG}?{query}")).await.field(), field, "{query}");
    }
}

#[tokio::test]
async fn only_requests_of_the_client_with_a_key_are_listed_and_only_to_its_developers() {
    let service = Service::start().await;
    service.send(Call::get(BLOCKLIST)).await;
    service.send(Call::get(BLOCKLIST).key("b8b8f4b2-6a53-4c6f-9a4e-0b6f4a1c2d3e")).await;
    assert_eq!(logged(&service, "").await, Vec::<Value>::new());
    for (role, status) in [(Role::Developer, 200), (Role::Agent, 403), (Role::Supervisor, 403), (Role::Api, 403)] {
        let key = service.key_of(role).await;
        assert_eq!(service.send(Call::get(LOG).key(&key)).await.status, status, "{role}");
    }
    // The refused ones were made with keys of the client.
    assert_eq!(logged(&service, "status=403").await.len(), 3);
}
