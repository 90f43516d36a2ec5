//! Stories in a real browser: scripts of `tests/peers/browser`, with the values that each needs.

use std::process::{Command, Stdio};

use harness::{installed_peer, peer_folder};
use serde_json::Value;

const PEER: &str = "browser";

/// Plays a story, which must print `ok` and nothing else.
pub async fn play(story: &str, given: Value) {
    let script = peer_folder(PEER).join(story);
    let played = tokio::task::spawn_blocking(move || {
        let mut node = Command::new("node");
        node.arg(script).arg(installed_peer(PEER)).arg(given.to_string()).stdin(Stdio::null());
        node.output().unwrap()
    });
    let output = played.await.unwrap();
    let (said, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.trim() == "ok", "{story}: {said}\n{wrong}");
}
