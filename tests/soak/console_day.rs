//! A day of two agents on one queue (`tests/peers/console/day.mjs`): chats are taken, answered, given to the colleague and resolved,
//! over lost connections.

use std::{
    process::{Command, Stdio},
    time::Duration,
};

use harness::{SharedPatchbay, installed_peer, peer_folder};
use serde_json::json;

/// Lets both agents work for about `length`, and for at least some chats. Returns the counts.
///
/// # Panics
///
/// If a message is missing or shown twice, or a page complains.
pub async fn worked_for(length: Duration) -> String {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let agent = format!("agent@{}.example", client.client_ref);
    patchbay.new_user(&client.client_ref, &agent, "AGENT");
    let given = json!({
        "base": patchbay.url(),
        "phones": patchbay.simulator_url(),
        "clientRef": client.client_ref,
        "number": client.number,
        "phone": patchbay.new_phone().msisdn,
        "agent": { "email": agent, "password": "long enough" },
        "admin": { "email": format!("{}@example.com", client.client_ref), "password": "correct horse" },
        "seconds": length.as_secs(),
    });
    let played = tokio::task::spawn_blocking(move || {
        let mut node = Command::new("node");
        node.arg(peer_folder("console").join("day.mjs")).arg(installed_peer("browser")).arg(given.to_string());
        node.stdin(Stdio::null()).output().unwrap()
    });
    let output = played.await.unwrap();
    let (said, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}\n{wrong}");
    let counts = said.trim().strip_prefix("ok: ");
    counts.unwrap_or_else(|| panic!("the day ended with {said:?}")).to_owned()
}
