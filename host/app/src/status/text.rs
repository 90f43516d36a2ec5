//! The text of `patchbay status`.

use std::fmt::Write as _;

use domain::status_report::{
    LaneStatus, LaneWork, PluginCondition, PluginLoad, ProcessReport, ProcessState, ProcessStatus, QueueStatus,
    ReportTime, StatusReport,
};

const MIB: u64 = 1024 * 1024;

fn time(at: ReportTime) -> String {
    at.0.format("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// Writing to a text cannot fail.
pub(super) fn of(status: &StatusReport) -> String {
    let mut text = format!("patchbay {} ({}) at {}\n", status.version, status.commit, time(status.time));
    let (schema, own) = (status.schema, status.program_schema);
    text.push_str(&if schema == own {
        format!("schema {schema}\n\n")
    } else {
        format!("schema {schema}; this program is of schema {own}\n\n")
    });
    add_problems(&mut text, status);
    let _ = writeln!(text, "{:<14} {:>9} {:>9} {:>7}  oldest due", "queue", "waiting", "due", "lanes");
    for queue in &status.queues {
        add_queue(&mut text, queue);
    }
    let _ = writeln!(text, "\nprocesses with background work: {}", status.nodes.len());
    for node in &status.nodes {
        let _ = writeln!(text, "    {} since {}, {} lanes", node.id, time(node.started_time), node.lanes);
    }
    text.push_str("\nreports of processes\n");
    for process in &status.processes {
        add_process(&mut text, process, status.time);
    }
    add_providers(&mut text, status);
    add_plugins(&mut text, &status.plugins);
    add_storage(&mut text, status);
    add_clients(&mut text, status);
    text
}

fn add_problems(text: &mut String, status: &StatusReport) {
    for problem in &status.problems {
        let _ = writeln!(text, "problem: {}: {}", problem.subject, problem.detail);
    }
    if !status.problems.is_empty() {
        text.push('\n');
    }
}

fn add_queue(text: &mut String, queue: &QueueStatus) {
    let oldest = queue.oldest_due_seconds.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds} s"));
    let _ = writeln!(text, "{:<14} {:>9} {:>9} {:>7}  {oldest}", queue.name, queue.waiting, queue.due, queue.lanes);
    for lane in &queue.oldest_lanes {
        let LaneStatus { client_ref, lane: id, waiting, due, reason, .. } = lane;
        let state = match lane.state {
            LaneWork::Working => "WORKING",
            LaneWork::Waiting => "WAITING",
        };
        let address = lane.address.as_ref().map(|address| format!(" ({address})")).unwrap_or_default();
        let oldest = lane.oldest_due_seconds.map(|seconds| format!(", oldest {seconds} s")).unwrap_or_default();
        let until = lane.until.map(|until| format!(" (until {})", time(until))).unwrap_or_default();
        let _ = writeln!(
            text,
            "    {client_ref} {id}{address}: {waiting} waiting, {due} due{oldest}, {state}: {reason}{until}"
        );
    }
}

fn add_process(text: &mut String, process: &ProcessStatus, now: ReportTime) {
    let (id, state, reported) = (process.id, process.state.as_str(), time(process.reported_time));
    let Some(report) = &process.report else {
        let _ = writeln!(text, "    {id} {state}, last report {reported}, of another version");
        return;
    };
    let ProcessReport { role, version, commit, pid, started_time, database_connections: pool, .. } = report;
    let host = report.host.as_deref().unwrap_or("-");
    let listen = report.listen.map(|listen| format!(" at {listen}")).unwrap_or_default();
    let _ = writeln!(text, "    {id} {state}, {}{listen}, host {host}, pid {pid}, {version} ({commit})", role.as_str());
    let up = if process.state == ProcessState::Running {
        format!(" ({} s)", (now.0 - started_time.0).num_seconds())
    } else {
        String::new()
    };
    let _ = writeln!(text, "        started {}{up}, last report {reported}", time(*started_time));
    let number = |number: Option<u64>| number.map_or_else(|| "?".to_owned(), |number| number.to_string());
    let memory = number(report.resident_bytes.map(|bytes| bytes / MIB));
    let (files, most) = (number(report.open_files), number(report.open_files_max));
    let _ = writeln!(
        text,
        "        {memory} MiB resident, {files} of {most} files, database connections: {} used, {} idle, {} at most",
        pool.used, pool.idle, pool.max
    );
    for bind in &report.smpp_binds {
        let reason = bind.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        let _ = writeln!(text, "        SMPP bind {}: {}{reason}", bind.bind, bind.state);
    }
    for suspended in &report.suspended_plugins {
        let _ = writeln!(text, "        suspended plugin of client {}: {}", suspended.client_id, suspended.plugin);
    }
    for disk in &report.disks {
        let (free, size) = (disk.free_bytes / MIB, disk.size_bytes / MIB);
        let _ = writeln!(text, "        disk of {}: {free} of {size} MiB free", disk.place);
    }
}

fn add_providers(text: &mut String, status: &StatusReport) {
    text.push_str("\ncalls to providers since the start of the running processes\n");
    for provider in &status.providers {
        let last = provider.last_success_time.map_or_else(|| "none".to_owned(), time);
        let _ = writeln!(text, "    {}: last success {last}", provider.provider);
        for call in &provider.calls {
            let code = call.code.as_deref().unwrap_or("-");
            let _ = writeln!(text, "        {} {code}: {}", call.outcome, call.calls);
        }
    }
    if status.provider_failures.is_empty() {
        text.push_str("\nno failed calls to providers in the last hour\n");
    } else {
        text.push_str("\nfailed calls to providers in the last hour (all processes)\n");
    }
    for failures in &status.provider_failures {
        let code = failures.error_code.as_deref().unwrap_or("-");
        let _ = writeln!(text, "    {} {} {code}: {}", failures.channel, failures.outcome, failures.calls);
    }
    for refused in &status.refused_tokens {
        let address = refused.address.as_deref().unwrap_or("-");
        let _ = writeln!(
            text,
            "refused token: {} {} {address}, code {}, {}, process {}",
            refused.client_ref,
            refused.kind,
            refused.code,
            time(refused.refused_time),
            refused.process
        );
    }
    let lite = &status.lite_sessions;
    let _ = writeln!(
        text,
        "\nLite sessions: {} connected, {} connecting, {} disconnected",
        lite.connected, lite.connecting, lite.disconnected
    );
}

fn add_plugins(text: &mut String, plugins: &[PluginLoad]) {
    if plugins.is_empty() {
        return;
    }
    text.push_str("\nplugins, suspended ones and the slowest of the last hour\n");
    for plugin in plugins {
        let condition = match plugin.condition {
            PluginCondition::Suspended => "SUSPENDED",
            PluginCondition::Slow => "SLOW",
            PluginCondition::Working => "WORKING",
        };
        let PluginLoad { client_ref, plugin: name, calls, failures, .. } = plugin;
        let _ = write!(text, "    {client_ref} {name} {condition}: {calls} calls, {failures} failed");
        if let (Some(mean), Some(p95)) = (plugin.mean_micros, plugin.p95_micros) {
            let _ = write!(text, ", mean {} ms, 95 % within {} ms", mean / 1000, p95 / 1000);
        }
        if let Some(reason) = &plugin.reason {
            let until = plugin.until.map(|until| format!(" (until {})", time(until))).unwrap_or_default();
            let _ = write!(text, "; {reason}{until}");
        }
        text.push('\n');
    }
}

fn add_storage(text: &mut String, status: &StatusReport) {
    let mib = |bytes: i64| bytes.unsigned_abs() / MIB;
    let _ = writeln!(text, "\ndatabase: {} MiB", mib(status.storage.database_bytes));
    for table in &status.storage.tables {
        let end = table.end_time.map_or_else(|| "none".to_owned(), time);
        let _ = writeln!(
            text,
            "    {}: {} MiB in {} partitions, the last one ends {end}",
            table.table,
            mib(table.bytes),
            table.partitions
        );
    }
}

fn add_clients(text: &mut String, status: &StatusReport) {
    text.push_str("\nclients with waiting work or messages in the last 24 hours\n");
    for client in &status.clients {
        let oldest = client.oldest_due_seconds.map(|seconds| format!(", oldest {seconds} s")).unwrap_or_default();
        let disabled = if client.disabled { " (disabled)" } else { "" };
        let _ = writeln!(
            text,
            "    {}{disabled}: {} waiting, {} due{oldest}, {} messages, {} failed",
            client.client_ref, client.waiting, client.due, client.messages, client.failed_messages
        );
    }
}
