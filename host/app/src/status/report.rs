//! Writes the report of this process about itself. `operators::status` reads the reports of all processes.

use std::{
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use base::{Context, lanes::within, sending_figures::SendingSnapshot};
use channels::smpp::{BindState, BindStatus, SmppGateway};
use chrono::{DateTime, TimeDelta, Utc};
use domain::status_report::{
    BindReport, CallReport, ConnectionReport, DiskReport, ProcessReport, ProcessRole, REPORT_INTERVAL, ReportTime,
    SuspensionReport, WaitReport,
};
use plugin_host::SuspendedPlugin;
use storage::work::process_reports;
use tokio_util::sync::CancellationToken;

use crate::metrics::process::{DiskSpace, ProcessFigures};

/// Limit for writing one.
const LIMIT: Duration = Duration::from_secs(3);

/// The parts of the process that a report is made of.
pub struct ReportSource {
    ctx: Arc<Context>,
    /// Absent if this process does no background work: it has no binds.
    smpp: Option<SmppGateway>,
    role: ProcessRole,
    listen: Option<SocketAddr>,
    data_dir: PathBuf,
    started_at: DateTime<Utc>,
}

impl ReportSource {
    pub fn new(
        ctx: &Arc<Context>,
        smpp: Option<SmppGateway>,
        role: ProcessRole,
        listen: Option<SocketAddr>,
        data_dir: &Path,
    ) -> Self {
        let (ctx, started_at) = (Arc::clone(ctx), ctx.now());
        Self { ctx, smpp, role, listen, data_dir: data_dir.to_owned(), started_at }
    }

    /// Writes reports until `stop`, and then the last one.
    pub async fn keep(self, stop: CancellationToken) {
        let mut turns = tokio::time::interval(REPORT_INTERVAL);
        turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        while stop.run_until_cancelled(turns.tick()).await.is_some() {
            self.write(false).await;
        }
        self.write(true).await;
    }

    /// A report that cannot be written is left out: the age of the last one tells it.
    async fn write(&self, stopped: bool) {
        let report = self.report(stopped);
        let writing = async {
            let mut db = self.ctx.db.for_requests().acquire().await?;
            process_reports::write(&mut db, self.ctx.node, &report).await
        };
        if let Some(Err(error)) = within(LIMIT, writing).await {
            tracing::debug!(error = &error as &dyn std::error::Error, "the report of this process cannot be written");
        }
    }

    fn report(&self, stopped: bool) -> ProcessReport {
        let ProcessFigures { resident_bytes, open_files, open_files_max } = ProcessFigures::read();
        let db = &self.ctx.db;
        let idle = u32::try_from(db.num_idle()).unwrap_or(u32::MAX);
        let SendingSnapshot { calls, last_success, waits } = self.ctx.sending.snapshot(self.ctx.now());
        let binds = self.smpp.as_ref().map(SmppGateway::status).unwrap_or_default();
        ProcessReport {
            role: self.role,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: env!("PATCHBAY_COMMIT").to_owned(),
            host: fs::read_to_string("/proc/sys/kernel/hostname").ok().map(|name| name.trim().to_owned()),
            pid: std::process::id(),
            listen: self.listen,
            started_time: self.started_at.into(),
            stopped,
            resident_bytes,
            open_files,
            open_files_max,
            database_connections: ConnectionReport {
                used: db.size().saturating_sub(idle),
                idle,
                max: db.max_connections(),
            },
            smpp_binds: binds.into_iter().map(bind_report).collect(),
            calls: calls
                .into_iter()
                .map(|(call, calls)| CallReport {
                    provider: call.provider.to_owned(),
                    outcome: call.outcome.to_owned(),
                    code: Some(call.code).filter(|code| code != "none"),
                    calls,
                })
                .collect(),
            last_success_times: last_success
                .into_iter()
                .map(|(provider, at)| (provider.to_owned(), at.into()))
                .collect(),
            waits: waits
                .into_iter()
                .map(|(client_id, inbox_id, wait)| WaitReport {
                    client_id,
                    inbox_id,
                    kind: wait.kind.as_str().to_owned(),
                    reason: wait.reason,
                    until: wait.until.map(ReportTime),
                })
                .collect(),
            suspended_plugins: self
                .ctx
                .plugins
                .suspended_plugins()
                .into_iter()
                .map(|suspended| suspension_report(suspended, self.ctx.now()))
                .collect(),
            disks: DiskSpace::of(&self.data_dir).map(disk_report).into_iter().collect(),
        }
    }
}

fn suspension_report(suspended: SuspendedPlugin, now: DateTime<Utc>) -> SuspensionReport {
    let SuspendedPlugin { client, plugin, since, remaining, reason } = suspended;
    SuspensionReport {
        client_id: client,
        plugin: plugin.to_string(),
        name: plugin.name().to_owned(),
        version: plugin.version(),
        since: Some(since.into()),
        until: Some(ReportTime(now + TimeDelta::from_std(remaining).unwrap_or_default())),
        reason: Some(reason),
    }
}

fn disk_report(space: DiskSpace) -> DiskReport {
    DiskReport { place: "data_dir".to_owned(), free_bytes: space.free_bytes, size_bytes: space.size_bytes }
}

fn bind_report(BindStatus { bind, state }: BindStatus) -> BindReport {
    let (state, reason) = match state {
        BindState::Connecting => ("CONNECTING", None),
        BindState::Bound => ("BOUND", None),
        BindState::Refused { status } => ("REFUSED", Some(status)),
        BindState::Waiting { reason } => ("WAITING", Some(reason)),
        BindState::Stopped => ("STOPPED", None),
    };
    BindReport { bind, state: state.to_owned(), reason }
}
