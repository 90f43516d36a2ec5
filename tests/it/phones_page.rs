//! The page with the simulated phones and the demo client, as `make run` gives them to a newcomer.

use harness::{Patchbay, PatchbaySetup, eventually};
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
