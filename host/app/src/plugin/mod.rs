//! `patchbay plugin`: the tools for authors. The crate `author` does the work, and this module prints the results.

mod arguments;
pub mod commands;
mod components;
mod flows;
mod history;
mod offline_commands;
mod output;
mod push;
mod recorded_test;
mod server_commands;
mod shared_secrets;
mod trust;

use commands::PluginCommand;
use settings::Settings;

pub async fn run(_config: &Settings, command: PluginCommand) -> anyhow::Result<()> {
    match command {
        PluginCommand::New(new) => offline_commands::new(new),
        PluginCommand::Flow(flow) => flows::run(&flow),
        PluginCommand::Build { project } => offline_commands::build(&project).await,
        PluginCommand::Check { file } => offline_commands::check(&file).await,
        PluginCommand::Test(test) => match test.from_recording.clone() {
            Some(id) => recorded_test::make(&test, &id).await,
            None => offline_commands::test(test).await,
        },
        PluginCommand::Run(run) => offline_commands::talk(run).await,
        PluginCommand::Push(push) => push::push(push).await,
        PluginCommand::Trust(command) => trust::run(command).await,
        PluginCommand::Secret(command) => shared_secrets::run(command).await,
        PluginCommand::Activate(activate) => server_commands::activate(activate).await,
        PluginCommand::Rollback(rollback) => server_commands::rollback(rollback).await,
        PluginCommand::Deactivate(place) => server_commands::deactivate(place).await,
        PluginCommand::Dev(dev) => server_commands::dev(dev).await,
        PluginCommand::GiveBack(wanted) => server_commands::give_back(&wanted).await,
        PluginCommand::Delete { name } => server_commands::delete(&name).await,
        PluginCommand::Invoke(invoke) => server_commands::invoke(invoke).await,
        PluginCommand::Record(record) => server_commands::record(record).await,
        PluginCommand::Verify(verify) => server_commands::verify(verify).await,
        PluginCommand::List { json } => history::list(json).await,
        PluginCommand::Status { name, json } => history::status(&name, json).await,
        PluginCommand::Logs(logs) | PluginCommand::Invocations(logs) => history::logs(logs).await,
        PluginCommand::Events(wanted) => history::events(wanted).await,
        PluginCommand::Kv(wanted) => history::key_values(wanted).await,
        PluginCommand::Differences(wanted) => history::differences(wanted).await,
        PluginCommand::Bindings(bindings) => components::bindings(bindings).await,
        PluginCommand::Wrap(wrap) => components::wrap(&wrap),
        PluginCommand::Replay { name, file, version, limit } => {
            server_commands::replay(&name, file, version, limit).await
        }
    }
}
