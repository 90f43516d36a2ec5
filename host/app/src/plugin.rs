//! `patchbay plugin`.

use std::io::Write;

use anyhow::{Context as _, bail};

use crate::{cli::PluginCommand, config::Config};

/// Carries out one command and prints what it found. No server is needed.
pub async fn run(_config: &Config, command: PluginCommand) -> anyhow::Result<()> {
    match command {
        PluginCommand::Check { file } => {
            let bytes = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let report = tokio::task::spawn_blocking(move || plugin_host::check(&bytes)).await?;
            writeln!(std::io::stdout(), "{report}").context("cannot write to standard output")?;
            if !report.is_ok() {
                bail!("{} cannot be used as a plugin", file.display());
            }
            Ok(())
        }
    }
}
