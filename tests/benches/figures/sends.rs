//! Single-recipient sends at 64 connections, beside pgbench with 64 clients.

use std::time::Duration;

use harness::Setup;

use crate::{
    floor, load,
    stage::Stage,
    table::{Bar, Figure, median},
};

const CONNECTIONS: usize = 64;
const ROUNDS: usize = 3;
const WARM_UP: Duration = Duration::from_secs(2);
const LENGTH: Duration = Duration::from_secs(8);

pub async fn measure() -> Figure {
    let mut stage = Stage::set(Setup::new()).await;
    let (mut measured, mut floors, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        let body = stage.body(1);
        let key = stage.client.key.clone();
        let load =
            load::run(stage.address(), &key, CONNECTIONS, WARM_UP, LENGTH, move |request| body.make(request)).await;
        let content = stage.stored_content().await;
        assert_eq!(stage.patchbay.terminate().await, Some(0));
        stage.clear().await;
        let floor = floor::pgbench(stage.patchbay.database_url(), CONNECTIONS, &content, LENGTH);
        stage.clear().await;
        stage.patchbay.launch().await;
        let (p50, p99) = (load.p50, load.p99);
        notes.push(format!("round {round}: {:.0}/s, p50 {p50:.1?}, p99 {p99:.1?}; floor {floor:.0}/s", load.rate));
        measured.push(load.rate);
        floors.push(floor);
    }
    Figure {
        name: "single sends, 64 connections",
        unit: "requests/s",
        measured: median(measured),
        floor: Some(median(floors)),
        beside: "pgbench, 64 clients, one prepared statement per message".to_owned(),
        bar: Bar::AtLeast(1.0),
        notes,
    }
}
