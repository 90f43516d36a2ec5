//! Costs of tests, compared with the last run. The costs are given, so no test depends on the speed of the machine.

use std::{path::PathBuf, time::Duration};

use author::{Cost, CostHistory};

fn cost(micros: u64, memory_kib: u64) -> Cost {
    Cost { processor_time: Duration::from_micros(micros), memory_bytes: memory_kib << 10 }
}

/// The warnings of a run of one component.
fn run(component: &PathBuf, bytes: &[u8], costs: &[(&str, Cost)]) -> Vec<String> {
    std::fs::write(component, bytes).unwrap();
    let mut history = CostHistory::open(component);
    let mut warnings: Vec<String> = history.keep_size().into_iter().collect();
    warnings.extend(costs.iter().flat_map(|(test, cost)| history.keep(test, *cost)));
    history.save().unwrap();
    warnings
}

#[test]
fn a_change_that_makes_costs_worse_is_warned_of_once() {
    let folder = tempfile::tempdir().unwrap();
    let component = folder.path().join("bot.wasm");
    assert!(run(&component, &[1; 50_000], &[("hello", cost(2_000, 1_024)), ("bye", cost(10, 64))]).is_empty());
    let worse = [("hello", cost(5_500, 2_048)), ("bye", cost(900, 96))];
    assert_eq!(
        run(&component, &[2; 61_000], &worse),
        [
            "the component grew from 50 KB to 61 KB",
            "its processor time rose from 2.000 ms to 5.500 ms",
            "its memory rose from 1.0 MB to 2.0 MB"
        ]
    );
    assert!(run(&component, &[2; 61_000], &worse).is_empty(), "these are the costs of the last run");
}

#[test]
fn the_same_component_is_not_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let component = folder.path().join("bot.wasm");
    assert!(run(&component, b"one", &[("hello", cost(100, 64))]).is_empty());
    assert!(run(&component, b"one", &[("hello", cost(90_000, 64))]).is_empty(), "the machine was busy");
}

#[test]
fn a_test_that_did_not_run_keeps_its_costs() {
    let folder = tempfile::tempdir().unwrap();
    let component = folder.path().join("bot.wasm");
    run(&component, b"one", &[("hello", cost(100, 64)), ("bye", cost(100, 64))]);
    run(&component, b"two", &[("hello", cost(100, 64))]);
    let warnings = run(&component, b"six", &[("bye", cost(100, 640))]);
    assert_eq!(warnings, ["its memory rose from 65 KB to 655 KB"]);
}

#[test]
fn a_damaged_file_of_costs_means_that_there_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let component = folder.path().join("bot.wasm");
    std::fs::write(folder.path().join("bot.costs.json"), "{").unwrap();
    assert!(run(&component, b"one", &[("hello", cost(100, 64))]).is_empty());
}
