//! The load of clients, plugins and the storage.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    ids::ClientId,
    status_report::{
        ClientLoad, PluginCondition, PluginLoad, ProcessReport, ReportTime, StorageLoad, SuspensionReport, TableLoad,
    },
};
use storage::{
    PgConnection,
    work::{
        depths::Depth,
        loads::{self, PluginCalls, TableSize},
        safeguards,
    },
};

/// The time whose messages are shown.
const MESSAGES_OF: TimeDelta = TimeDelta::days(1);
/// Clients with waiting work that are shown, at most.
const CLIENTS_WITH_WORK: usize = 30;
/// A plugin is slow if more than one of 20 calls takes this long. Its lanes wait in the places for long lanes then.
const SLOW_MICROS: i64 = 250_000;

/// The waiting rows of each client over all queues.
#[derive(Default)]
pub(super) struct ClientWork(HashMap<ClientId, WaitingWork>);

#[derive(Debug, Clone, Copy, Default)]
struct WaitingWork {
    waiting: i64,
    due: i64,
    oldest_due_at: Option<DateTime<Utc>>,
}

impl ClientWork {
    pub(super) fn add(&mut self, depths: &[Depth]) {
        for depth in depths {
            let work = self.0.entry(depth.client_id).or_default();
            work.waiting += depth.waiting;
            work.due += depth.due;
            work.oldest_due_at = work.oldest_due_at.into_iter().chain(depth.oldest_due_at).min();
        }
    }
}

/// Returns the clients with the most due and waiting rows, then those with the most messages.
pub(super) async fn clients(
    db: &mut PgConnection,
    work: ClientWork,
    now: DateTime<Utc>,
) -> storage::Result<Vec<ClientLoad>> {
    let work = work.0;
    let mut first: Vec<_> = work.iter().collect();
    first.sort_by_key(|(client, work)| (-work.due, -work.waiting, **client));
    let first: Vec<ClientId> = first.into_iter().take(CLIENTS_WITH_WORK).map(|(client, _)| *client).collect();
    let mut loads: Vec<ClientLoad> = Vec::new();
    for client in loads::messages(db, &first, now - MESSAGES_OF).await? {
        let work = work.get(&client.client_id).copied().unwrap_or_default();
        loads.push(ClientLoad {
            client_ref: client.client_ref,
            disabled: client.is_disabled,
            waiting: work.waiting,
            due: work.due,
            oldest_due_seconds: work.oldest_due_at.map(|oldest| (now - oldest).num_seconds()),
            messages: client.submitted,
            failed_messages: client.failed,
        });
    }
    loads.sort_by_key(|load| (-load.due, -load.waiting, -load.messages));
    Ok(loads)
}

pub(super) async fn storage(db: &mut PgConnection) -> storage::Result<StorageLoad> {
    let tables = loads::tables(db).await?;
    Ok(StorageLoad {
        database_bytes: loads::database_bytes(db).await?,
        disabled_safeguards: safeguards::disabled(db).await?,
        tables: tables.into_iter().map(table_load).collect(),
    })
}

fn table_load(size: TableSize) -> TableLoad {
    TableLoad {
        table: size.table.to_owned(),
        partitions: size.partitions,
        first_time: size.period.as_ref().map(|period| period.start.into()),
        end_time: size.period.map(|period| period.end.into()),
        bytes: size.bytes,
    }
}

/// The suspensions of one plugin of a client in all processes.
#[derive(Default)]
struct SuspensionOfPlugin {
    processes: u32,
    since: Option<ReportTime>,
    until: Option<ReportTime>,
    reason: Option<String>,
}

impl SuspensionOfPlugin {
    fn add(&mut self, report: &SuspensionReport) {
        self.processes += 1;
        self.since = self.since.into_iter().chain(report.since).min();
        self.until = self.until.into_iter().chain(report.until).max();
        self.reason = self.reason.take().or_else(|| report.reason.clone());
    }
}

/// Returns the suspended plugins, and then the slowest ones since `since`.
pub(super) async fn plugins(
    db: &mut PgConnection,
    processes: impl Iterator<Item = &ProcessReport>,
    since: DateTime<Utc>,
) -> storage::Result<Vec<PluginLoad>> {
    let mut suspended: HashMap<(ClientId, String), SuspensionOfPlugin> = HashMap::new();
    for report in processes.flat_map(|process| &process.suspended_plugins) {
        let name = if report.name.is_empty() { &report.plugin } else { &report.name };
        suspended.entry((report.client_id, name.clone())).or_default().add(report);
    }
    let mut loads: Vec<PluginLoad> = Vec::new();
    for calls in loads::slowest_plugins(db, since).await? {
        let suspension = suspended.remove(&(calls.client_id, calls.plugin.clone()));
        loads.push(plugin_load(calls, suspension));
    }
    let others: Vec<ClientId> = suspended.keys().map(|(client, _)| *client).collect();
    let refs: HashMap<_, _> = loads::client_refs(db, &others).await?.into_iter().collect();
    for ((client, plugin), suspension) in suspended {
        // A client that was removed has no plugins.
        let Some(client_ref) = refs.get(&client) else { continue };
        let calls = PluginCalls {
            client_id: client,
            client_ref: client_ref.clone(),
            plugin,
            calls: 0,
            failures: 0,
            mean_micros: None,
            p95_micros: None,
        };
        loads.push(plugin_load(calls, Some(suspension)));
    }
    loads.sort_by(|one, other| {
        let order = |load: &PluginLoad| (load.condition, -load.p95_micros.unwrap_or_default());
        order(one)
            .cmp(&order(other))
            .then_with(|| (&one.client_ref, &one.plugin).cmp(&(&other.client_ref, &other.plugin)))
    });
    Ok(loads)
}

fn plugin_load(calls: PluginCalls, suspension: Option<SuspensionOfPlugin>) -> PluginLoad {
    let condition = match (&suspension, calls.p95_micros) {
        (Some(_), _) => PluginCondition::Suspended,
        (None, Some(p95)) if p95 >= SLOW_MICROS => PluginCondition::Slow,
        _ => PluginCondition::Working,
    };
    let SuspensionOfPlugin { processes, since, until, reason } = suspension.unwrap_or_default();
    PluginLoad {
        client_ref: calls.client_ref,
        plugin: calls.plugin,
        condition,
        suspended_in: processes,
        since,
        until,
        reason,
        calls: calls.calls,
        failures: calls.failures,
        mean_micros: calls.mean_micros,
        p95_micros: calls.p95_micros,
    }
}
