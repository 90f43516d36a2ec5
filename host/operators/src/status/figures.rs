//! The figures of the report.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    ids::{ClientId, InboxId},
    inbox_fault::REFUSED_FOR,
    status_report::{
        LaneStatus, LiteSessions, NodeStatus, OutcomeCount, ProcessReport, ProcessState, ProcessStatus, ProviderCalls,
        ProviderFailures, QueueStatus, RefusedTokenStatus, ReportTime, SILENT_AFTER, StatusReport, WaitReport,
    },
};
use storage::{
    PgConnection, Queue,
    inboxes::faults,
    work::{
        depths::{self, Depth, FailedCalls, WorkerNode},
        process_reports::{self, StoredReport},
        queue_figures, wait_reasons,
    },
};

use super::{
    lanes::{self, LaneKnowledge},
    loads::{self, ClientWork},
    problems,
};

/// The time whose failed calls are shown.
const RECENT: TimeDelta = TimeDelta::hours(1);

/// The build of the program that makes a report.
#[derive(Debug, Clone, Copy)]
pub struct ProgramBuild {
    pub version: &'static str,
    pub commit: &'static str,
}

/// Makes the report.
pub async fn read(db: &mut PgConnection, now: DateTime<Utc>, build: ProgramBuild) -> storage::Result<StatusReport> {
    let processes: Vec<_> = process_reports::all::<ProcessReport>(db).await?.into_iter().map(process_status).collect();
    let nodes: Vec<_> = depths::nodes(db).await?.into_iter().map(node_status).collect();
    let known = LaneKnowledge { now, waits: waits(&processes), is_worked_on: !nodes.is_empty() };
    let (mut queues, mut work) = (Vec::new(), ClientWork::default());
    for queue in Queue::ALL {
        let depths = depths::depths(db, queue, now).await?;
        let lanes = if depths.is_empty() { Vec::new() } else { lanes::read(db, queue, &known).await? };
        work.add(&depths);
        queues.push(queue_status(queue, &depths, lanes, now));
    }
    let failures = depths::failed_calls(db, now - RECENT).await?;
    let lite = queue_figures::of_lite(db).await?;
    let mut report = StatusReport {
        version: build.version.to_owned(),
        commit: build.commit.to_owned(),
        schema: storage::schema(db).await?,
        program_schema: storage::own_schema(),
        time: now.into(),
        problems: Vec::new(),
        providers: providers(&processes),
        provider_failures: failures.into_iter().map(provider_failures).collect(),
        refused_tokens: refused_tokens(db, now).await?,
        lite_sessions: LiteSessions {
            connected: lite.connected,
            connecting: lite.connecting,
            disconnected: lite.disconnected,
        },
        plugins: loads::plugins(db, running(&processes), now - RECENT).await?,
        storage: loads::storage(db).await?,
        clients: loads::clients(db, work, now).await?,
        nodes,
        processes,
        queues,
    };
    report.problems = problems::find(&report);
    Ok(report)
}

fn running(processes: &[ProcessStatus]) -> impl Iterator<Item = &ProcessReport> {
    let running = processes.iter().filter(|process| process.state == ProcessState::Running);
    running.filter_map(|process| process.report.as_ref())
}

/// The reasons of running processes. If two name one for an inbox, the one that lasts longer counts.
fn waits(processes: &[ProcessStatus]) -> HashMap<(ClientId, InboxId), &WaitReport> {
    let mut waits: HashMap<(ClientId, InboxId), &WaitReport> = HashMap::new();
    for wait in running(processes).flat_map(|report| &report.waits) {
        let known = waits.entry((wait.client_id, wait.inbox_id)).or_insert(wait);
        if known.until < wait.until {
            *known = wait;
        }
    }
    waits
}

fn providers(processes: &[ProcessStatus]) -> Vec<ProviderCalls> {
    let mut calls: BTreeMap<&str, BTreeMap<(&str, Option<&str>), u64>> = BTreeMap::new();
    let mut last: BTreeMap<&str, ReportTime> = BTreeMap::new();
    for report in running(processes) {
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

async fn refused_tokens(db: &mut PgConnection, now: DateTime<Utc>) -> storage::Result<Vec<RefusedTokenStatus>> {
    let refused = faults::refused(db, now - REFUSED_FOR).await?;
    let senders: Vec<_> = refused.iter().map(|refusal| (refusal.client_id, refusal.inbox_id)).collect();
    let names = wait_reasons::sender_names(db, &senders).await?;
    let mut names: HashMap<_, _> = names.into_iter().map(|name| ((name.client_id, name.inbox_id), name)).collect();
    let named = refused.into_iter().filter_map(|refusal| {
        let name = names.remove(&(refusal.client_id, refusal.inbox_id))?;
        Some(RefusedTokenStatus {
            client_ref: name.client_ref,
            inbox_id: refusal.inbox_id,
            kind: name.kind,
            address: name.address,
            code: refusal.code,
            refused_time: refusal.refused_at.into(),
            process: refusal.node,
        })
    });
    Ok(named.collect())
}

fn queue_status(queue: Queue, depths: &[Depth], lanes: Vec<LaneStatus>, now: DateTime<Utc>) -> QueueStatus {
    let sum = |of: fn(&Depth) -> i64| depths.iter().map(of).sum();
    let oldest = depths.iter().filter_map(|depth| depth.oldest_due_at).min();
    QueueStatus {
        name: queue.name().to_owned(),
        waiting: sum(|depth| depth.waiting),
        due: sum(|depth| depth.due),
        lanes: sum(|depth| depth.lanes),
        oldest_due_seconds: oldest.map(|oldest| (now - oldest).num_seconds()),
        oldest_lanes: lanes,
    }
}

fn process_status(stored: StoredReport<ProcessReport>) -> ProcessStatus {
    let report = stored.report.ok();
    let state = match &report {
        Some(report) if report.stopped => ProcessState::Stopped,
        _ if stored.age_seconds > SILENT_AFTER.as_secs_f64() => ProcessState::Silent,
        _ => ProcessState::Running,
    };
    ProcessStatus { id: stored.node, state, reported_time: stored.reported_at.into(), report }
}

fn node_status(node: WorkerNode) -> NodeStatus {
    NodeStatus { id: node.id, started_time: node.started_at.into(), lanes: node.lanes }
}

fn provider_failures(calls: FailedCalls) -> ProviderFailures {
    ProviderFailures {
        channel: calls.channel,
        outcome: calls.outcome,
        error_code: calls.error_code,
        calls: calls.calls,
        last_time: calls.last_at.into(),
    }
}
