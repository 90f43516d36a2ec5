//! `patchbay plugin`: the tools for authors. The crate `author` does the work, and this module prints the results.

mod arguments;
pub mod commands;
mod components;
mod history;
mod local;
mod recorded_test;
mod remote;

use std::{
    io::{IsTerminal, Write},
    path::Path,
};

use anyhow::{Context as _, bail};
use author::{Project, server::ServerAnswer};
use serde_json::Value;

use crate::config::Config;
use commands::PluginCommand;

pub async fn run(_config: &Config, command: PluginCommand) -> anyhow::Result<()> {
    match command {
        PluginCommand::New(new) => local::new(new),
        PluginCommand::Build { project } => local::build(&project).await,
        PluginCommand::Check { file } => local::check(&file).await,
        PluginCommand::Test(test) => match test.from_recording.clone() {
            Some(id) => recorded_test::make(&test, &id).await,
            None => local::test(test).await,
        },
        PluginCommand::Run(run) => local::talk(run).await,
        PluginCommand::Push { path, name, json } => remote::push(&path, name, json).await,
        PluginCommand::Activate(activate) => remote::activate(activate).await,
        PluginCommand::Rollback(rollback) => remote::rollback(rollback).await,
        PluginCommand::Deactivate(place) => remote::deactivate(place).await,
        PluginCommand::Dev(dev) => remote::dev(dev).await,
        PluginCommand::Delete { name } => remote::delete(&name).await,
        PluginCommand::Invoke(invoke) => remote::invoke(invoke).await,
        PluginCommand::Record(record) => remote::record(record).await,
        PluginCommand::Verify(verify) => remote::verify(verify).await,
        PluginCommand::List { json } => history::list(json).await,
        PluginCommand::Status { name, json } => history::status(&name, json).await,
        PluginCommand::Logs(logs) | PluginCommand::Invocations(logs) => history::logs(logs).await,
        PluginCommand::Events(wanted) => history::events(wanted).await,
        PluginCommand::Differences(wanted) => history::differences(wanted).await,
        PluginCommand::Bindings(bindings) => components::bindings(bindings).await,
        PluginCommand::Wrap(wrap) => components::wrap(&wrap),
        PluginCommand::Replay { name, file, version, limit } => remote::replay(&name, file, version, limit).await,
    }
}

fn say(text: impl std::fmt::Display) -> anyhow::Result<()> {
    writeln!(std::io::stdout(), "{text}").context("cannot write to standard output")
}

/// An answer of the server: as JSON for scripts, or as text.
fn tell<T: std::fmt::Display>(answer: &ServerAnswer<T>, as_json: bool) -> anyhow::Result<()> {
    if as_json { say(format_args!("{:#}", answer.json)) } else { say(answer) }
}

/// A list of the server: one JSON array, or a line or more for each.
fn tell_all<T: std::fmt::Display>(answers: &[ServerAnswer<T>], as_json: bool, none: &str) -> anyhow::Result<()> {
    if as_json {
        let all: Value = answers.iter().map(|answer| answer.json.clone()).collect();
        return say(format_args!("{all:#}"));
    }
    match answers {
        [] => say(none),
        answers => answers.iter().try_for_each(say),
    }
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
