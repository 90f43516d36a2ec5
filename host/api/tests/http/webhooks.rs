//! Webhook configuration (SPEC 2.12, 4.7, 7).

use base::audit::Administration;
use serde_json::json;
use tenancy::accounts::{NewClient, create_client};

use super::service::{Call, Service};

const BASE: &str = "/messaging-service/WhatsApp/WhatsAppClientWebHook";

#[tokio::test]
async fn a_default_is_created_once_read_back_and_has_a_secret() {
    let service = Service::start().await;
    assert_eq!(service.get(&format!("{BASE}/getForCurrentLoginUser")).await.error().0, 404);
    let body = json!({"statusUpdateURL": "https://hooks.example.com/status", "chatbotPayloadVersion": "v2"});
    let created = service.post(BASE, &body).await;
    assert_eq!(created.status, 200, "{created:?}");
    assert_eq!(created.json()["statusUpdateURL"], body["statusUpdateURL"]);
    assert_eq!(service.get(&format!("{BASE}/getForCurrentLoginUser")).await.json(), created.json());
    assert_eq!(service.post(BASE, &body).await.error(), (409, "Conflict".to_owned()));

    let id = created.json()["id"].as_str().unwrap().to_owned();
    let secret = service.get(&format!("{BASE}/{id}/secret")).await.json()["secret"].clone();
    assert!(secret.as_str().unwrap().starts_with("whsec_"));
    let rotate = Call::post(&format!("{BASE}/{id}/secret/rotate"), "").without("content-type").key(&service.key);
    let rotated = service.send(rotate).await.json()["secret"].clone();
    assert_ne!(secret, rotated);
    assert_eq!(service.get(&format!("{BASE}/{id}/secret")).await.json()["secret"], rotated);
}

#[tokio::test]
async fn an_override_of_a_number_that_is_not_yours_is_403() {
    let service = Service::start().await;
    let of = |id: String| json!({"whatsAppNumberId": id, "statusUpdateURL": "https://hooks.example.com/s"});
    for not_yours in ["nonsense".to_owned(), service.number.link_id.to_string()] {
        assert_eq!(service.post(BASE, &of(not_yours)).await.error(), (403, "Forbidden".to_owned()));
    }
    assert_eq!(service.post(BASE, &of(service.number.id.to_string())).await.status, 200);
    assert_eq!(service.post(BASE, &of(service.number.id.to_string())).await.error().0, 409);
}

#[tokio::test]
async fn addresses_that_may_not_be_called_are_named() {
    let service = Service::start().await;
    for bad in ["http://127.0.0.1/", "ftp://example.com/", "https://user@example.com/", "nonsense"] {
        assert_eq!(service.post(BASE, &json!({"incomingMessageURL": bad})).await.field(), "incomingMessageURL");
    }
}

#[tokio::test]
async fn another_clients_configuration_is_404_like_one_that_does_not_exist() {
    let service = Service::start().await;
    let created = service.post(BASE, &json!({"statusUpdateURL": "https://hooks.example.com/s"})).await.json();
    let id = created["id"].as_str().unwrap();
    let other = NewClient {
        client_ref: "other".to_owned(),
        name: "Other".to_owned(),
        email: "o@other.example".to_owned(),
        password: "correct horse".to_owned(),
        parent: None,
        allow_private_targets: false,
    };
    let other = create_client(&Administration::from(service.context.as_ref()), other).await.unwrap();
    let theirs = service.send(Call::get(&format!("{BASE}/{id}/secret")).key(other.api_key.expose())).await;
    let unowned = service.get(&format!("{BASE}/{}/secret", uuid::Uuid::nil())).await;
    let no_id = service.get(&format!("{BASE}/nonsense/secret")).await;
    for answer in [&theirs, &unowned, &no_id] {
        assert_eq!(answer.error(), (404, "Not found".to_owned()));
        assert_eq!(answer.json()["message"], theirs.json()["message"]);
    }
}
