//! The figures of `docs/benchmarks.md`, each beside a floor that was measured in the same run on the same machine.
//! `make bench`, or `make bench ARGS="sends webhooks"` for some.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a benchmark: what fails here ends the run, and it is its own outside world"
)]

mod batches;
mod fallback;
mod floor;
mod load;
mod memory;
mod neighbours;
mod plugins;
mod sends;
mod shaper;
mod sink;
mod smsc;
mod stage;
mod table;
mod webhooks;

use table::Figure;

const GROUPS: [&str; 8] = ["sends", "batches", "shaper", "webhooks", "fallback", "memory", "plugins", "neighbours"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    if arguments.iter().any(|argument| argument == sink::ROLE) {
        return runtime.block_on(sink::serve());
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
    if wanted("sends") {
        figures.push(sends::measure().await);
    }
    if wanted("batches") {
        figures.push(batches::measure().await);
    }
    if wanted("webhooks") {
        figures.extend(webhooks::measure().await);
    }
    if wanted("fallback") {
        figures.extend(fallback::measure().await);
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
    figures
}
