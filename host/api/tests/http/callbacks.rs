//! Provider callbacks: nothing that is not signed changes anything (PROVIDERS A.7).

use channels::whatsapp_cloud::callback::signature;
use serde_json::{Value, json};
use tenancy::accounts::Role;

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
async fn a_number_may_have_its_own_app_secret_that_holds_for_no_other_number() {
    let service = Service::start().await;
    assert_eq!(service.send(signed(&message("999"), "own-secret")).await.error().0, 401);
    assert_eq!(stored(&service).await, 0);
    assert_eq!(service.send(signed(&message(OURS), "own-secret")).await.status, 200);
    assert_eq!(stored(&service).await, 1);
}

#[tokio::test]
async fn the_secret_of_the_first_number_is_valid_for_no_other() {
    let service = Service::start().await;
    let entries = |of: &str| serde_json::from_str::<Value>(&message(of)).unwrap()["entry"][0].clone();
    let both = |other: &str| {
        json!({"object": "whatsapp_business_account", "entry": [entries(OURS), entries(other)]}).to_string()
    };
    assert_eq!(service.send(signed(&both("999"), "own-secret")).await.error().0, 401);
    assert_eq!(stored(&service).await, 0);
    assert_eq!(service.send(signed(&both(OURS), "own-secret")).await.status, 200);
}

/// A callback with a broken character, an odd item and a message, as bytes.
fn broken() -> Vec<u8> {
    let message = |id: &str, text: &str| {
        format!(
            r#"{{"from":"27830000001","id":"{id}","timestamp":"1760000000","type":"text","text":{{"body":"{text}"}}}}"#
        )
    };
    let (odd, lone) = (r#"{"from":"27830000001","type":"text"}"#, message("wamid.2", r"hi \ud83d"));
    let value = format!(
        r#"{{"metadata":{{"phone_number_id":"{OURS}"}},"contacts":null,"messages":[{},{odd},{lone}]}}"#,
        message("wamid.1", "hello")
    );
    let change = format!(r#"{{"field":"messages","value":{value}}}"#);
    let body = format!(
        r#"{{"object":"whatsapp_business_account","x":"@","entry":[null,{{"id":"102290129340398","changes":[{change}]}}]}}"#
    );
    body.replace('@', "\0").into_bytes()
}

fn signed_bytes(body: &[u8], secret: &str) -> Call {
    Call::post(WEBHOOK, body.to_vec()).header("x-hub-signature-256", &signature(secret, body))
}

const FAILED: &str = "/messaging-service/WhatsApp/failed-callbacks";

#[tokio::test]
async fn a_callback_with_broken_parts_is_accepted_and_each_unreadable_part_is_listed_once() {
    let service = Service::start().await;
    for secret in [APP_SECRET, "own-secret", APP_SECRET] {
        assert_eq!(service.send(signed_bytes(&broken(), secret)).await.status, 200, "{secret}");
    }
    let mut db = service.context.db.acquire().await.unwrap();
    let lanes = storage::work::lanes::due(&mut db, base::Queue::Callback, service.context.now(), 100).await.unwrap();
    let due = storage::inbound::callbacks::due(&mut db, service.client, lanes[0].1, service.context.now(), 100).await;
    assert_eq!(due.unwrap().len(), 2, "both messages wait to be taken, each once");
    let page = service.get(FAILED).await.json();
    let failed = &page["content"][0];
    assert_eq!((&page["totalElements"], &failed["provider"]), (&json!(1), &json!("WHATSAPP_CLOUD")));
    assert_eq!((&failed["kind"], &failed["reason"]), (&json!("message"), &json!("`id` is missing")));
    let content: Value = serde_json::from_str(failed["content"].as_str().unwrap()).unwrap();
    assert_eq!(content, json!({"from": "27830000001", "type": "text"}));
    assert_eq!(failed["sizeBytes"], failed["content"].as_str().unwrap().len());
    assert!(failed["receivedTime"].is_string() && failed["id"].is_string());
}

#[tokio::test]
async fn a_message_of_a_group_is_listed_with_a_kind_that_the_document_names() {
    let service = Service::start().await;
    let mut callback: Value = serde_json::from_str(&message(OURS)).unwrap();
    callback["entry"][0]["changes"][0]["value"]["messages"][0]["group_id"] = json!("group-1");
    assert_eq!(service.send(signed(&callback.to_string(), APP_SECRET)).await.status, 200);

    let page = service.get(FAILED).await.json();

    let kind = &page["content"][0]["kind"];
    assert_eq!(kind, "group message");
    let document = service.get("/openapi.json").await.json();
    let kinds = document["components"]["schemas"]["FailedCallbackKind"]["enum"].as_array().unwrap();
    assert!(kinds.contains(kind), "{kinds:?}");
}

#[tokio::test]
async fn a_signed_callback_without_useful_content_is_accepted() {
    let service = Service::start().await;
    let status = json!({"id": "wamid.1", "status": "failed", "type": "payment", "timestamp": "1760000000"});
    let value = json!({"metadata": {"phone_number_id": OURS}, "statuses": [status]});
    let body = json!({"object": "whatsapp_business_account",
        "entry": [{"id": "102290129340398", "changes": [{"field": "messages", "value": value}]}]})
    .to_string();
    assert_eq!(service.send(signed(&body, "own-secret")).await.status, 200);
    assert_eq!(service.send(signed(&body.replace(OURS, "999"), "own-secret")).await.error().0, 401);
    assert_eq!(service.get(FAILED).await.json()["totalElements"], 0);
}

#[tokio::test]
async fn only_a_body_that_is_no_json_object_is_refused() {
    let service = Service::start().await;
    for (body, status) in [
        (&b""[..], 400),
        (b"no json", 400),
        (b"[]", 400),
        (b"\"text\"", 400),
        (b"{\"object\":\"whatsapp_business_account\",\"entry\":[", 400),
        (b"{\"object\":\"whatsapp_business_account\"}", 200),
        (b"{\"object\":\"whatsapp_business_account\",\"entry\":[1,{\"id\":1e400},\"\\ud83d\"]}", 200),
        (b"{\"object\":\"whatsapp_business_account\",\"entry\":\"\xff\"}", 200),
    ] {
        let answer = service.send(signed_bytes(body, APP_SECRET)).await;
        assert_eq!(answer.status.as_u16(), status, "{}", String::from_utf8_lossy(body));
    }
}

#[tokio::test]
async fn only_roles_that_look_for_faults_see_unreadable_items() {
    let service = Service::start().await;
    for role in [Role::Supervisor, Role::Agent, Role::Api] {
        let key = service.key_of(role).await;
        assert_eq!(service.send(Call::get(FAILED).key(&key)).await.error().0, 403, "{role}");
    }
    let key = service.key_of(Role::Developer).await;
    assert_eq!(service.send(Call::get(FAILED).key(&key)).await.json()["totalElements"], 0);
}

/// So many that to look through all contacts for each message would take minutes.
fn crowded() -> String {
    let message = r#"{"id":"w","type":"text","timestamp":"1","from":"1"}"#;
    let contact = r#"{"wa_id":"27830000001"}"#;
    let list = |element: &str, times: usize| vec![element; times].join(",");
    format!(
        r#"{{"object":"whatsapp_business_account","entry":[{{"id":"102290129340398","changes":[{{"field":"messages","value":
        {{"metadata":{{"phone_number_id":"{OURS}"}},"messages":[{}],"contacts":[{}]}}}}]}}]}}"#,
        list(message, 20_000),
        list(contact, 80_000)
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_with_too_many_items_is_refused_before_it_is_parsed() {
    let service = std::sync::Arc::new(Service::start().await);
    for (secret, status) in [("another secret", 401), (APP_SECRET, 413), ("own-secret", 413)] {
        let (service, call) = (std::sync::Arc::clone(&service), signed(&crowded(), secret));
        let answer = tokio::spawn(async move { service.send(call).await });
        let answer = tokio::time::timeout(std::time::Duration::from_secs(30), answer).await;
        assert_eq!(answer.expect("still being worked on").unwrap().error().0, status, "{secret}");
    }
    assert_eq!(stored(&service).await, 0);
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
    let limit = 3 * 1024 * 1024;
    assert_eq!(service.send(signed(&padded(limit + 1), APP_SECRET)).await.error().0, 413);
    assert_eq!(service.send(signed(&padded(limit), APP_SECRET)).await.status, 200);
}

/// A body that never ends.
fn never() -> axum::body::Body {
    axum::body::Body::from_stream(futures::stream::pending::<Result<bytes::Bytes, std::io::Error>>())
}

#[tokio::test]
async fn a_callback_that_cannot_be_signed_is_refused_before_it_is_read() {
    let service = Service::start().await;
    for signature in [None, Some("sha256=00"), Some("sha256=zz")] {
        let call = Call::post(WEBHOOK, never());
        let call = signature.iter().fold(call, |call, signature| call.header("x-hub-signature-256", signature));
        assert_eq!(service.send(call).await.error().0, 401, "{signature:?}");
    }
    let signed = Call::post(WEBHOOK, never()).header("x-hub-signature-256", &signature("secret", b""));
    assert_eq!(service.send(signed).await.error().0, 408);
}

#[tokio::test]
async fn a_callback_of_a_bridge_that_cannot_be_signed_is_refused_before_it_is_read() {
    let service = Service::start().await;
    let path = format!("/providers/whatsapp-lite/webhook/{0}/{0}", service.client);
    let (short, long) = ("0".repeat(127), "0".repeat(130));
    for signature in [None, Some(""), Some(short.as_str()), Some(&long), Some(&"z".repeat(128))] {
        let call = Call::post(&path, never());
        let call = signature.iter().fold(call, |call, signature| call.header("x-webhook-hmac", signature));
        assert_eq!(service.send(call).await.error().0, 401, "{signature:?}");
    }
    let signed = Call::post(&path, never()).header("x-webhook-hmac", &"0".repeat(128));
    assert_eq!(service.send(signed).await.error().0, 408);
}
