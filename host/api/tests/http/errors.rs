//! Every row of the first table of `docs/errors.md`, provoked.

use std::{convert::Infallible, sync::Arc, time::Duration};

use api::{EarlyAnswers, EarlyFault};
use axum::body::{Body, Bytes};
use futures::stream;
use serde_json::json;
use tenancy::accounts::Role;

use super::{
    docs::rows,
    media,
    service::{Answer, Call, Options, Service},
};

const SEND: &str = "/whatsapp-api-service/v2/messages";
const NUMBERS: &str = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser";
const WEBHOOKS: &str = "/messaging-service/WhatsApp/WhatsAppClientWebHook";
const LOGIN: &str = "/messaging-service/WhatsApp/authenticate/retrieveApiKey";
const CALLBACK: &str = "/providers/whatsapp-cloud/webhook";

fn never_ends() -> Body {
    Body::from_stream(stream::pending::<Result<Bytes, Infallible>>())
}

/// Brings one error about, by its text.
async fn provoke(text: &str) -> Answer {
    match text {
        "HTTPS required" => {
            let service = Service::with(Options { require_https: true, ..Options::default() }).await;
            service.get(NUMBERS).await
        }
        "Too many requests" => {
            let mut options = Options::default();
            options.admission.requests_per_second = 1;
            let service = Service::with(options).await;
            service.get(NUMBERS).await;
            service.get(NUMBERS).await
        }
        "Service unavailable" => {
            let service = Service::start().await;
            service.context.db.close().await;
            service.get(NUMBERS).await
        }
        _ => provoke_as_usual(&Service::start().await, text).await,
    }
}

/// The answer of a listener before a request is routed.
fn early(service: &Service, fault: EarlyFault) -> Answer {
    let answer = EarlyAnswers::new(Arc::clone(&service.context)).answer(fault);
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers = lines.map(|line| line.split_once(": ").unwrap());
    let headers = headers.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
    Answer { status, headers, bytes: body.as_bytes().to_vec() }
}

/// Those that need no set-up of their own.
async fn provoke_as_usual(service: &Service, text: &str) -> Answer {
    let key = service.key.as_str();
    match text {
        "Bad request" => service.post(SEND, &json!({})).await,
        "Unauthorized user" => service.send(Call::get(NUMBERS)).await,
        "Invalid credentials" => {
            let login = json!({ "email": "ada@acme.example", "password": "wrong", "clientRef": "acme" });
            service.send(Call::post(LOGIN, login.to_string())).await
        }
        "Invalid signature" => service.send(Call::post(CALLBACK, "{}")).await,
        "Forbidden" => {
            let agent = service.key_of(Role::Agent).await;
            service.send(Call::post(SEND, "{}").key(&agent)).await
        }
        "Temporary password" => {
            let email = "thandi@acme.example";
            let user = json!({ "email": email, "name": "Thandi", "role": "AGENT" });
            let made = service.post("/api/v1/users", &user).await.json();
            let login = json!({ "email": email, "password": made["temporaryPassword"], "clientRef": "acme" });
            service.send(Call::post("/api/v1/sessions", login.to_string())).await
        }
        "Not found" => service.get("/nowhere").await,
        "Method not allowed" => service.get(SEND).await,
        "Request timeout" => service.send(Call::post(SEND, never_ends()).key(key)).await,
        "Conflict" => {
            let webhook = json!({ "statusUpdateURL": "https://example.com/status" });
            service.post(WEBHOOKS, &webhook).await;
            service.post(WEBHOOKS, &webhook).await
        }
        "Payload too large" => service.send(Call::post(SEND, vec![b' '; super::service::MAX_BODY + 1]).key(key)).await,
        "Unsupported media type" => {
            let call = Call::post(SEND, "{}").without("content-type").header("content-type", "text/plain");
            service.send(call.key(key)).await
        }
        "Internal server error" => {
            service.send(Call::post("/testing/clock/advance", json!({ "seconds": 13 }).to_string())).await
        }
        "Provider error" => service.post("/messaging-service/WhatsApp/templates/sync", &json!({})).await,
        "Range not satisfiable" => {
            let (_, path) = media::file(service, "image/png", b"png").await;
            service.send(Call::get(&path).header("range", "bytes=3-")).await
        }
        "Request header fields too large" => early(service, EarlyFault::HeadTooLarge),
        other => panic!("docs/errors.md has `{other}`, and nothing here provokes it"),
    }
}

#[tokio::test]
async fn every_documented_error_can_be_provoked_and_has_the_documented_text() {
    let rows = rows("errors.md");
    assert!(rows.len() >= 19, "{} rows: is the table still the first one of the page?", rows.len());
    for row in rows {
        let [status, text, cause, cure] = row.as_slice() else { panic!("not four cells: {row:?}") };
        assert!(!cause.is_empty() && !cure.is_empty(), "{row:?}");
        let text = text.trim_matches('`');
        let answer = tokio::time::timeout(Duration::from_secs(60), provoke(text)).await.expect(text);
        assert_eq!(answer.error(), (status.parse().unwrap(), text.to_owned()));
        assert!(!answer.json()["message"].as_str().unwrap().is_empty(), "{text} does not say what to do");
    }
}

#[tokio::test]
async fn a_send_of_the_sms_gateway_goes_to_the_other_host_if_the_key_cannot_be_checked() {
    let service = Service::start().await;
    service.context.db.close().await;
    let body = json!({ "recipients": [{ "to": "27820000001" }], "messageText": "hi" }).to_string();
    let post = Call::post("/sms/json", body).header("x-api-key", &service.key);
    let get = Call::get("/sms/json/?to=27820000001&messageText=hi").header("x-api-key", &service.key);
    for call in [post, get] {
        let answer = service.send(call).await;
        let told = answer.json();
        assert_eq!((answer.status.as_u16(), &told["statusCode"]), (502, &json!("502")), "{told}");
        assert_eq!((&told["statusDescription"], &told["gstid"]), (&json!("RESEND_VIA_BACKUP_GATEWAY"), &json!("")));
    }
    let tracking = Call::post("/sms/trackingMessageStatus", r#"{"ctid":"a"}"#).header("x-api-key", &service.key);
    assert_eq!(service.send(tracking).await.error().0, 503, "only a send can go elsewhere");
}

#[tokio::test]
async fn a_send_of_the_sms_gateway_is_retried_if_there_is_no_room() {
    let mut options = Options::default();
    options.admission.requests = 0;
    let service = Service::with(options).await;
    let call = Call::post("/sms/json", "{}").header("x-api-key", &service.key);
    assert_eq!(service.send(call).await.error().0, 503);
}
