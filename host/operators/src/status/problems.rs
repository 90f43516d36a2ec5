//! The reasons why the service is not healthy, found in the other facts of the report.

use domain::status_report::{
    LaneWork, PluginCondition, ProblemKind, ProcessReport, ProcessState, QueueStatus, StatusProblem, StatusReport,
};
use storage::{Queue, work::safeguards};

/// Age of the oldest due row after which a queue is late.
const LATE_SECONDS: i64 = 60;
/// The queues whose lanes are held for as long as a session or an account lasts (ADR 0024, ADR 0051). Their rows stay
/// due.
const HELD_QUEUES: [Queue; 2] = [Queue::LiteSession, Queue::Account];
/// A disk with less than one of this many parts free is nearly full.
const DISK_PARTS: u64 = 10;

fn problem(kind: ProblemKind, subject: impl Into<String>, detail: impl Into<String>) -> StatusProblem {
    StatusProblem { kind, subject: subject.into(), detail: detail.into() }
}

pub(super) fn find(report: &StatusReport) -> Vec<StatusProblem> {
    let mut found = of_processes(report);
    found.extend(of_work(report));
    found.extend(of_storage(report));
    found
}

fn running(report: &StatusReport) -> impl Iterator<Item = &ProcessReport> {
    let running = report.processes.iter().filter(|process| process.state == ProcessState::Running);
    running.filter_map(|process| process.report.as_ref())
}

/// The name of a process for people: its machine and number.
fn name(report: &ProcessReport) -> String {
    format!("{} {}", report.host.as_deref().unwrap_or("?"), report.pid)
}

fn of_processes(report: &StatusReport) -> Vec<StatusProblem> {
    let mut found = Vec::new();
    if report.schema != report.program_schema {
        let detail = format!("the database has schema {}, the program {}", report.schema, report.program_schema);
        found.push(problem(ProblemKind::SchemaDiffers, "schema", detail));
    }
    if report.nodes.is_empty() {
        found.push(problem(ProblemKind::NoWorker, "processes", "no process with background work runs"));
    }
    for process in report.processes.iter().filter(|process| process.state == ProcessState::Silent) {
        let subject = process.report.as_ref().map_or_else(|| process.id.to_string(), name);
        found.push(problem(ProblemKind::ProcessSilent, subject, "it was killed, or hangs"));
    }
    for process in running(report) {
        for bind in process.smpp_binds.iter().filter(|bind| bind.state != "BOUND") {
            let reason = bind.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
            found.push(problem(ProblemKind::BindDown, &bind.bind, format!("{}{reason}", bind.state)));
        }
    }
    found
}

fn of_work(report: &StatusReport) -> Vec<StatusProblem> {
    let mut found = Vec::new();
    for queue in &report.queues {
        if let Some(seconds) = late_seconds(queue).filter(|seconds| *seconds >= LATE_SECONDS) {
            let detail = format!("its oldest due row waits for {seconds} s");
            found.push(problem(ProblemKind::QueueLate, &queue.name, detail));
        }
    }
    for refused in &report.refused_tokens {
        let subject = format!("{} {}", refused.client_ref, refused.kind);
        found.push(problem(ProblemKind::TokenRefused, subject, format!("code {}", refused.code)));
    }
    if report.lite_sessions.disconnected > 0 {
        let detail = format!("{} sessions", report.lite_sessions.disconnected);
        found.push(problem(ProblemKind::LiteDisconnected, "WHATSAPP_LITE", detail));
    }
    for plugin in report.plugins.iter().filter(|plugin| plugin.condition == PluginCondition::Suspended) {
        let subject = format!("{} {}", plugin.client_ref, plugin.plugin);
        found.push(problem(ProblemKind::PluginSuspended, subject, plugin.reason.clone().unwrap_or_default()));
    }
    found
}

/// The age of the oldest row that a process should have taken.
fn late_seconds(queue: &QueueStatus) -> Option<i64> {
    if !HELD_QUEUES.iter().any(|held| held.name() == queue.name) {
        return queue.oldest_due_seconds;
    }
    let waiting = queue.oldest_lanes.iter().filter(|lane| lane.state == LaneWork::Waiting);
    waiting.filter_map(|lane| lane.oldest_due_seconds).max()
}

fn of_storage(report: &StatusReport) -> Vec<StatusProblem> {
    let mut found = Vec::new();
    for process in running(report) {
        for disk in process.disks.iter().filter(|disk| disk.free_bytes < disk.size_bytes / DISK_PARTS) {
            let detail = format!("{} of {} bytes are free", disk.free_bytes, disk.size_bytes);
            found.push(problem(ProblemKind::DiskFull, format!("{} {}", name(process), disk.place), detail));
        }
    }
    for table in report.storage.tables.iter().filter(|table| table.end_time.is_some_and(|end| end <= report.time)) {
        found.push(problem(ProblemKind::PartitionMissing, &table.table, "its last partition has ended"));
    }
    for name in &report.storage.disabled_safeguards {
        found.push(problem(ProblemKind::SafeguardDisabled, name, safeguards::advice(name)));
    }
    found
}
