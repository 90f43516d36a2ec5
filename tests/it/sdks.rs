//! The SDKs of `sdk/`, installed as a client's developer does, with the real server. Their own tests have the cases.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use harness::{SharedPatchbay, eventually};
use serde_json::Value;

fn root() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("..")
}

/// Installs both SDKs once and returns their folder.
fn installed() -> PathBuf {
    let output = Command::new("sh").arg(root().join("tests/peers/sdks/install.sh")).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Runs the tests of an SDK with a client and a phone of their own. The customer has written, so a text may be sent.
async fn run(mut tests: Command) -> Output {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    phone.write(&client.number, "hello").await;
    let chats = "/chat-service/api/v2/chats?scope=all";
    eventually("the chat", || async { (client.get(chats).await.ok()["totalElements"] == 1).then_some(()) }).await;
    tests.env("PATCHBAY_URL", patchbay.url()).env("PATCHBAY_API_KEY", &client.key);
    tests.env("PATCHBAY_NUMBER", &client.number).env("PATCHBAY_PHONES", patchbay.simulator_url());
    tests.env("PATCHBAY_PHONE", &phone.msisdn);
    tokio::task::spawn_blocking(move || tests.output().unwrap()).await.unwrap()
}

#[tokio::test]
async fn the_sdk_for_typescript_works_as_documented() {
    let mut tests = Command::new("node");
    tests.args(["--test", "rules.test.mjs", "server.test.mjs"]).current_dir(installed().join("node"));
    let output = run(tests).await;
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("# skipped 0"), "{}", said(&output));
}

#[tokio::test]
async fn the_sdk_for_python_works_as_documented() {
    let cache = installed();
    let mut tests = Command::new("python3");
    tests.args(["-m", "unittest", "-v"]).current_dir(cache.join("sdk/python/tests"));
    tests.env("PYTHONPATH", cache.join("python")).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = run(tests).await;
    assert!(output.status.success() && !said(&output).contains("skipped"), "{}", said(&output));
}

/// Compares a generated file with the committed one. With `UPDATE_DOCS` it is written again.
fn assert_current(committed: &Path, generate: impl Fn(&Path) -> Command) {
    let folder = tempfile::tempdir().unwrap();
    let fresh = folder.path().join("fresh");
    let output = generate(&fresh).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::copy(&fresh, committed).unwrap();
    }
    let (fresh, stored) = (std::fs::read_to_string(fresh).unwrap(), std::fs::read_to_string(committed).unwrap());
    assert!(fresh == stored, "{} is not that of docs/openapi.json: run with UPDATE_DOCS=1", committed.display());
}

#[test]
fn the_generated_types_are_those_of_the_document() {
    let (sdk, document) = (root().join("sdk"), root().join("docs/openapi.json"));
    assert_current(&sdk.join("typescript/src/schema.ts"), |fresh| {
        let mut command = Command::new("node");
        command.arg(sdk.join("typescript/scripts/generate.mjs")).arg(&document).arg(fresh);
        command
    });
    assert_current(&sdk.join("python/patchbay/schema.py"), |fresh| {
        let mut command = Command::new("python3");
        command.arg(sdk.join("python/scripts/generate.py")).arg(&document).arg(fresh);
        command
    });
}

#[test]
fn the_sdks_have_the_version_of_the_api() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let document: Value = serde_json::from_str(&read("docs/openapi.json")).unwrap();
    let version = document["info"]["version"].as_str().unwrap();
    let package: Value = serde_json::from_str(&read("sdk/typescript/package.json")).unwrap();
    assert_eq!(package["version"], version);
    assert!(read("sdk/python/pyproject.toml").contains(&format!("\nversion = \"{version}\"\n")), "{version}");
}
