//! Stories of the console in a real browser: scripts of `tests/peers/console`, each with a client and the people in it.

use std::path::PathBuf;

use harness::{SharedPatchbay, TestClient};
use serde_json::json;

use crate::browser_stories;

/// Stories of the ADMIN alone. All others have an AGENT, too, which is a start of the program.
const ADMIN_ALONE: [&str; 15] = [
    "agent.mjs",
    "author-places.mjs",
    "batches.mjs",
    "flows.mjs",
    "history.mjs",
    "http-limits.mjs",
    "links.mjs",
    "moves.mjs",
    "operator-facts.mjs",
    "operators.mjs",
    "panel.mjs",
    "plugins.mjs",
    "quickstart.mjs",
    "sends.mjs",
    "webhooks.mjs",
];
/// Stories with an operator, who is another start of the program.
const WITH_OPERATOR: [&str; 3] = ["keyboard.mjs", "operator-facts.mjs", "operators.mjs"];

/// Plays a story of a new client.
pub async fn play(story: &str) {
    play_with(story, &[]).await;
}

/// Plays a story that uploads components.
pub async fn play_with(story: &str, components: &[Vec<u8>]) {
    let client = SharedPatchbay::get().await.new_client().await;
    play_for(&client, story, components).await;
}

/// Plays a story of a client.
pub async fn play_for(client: &TestClient, story: &str, components: &[Vec<u8>]) {
    let patchbay = SharedPatchbay::get().await;
    let agent = (!ADMIN_ALONE.contains(&story)).then(|| {
        let email = format!("agent@{}.example", client.client_ref);
        patchbay.new_user(&client.client_ref, &email, "AGENT");
        json!({ "email": email, "password": "long enough" })
    });
    let operator = WITH_OPERATOR
        .contains(&story)
        .then(|| patchbay.admin(&["operator", "add", "--name", &client.client_ref])["key"].clone());
    let versions: Vec<PathBuf> = (0..components.len())
        .map(|index| std::env::temp_dir().join(format!("{}-{index}.wasm", client.client_ref)))
        .collect();
    for (path, bytes) in versions.iter().zip(components) {
        std::fs::write(path, bytes).unwrap();
    }
    let given = json!({
        "versions": &versions,
        "base": patchbay.url(),
        "phones": patchbay.simulator_url(),
        "clientRef": client.client_ref,
        "number": client.number,
        "phone": patchbay.new_phone().msisdn,
        "agent": agent,
        "operator": operator,
        "admin": { "email": format!("{}@example.com", client.client_ref), "password": "correct horse" },
    });
    browser_stories::play(&format!("../console/{story}"), given).await;
    for path in versions {
        std::fs::remove_file(path).unwrap();
    }
}
