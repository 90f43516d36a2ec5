//! The page with the simulated phones and the demo client, as `make run` gives them to a newcomer.

use harness::PatchbaySetup;
use reqwest::Method;
use serde_json::json;

use crate::phone_stories;

#[tokio::test(flavor = "multi_thread")]
async fn a_newcomer_talks_with_the_demo_bot_on_every_phone_and_sees_a_fault_by_mouse_and_by_keyboard() {
    phone_stories::play_phones().await;
}

#[tokio::test]
async fn the_first_start_prints_a_login_that_opens_the_console_and_a_key_of_the_api() {
    let patchbay = phone_stories::with_its_own_simulator(PatchbaySetup::new()).await;
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

#[tokio::test(flavor = "multi_thread")]
async fn each_kind_of_message_is_shown_by_the_phone_of_whatsapp_and_by_the_site() {
    phone_stories::play_kinds().await;
}
