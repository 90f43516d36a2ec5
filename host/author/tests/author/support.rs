//! Components and test files.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use author::conversation::{self, Summary, TestError};

pub fn guest(name: &str) -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let manifest =
            PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../tests/guests/Cargo.toml");
        // The folder of the built-in components, which have the same dependencies.
        let target_dir = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("plugins");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--release", "--quiet", "--target", "wasm32-wasip2"]);
        for package in ["clerk", "errand-bot", "hostile-bot", "keeper", "picky-fallback", "stamping-shaper", "usher"] {
            cargo.args(["-p", package]);
        }
        cargo.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(&target_dir);
        for variable in
            ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WORKSPACE_WRAPPER", "CARGO_TARGET_DIR", "RUSTC_BOOTSTRAP"]
        {
            cargo.env_remove(variable);
        }
        assert!(cargo.status().unwrap().success(), "tests/guests must build");
        target_dir.join("wasm32-wasip2/release")
    });
    built.join(format!("{}.wasm", name.replace('-', "_")))
}

/// Runs a test file with a guest. Returns the output for each test, and the counts.
pub async fn play(guest_name: &str, yaml: &str) -> Result<(Vec<String>, Summary), TestError> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.yaml");
    std::fs::write(&file, yaml).unwrap();
    let mut printed = vec![];
    let place = format!("{}/", folder.path().display());
    let mut done = |report: &conversation::TestReport| printed.push(report.to_string().replace(&place, ""));
    let component = guest(guest_name);
    let summary = conversation::run(guest_name, &component, &[folder.path().to_owned()], None, &mut done).await?;
    Ok((printed, summary))
}

/// Runs a test file that must pass. Each test must have as many steps as its report says.
pub async fn passes(guest_name: &str, yaml: &str) {
    let (printed, summary) = play(guest_name, yaml).await.unwrap_or_else(|error| panic!("{error}"));
    assert!(summary.failed == 0 && summary.passed > 0, "{}", printed.join("\n"));
}

/// The output for the only test of a file, which must fail.
pub async fn fails(guest_name: &str, yaml: &str) -> String {
    let (printed, summary) = play(guest_name, yaml).await.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((summary.passed, summary.failed), (0, 1), "{}", printed.join("\n"));
    printed.join("\n")
}

pub async fn refused(guest_name: &str, yaml: &str) -> String {
    let error = play(guest_name, yaml).await.expect_err("the file is refused").to_string();
    error.split_once("t.yaml, ").map_or(error.clone(), |(_, fault)| fault.to_owned())
}
