//! Stories of the page with the simulated phones in a real browser (`tests/peers/browser`).

use harness::{Patchbay, PatchbaySetup, eventually};
use serde_json::{Value, json};

use crate::browser_stories;

/// A program with a simulator of its own in place of that of the tests.
pub async fn with_its_own_simulator(setup: PatchbaySetup) -> Patchbay {
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

/// A newcomer talks with the demo bot.
pub async fn play_phones() {
    let patchbay = with_its_own_simulator(PatchbaySetup::new()).await;
    let page = address_of_the_phones(&patchbay).await;
    browser_stories::play("phones.mjs", json!({ "page": page })).await;
}

/// Each kind of message is sent and arrives.
pub async fn play_kinds() {
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
    browser_stories::play("kinds.mjs", given).await;
}
