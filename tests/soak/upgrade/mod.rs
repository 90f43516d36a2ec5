//! A rolling upgrade under load: two processes of the previous release and then two of this one on one database. Nothing is lost,
//! doubled or refused (ADR 0060).

mod balancer;
mod logs;
mod readers;
mod sms;

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use harness::{NodeProcess, Patchbay, PatchbaySetup, TestClient, WebhookSink, binary};
use serde_json::json;
use sqlx::PgPool;

use crate::kill;
use balancer::Balancer;
use logs::DatabaseLog;
use readers::Readers;
use sms::SmsLoad;

/// The cases.
pub const UPGRADES: [&str; 1] = ["rolling-upgrade"];

/// The variable with the path of the previous program, which `scripts/soak.sh` sets.
const PREVIOUS: &str = "PATCHBAY_PREVIOUS";
/// Minimum of answers of the balancer in each step.
const ANSWERS: usize = 100;
/// Steps that share the length of the case.
const STEPS: u32 = 7;
/// Limit of a step on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);
const SEED: u64 = 20_261_128;
/// A program before ADR 0060 refuses each newer schema in these words.
const STRICT_REFUSAL: &str = "was previously applied but is missing";

/// Runs the case, and returns its counts.
///
/// # Panics
///
/// If something was lost, doubled or refused.
pub async fn run(length: Duration) -> String {
    let previous = PathBuf::from(std::env::var_os(PREVIOUS).filter(|path| !path.is_empty()).unwrap_or_else(|| {
        panic!("the previous program is not built: the output of scripts/previous-release.sh has the reason")
    }));
    let database_log = DatabaseLog::begin().await;
    let mut patchbay = PatchbaySetup::new().program(&previous).set("limits.cloud_rate_per_number", "400").start().await;
    let faults = json!({ "holdAnswersMillis": 60, "enforceLimits": false });
    patchbay.simulate("/simulator/faults", &faults).await;
    let db = PgPool::connect(patchbay.database_url()).await.unwrap();
    let before = schema(&db).await;
    let home = patchbay.home_elsewhere();
    let second = start(&patchbay, &previous, home.path()).await;
    let sink = WebhookSink::start().await;
    let clients = kill::clients(&patchbay, &sink).await;
    patchbay.credits(&clients[1], 1_000_000);

    let balancer = Arc::new(Balancer::start().await);
    balancer.add(&patchbay.url()).await;
    balancer.add(&second.url).await;
    patchbay.callbacks_to(&balancer.url());
    let clients: Vec<TestClient> = clients.iter().map(|client| client.at(&balancer.url())).collect();
    let sms = SmsLoad::start(&balancer.url(), &clients[1]);
    let readers = Readers::start(&balancer, &clients[1]).await;
    let load = kill::Load::start(&patchbay, &clients, SEED);
    let pace = Pace { balancer: &balancer, step: length / STEPS };
    pace.go_on().await;

    // The migration, while both nodes of the previous release work.
    let new_homes = [patchbay.home_elsewhere(), patchbay.home_elsewhere()];
    let third = start(&patchbay, &binary(), new_homes[0].path()).await;
    let after = schema(&db).await;
    balancer.add(&third.url).await;
    pace.go_on().await;
    let lost = balancer.lost_connections();
    assert!(lost.is_empty(), "{} connections were lost before a node was stopped: {:?}", lost.len(), lost.first());

    let mut stops = Stops { balancer: &balancer, stopped: vec![], processes: vec![] };
    stops.stop(second).await;
    let restart = match patchbay.node_of(&previous, home.path()).await {
        Ok(node) => {
            balancer.add(&node.url).await;
            pace.go_on().await;
            stops.stop(node).await;
            "started again on the newer schema"
        }
        Err(log) if log.contains(STRICT_REFUSAL) => "is older than ADR 0060 and does not start again",
        Err(log) => panic!("the previous program does not start on the newer schema:\n{log}"),
    };
    let fourth = start(&patchbay, &binary(), new_homes[1].path()).await;
    balancer.add(&fourth.url).await;
    pace.go_on().await;
    stops.note(&patchbay.url());
    assert_eq!(patchbay.terminate().await, Some(0));
    balancer.remove(&patchbay.url());
    pace.go_on().await;

    // The first migration of the next release, with a restart of this one.
    patchbay.apply_later_migration("later columns").await;
    pace.go_on().await;
    stops.stop(third).await;
    let fifth = start(&patchbay, &binary(), new_homes[0].path()).await;
    balancer.add(&fifth.url).await;
    pace.go_on().await;

    let ledger = load.stop().await;
    let written: Vec<String> =
        ledger.written.iter().filter(|(client, ..)| *client == 1).map(|(_, _, text)| text.clone()).collect();
    let heard = readers.stop_and_judge(&written).await;
    let sent = sms.stop_and_judge(&patchbay, &db).await;
    kill::drain(&db, &patchbay).await;
    let counts = kill::verdict::judge(&patchbay, &db, &clients, &sink, &ledger).await;
    assert_eq!((counts.doubles, counts.ambiguous, counts.repeated_webhooks), (0, 0, 0), "{counts}");
    every_webhook_came_once(&sink);
    let refusals = balancer.refusals();
    assert!(refusals.is_empty(), "{} requests were refused: {:?}", refusals.len(), &refusals[..refusals.len().min(5)]);
    let moved = stops.judge_connections();
    let processes: Vec<&NodeProcess> = stops.processes.iter().chain([&fourth, &fifth]).collect();
    logs::judge_nodes(&patchbay, &processes);
    database_log.judge().await;
    format!(
        "schema {before} to {after}; the previous program {restart}; {} answers, {moved} requests moved from a stopped \
         node; {counts}; {sent}; {heard}",
        balancer.answers()
    )
}

async fn start(patchbay: &Patchbay, program: &Path, home: &Path) -> NodeProcess {
    patchbay.node_of(program, home).await.unwrap_or_else(|log| panic!("{} ended:\n{log}", program.display()))
}

async fn schema(db: &PgPool) -> i64 {
    sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations").fetch_one(db).await.unwrap()
}

/// How long the load continues in one step.
struct Pace<'b> {
    balancer: &'b Balancer,
    step: Duration,
}

impl Pace<'_> {
    async fn go_on(&self) {
        let (began, wanted) = (Instant::now(), self.balancer.answers() + ANSWERS);
        while began.elapsed() < self.step || self.balancer.answers() < wanted {
            assert!(began.elapsed() < self.step + PATIENCE, "hardly any request is answered");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// The nodes that were stopped, with the moment.
struct Stops<'b> {
    balancer: &'b Balancer,
    stopped: Vec<(String, Instant)>,
    /// Their logs are checked at the end.
    processes: Vec<NodeProcess>,
}

impl Stops<'_> {
    fn note(&mut self, url: &str) {
        self.stopped.push((url.to_owned(), Instant::now()));
    }

    async fn stop(&mut self, mut node: NodeProcess) {
        self.note(&node.url);
        assert_eq!(node.terminate().await, Some(0), "{}", node.log());
        self.balancer.remove(&node.url);
        self.processes.push(node);
    }

    /// Checks that only connections to a stopped node were lost. Returns their number.
    fn judge_connections(&self) -> usize {
        let lost = self.balancer.lost_connections();
        let is_of_a_stop =
            |node: &str, at: Instant| self.stopped.iter().any(|(url, since)| url == node && *since <= at);
        let others = lost.iter().filter(|lost| !is_of_a_stop(&lost.node, lost.at));
        let others: Vec<&String> = others.map(|lost| &lost.request).collect();
        assert!(others.is_empty(), "connections to working nodes were lost: {others:?}");
        lost.len()
    }
}

fn every_webhook_came_once(sink: &WebhookSink) {
    for path in ["incoming", "status", "chatbot"] {
        let received = sink.received(path);
        let ids: HashSet<String> = received.iter().map(|webhook| webhook.header("webhook-id")).collect();
        assert_eq!(ids.len(), received.len(), "webhooks at {path} that came again");
    }
}
