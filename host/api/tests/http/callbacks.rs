//! Provider callbacks: nothing that is not signed changes anything (PROVIDERS A.7).

use channels::whatsapp_cloud::callback::signature;
use serde_json::{Value, json};

use super::service::{APP_SECRET, Call, Options, Service};

const WEBHOOK: &str = "/providers/whatsapp-cloud/webhook";

/// An inbound message for the number of a service, or for another.
fn message(phone_number_id: &str) -> String {
    let value: Value = json!({
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "27820001001", "phone_number_id": phone_number_id},
        "contacts": [{"profile": {"name": "Thandi"}, "wa_id": "27830000001"}],
        "messages": [{"from": "27830000001", "id": "wamid.1", "timestamp": "1760000000", "type": "text",
                      "text": {"body": "hello"}}],
    });
    json!({"object": "whatsapp_business_account",
           "entry": [{"id": "102290129340398", "changes": [{"field": "messages", "value": value}]}]})
    .to_string()
}

const OURS: &str = "106540352242922";

fn signed(body: &str, secret: &str) -> Call {
    Call::post(WEBHOOK, body.to_owned()).header("x-hub-signature-256", &signature(secret, body.as_bytes()))
}

async fn stored(service: &Service) -> usize {
    let mut db = service.context.db.acquire().await.unwrap();
    let due = storage::work::lanes::due(&mut db, base::Queue::Callback, service.context.now(), 100).await.unwrap();
    due.len()
}

#[tokio::test]
async fn the_handshake_echoes_the_challenge_for_the_right_token() {
    let service = Service::start().await;
    let query = "hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token";
    let answer = service.send(Call::get(&format!("{WEBHOOK}?{query}=verify-me"))).await;
    assert_eq!((answer.status.as_u16(), answer.bytes.as_slice()), (200, b"1158201444".as_slice()));
    for wrong in [format!("{query}=other"), "hub.mode=subscribe".to_owned(), String::new()] {
        assert_eq!(service.send(Call::get(&format!("{WEBHOOK}?{wrong}"))).await.error().0, 403);
    }
}

#[tokio::test]
async fn a_signed_callback_is_stored_before_it_is_answered() {
    let service = Service::start().await;
    assert_eq!(service.send(signed(&message(OURS), APP_SECRET)).await.status, 200);
    assert_eq!(stored(&service).await, 1);
}

#[tokio::test]
async fn a_forged_callback_changes_nothing() {
    let service = Service::start().await;
    let body = message(OURS);
    let right = signature(APP_SECRET, body.as_bytes());
    let forged = [
        Call::post(WEBHOOK, body.clone()),
        signed(&body, "another secret"),
        signed(&body, ""),
        Call::post(WEBHOOK, format!("{body} ")).header("x-hub-signature-256", &right),
        Call::post(WEBHOOK, body.clone()).header("x-hub-signature-256", right.trim_start_matches("sha256=")),
        Call::post(WEBHOOK, body.clone()).header("x-hub-signature-256", "sha256="),
        signed(&body, APP_SECRET).header("x-hub-signature-256", &right),
        Call::post(WEBHOOK, "no json").header("x-hub-signature-256", &right),
    ];
    for call in forged {
        assert_eq!(service.send(call).await.error(), (401, "Invalid signature".to_owned()));
    }
    assert_eq!(stored(&service).await, 0);
}

#[tokio::test]
async fn a_number_may_have_an_app_secret_of_its_own_for_itself_only() {
    let service = Service::start().await;
    assert_eq!(service.send(signed(&message("999"), "own-secret")).await.error().0, 401);
    assert_eq!(stored(&service).await, 0);
    assert_eq!(service.send(signed(&message(OURS), "own-secret")).await.status, 200);
    assert_eq!(stored(&service).await, 1);
}

#[tokio::test]
async fn without_an_app_secret_callbacks_are_refused() {
    let service = Service::with(Options { app_secret: "", ..Options::default() }).await;
    let body = message(OURS);
    assert_eq!(service.send(signed(&body, "")).await.error().0, 401);
    assert_eq!(service.send(Call::post(WEBHOOK, body).from("127.0.0.1")).await.error().0, 401);
}

#[tokio::test]
async fn the_simulator_on_this_machine_may_leave_the_signature_out_but_not_forge_one() {
    let options = Options { app_secret: "", simulator_allows_unsigned: true, ..Options::default() };
    let service = Service::with(options).await;
    let body = message(OURS);
    let unsigned = || Call::post(WEBHOOK, body.clone());
    assert_eq!(service.send(unsigned().from("192.0.2.1")).await.error().0, 401);
    assert_eq!(service.send(unsigned()).await.error().0, 401);
    let forged = unsigned().from("127.0.0.1").header("x-hub-signature-256", "sha256=00");
    assert_eq!(service.send(forged).await.error().0, 401);
    assert_eq!(stored(&service).await, 0);
    assert_eq!(service.send(unsigned().from("127.0.0.1")).await.status, 200);
    assert_eq!(stored(&service).await, 1);
}

#[tokio::test]
async fn a_signed_body_that_is_no_callback_is_400() {
    let service = Service::start().await;
    for body in ["", "no json", "{}", r#"{"object":"page","entry":[]}"#] {
        assert_eq!(service.send(signed(body, APP_SECRET)).await.field(), "body", "{body:?}");
    }
}

#[tokio::test]
async fn a_callback_has_a_size_limit_of_its_own() {
    let service = Service::start().await;
    let padded = |bytes: usize| {
        let body = message(OURS);
        format!("{}{body}", " ".repeat(bytes - body.len()))
    };
    let limit = 4 * 1024 * 1024;
    assert_eq!(service.send(signed(&padded(limit + 1), APP_SECRET)).await.error().0, 413);
    assert_eq!(service.send(signed(&padded(limit), APP_SECRET)).await.status, 200);
}
