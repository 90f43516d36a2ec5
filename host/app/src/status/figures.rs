//! The figures of `patchbay status`.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::{ClientId, InboxId, NodeId};
use serde::Serialize;
use storage::{
    PgConnection, Queue,
    work::{
        depths::{self, Depth, FailedCalls, WorkerNode},
        process_reports::{self, StoredReport},
        queue_figures, wait_reasons,
    },
};

use super::{
    lanes::{self, LaneKnowledge, LaneStatus},
    report::{self, ProcessReport, WaitReport},
};

/// The time whose failed calls are shown.
const RECENT: TimeDelta = TimeDelta::hours(1);
/// Age of a report after which its process counts as silent: four reports are missing.
const SILENT_AFTER_SECONDS: f64 = 4.0 * report::EVERY.as_secs_f64();

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StatusFigures {
    pub(super) version: &'static str,
    pub(super) commit: &'static str,
    /// The last migration of the database.
    pub(super) schema: i64,
    /// The last migration of this program.
    pub(super) program_schema: i64,
    pub(super) time: DateTime<Utc>,
    pub(super) nodes: Vec<NodeStatus>,
    pub(super) processes: Vec<ProcessStatus>,
    pub(super) queues: Vec<QueueStatus>,
    pub(super) providers: Vec<ProviderCalls>,
    pub(super) provider_failures: Vec<ProviderFailures>,
    pub(super) refused_tokens: Vec<RefusedTokenStatus>,
    pub(super) lite_sessions: LiteSessions,
}

/// A process with background work.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NodeStatus {
    pub(super) id: NodeId,
    pub(super) started_time: DateTime<Utc>,
    pub(super) lanes: i64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProcessStatus {
    pub(super) id: NodeId,
    /// `RUNNING`, `STOPPED`, or `SILENT`: its reports have ended without a stop.
    pub(super) state: &'static str,
    pub(super) reported_time: DateTime<Utc>,
    /// Absent if a process of another version wrote it in another form.
    #[serde(flatten)]
    pub(super) report: Option<ProcessReport>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct QueueStatus {
    pub(super) name: &'static str,
    pub(super) waiting: i64,
    pub(super) due: i64,
    pub(super) lanes: i64,
    pub(super) oldest_due_seconds: Option<i64>,
    pub(super) oldest_lanes: Vec<LaneStatus>,
}

/// The calls of all running processes since their start.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProviderCalls {
    pub(super) provider: String,
    pub(super) last_success_time: Option<DateTime<Utc>>,
    pub(super) calls: Vec<OutcomeCount>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OutcomeCount {
    pub(super) outcome: String,
    pub(super) code: Option<String>,
    pub(super) calls: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProviderFailures {
    pub(super) channel: String,
    pub(super) outcome: String,
    pub(super) error_code: Option<String>,
    pub(super) calls: i64,
    pub(super) last_time: DateTime<Utc>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RefusedTokenStatus {
    pub(super) client_ref: String,
    pub(super) inbox_id: InboxId,
    pub(super) kind: String,
    pub(super) address: Option<String>,
    pub(super) code: String,
    pub(super) refused_time: DateTime<Utc>,
    pub(super) process: NodeId,
}

/// Wanted sessions of WhatsApp Lite.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LiteSessions {
    pub(super) connected: i64,
    pub(super) connecting: i64,
    pub(super) disconnected: i64,
}

impl StatusFigures {
    pub(super) async fn read(db: &mut PgConnection, now: DateTime<Utc>) -> storage::Result<Self> {
        let processes: Vec<_> =
            process_reports::all::<ProcessReport>(db).await?.into_iter().map(ProcessStatus::from).collect();
        let nodes: Vec<_> = depths::nodes(db).await?.into_iter().map(NodeStatus::from).collect();
        let known = LaneKnowledge { now, waits: waits(&processes), is_worked_on: !nodes.is_empty() };
        let mut queues = Vec::new();
        for queue in Queue::ALL {
            let depth = depths::depth(db, queue, now).await?;
            let lanes = if depth.waiting > 0 { lanes::read(db, queue, &known).await? } else { Vec::new() };
            queues.push(QueueStatus::new(queue, depth, lanes, now));
        }
        let failures = depths::failed_calls(db, now - RECENT).await?;
        let lite = queue_figures::of_lite(db).await?;
        Ok(Self {
            version: env!("CARGO_PKG_VERSION"),
            commit: env!("PATCHBAY_COMMIT"),
            schema: storage::schema(db).await?,
            program_schema: storage::own_schema(),
            time: now,
            providers: providers(&processes),
            provider_failures: failures.into_iter().map(ProviderFailures::from).collect(),
            refused_tokens: refused_tokens(db, &processes).await?,
            lite_sessions: LiteSessions {
                connected: lite.connected,
                connecting: lite.connecting,
                disconnected: lite.disconnected,
            },
            nodes,
            processes,
            queues,
        })
    }
}

fn running(processes: &[ProcessStatus]) -> impl Iterator<Item = (NodeId, &ProcessReport)> {
    let running = processes.iter().filter(|process| process.state == "RUNNING");
    running.filter_map(|process| Some((process.id, process.report.as_ref()?)))
}

/// The reasons of running processes. If two name one for an inbox, the one that lasts longer counts.
fn waits(processes: &[ProcessStatus]) -> HashMap<(ClientId, InboxId), &WaitReport> {
    let mut waits: HashMap<(ClientId, InboxId), &WaitReport> = HashMap::new();
    for wait in running(processes).flat_map(|(_, report)| &report.waits) {
        let known = waits.entry((wait.client_id, wait.inbox_id)).or_insert(wait);
        if known.until < wait.until {
            *known = wait;
        }
    }
    waits
}

fn providers(processes: &[ProcessStatus]) -> Vec<ProviderCalls> {
    let mut calls: BTreeMap<&str, BTreeMap<(&str, Option<&str>), u64>> = BTreeMap::new();
    let mut last: BTreeMap<&str, DateTime<Utc>> = BTreeMap::new();
    for (_, report) in running(processes) {
        for call in &report.calls {
            let outcome = (call.outcome.as_str(), call.code.as_deref());
            *calls.entry(&call.provider).or_default().entry(outcome).or_default() += call.calls;
        }
        for (provider, at) in &report.last_success_times {
            let newest = last.entry(provider).or_insert(*at);
            *newest = (*newest).max(*at);
        }
    }
    let status = |(provider, outcomes): (&str, BTreeMap<(&str, Option<&str>), u64>)| ProviderCalls {
        provider: provider.to_owned(),
        last_success_time: last.get(provider).copied(),
        calls: outcomes
            .into_iter()
            .map(|((outcome, code), calls)| OutcomeCount {
                outcome: outcome.to_owned(),
                code: code.map(str::to_owned),
                calls,
            })
            .collect(),
    };
    calls.into_iter().map(status).collect()
}

async fn refused_tokens(
    db: &mut PgConnection,
    processes: &[ProcessStatus],
) -> storage::Result<Vec<RefusedTokenStatus>> {
    let refused: Vec<_> = running(processes)
        .flat_map(|(node, report)| report.refused_tokens.iter().map(move |refusal| (node, refusal)))
        .collect();
    let senders: Vec<_> = refused.iter().map(|(_, refusal)| (refusal.client_id, refusal.inbox_id)).collect();
    let names = wait_reasons::sender_names(db, &senders).await?;
    let named = refused.into_iter().filter_map(|(process, refusal)| {
        let name =
            names.iter().find(|name| name.client_id == refusal.client_id && name.inbox_id == refusal.inbox_id)?;
        Some(RefusedTokenStatus {
            client_ref: name.client_ref.clone(),
            inbox_id: refusal.inbox_id,
            kind: name.kind.clone(),
            address: name.address.clone(),
            code: refusal.code.clone(),
            refused_time: refusal.refused_time,
            process,
        })
    });
    Ok(named.collect())
}

impl QueueStatus {
    fn new(queue: Queue, depth: Depth, lanes: Vec<LaneStatus>, now: DateTime<Utc>) -> Self {
        Self {
            name: queue.name(),
            waiting: depth.waiting,
            due: depth.due,
            lanes: depth.lanes,
            oldest_due_seconds: depth.oldest_due_at.map(|oldest| (now - oldest).num_seconds()),
            oldest_lanes: lanes,
        }
    }
}

impl From<StoredReport<ProcessReport>> for ProcessStatus {
    fn from(stored: StoredReport<ProcessReport>) -> Self {
        let report = stored.report.ok();
        let state = match &report {
            Some(report) if report.stopped => "STOPPED",
            _ if stored.age_seconds > SILENT_AFTER_SECONDS => "SILENT",
            _ => "RUNNING",
        };
        Self { id: stored.node, state, reported_time: stored.reported_at, report }
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
