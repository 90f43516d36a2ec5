//! The program `patchbay`: configuration, the embedded database, listeners, and the commands that use them. It is a
//! library so that its tests can reach the parts.
//!
//! # Start
//!
//! `patchbay serve` does all steps. `patchbay work` has only the listener `server.work_listen`, no simulator, and skips the
//! steps with an asterisk.
//!
//! 1. `Settings::load`, logging, TLS provider. The log names settings that have no effect.
//! 2. `Database::start` uses `database.url`, or `EmbeddedPostgres::start`: take `patchbay.lock`, find the programs,
//!    make the cluster or check its version, stop the remains of a killed run (`orphan_server::clear`), start the
//!    server and its watcher. `patchbay work` joins the server of the data directory.
//! 3. `Base::open` connects, migrates, checks the master key (`Sealer::check_or_init` refuses a different one) and
//!    reads the testing clock. (*) On an embedded database all leases end, because their owners are dead.
//! 4. (*) Bind the listener and start the simulator if it is on. `boot::context` starts the plugin host, which loads
//!    the built-in plugins and `plugins.dir`, and makes the carriers and the store of files.
//! 5. `Process::start` starts SMPP binds and the runner if `server.workers` is on. It always starts the followers of
//!    activations, suspensions and the testing clock.
//! 6. (*) Start the hub of live events and serve the routes, also on `server.batch_tls_listen`. Accept mails on
//!    `email.listen` and serve metrics on `server.metrics_listen` if these are set. `run.json` names the address of the
//!    embedded database for commands. With the simulator, `demo::prepare` makes the demo client in an empty database.
//!
//! # Shutdown
//!
//! After SIGTERM or Ctrl-C, `/readyz` answers 503. Listeners accept no connections and finish requests for up to 15 s. Each lane
//! finishes its step and is given back. SMPP binds and the simulator stop, connections close, and the embedded PostgreSQL stops
//! with a checkpoint. If the database or the listener is lost, the process ends in the same way with status 1.

pub mod admin;
pub mod backup;
pub mod boot;
mod certificate_expiry;
pub mod cli;
pub mod clock;
pub mod demo;
pub mod email;
mod end_signals;
mod erasure_ledger;
pub mod listeners;
mod lite;
pub mod logging;
pub mod master_key;
mod media;
pub mod metrics;
pub mod plugin;
pub mod postgres;
mod process_base;
pub mod serve;
mod service_manager;
pub mod simulated_numbers;
mod simulated_providers;
mod span_data;
mod standard_output;
pub mod status;
pub mod tls;
mod trace_export;
mod webhook_receiver;

use std::{ffi::OsString, io::Write, pin::Pin, process::ExitCode};

use anyhow::Context;

use cli::{Cli, Command};
use logging::LogAudience;
use settings::Settings;

/// Runs one command line. Results go to standard output, all other output to standard error. A failure is status 1.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::read(arguments) {
        Ok(cli) => cli,
        Err(answer) => {
            // Help and version count as success. If standard error is closed, nothing can be done.
            let _ = answer.print();
            return if answer.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        }
    };
    // Before anything else: no configuration, no log, no threads.
    if let Some(Command::CompilePlugin { order }) = &cli.command {
        return plugin_host::compile_child(order);
    }
    refuse_huge_pages();
    match execute(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "patchbay: {}", in_words(&error));
            ExitCode::FAILURE
        }
    }
}

/// The error with its causes, each once: many errors have their cause in their own words.
fn in_words(error: &anyhow::Error) -> String {
    let mut words = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !words.contains(&cause) {
            words.push_str(": ");
            words.push_str(&cause);
        }
    }
    words
}

/// The allocator asks for huge pages of 2 MiB. A small object that stays keeps a whole one, so an idle process would hold half
/// as much memory again.
fn refuse_huge_pages() {
    // If the kernel refuses, the process only holds more memory.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

fn execute(cli: Cli) -> anyhow::Result<()> {
    if let (Some(_), Some(Command::Plugin(command))) = (&cli.config, &cli.command)
        && !command.takes_config()
    {
        anyhow::bail!(plugin::commands::NO_SETTINGS);
    }
    // For a plugin command, `--config` belongs to the plugin.
    let file = cli.config.as_deref().filter(|_| !matches!(cli.command, Some(Command::Plugin(_))));
    let config = Settings::load(file)?;
    let command = cli.command.unwrap_or(Command::Serve);
    let audience = match command {
        Command::Serve | Command::Work => LogAudience::Server,
        Command::Config
        | Command::Status(_)
        | Command::Backup(_)
        | Command::Restore(_)
        | Command::Plugin(_)
        | Command::Listen(_)
        | Command::CompilePlugin { .. }
        | Command::Admin(_) => LogAudience::Command,
    };
    logging::init(&config.logging, audience)?;
    tls::install_crypto();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start")?;
    // Boxed, because `block_on` is compiled three times, together with a future that it polls directly.
    let done: Pin<Box<dyn Future<Output = anyhow::Result<()>>>> = Box::pin(dispatch(config, command));
    runtime.block_on(done)
}

async fn dispatch(config: Settings, command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve => serve::serve(config).await,
        Command::Work => serve::work(config).await,
        Command::Config => standard_output::write(&config.effective().to_toml()),
        Command::Status(arguments) => standard_output::write(&status::run(&config, arguments.json).await?),
        Command::Backup(arguments) => standard_output::write(&backup::save(&config, &arguments.place).await?),
        Command::Restore(arguments) => {
            let restored = backup::restore(&config, &arguments).await?;
            standard_output::write(&format!("{restored}\n"))
        }
        Command::CompilePlugin { order } => {
            let _: ExitCode = plugin_host::compile_child(&order);
            Ok(())
        }
        Command::Plugin(command) => plugin::run(&config, command).await,
        Command::Listen(arguments) => webhook_receiver::run(arguments).await,
        Command::Admin(command) => {
            let answer = admin::run(&config, command).await?;
            standard_output::write(&format!("{answer}\n"))
        }
    }
}
