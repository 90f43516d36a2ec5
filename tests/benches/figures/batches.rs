//! Sends of 1,000 recipients, compared with bulk inserts of the same rows.

use std::time::Duration;

use harness::PatchbaySetup;

use crate::{
    floor, load,
    stage::Stage,
    table::{Bar, Figure, median},
};

const CONNECTIONS: usize = 4;
const RECIPIENTS: usize = 1000;
const ROUNDS: usize = 3;
const WARM_UP: Duration = Duration::from_secs(1);
const LENGTH: Duration = Duration::from_secs(6);

pub async fn measure() -> Figure {
    let mut stage = Stage::set(PatchbaySetup::new()).await;
    let (mut measured, mut floors, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        let body = stage.body(RECIPIENTS);
        let key = stage.client.key.clone();
        let load =
            load::run(stage.address(), &key, CONNECTIONS, WARM_UP, LENGTH, move |request| body.make(request)).await;
        let content = stage.stored_content().await;
        assert_eq!(stage.patchbay.terminate().await, Some(0));
        stage.clear().await;
        let floor = floor::bulk(&stage.db, CONNECTIONS, RECIPIENTS, &content, LENGTH).await;
        stage.clear().await;
        stage.patchbay.launch().await;
        let rate = load.rate * 1000.0;
        let (p50, p99) = (load.p50, load.p99);
        notes.push(format!("round {round}: {rate:.0}/s, p50 {p50:.0?}, p99 {p99:.0?} a request; floor {floor:.0}/s"));
        measured.push(rate);
        floors.push(floor);
    }
    Figure {
        name: "sends of 1,000, 4 connections",
        unit: "recipients/s",
        measured: median(measured),
        floor: Some(median(floors)),
        floor_name: "bulk inserts (unnest) of 1,000, 4 connections".to_owned(),
        bar: Bar::AtLeast(0.5),
        notes,
    }
}
