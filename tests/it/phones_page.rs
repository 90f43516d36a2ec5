//! The page with the simulated phones and the demo client, as `make run` gives them to a newcomer.

use harness::{Patchbay, PatchbaySetup, eventually};
use reqwest::Method;
use serde_json::json;

/// A program with a simulator of its own in place of that of the tests.
async fn with_its_own_simulator() -> Patchbay {
    let of_the_tests = [
        "whatsapp_cloud.graph_url",
        "messenger.graph_url",
        "telegram.api_url",
        "whatsapp_lite.simulator_url",
        "smpp.url",
    ];
    let setup = PatchbaySetup::new().set("simulator.enabled", "true").set("simulator.listen", "127.0.0.1:0");
    of_the_tests.iter().fold(setup, |setup, key| setup.set(key, "")).start().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newcomer_talks_with_the_demo_bot_on_every_phone_and_sees_a_fault_by_mouse_and_by_keyboard() {
    let patchbay = with_its_own_simulator().await;
    let said = "the simulated outside world is at ";
    let page = eventually("the address of the phones", || async {
        let log = patchbay.log();
        let (_, rest) = log.split_once(said)?;
        let end = rest.find(|c: char| c.is_whitespace() || c == '\u{1b}')?;
        Some(rest[..end].to_owned())
    })
    .await;
    crate::browser_stories::play("phones.mjs", json!({ "page": page })).await;
}

#[tokio::test]
async fn the_first_start_prints_a_login_that_opens_the_console_and_a_key_of_the_api() {
    let patchbay = with_its_own_simulator().await;
    let text = patchbay.announces("/inbox\n").await;
    let after = |words: &str| {
        let (_, rest) = text.split_once(words).unwrap_or_else(|| panic!("`{words}` is not in {text}"));
        rest.split_whitespace().next().unwrap().trim_end_matches(',').to_owned()
    };
    let user = async |key: &str| {
        let reply = patchbay.ask(Method::GET, "/api/v1/users/me", &[("authorization", key)], "").await;
        reply.ok()["email"].clone()
    };

    let console = after("  Console ");
    assert_eq!(console, format!("{}/console", patchbay.url()));
    let page = patchbay.get("/console").await;
    assert!(page.status == 200 && page.text.contains("<title>Patchbay</title>"), "{}", page.text);
    let email = after(" e-mail ");
    let login = json!({ "clientRef": after("client reference "), "email": email, "password": after(" password ") });
    let headers = [("content-type", "application/json")];
    let session = patchbay.ask(Method::POST, "/api/v1/sessions", &headers, login.to_string()).await;
    assert_eq!(session.status, 201, "{}", session.text);
    assert_eq!(user(session.json()["sessionKey"].as_str().unwrap()).await, email.as_str());
    assert_eq!(user(&after("Demo API key ")).await, email.as_str());
}
