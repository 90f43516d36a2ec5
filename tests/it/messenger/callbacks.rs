//! Callbacks about pages (CONTRACT 4, PROVIDERS A.7 and B).

use harness::{Patchbay, SharedPatchbay};
use reqwest::Method;
use serde_json::{Value, json};

use super::with_bot;

fn wrote(page: &str, psid: &str, mid: &str, text: &str) -> Value {
    json!({ "object": "page", "entry": [{ "id": page, "time": 1, "messaging": [{
        "sender": { "id": psid }, "recipient": { "id": page }, "timestamp": chrono_millis(),
        "message": { "mid": mid, "text": text },
    }] }] })
}

#[expect(clippy::disallowed_methods, reason = "Meta has a clock of its own")]
fn chrono_millis() -> i64 {
    chrono::Utc::now().timestamp_millis()
}

#[tokio::test]
async fn the_handshake_returns_the_challenge_to_a_caller_with_the_token() {
    let patchbay = SharedPatchbay::get().await;
    let verified = patchbay.simulate("/simulator/handshake", &json!({})).await;
    assert_eq!(verified["messengerVerified"], true);
    let ask = |token: &str| {
        format!("/providers/messenger/webhook?hub.mode=subscribe&hub.challenge=7&hub.verify_token={token}")
    };
    assert_eq!(patchbay.get(&ask("wrong")).await.status, 403);
    assert_eq!(patchbay.get("/providers/messenger/webhook").await.status, 403);
}

#[tokio::test]
async fn a_callback_without_a_good_signature_is_refused_and_leaves_nothing() {
    let (patchbay, _, _, person) = with_bot("clerk").await;
    let body = wrote(&person.page, &person.psid, "m_forged", "say forged").to_string();
    let of_whatsapp = patchbay.sign_callback(body.as_bytes());
    let of_other_bytes = Patchbay::sign_page_callback(b"{}");
    for signature in [None, Some("sha256=00"), Some(of_whatsapp.as_str()), Some(of_other_bytes.as_str())] {
        let reply = patchbay.page_callback_signed(body.clone(), signature).await;
        assert_eq!(reply.status, 401, "{signature:?}: {}", reply.text);
    }
    let mut db = patchbay.database().await;
    let seen: i64 = sqlx::query_scalar("SELECT count(*) FROM provider_message WHERE provider_id = 'm_forged'")
        .fetch_one(&mut db)
        .await
        .unwrap();
    assert_eq!(seen, 0);
}

#[tokio::test]
async fn a_signed_body_that_is_no_callback_about_pages_is_a_400() {
    let patchbay = SharedPatchbay::get().await;
    for body in ["nonsense", "{}", r#"{"object":"whatsapp_business_account","entry":[]}"#] {
        let signature = Patchbay::sign_page_callback(body.as_bytes());
        let reply = patchbay.page_callback_signed(body, Some(&signature)).await;
        assert_eq!((reply.status, reply.faulty_fields()), (400, vec!["body".to_owned()]), "{body}");
    }
    let page = patchbay.ask(Method::PUT, "/providers/messenger/webhook", &[], "").await;
    assert_eq!(page.status, 405);
}

#[tokio::test]
async fn a_callback_for_an_unknown_page_is_accepted_and_dropped() {
    let patchbay = SharedPatchbay::get().await;
    let reply = patchbay.page_callback(&wrote("999999999999", "1", "m_stray", "hello")).await;
    assert_eq!(reply.status, 200, "Meta would repeat it for days: {}", reply.text);
}

#[tokio::test]
async fn a_message_that_comes_again_is_no_second_message() {
    let (patchbay, _, sink, person) = with_bot("clerk").await;
    let body = wrote(&person.page, &person.psid, &format!("m_{}", person.psid), "say once");
    for _ in 0..3 {
        assert_eq!(patchbay.page_callback(&body).await.status, 200);
    }
    sink.receives("chatbot", "the answer", |event| event["direction"] == "OUTGOING").await;
    // When this message has arrived, all repetitions have been processed.
    let after = wrote(&person.page, &person.psid, &format!("m_{}_2", person.psid), "say twice");
    assert_eq!(patchbay.page_callback(&after).await.status, 200);
    sink.receives("incoming", "the next message", |body| body["text"] == "say twice").await;
    let once = sink.bodies("incoming").into_iter().filter(|body| body["text"] == "say once").count();
    assert_eq!(once, 1);
}
