//! The page with the simulated phones and the demo client, as `make run` gives them to a newcomer.

use harness::{Patchbay, PatchbaySetup, eventually};
use reqwest::Method;
use serde_json::{Value, json};

/// A program with a simulator of its own in place of that of the tests.
async fn with_its_own_simulator(setup: PatchbaySetup) -> Patchbay {
    let of_the_tests = [
        "whatsapp_cloud.graph_url",
        "messenger.graph_url",
        "telegram.api_url",
        "whatsapp_lite.simulator_url",
        "smpp.url",
    ];
    let setup = setup.set("simulator.enabled", "true").set("simulator.listen", "127.0.0.1:0");
    of_the_tests.iter().fold(setup, |setup, key| setup.set(key, "")).start().await
}

/// The address of the page, which the program says at its start.
async fn address_of_the_phones(patchbay: &Patchbay) -> String {
    let said = "the simulated outside world is at ";
    eventually("the address of the phones", || async {
        let log = patchbay.log();
        let (_, rest) = log.split_once(said)?;
        let end = rest.find(|c: char| c.is_whitespace() || c == '\u{1b}')?;
        Some(rest[..end].to_owned())
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newcomer_talks_with_the_demo_bot_on_every_phone_and_sees_a_fault_by_mouse_and_by_keyboard() {
    let patchbay = with_its_own_simulator(PatchbaySetup::new()).await;
    let page = address_of_the_phones(&patchbay).await;
    crate::browser_stories::play("phones.mjs", json!({ "page": page })).await;
}

#[tokio::test]
async fn the_first_start_prints_a_login_that_opens_the_console_and_a_key_of_the_api() {
    let patchbay = with_its_own_simulator(PatchbaySetup::new()).await;
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
async fn each_kind_of_message_is_shown_by_the_phone_that_sends_it_and_by_the_phone_that_gets_it() {
    let patchbay = with_its_own_simulator(PatchbaySetup::new().with_guests()).await;
    let page = address_of_the_phones(&patchbay).await;
    eventually("the site of the demo client, which is made last", || async {
        let known = patchbay.http.get(format!("{page}/simulator/sites")).send().await.ok()?;
        let known: Value = known.json().await.ok()?;
        known["sites"].as_array().is_some_and(|sites| !sites.is_empty()).then_some(())
    })
    .await;
    let key = |role: &str| {
        patchbay.new_user("demo", &format!("{}@demo.example", role.to_lowercase()), role)["apiKey"].clone()
    };
    let given = json!({ "page": page, "base": patchbay.url(), "apiKey": key("ADMIN"), "agentKey": key("AGENT") });
    crate::browser_stories::play("kinds.mjs", given).await;
}
