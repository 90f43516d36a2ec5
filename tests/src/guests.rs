//! Components built for tests.

use std::{path::Path, process::Command, sync::Mutex};

/// One build at a time: they share a target directory.
static BUILDING: Mutex<()> = Mutex::new(());

/// A chatbot component that answers every text with `greeting`.
pub fn greeter(greeting: &str) -> Vec<u8> {
    build("greeter", &[("GREETING", greeting)])
}

fn build(package: &str, environment: &[(&str, &str)]) -> Vec<u8> {
    let _turn = BUILDING.lock();
    let guests = Path::new(env!("CARGO_MANIFEST_DIR")).join("guests");
    let target = crate::patchbay::binary().parent().unwrap().join("guests-of-tests");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--target", "wasm32-wasip2", "--package", package])
        .current_dir(guests)
        .env("CARGO_TARGET_DIR", &target)
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    assert!(output.status.success(), "{package} does not build: {}", String::from_utf8_lossy(&output.stderr));
    let file = format!("{}.wasm", package.replace('-', "_"));
    std::fs::read(target.join("wasm32-wasip2/release").join(file)).unwrap()
}
