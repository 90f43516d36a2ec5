//! API keys (SPEC 4.6, part 5).

use serde_json::{Value, json};
use tenancy::accounts::Role;

use super::service::{Call, PASSWORD, Service};

const RETRIEVE: &str = "/messaging-service/WhatsApp/authenticate/retrieveApiKey";
const GENERATE: &str = "/messaging-service/WhatsApp/SystemUsers/generateAPIKey";
const NUMBERS: &str = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser";

fn login(password: &str) -> Value {
    json!({"email": "ada@acme.example", "password": password, "clientRef": "acme"})
}

#[tokio::test]
async fn the_key_is_retrieved_without_a_key() {
    let service = Service::start().await;
    let answer = service.send(Call::post(RETRIEVE, login(PASSWORD).to_string())).await;
    assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({"apiKey": service.key})));
}

#[tokio::test]
async fn wrong_credentials_are_401_and_then_429_with_the_time_to_wait() {
    let service = Service::start().await;
    for _ in 0..10 {
        let answer = service.send(Call::post(RETRIEVE, login("wrong").to_string())).await;
        assert_eq!(answer.error(), (401, "Invalid credentials".to_owned()));
    }
    let answer = service.send(Call::post(RETRIEVE, login(PASSWORD).to_string())).await;
    assert_eq!(answer.error(), (429, "Too many requests".to_owned()));
    assert_eq!(answer.headers["retry-after"], "900");
}

#[tokio::test]
async fn missing_fields_of_a_login_are_named_all_at_once() {
    let service = Service::start().await;
    let answer = service.send(Call::post(RETRIEVE, "{}")).await;
    let details = answer.json()["details"].clone();
    let fields: Vec<&str> = details.as_array().unwrap().iter().map(|fault| fault["field"].as_str().unwrap()).collect();
    assert_eq!((answer.status.as_u16(), fields), (400, vec!["email", "password", "clientRef"]));
    let typed = json!({"email": 1, "password": "x", "clientRef": "acme"});
    assert_eq!(service.send(Call::post(RETRIEVE, typed.to_string())).await.field(), "email");
}

#[tokio::test]
async fn a_generated_key_replaces_the_old_one() {
    let service = Service::start().await;
    let answer = service.send(Call::post(GENERATE, "").without("content-type").key(&service.key)).await;
    let token = answer.json()["token"].as_str().unwrap().to_owned();
    assert_eq!(service.get(NUMBERS).await.error(), (401, "Unauthorized user".to_owned()));
    assert_eq!(service.send(Call::get(NUMBERS).key(&token)).await.status, 200);
}

#[tokio::test]
async fn only_the_raw_key_in_one_header_is_taken() {
    let service = Service::start().await;
    let key = &service.key;
    let calls = [
        Call::get(NUMBERS),
        Call::get(NUMBERS).key(&format!("Bearer {key}")),
        Call::get(NUMBERS).key(&key[..35]),
        Call::get(NUMBERS).key(&format!("{key}0")),
        Call::get(NUMBERS).key("00000000-0000-4000-8000-000000000000"),
        Call::get(NUMBERS).key(key).key(key),
        Call::get(NUMBERS).header("x-api-key", key),
        Call::get(NUMBERS).header("cookie", &format!("Authorization={key}")),
    ];
    for call in calls {
        assert_eq!(service.send(call).await.error(), (401, "Unauthorized user".to_owned()));
    }
}

#[tokio::test]
async fn the_key_is_checked_before_the_body() {
    let service = Service::start().await;
    let call = Call::post("/whatsapp-api-service/v2/messages", "no json").without("content-type");
    assert_eq!(service.send(call).await.error().0, 401);
}

#[tokio::test]
async fn a_role_without_permission_is_403() {
    let service = Service::start().await;
    let agent = service.key_of(Role::Agent).await;
    assert_eq!(service.send(Call::get(NUMBERS).key(&agent)).await.status, 200);
    for (path, key) in [
        ("/whatsapp-api-service/v2/messages", agent.clone()),
        ("/messaging-service/WhatsApp/WhatsAppClientWebHook", service.key_of(Role::Api).await),
        ("/messaging-service/WhatsApp/templates/sync", agent),
        ("/plugin-service/api/v1/plugins/any/activate", service.key_of(Role::Supervisor).await),
    ] {
        let answer = service.send(Call::post(path, "{}").key(&key)).await;
        assert_eq!(answer.error(), (403, "Forbidden".to_owned()), "{path}");
    }
}
