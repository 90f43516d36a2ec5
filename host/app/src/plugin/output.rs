use std::{
    io::{IsTerminal, Write},
    path::Path,
};

use anyhow::{Context as _, bail};
use author::{Project, server::ServerAnswer};
use serde_json::Value;

use crate::standard_output;

pub(super) fn print_line(text: impl std::fmt::Display) -> anyhow::Result<()> {
    standard_output::write(&format!("{text}\n"))
}

/// Shows progress of long steps on standard error: in place on a terminal, else once per step.
pub(super) struct StepProgress {
    pub(super) terminal: bool,
    pub(super) last: String,
}

impl StepProgress {
    pub(super) fn new() -> Self {
        Self { terminal: std::io::stderr().is_terminal(), last: String::new() }
    }

    pub(super) fn tell(&mut self, text: &str) {
        // Counters are only shown on a terminal.
        let kind = text.split(':').next().unwrap_or(text);
        if text == self.last || !self.terminal && kind == self.last.split(':').next().unwrap_or_default() {
            return;
        }
        // Failing to show progress is not an error.
        let _ = match self.terminal {
            true => write!(std::io::stderr(), "\r\x1b[K{text}"),
            false => writeln!(std::io::stderr(), "{text}"),
        };
        self.last = text.to_owned();
    }

    pub(super) fn done(&mut self) {
        if self.terminal && !self.last.is_empty() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
        self.last.clear();
    }
}

pub(super) async fn built(project: Project) -> anyhow::Result<std::path::PathBuf> {
    let built = tokio::task::spawn_blocking(move || {
        let mut progress = StepProgress::new();
        let built = author::build::build(&project, &mut |step| progress.tell(step));
        progress.done();
        built
    });
    let component = built.await??;
    let bytes = std::fs::read(&component).unwrap_or_default();
    if let Some(reason) = plugin_host::snapshot_note(&bytes) {
        // Failing to show a warning is not an error.
        let _ = writeln!(std::io::stderr(), "Warning: {}", explain_no_snapshot(&reason));
    }
    Ok(component)
}

pub(super) fn explain_no_snapshot(reason: &str) -> String {
    format!(
        "the program has no snapshot, because {reason}. It starts in each call. Move this work into the function that \
         answers, or remove `snapshot` from plugin.toml."
    )
}

pub(super) fn explain_unmerged(modules: usize) -> String {
    format!(
        "each call makes an instance of {modules} core modules that could be one. `patchbay plugin build` merges them: \
         write a plugin.toml with your command as `build` and the component that it makes as `output`."
    )
}

/// Whether this is JSON on the command line. Otherwise it names a file.
pub(super) fn is_typed_json(given: &Path) -> bool {
    given.to_str().is_some_and(|text| text.trim_start().starts_with('{'))
}

/// JSON on the command line, or the content of a file.
pub(super) fn json(given: &Path) -> anyhow::Result<Value> {
    let typed = given.to_str().filter(|_| is_typed_json(given));
    let (from, text) = match typed {
        Some(text) => ("the configuration".to_owned(), text.to_owned()),
        None => {
            let from = given.display().to_string();
            let read = std::fs::read_to_string(given);
            let text =
                read.with_context(|| format!("`{from}` is neither a JSON object nor a file that can be read"))?;
            (from, text)
        }
    };
    let value: Value = serde_json::from_str(&text).with_context(|| format!("{from} is not JSON"))?;
    if !value.is_object() {
        bail!("{from} is not a JSON object such as {{\"shop\": 7}}");
    }
    Ok(value)
}

/// An answer of the server: as JSON for scripts, or as text.
pub(super) fn tell<T: std::fmt::Display>(answer: &ServerAnswer<T>, as_json: bool) -> anyhow::Result<()> {
    if as_json { print_line(format_args!("{:#}", answer.json)) } else { print_line(answer) }
}

/// A list of the server: one JSON array, or a line or more for each.
pub(super) fn tell_all<T: std::fmt::Display>(
    answers: &[ServerAnswer<T>],
    as_json: bool,
    none: &str,
) -> anyhow::Result<()> {
    if as_json {
        let all: Value = answers.iter().map(|answer| answer.json.clone()).collect();
        return print_line(format_args!("{all:#}"));
    }
    match answers {
        [] => print_line(none),
        answers => answers.iter().try_for_each(print_line),
    }
}
