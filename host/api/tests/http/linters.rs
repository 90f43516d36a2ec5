//! The document passes the linters of others without findings (`tests/peers/openapi`).

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use super::{document::document, service::Service};

fn peers() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../tests/peers/openapi")
}

/// Installs the linters once and returns their folder.
fn installed() -> PathBuf {
    let output = Command::new("sh").arg(peers().join("install.sh")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim()).join("node_modules/.bin")
}

/// Runs a linter on the served document in a folder of its own.
async fn lint(program: &str, configuration: &str, arguments: &[&str]) -> Output {
    let service = Service::start().await;
    let folder = tempfile::tempdir().unwrap();
    let served = document(&service).await.to_string();
    std::fs::write(folder.path().join("openapi.json"), served).unwrap();
    std::fs::copy(peers().join(configuration), folder.path().join(configuration)).unwrap();
    run(&installed().join(program), arguments, folder.path())
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
    let findings: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(findings["problems"], serde_json::json!([]), "{findings:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn spectral_has_no_findings() {
    let arguments = ["lint", "openapi.json", "--ruleset", "spectral.yaml", "--fail-severity", "hint"];
    assert_clean(&lint("spectral", "spectral.yaml", &arguments).await);
}
