//! Memory of the host's process: idle, and with messages waiting.

use std::time::Duration;

use harness::PatchbaySetup;

use crate::{
    load::Connection,
    stage::Stage,
    table::{Bar, Figure},
};

/// Requests of 1,000 recipients in a step.
const STEP: usize = 10;
const STEPS: usize = 6;

pub async fn measure() -> Vec<Figure> {
    let mut stage = Stage::set(PatchbaySetup::new()).await;
    // A process that has done nothing but start.
    assert_eq!(stage.patchbay.terminate().await, Some(0));
    stage.patchbay.launch().await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let idle = resident(&stage);
    let body = stage.body(1000);
    let mut connection = Connection::open(stage.address(), &stage.client.key).await;
    let mut sizes = vec![idle];
    for step in 0..STEPS {
        for request in 0..STEP {
            assert_eq!(connection.post(&body.make(step * STEP + request)).await, 202);
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        sizes.push(resident(&stage));
    }
    let steps: Vec<String> = sizes.iter().map(|size| format!("{size:.0}")).collect();
    let waiting: i64 = sqlx::query_scalar("SELECT count(*) FROM outbound_work").fetch_one(&stage.db).await.unwrap();
    #[expect(clippy::cast_precision_loss, reason = "a handful of steps")]
    let growth = (sizes[STEPS] - sizes[1]) / (STEPS - 1) as f64;
    vec![
        Figure {
            name: "idle host",
            unit: "MB resident",
            measured: idle,
            floor: None,
            floor_name: "-".to_owned(),
            bar: Bar::AtMost(100.0),
            notes: vec![],
        },
        Figure {
            name: "growth per 10,000 queued messages",
            unit: "MB resident",
            measured: growth,
            floor: None,
            floor_name: "-".to_owned(),
            bar: Bar::Watch,
            notes: vec![format!("{} MB after each 10,000; {waiting} waiting at the end", steps.join(", "))],
        },
    ]
}

/// `VmRSS` of the process, in megabytes.
pub fn resident(stage: &Stage) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", stage.patchbay.process_id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().unwrap();
    kilobytes / 1024.0
}
