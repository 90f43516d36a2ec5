//! The effect of a hostile client on the 99th percentile of its neighbour. An example of the plugin host measures it,
//! and also the effect of another process of the lowest priority on the same machine.

use std::process::Command;

use serde_json::Value;

use crate::table::{Bar, Figure};

const SECONDS: &str = "1";
const ROUNDS: &str = "21";
const DEEDS: [(&str, &str); 7] = [
    ("spins", "neighbour's p99 while a client spins"),
    ("allocates", "while it allocates"),
    ("recurses", "while it recurses"),
    ("floods logs", "while it floods logs"),
    ("returns garbage", "while it returns garbage"),
    ("crashes", "while it crashes"),
    ("all of it", "while it does all of it"),
];

/// Many clients at once.
const CROWDS: [(&str, &str); 4] = [
    ("9 clients wait", "while the plugins of 9 clients wait"),
    ("60 clients wait", "while those of 60 clients wait"),
    ("600 clients wait", "while those of 600 clients wait"),
    ("6 clients fill 88 MB", "while those of 6 clients fill 88 MB a call"),
];

pub fn measure() -> Vec<Figure> {
    let here = std::env::current_exe().unwrap();
    let example = here.parent().and_then(|deps| deps.parent()).unwrap().join("examples/neighbours");
    assert!(example.exists(), "{} is missing: `make bench` builds it", example.display());
    let workplace = tempfile::tempdir().unwrap();
    let hostile = workplace.path().join("hostile.wasm");
    std::fs::write(&hostile, harness::guest("hostile-bot")).unwrap();
    let output = Command::new(example).arg(hostile).args([SECONDS, ROUNDS]).output().unwrap();
    assert!(output.status.success(), "neighbours failed: {}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<Value> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let about = |what: &str| lines.iter().find(|line| line["load"] == what).unwrap();
    let micros = |what: &str| about(what)["p99_us"].as_f64().unwrap();
    let mut figures: Vec<Figure> = DEEDS
        .into_iter()
        .map(|(deed, name)| Figure {
            name,
            unit: "µs at the 99th percentile",
            measured: micros(deed),
            floor: Some(micros("quiet")),
            floor_name: "the same neighbour without another client".to_owned(),
            bar: Bar::AtMostTimes(1.1),
            notes: vec![],
        })
        .collect();
    figures.extend(CROWDS.into_iter().map(|(crowd, name)| Figure {
        name,
        unit: "µs at the 99th percentile",
        measured: micros(crowd),
        floor: about(crowd)["quiet_p99_us"].as_f64(),
        floor_name: "the same neighbour before and after, without another client".to_owned(),
        bar: Bar::AtMostTimes(1.1),
        notes: vec![],
    }));
    figures[0].notes = lines.iter().map(Value::to_string).collect();
    figures
}
