//! Runs tools. Their output is kept, and shown if they fail.

use std::{
    io,
    path::{Path, PathBuf},
    process::Command,
};

use plugin_host::remove_hints;

use super::error::BuildError;

const SHOWN: usize = 200;

/// Variables of the outer process that a tool must not inherit: flags and wrappers for another target.
const NOT_INHERITED: [&str; 8] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_TARGET",
    "CARGO_BUILD_RUSTFLAGS",
    "CLIPPY_ARGS",
    "PYTHONHOME",
];

/// Runs a tool to its end and returns its standard output. `step` names the activity, such as `cargo build`.
pub(super) fn run(step: &str, command: &mut Command) -> Result<String, BuildError> {
    run_with_warnings(step, command, &mut |_| {})
}

/// Like [`run`], for tools whose warnings matter: they are passed on.
pub(super) fn run_with_warnings(
    step: &str,
    command: &mut Command,
    progress: &mut dyn FnMut(&str),
) -> Result<String, BuildError> {
    for name in NOT_INHERITED {
        command.env_remove(name);
    }
    let failed = |output: String| BuildError::Failed { step: step.to_owned(), output };
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|fault| failed(format!("{program} could not be started: {fault}")))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = remove_hints(&String::from_utf8_lossy(&output.stderr));
    if output.status.success() {
        if !complaints.trim().is_empty() {
            progress(complaints.trim_end());
        }
        return Ok(said);
    }
    let all: Vec<&str> = complaints.lines().chain(said.lines()).filter(|line| !line.trim().is_empty()).collect();
    let shown = all.get(all.len().saturating_sub(SHOWN)..).unwrap_or_default().join("\n");
    Err(failed(if shown.is_empty() { format!("{program} ended with {}", output.status) } else { shown }))
}

pub(super) fn on_path(program: &str) -> Option<PathBuf> {
    let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(&file)).find(|path| path.is_file())
}

/// A file with the same content is left unchanged, so that tools which compare times do not repeat their work.
pub(super) fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), BuildError> {
    let contents = contents.as_ref();
    if std::fs::read(path).is_ok_and(|there| there == contents) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(at(folder))?;
    }
    std::fs::write(path, contents).map_err(at(path))
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, BuildError> {
    std::fs::read(path).map_err(at(path))
}

pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> BuildError + use<> {
    let path = path.to_owned();
    |source| BuildError::File { path, source }
}
