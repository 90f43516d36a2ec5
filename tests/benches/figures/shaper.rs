//! A built-in shaper called through the plugin host, compared with the same component in bare wasmtime. An example of
//! the plugin host measures it, because only that crate may use wasmtime.

use std::process::Command;

use serde_json::Value;

use crate::table::{Bar, Figure};

pub fn measure() -> Figure {
    let here = std::env::current_exe().unwrap();
    let example = here.parent().and_then(|deps| deps.parent()).unwrap().join("examples/call_cost");
    assert!(example.exists(), "{} is missing: `make bench` builds it", example.display());
    let output = Command::new(example).arg("20000").output().unwrap();
    assert!(output.status.success(), "call_cost failed: {}", String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let number = |name: &str| result[name].as_f64().unwrap();
    let note = format!(
        "{} alternating calls; p99 {} µs through the host, {} µs bare",
        result["calls"], result["host_p99_us"], result["bare_p99_us"]
    );
    Figure {
        name: "shaper call, fresh instance",
        unit: "µs at the median",
        measured: number("host_p50_us"),
        floor: Some(number("bare_p50_us")),
        floor_name: "the same component, pre-instantiated, in bare wasmtime".to_owned(),
        bar: Bar::AtMostTimes(1.3),
        notes: vec![note],
    }
}
