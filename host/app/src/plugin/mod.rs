//! `patchbay plugin`: the tools for authors. The crate `author` does the work, and this module prints the results.

pub mod commands;
mod local;
mod remote;

use std::{
    io::{IsTerminal, Write},
    path::Path,
};

use anyhow::{Context as _, bail};
use author::Project;
use serde_json::Value;

use crate::config::Config;
use commands::PluginCommand;

pub async fn run(_config: &Config, command: PluginCommand) -> anyhow::Result<()> {
    match command {
        PluginCommand::New(new) => local::new(new),
        PluginCommand::Build { project } => local::build(&project).await,
        PluginCommand::Check { file } => local::check(&file).await,
        PluginCommand::Test(test) => local::test(test).await,
        PluginCommand::Run(run) => local::talk(run).await,
        PluginCommand::Push { path, name } => remote::push(&path, name).await,
        PluginCommand::Activate(activate) => remote::activate(activate).await,
        PluginCommand::Rollback(place) => remote::rollback(place).await,
        PluginCommand::Deactivate(place) => remote::deactivate(place).await,
        PluginCommand::Logs { name, follow, outcome } => remote::logs(&name, follow, outcome.as_deref()).await,
        PluginCommand::Invocations { name, outcome } => remote::logs(&name, false, outcome.as_deref()).await,
        PluginCommand::Replay { name, file, version, limit } => remote::replay(&name, file, version, limit).await,
    }
}

fn say(text: impl std::fmt::Display) -> anyhow::Result<()> {
    writeln!(std::io::stdout(), "{text}").context("cannot write to standard output")
}

/// Shows progress of long steps on standard error: in place on a terminal, else once per step.
struct Progress {
    terminal: bool,
    last: String,
}

impl Progress {
    fn new() -> Self {
        Self { terminal: std::io::stderr().is_terminal(), last: String::new() }
    }

    fn tell(&mut self, text: &str) {
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

    fn done(&mut self) {
        if self.terminal && !self.last.is_empty() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
        self.last.clear();
    }
}

/// Builds a project and shows the steps.
async fn built(project: Project) -> anyhow::Result<std::path::PathBuf> {
    let built = tokio::task::spawn_blocking(move || {
        let mut progress = Progress::new();
        let built = author::build::build(&project, &mut |step| progress.tell(step));
        progress.done();
        built
    });
    Ok(built.await??)
}

/// JSON on the command line, or the content of a file.
fn json(given: &Path) -> anyhow::Result<Value> {
    let typed = given.to_str().filter(|text| text.trim_start().starts_with('{'));
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
