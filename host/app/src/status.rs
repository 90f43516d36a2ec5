//! `patchbay status`: the state of the queues, the processes and the providers, from the database.

use std::fmt::Write as _;

use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::NodeId;
use serde::Serialize;
use settings::Settings;
use storage::{
    PgConnection, Queue,
    work::depths::{self, Depth, FailedCalls, WaitingLane, WorkerNode},
};

use crate::{postgres::Database, process_base::Base};

/// The time whose failed calls are shown.
const RECENT: TimeDelta = TimeDelta::hours(1);

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    version: &'static str,
    commit: &'static str,
    schema: i64,
    program_schema: i64,
    time: DateTime<Utc>,
    nodes: Vec<NodeStatus>,
    queues: Vec<QueueStatus>,
    provider_failures: Vec<ProviderFailures>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct NodeStatus {
    id: NodeId,
    started_time: DateTime<Utc>,
    lanes: i64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct QueueStatus {
    name: &'static str,
    waiting: i64,
    due: i64,
    lanes: i64,
    oldest_due_seconds: Option<i64>,
    oldest_lanes: Vec<LaneStatus>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LaneStatus {
    client_ref: String,
    lane: String,
    due: i64,
    oldest_due_seconds: i64,
    /// `WORKING`: a worker holds the lane. `WAITING`: no worker has taken it.
    state: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ProviderFailures {
    channel: String,
    outcome: String,
    error_code: Option<String>,
    calls: i64,
    last_time: DateTime<Utc>,
}

pub async fn run(config: &Settings, as_json: bool) -> anyhow::Result<String> {
    let database = Database::connect_for_admin(config).await?;
    let answer = read(config, database.url()).await;
    database.stop().await;
    let status = answer?;
    if as_json { Ok(format!("{}\n", serde_json::to_string(&status)?)) } else { Ok(status.text()) }
}

async fn read(config: &Settings, url: &str) -> anyhow::Result<Status> {
    let base = Base::open(config, url).await?;
    let now = base.administration().now();
    let status = Status::read(&mut *base.db.acquire().await?, now).await;
    base.db.close().await;
    Ok(status?)
}

impl Status {
    async fn read(db: &mut PgConnection, now: DateTime<Utc>) -> storage::Result<Self> {
        let mut queues = Vec::new();
        for queue in Queue::ALL {
            let depth = depths::depth(db, queue, now).await?;
            let lanes = if depth.due > 0 { depths::oldest_lanes(db, queue, now).await? } else { Vec::new() };
            queues.push(QueueStatus::new(queue, depth, lanes, now));
        }
        let nodes = depths::nodes(db).await?.into_iter().map(NodeStatus::from).collect();
        let failures = depths::failed_calls(db, now - RECENT).await?;
        let provider_failures = failures.into_iter().map(ProviderFailures::from).collect();
        Ok(Self {
            version: env!("CARGO_PKG_VERSION"),
            commit: env!("PATCHBAY_COMMIT"),
            schema: storage::schema(db).await?,
            program_schema: storage::own_schema(),
            time: now,
            nodes,
            queues,
            provider_failures,
        })
    }

    fn text(&self) -> String {
        let time = self.time.format("%Y-%m-%d %H:%M:%S UTC");
        let mut text = format!("patchbay {} ({}) at {time}\n", self.version, self.commit);
        let (schema, own) = (self.schema, self.program_schema);
        text.push_str(&if schema == own {
            format!("schema {schema}\n\n")
        } else {
            format!("schema {schema}; this program is of schema {own}\n\n")
        });
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{:<14} {:>9} {:>9} {:>7}  oldest due", "queue", "waiting", "due", "lanes");
        for queue in &self.queues {
            let oldest = queue.oldest_due_seconds.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds} s"));
            let _ =
                writeln!(text, "{:<14} {:>9} {:>9} {:>7}  {oldest}", queue.name, queue.waiting, queue.due, queue.lanes);
            for lane in &queue.oldest_lanes {
                let _ = writeln!(
                    text,
                    "    {} {}: {} due, oldest {} s, {}",
                    lane.client_ref, lane.lane, lane.due, lane.oldest_due_seconds, lane.state
                );
            }
        }
        let _ = writeln!(text, "\nprocesses with background work: {}", self.nodes.len());
        for node in &self.nodes {
            let started = node.started_time.format("%Y-%m-%d %H:%M:%S UTC");
            let _ = writeln!(text, "    {} since {started}, {} lanes", node.id, node.lanes);
        }
        if self.provider_failures.is_empty() {
            text.push_str("\nno failed calls to providers in the last hour\n");
        } else {
            text.push_str("\nfailed calls to providers in the last hour\n");
        }
        for failures in &self.provider_failures {
            let code = failures.error_code.as_deref().unwrap_or("-");
            let _ = writeln!(text, "    {} {} {code}: {}", failures.channel, failures.outcome, failures.calls);
        }
        text
    }
}

impl QueueStatus {
    fn new(queue: Queue, depth: Depth, lanes: Vec<WaitingLane>, now: DateTime<Utc>) -> Self {
        Self {
            name: queue.name(),
            waiting: depth.waiting,
            due: depth.due,
            lanes: depth.lanes,
            oldest_due_seconds: depth.oldest_due_at.map(|oldest| (now - oldest).num_seconds()),
            oldest_lanes: lanes.into_iter().map(|lane| LaneStatus::new(lane, now)).collect(),
        }
    }
}

impl LaneStatus {
    fn new(lane: WaitingLane, now: DateTime<Utc>) -> Self {
        Self {
            client_ref: lane.client_ref,
            lane: lane.lane_id.to_string(),
            due: lane.due,
            oldest_due_seconds: (now - lane.oldest_due_at).num_seconds(),
            state: if lane.is_leased { "WORKING" } else { "WAITING" },
        }
    }
}

impl From<WorkerNode> for NodeStatus {
    fn from(node: WorkerNode) -> Self {
        Self { id: node.id, started_time: node.started_at, lanes: node.lanes }
    }
}

impl From<FailedCalls> for ProviderFailures {
    fn from(calls: FailedCalls) -> Self {
        Self {
            channel: calls.channel,
            outcome: calls.outcome,
            error_code: calls.error_code,
            calls: calls.calls,
            last_time: calls.last_at,
        }
    }
}
