//! The figures of `docs/benchmarks.md`, each with a floor that was measured in the same run on the same machine. `make
//! bench`, or `make bench ARGS="sends webhooks"` for some.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a benchmark: what fails here ends the run, and it is its own outside world"
)]

mod batches;
mod console;
mod costs;
mod crowd;
mod events;
mod fallback;
mod floor;
mod inbox;
mod journey;
mod kannel;
mod large_tables;
mod live_events;
mod load;
mod memory;
mod neighbours;
mod number;
mod plugins;
mod provider;
mod role;
mod sends;
mod shaper;
mod simulator_process;
mod sink;
mod slow_customer;
mod sms;
mod smsc;
mod stage;
mod table;
mod timing;
mod versions;
mod waiting_rows;
mod webhooks;

use table::Figure;

const GROUPS: [&str; 18] = [
    "journey",
    "sends",
    "batches",
    "shaper",
    "webhooks",
    "events",
    "number",
    "filled",
    "inbox",
    "console",
    "fallback",
    "sms",
    "waiting",
    "heldup",
    "memory",
    "plugins",
    "neighbours",
    "crowd",
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    if arguments.iter().any(|argument| argument == sink::ROLE) {
        return runtime.block_on(sink::serve());
    }
    if arguments.iter().any(|argument| argument == simulator_process::ROLE) {
        return runtime.block_on(simulator_process::serve(&arguments));
    }
    if arguments.iter().any(|argument| argument == provider::ROLE) {
        // One thread, so that the provider takes as little of the machine as possible.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        return runtime.block_on(provider::serve(&arguments));
    }
    let named: Vec<&str> = arguments.iter().map(String::as_str).filter(|name| GROUPS.contains(name)).collect();
    let wanted = |group: &str| named.is_empty() || named.contains(&group);
    let figures = runtime.block_on(measure(wanted));
    table::print(&figures);
}

async fn measure(wanted: impl Fn(&str) -> bool) -> Vec<Figure> {
    let mut figures = Vec::new();
    if wanted("memory") {
        figures.extend(memory::measure().await);
    }
    if wanted("journey") {
        figures.extend(journey::measure().await);
    }
    if wanted("sends") {
        figures.push(sends::measure().await);
    }
    if wanted("batches") {
        figures.push(batches::measure().await);
    }
    if wanted("webhooks") {
        figures.extend(webhooks::measure().await);
    }
    if wanted("events") {
        figures.extend(events::measure().await);
    }
    if wanted("number") {
        figures.push(number::measure().await);
    }
    if wanted("filled") {
        figures.extend(large_tables::measure().await);
    }
    if wanted("inbox") {
        figures.extend(inbox::measure().await);
    }
    if wanted("console") {
        figures.extend(console::measure().await);
    }
    if wanted("fallback") {
        figures.extend(fallback::measure().await);
    }
    if wanted("sms") {
        figures.extend(sms::measure().await);
    }
    if wanted("waiting") {
        figures.extend(waiting_rows::measure().await);
    }
    if wanted("heldup") {
        figures.extend(slow_customer::measure().await);
    }
    if wanted("shaper") {
        figures.push(shaper::measure());
    }
    if wanted("plugins") {
        figures.extend(plugins::measure().await);
    }
    if wanted("neighbours") {
        figures.extend(neighbours::measure());
    }
    if wanted("crowd") {
        figures.extend(crowd::measure().await);
    }
    figures
}
