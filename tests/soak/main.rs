//! Attacks on every entrance, a broken network and kills, for minutes each: `make soak`, or `make soak ARGS="attacks --seconds 10"`
//! for some (docs/testing.md).

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test program: a failure here is a failed case, and it is its own outside world"
)]

mod arguments;
mod attacks;
#[path = "../it/browser_stories.rs"]
mod browser_stories;
mod console_day;
#[path = "../it/console_stories.rs"]
mod console_stories;
mod http1;
mod http2;
#[path = "../it/kill/mod.rs"]
mod kill;
mod kills;
#[path = "../it/llm_bot.rs"]
mod llm_bot;
mod long_stories;
mod long_tests;
mod memory;
mod neighbour;
mod network;
#[path = "../it/phone_stories.rs"]
mod phone_stories;
#[path = "../it/plugin_swaps.rs"]
mod plugin_swaps;
mod receiver;
mod samples;
#[path = "../it/schema.rs"]
mod schema;
mod seeds;
#[path = "../it/sms_kill.rs"]
mod sms_kill;
mod sockets;
mod sources;
mod stage;
mod table;
mod upgrade;
#[path = "../it/web_chat/browser.rs"]
mod web_chat_browser;

use std::{
    future::Future,
    process::ExitCode,
    time::{Duration, Instant},
};

use arguments::Arguments;
use futures::FutureExt;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sources::Sources;
use table::{AttackOutcome, CheckOutcome};

fn main() -> ExitCode {
    let (attacks, networks) = (attacks::cases(), network::networks());
    let names: Vec<&str> = attacks.iter().map(|case| case.name).collect();
    let names = [
        names,
        networks.iter().map(|network| network.name).collect(),
        kills::KILLS.to_vec(),
        long_tests::LONG.to_vec(),
        upgrade::UPGRADES.to_vec(),
    ]
    .concat();
    let arguments = match Arguments::read(&names) {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    if arguments.list {
        names.iter().for_each(|name| println!("{name}"));
        return ExitCode::SUCCESS;
    }
    open_many_files();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut report = Report { file: arguments.report.clone(), attacked: vec![], checked: vec![] };
    runtime.block_on(run(&arguments, &attacks, &networks, &mut report));
    report.print();
    if report.is_met() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The outcomes so far, which are in the file after every case.
struct Report {
    file: std::path::PathBuf,
    attacked: Vec<AttackOutcome>,
    checked: Vec<CheckOutcome>,
}

impl Report {
    fn write(&self) {
        std::fs::write(&self.file, table::report(&self.attacked, &self.checked)).expect("the report can be written");
    }

    fn print(&self) {
        println!("\n{}", table::report(&self.attacked, &self.checked));
        if Sources::find() == Sources::Forwarded {
            println!(
                "Sources were forwarded addresses: limits of connections per source did not count (docs/testing.md)."
            );
        }
        println!("The report is in {}.", self.file.display());
    }

    fn is_met(&self) -> bool {
        self.attacked.iter().all(AttackOutcome::is_met) && self.checked.iter().all(|checked| checked.outcome.is_ok())
    }
}

async fn run(
    arguments: &Arguments,
    attacks: &[attacks::AttackCase],
    networks: &[network::Network],
    report: &mut Report,
) {
    for case in attacks.iter().filter(|case| arguments.wants("attacks", case.name)) {
        eprintln!("soak: {}", case.name);
        let attacked = attacks::run(case, arguments.length);
        match std::panic::AssertUnwindSafe(attacked).catch_unwind().await {
            Ok(attacked) => report.attacked.push(attacked),
            Err(panic) => report.checked.push(failed(case.name, &*panic)),
        }
        report.write();
    }
    for network in networks.iter().filter(|network| arguments.wants("network", network.name)) {
        report.checked.push(check(network.name, network::run(network, arguments.length)).await);
        report.write();
    }
    for case in kills::KILLS.into_iter().filter(|case| arguments.wants("kills", case)) {
        report.checked.push(check(case, kills::run(case, arguments.length)).await);
        report.write();
    }
    for case in long_tests::LONG.into_iter().filter(|case| arguments.wants("long", case)) {
        report.checked.push(check(case, long_tests::run(case, arguments.length)).await);
        report.write();
    }
    for case in upgrade::UPGRADES.into_iter().filter(|case| arguments.wants("upgrade", case)) {
        report.checked.push(check(case, upgrade::run(arguments.length)).await);
        report.write();
    }
}

/// Runs a case that panics when something is wrong.
async fn check(case: &'static str, run: impl Future<Output = String>) -> CheckOutcome {
    eprintln!("soak: {case}");
    let began = Instant::now();
    match std::panic::AssertUnwindSafe(run).catch_unwind().await {
        Ok(counts) => CheckOutcome { case, outcome: Ok(counts), took: began.elapsed() },
        Err(panic) => CheckOutcome { took: began.elapsed(), ..failed(case, &*panic) },
    }
}

fn failed(case: &'static str, panic: &(dyn std::any::Any + Send)) -> CheckOutcome {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    let first: String = text.chars().take(300).collect();
    CheckOutcome { case, outcome: Err(first), took: Duration::ZERO }
}

/// Lets this process open as many files as it may at all: each connection is one.
fn open_many_files() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum }).unwrap();
    let enough = limit.maximum.is_none_or(|most| most >= 16_384);
    assert!(enough, "the attacks open up to 6,000 connections: raise the limit of open files (ulimit -Hn 16384)");
}
