//! Single-recipient sends at 64 connections, compared with pgbench with 64 clients.

use std::time::Duration;

use harness::PatchbaySetup;

use crate::{
    costs::{self, Processes, Spent},
    floor, load,
    stage::Stage,
    table::{Bar, Figure, median},
};

const CONNECTIONS: usize = 64;
const ROUNDS: usize = 3;
const WARM_UP: Duration = Duration::from_secs(2);
const LENGTH: Duration = Duration::from_secs(8);

pub async fn measure() -> Figure {
    let mut stage = Stage::set(PatchbaySetup::new()).await;
    let (mut measured, mut floors, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        let load = load(&stage).await;
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
    notes.extend(costs(&stage).await);
    Figure {
        name: "single sends, 64 connections",
        unit: "requests/s",
        measured: median(measured),
        floor: Some(median(floors)),
        floor_name: "pgbench, 64 clients, one prepared statement per message".to_owned(),
        bar: Bar::AtLeast(1.0),
        notes,
    }
}

async fn load(stage: &Stage) -> load::Round {
    let (body, key) = (stage.body(1), stage.client.key.clone());
    load::run(stage.address(), &key, CONNECTIONS, WARM_UP, LENGTH, move |request| body.make(request)).await
}

/// The cost of a request, in a round that does not count.
async fn costs(stage: &Stage) -> Vec<String> {
    // The load generator is the provider, too.
    let processes = Processes {
        program: stage.patchbay.process_id(),
        postmaster: costs::postmaster(&stage.db).await,
        provider: std::process::id(),
        sink: None,
    };
    let counts = costs::count_statements(&stage.db).await;
    let before = processes.spent();
    load(stage).await;
    let requests: i64 = sqlx::query_scalar("SELECT count(*) FROM outbound_message").fetch_one(&stage.db).await.unwrap();
    #[expect(clippy::cast_precision_loss, reason = "a count of requests")]
    let requests = requests as f64;
    let Spent { program, postgresql, provider, .. } = processes.spent().each(&before, requests);
    let mut notes = vec![format!(
        "ms of processor time a request: program {program:.2}, PostgreSQL {postgresql:.2}, load generator {provider:.2}"
    )];
    if counts {
        notes.extend(costs::counted(&stage.db, requests).await);
    }
    notes
}
