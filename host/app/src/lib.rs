//! The program `patchbay`: configuration, the embedded database, listeners, and the commands that use them.
//!
//! A library so that its tests can reach the parts; `main.rs` only calls [`run`].

pub mod admin;
pub mod boot;
pub mod cli;
pub mod clock;
pub mod config;
pub mod demo;
pub mod email;
mod ending;
pub mod listeners;
mod lite;
pub mod logging;
pub mod master_key;
mod media;
pub mod metrics;
pub mod plugin;
pub mod postgres;
pub mod serve;
pub mod simulated_numbers;
pub mod tls;

use std::{ffi::OsString, io::Write, pin::Pin, process::ExitCode};

use anyhow::Context;
use clap::Parser;

use cli::{Cli, Command};
use config::Config;
use logging::Audience;

/// Runs one command line. Results go to standard output, everything else to standard error; a failure is status 1.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(answer) => {
            // Help and version are answers, too. Nothing can be done when standard error is closed.
            let _ = answer.print();
            return if answer.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        }
    };
    // Before anything else: no configuration, no log, no threads.
    if let Some(Command::CompilePlugin { order }) = &cli.command {
        return plugin_host::compile_child(order);
    }
    match execute(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "patchbay: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn execute(cli: Cli) -> anyhow::Result<()> {
    // Of a plugin command, `--config` is the plugin's.
    let file = cli.config.as_deref().filter(|_| !matches!(cli.command, Some(Command::Plugin(_))));
    let config = Config::load(file)?;
    let command = cli.command.unwrap_or(Command::Serve);
    let audience = match command {
        Command::Serve | Command::Work => Audience::Server,
        Command::Config | Command::Plugin(_) | Command::CompilePlugin { .. } | Command::Admin(_) => Audience::Command,
    };
    logging::init(&config.logging, audience)?;
    tls::install_crypto();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start")?;
    // Behind a pointer: `block_on` is compiled three times over, and with it whatever it polls itself, which would be everything.
    let done: Pin<Box<dyn Future<Output = anyhow::Result<()>>>> = Box::pin(dispatch(config, command));
    runtime.block_on(done)
}

async fn dispatch(config: Config, command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve => serve::serve(config).await,
        Command::Work => serve::work(config).await,
        Command::Config => print(&config.effective().to_toml()),
        Command::CompilePlugin { order } => {
            let _: ExitCode = plugin_host::compile_child(&order);
            Ok(())
        }
        Command::Plugin(command) => plugin::run(&config, command).await,
        Command::Admin(command) => {
            let answer = admin::run(&config, command).await?;
            print(&format!("{answer}\n"))
        }
    }
}

/// Writes to standard output; a reader that went away is an error, not a panic.
fn print(text: &str) -> anyhow::Result<()> {
    std::io::stdout().write_all(text.as_bytes()).context("cannot write to standard output")
}
