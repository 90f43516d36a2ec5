//! The document passes third-party linters without findings (`tests/peers/openapi`).

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::{Value, json};

use super::{document::document, service::Service};

fn peers() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../tests/peers/openapi")
}

/// Installs the linters once and returns the folder of their modules.
fn modules() -> PathBuf {
    let output = Command::new("sh").arg(peers().join("install.sh")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim()).join("node_modules")
}

/// Runs a linter on the served document in a folder of its own.
async fn lint(program: &str, configuration: &str, arguments: &[&str]) -> Output {
    let service = Service::start().await;
    let folder = tempfile::tempdir().unwrap();
    let served = document(&service).await.to_string();
    std::fs::write(folder.path().join("openapi.json"), served).unwrap();
    std::fs::copy(peers().join(configuration), folder.path().join(configuration)).unwrap();
    run(&modules().join(".bin").join(program), arguments, folder.path())
}

fn run(program: &Path, arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(program);
    // Neither asks for a newer version nor reports its use.
    command.env("REDOCLY_TELEMETRY", "off").env("CI", "true");
    command.args(arguments).current_dir(folder).output().unwrap()
}

fn assert_clean(output: &Output) {
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn redocly_has_no_findings() {
    let arguments = ["lint", "openapi.json", "--config", "redocly.yaml", "--format", "json"];
    let output = lint("redocly", "redocly.yaml", &arguments).await;
    assert_clean(&output);
    let findings: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(findings["problems"], json!([]), "{findings:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn spectral_has_no_findings() {
    let arguments = ["lint", "openapi.json", "--ruleset", "spectral.yaml", "--fail-severity", "hint"];
    assert_clean(&lint("spectral", "spectral.yaml", &arguments).await);
}

/// The number of examples that Ajv checks, and the faulty ones.
fn validated(document: &Value) -> (usize, Vec<Value>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("openapi.json");
    std::fs::write(&file, document.to_string()).unwrap();
    let output = Command::new("node").arg(peers().join("examples.mjs")).arg(modules()).arg(&file).output().unwrap();
    assert_clean(&output);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    (usize::try_from(found["checked"].as_u64().unwrap()).unwrap(), found["faults"].as_array().unwrap().clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_example_is_valid_for_ajv() {
    let service = Service::start().await;
    let mut document = document(&service).await;
    let (checked, faults) = validated(&document);
    assert!(checked > 400, "only {checked} examples");
    assert!(faults.is_empty(), "{faults:#?}");

    document["components"]["schemas"]["UnifiedSend"]["examples"][0]["channel"] = json!("SMS");
    let (_, faults) = validated(&document);
    assert_eq!(faults.len(), 1, "the channel decides the payload: {faults:#?}");
}
