//! Rust: cargo makes the component.

use std::{path::PathBuf, process::Command};

use super::{
    error::BuildError,
    run::{at, on_path, run, run_for_messages},
};
use crate::{Lang, Project, cache_folder::cache_folder};

const TARGET: &str = "wasm32-wasip2";

pub(super) fn build(project: &Project, progress: &mut dyn FnMut(&str)) -> Result<(), BuildError> {
    let missing = |tool: &str, install: &str| BuildError::ToolMissing {
        lang: Lang::Rust,
        tool: tool.to_owned(),
        install: install.to_owned(),
    };
    if on_path("cargo").is_none() {
        return Err(missing("cargo", "install Rust with rustup, then type: rustup target add wasm32-wasip2"));
    }
    target_is_installed(project)
        .map_err(|()| missing(&format!("the Rust target {TARGET}"), &format!("type: rustup target add {TARGET}")))?;
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--release", "--target", TARGET, "--message-format=json-render-diagnostics"]);
    // All projects share it, so the SDK is compiled once. It is not the folder of the author's other projects, because an
    // editor may hold the lock of that one.
    let shared = std::env::var_os("CARGO_TARGET_DIR").map_or_else(cache_folder, PathBuf::from);
    let shared = shared.join("plugins-of-authors");
    progress(match shared.is_dir() {
        true => "compiling with cargo",
        false => "compiling with cargo; the first build of a machine takes a minute or more",
    });
    cargo.env("CARGO_TARGET_DIR", shared);
    let said = run_for_messages("cargo build", cargo.current_dir(&project.root))?;
    let built = artifact(project, &said).ok_or_else(|| BuildError::Failed {
        step: "cargo build".to_owned(),
        output: "no component came out; Cargo.toml needs:\n[lib]\ncrate-type = [\"cdylib\"]".to_owned(),
    })?;
    std::fs::copy(&built, project.component()).map(|_| ()).map_err(at(&built))
}

/// Runs in the folder of the project, which may set its own toolchain.
fn target_is_installed(project: &Project) -> Result<(), ()> {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", TARGET]).current_dir(&project.root);
    let folder = run("rustc", &mut rustc).map_err(|_| ())?;
    if PathBuf::from(folder.trim()).is_dir() { Ok(()) } else { Err(()) }
}

/// The file that cargo reports for the project's own package.
fn artifact(project: &Project, messages: &str) -> Option<PathBuf> {
    let manifest = project.root.join("Cargo.toml").canonicalize().ok()?;
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let own = messages.filter(|message| {
        let path = message.get("manifest_path").and_then(|path| path.as_str());
        message.get("reason").and_then(|reason| reason.as_str()) == Some("compiler-artifact")
            && path.and_then(|path| PathBuf::from(path).canonicalize().ok()).as_ref() == Some(&manifest)
    });
    let mut files = own.flat_map(|message| match message.get("filenames").and_then(|files| files.as_array()) {
        Some(files) => files.iter().filter_map(|file| file.as_str().map(PathBuf::from)).collect(),
        None => vec![],
    });
    files.find(|file| file.extension().is_some_and(|extension| extension == "wasm"))
}
