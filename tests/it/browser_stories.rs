//! Stories in a real browser: scripts of `tests/peers/browser`, with the values that each needs.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

use serde_json::Value;

fn scripts() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("peers/browser")
}

/// Installs the driver of the browser once, and returns its path.
fn installed() -> &'static Path {
    static INSTALLED: OnceLock<PathBuf> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let install = Command::new("sh").arg(scripts().join("install.sh")).output().unwrap();
        assert!(install.status.success(), "{}", String::from_utf8_lossy(&install.stderr));
        PathBuf::from(String::from_utf8(install.stdout).unwrap().trim())
    })
}

/// Plays a story, which must print `ok` and nothing else.
pub async fn play(story: &'static str, given: Value) {
    let played = tokio::task::spawn_blocking(move || {
        let mut node = Command::new("node");
        node.arg(scripts().join(story)).arg(installed()).arg(given.to_string()).stdin(Stdio::null());
        node.output().unwrap()
    });
    let output = played.await.unwrap();
    let (said, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.trim() == "ok", "{story}: {said}\n{wrong}");
}
