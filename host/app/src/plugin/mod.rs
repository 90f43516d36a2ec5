//! `patchbay plugin`: the tools for authors. The crate `author` does the work, and this module prints the results.

pub mod commands;
mod local;
mod output;
mod remote;

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
