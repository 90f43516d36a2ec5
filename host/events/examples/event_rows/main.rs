//! The cost of storing events in two designs: in the deliveries that report them, or in a separate table. 1,000
//! messages are accepted per second; their 3,000 statuses come back as callbacks.
//!
//! `cargo run --release -p events --example event_rows [rounds] [seconds]`
//!
//! The processor time of PostgreSQL and the bytes of its log count, because elapsed time says little on a shared
//! machine.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    reason = "a measurement: what fails here ends the run, and it is its own outside world"
)]

mod meter;
mod work;

use std::time::Duration;

use meter::{Meter, Used};
use work::{Design, Load, Work};

/// Messages accepted in each tick, with as many statuses of each of the three steps.
const BATCH: usize = 33;
/// Ticks per second: 30 of 33 messages are 990 per second.
const TICKS: u32 = 30;

struct Cell {
    design: Design,
    load: Load,
    rounds: Vec<Used>,
}

#[tokio::main]
async fn main() {
    let arguments: Vec<u32> = std::env::args().skip(1).map(|text| text.parse().unwrap()).collect();
    let (rounds, seconds) = (arguments.first().copied().unwrap_or(5), arguments.get(1).copied().unwrap_or(8));
    let db = scratch::durable_database().await.pool(8).await;
    let meter = Meter::new(&db).await;
    let designs = [Design::InDeliveries, Design::EventTable];
    let loads = [Load::Webhook, Load::NoReader];
    let mut cells: Vec<Cell> =
        loads.into_iter().flat_map(|load| designs.map(|design| Cell { design, load, rounds: Vec::new() })).collect();
    for round in 0..rounds {
        for cell in &mut cells {
            let work = Work::prepare(&db, cell.design, cell.load).await;
            let before = meter.read(&db).await;
            let late = run(&work, seconds * TICKS).await;
            let mut used = meter.read(&db).await.since(before);
            used.stored = work.stored_bytes().await;
            let statuses = work.taken();
            println!(
                "round {}: {:?} {:?}: {used:.2?}, {statuses} statuses, late by {late:.1?}",
                round + 1,
                cell.design,
                cell.load
            );
            cell.rounds.push(used.per(statuses));
        }
    }
    table(&cells);
}

async fn run(work: &Work, ticks: u32) -> Duration {
    let began = tokio::time::Instant::now();
    for tick in 0..ticks {
        tokio::time::sleep_until(began + Duration::from_secs(1) * tick / TICKS).await;
        tokio::join!(work.accept(tick), work.call_back(tick), work.take(tick), work.deliver());
    }
    let late = began.elapsed().saturating_sub(Duration::from_secs(1) * ticks / TICKS);
    work.deliver().await;
    work.vacuum().await;
    late
}

fn table(cells: &[Cell]) {
    println!(
        "\nper 100,000 statuses and the messages that they are about, median of the rounds (lowest to highest):\n"
    );
    println!("| load | events | PostgreSQL, processor s | WAL, MB | stored after, MB |");
    println!("|---|---|---:|---:|---:|");
    for Cell { design, load, rounds } in cells {
        let figure = |of: fn(&Used) -> f64| {
            let mut all: Vec<f64> = rounds.iter().map(of).collect();
            all.sort_by(f64::total_cmp);
            format!("{:.1} ({:.1} to {:.1})", all[all.len() / 2], all[0], all[all.len() - 1])
        };
        let (processor, wal) = (figure(|used| used.processor), figure(|used| used.wal / 1e6));
        println!("| {load:?} | {design:?} | {processor} | {wal} | {} |", figure(|used| used.stored / 1e6));
    }
}
