//! Sources of chance.

use std::collections::HashMap;
use std::time::{Instant, SystemTime};

use wasip2::clocks::monotonic_clock::{now, subscribe_duration, subscribe_instant};
use wasip2::io::poll::{Pollable, poll};
use wasip2::random::{insecure, insecure_seed, random};

/// The order of a hash map.
pub fn map() -> String {
    let map: HashMap<u32, ()> = (0..16).map(|key| (key, ())).collect();
    map.keys().map(u32::to_string).collect::<Vec<_>>().join(" ")
}

/// Numbers from each source.
pub fn random() -> String {
    format!(
        "{:x} {:x} {:x?}",
        random::get_random_u64(),
        insecure::get_insecure_random_u64(),
        insecure_seed::insecure_seed()
    )
}

/// Both clocks, a few times.
pub fn clock() -> String {
    let begin = Instant::now();
    let looks = (0..3).map(|_| {
        let wall = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        format!("{} {}", wall.as_nanos(), begin.elapsed().as_nanos())
    });
    looks.collect::<Vec<_>>().join(", ")
}

/// Which of several timers run out together, until all have.
pub fn race() -> String {
    const MILLISECOND: u64 = 1_000_000;
    let begin = now();
    let timer = |length| (length, subscribe_instant(begin + length * MILLISECOND));
    let mut running: Vec<(u64, Pollable)> = [3, 1, 2, 1, 3, 2].map(timer).into();
    let mut rounds = Vec::new();
    while !running.is_empty() {
        let due = poll(&running.iter().map(|(_, timer)| timer).collect::<Vec<_>>());
        let lengths: Vec<String> = due.iter().map(|index| running[*index as usize].0.to_string()).collect();
        rounds.push(lengths.join("+"));
        let mut index = 0;
        running.retain(|_| {
            index += 1;
            !due.contains(&(index - 1))
        });
    }
    rounds.join(" ")
}

/// How often one has to ask whether a short timer has run out.
pub fn impatient() -> String {
    let timer = subscribe_duration(500_000);
    format!("asked {} times", (0..100_000).take_while(|_| !timer.ready()).count())
}
