//! Runs tools. Their output is kept, and shown if they fail.

use std::{
    io,
    path::{Path, PathBuf},
    process::{Command, Output},
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
    let output = finish(step, command)?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = remove_hints(&String::from_utf8_lossy(&output.stderr));
    if output.status.success() {
        if !complaints.trim().is_empty() {
            progress(complaints.trim_end());
        }
        return Ok(said);
    }
    Err(failure(step, command, &output, complaints.lines().chain(said.lines())))
}

/// Like [`run`], for tools whose standard output is for programs: it is not shown if they fail.
pub(super) fn run_for_messages(step: &str, command: &mut Command) -> Result<String, BuildError> {
    let output = finish(step, command)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let complaints = remove_hints(&String::from_utf8_lossy(&output.stderr));
    Err(failure(step, command, &output, complaints.lines()))
}

fn finish(step: &str, command: &mut Command) -> Result<Output, BuildError> {
    for name in NOT_INHERITED {
        command.env_remove(name);
    }
    command.output().map_err(|fault| {
        let output = format!("{} could not be started: {fault}", command.get_program().to_string_lossy());
        BuildError::Failed { step: step.to_owned(), output }
    })
}

fn failure<'l>(step: &str, command: &Command, output: &Output, lines: impl Iterator<Item = &'l str>) -> BuildError {
    let all: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
    let shown = all.get(all.len().saturating_sub(SHOWN)..).unwrap_or_default().join("\n");
    let output = match shown.is_empty() {
        true => format!("{} ended with {}", command.get_program().to_string_lossy(), output.status),
        false => shown,
    };
    BuildError::Failed { step: step.to_owned(), output }
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
