//! `patchbay plugin`: the tools for authors. The crate `author` does the work, and this module prints the results.

mod arguments;
pub mod commands;
mod components;
mod history;
mod local;
mod output;
mod recorded_test;
mod remote;

use commands::PluginCommand;
use settings::Settings;

pub async fn run(_config: &Settings, command: PluginCommand) -> anyhow::Result<()> {
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
