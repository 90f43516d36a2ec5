//! Lists of numbers and templates (SPEC 2.13, 4.7).

use base::audit::Administration;
use serde_json::json;
use tenancy::accounts::{NewClient, create_client};

use super::service::{Call, Service};

const NUMBERS: &str = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser";
const TEMPLATES: &str = "/messaging-service/WhatsApp/templates";

#[tokio::test]
async fn a_number_row_has_its_link_id_and_the_number_nested() {
    let service = Service::start().await;
    let body = service.get(NUMBERS).await.json();
    assert_eq!(
        body,
        json!({
            "content": [{
                "id": service.number.link_id,
                "whatsAppNumber": {
                    "id": service.number.id,
                    "number": "27820001001",
                    "whatsAppProvider": "WHATSAPP_CLOUD",
                },
            }],
            "totalElements": 1, "totalPages": 1, "size": 10, "number": 0, "first": true, "last": true,
        })
    );
}

#[tokio::test]
async fn numbers_are_searched_by_any_part_with_or_without_plus() {
    let service = Service::start().await;
    for (search, found) in [("2000", 1), ("%2B2782", 1), ("2783", 0), ("%25", 0), ("_", 0)] {
        let body = service.get(&format!("{NUMBERS}?searchString={search}")).await.json();
        assert_eq!(body["totalElements"], found, "{search}");
    }
}

#[tokio::test]
async fn an_invalid_page_is_named() {
    let service = Service::start().await;
    for (query, field) in [
        ("page=x", "page"),
        ("page=-1", "page"),
        ("page=4294967295", "page"),
        ("size=0", "size"),
        ("size=501", "size"),
        ("searchString=%00", "searchString"),
    ] {
        assert_eq!(service.get(&format!("{NUMBERS}?{query}")).await.field(), field);
    }
    assert_eq!(service.get(&format!("{NUMBERS}?page=2147483647&size=500")).await.json()["content"], json!([]));
}

#[tokio::test]
async fn another_client_sees_none_of_it() {
    let service = Service::start().await;
    let other = NewClient {
        client_ref: "other".to_owned(),
        name: "Other".to_owned(),
        email: "o@other.example".to_owned(),
        password: "correct horse".to_owned(),
        parent: None,
        allow_private_targets: false,
    };
    let other = create_client(&Administration::from(service.context.as_ref()), other).await.unwrap();
    for path in [NUMBERS, TEMPLATES] {
        let body = service.send(Call::get(path).key(other.api_key.expose())).await.json();
        assert_eq!(body["totalElements"], 0);
    }
}

#[tokio::test]
async fn a_provider_that_does_not_answer_is_502() {
    let service = Service::start().await;
    let answer = service.send(Call::post(&format!("{TEMPLATES}/sync"), "").key(&service.key)).await;
    assert_eq!(answer.error(), (502, "Provider error".to_owned()));
}
