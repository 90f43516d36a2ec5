//! The API against its own document, checked by a third-party program (PyPI `schemathesis`): no 500, and no answer that
//! the document does not allow. `scripts/schemathesis.sh` runs the same check for longer.

use std::{path::PathBuf, process::Command};

use harness::PatchbaySetup;

fn root() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("..")
}

#[tokio::test]
async fn no_request_gets_an_answer_that_the_document_does_not_allow() {
    // `make soak` runs for minutes.
    const SECONDS: u64 = 25;
    // A fixed seed, so that a change does not fail by an older fault. `make soak` uses random seeds.
    const SEED: u64 = 1;
    try_out(SECONDS, SEED).await;
}

/// Tries the API for this number of seconds with the requests of this seed.
///
/// # Panics
///
/// If there is an answer that the document does not allow.
pub async fn try_out(seconds: u64, seed: u64) {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let (url, key, reports) = (patchbay.url(), client.key.clone(), tempfile::tempdir().unwrap());

    let mut program = Command::new("sh");
    program.arg(root().join("scripts/schemathesis.sh")).args([&seconds.to_string(), "--seed", &seed.to_string()]);
    program.current_dir(reports.path()).env("PATCHBAY_URL", url).env("PATCHBAY_API_KEY", key);
    let output = tokio::task::spawn_blocking(move || program.output().unwrap()).await.unwrap();

    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}");
    assert!(said.contains("No issues found"), "{said}");
    assert!(!patchbay.log().contains("panicked"), "a handler panicked");
}

#[tokio::test]
async fn the_script_names_its_requirements() {
    let _patchbay = harness::SharedPatchbay::get().await;
    let mut program = Command::new("sh");
    program.arg(root().join("scripts/schemathesis.sh")).env_remove("PATCHBAY_URL").env_remove("PATCHBAY_API_KEY");
    let output = program.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("PATCHBAY_URL"));
}
