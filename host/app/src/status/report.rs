//! The report of a process about itself. `patchbay status` reads the reports of all processes.

use std::{collections::BTreeMap, fs, net::SocketAddr, sync::Arc, time::Duration};

use base::{Context, lanes::within, sending_figures::SendingSnapshot};
use channels::smpp::{BindState, BindStatus, SmppGateway};
use chrono::{DateTime, Utc};
use domain::ids::{ClientId, InboxId};
use serde::{Deserialize, Serialize};
use storage::work::process_reports;
use tokio_util::sync::CancellationToken;

use crate::metrics::process::ProcessFigures;

/// Interval of the reports.
pub(super) const EVERY: Duration = Duration::from_secs(5);
/// Limit for writing one.
const LIMIT: Duration = Duration::from_secs(3);

/// Fields that another version does not know are left out or read as empty.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProcessReport {
    pub(super) role: ProcessRole,
    pub(super) version: String,
    pub(super) commit: String,
    pub(super) host: Option<String>,
    pub(super) pid: u32,
    pub(super) listen: Option<SocketAddr>,
    pub(super) started_time: DateTime<Utc>,
    /// It ended in order, and this is its last report.
    pub(super) stopped: bool,
    pub(super) resident_bytes: Option<u64>,
    pub(super) open_files: Option<u64>,
    pub(super) open_files_max: Option<u64>,
    pub(super) database_connections: ConnectionReport,
    #[serde(default)]
    pub(super) smpp_binds: Vec<BindReport>,
    /// Since the start of the process.
    #[serde(default)]
    pub(super) calls: Vec<CallReport>,
    #[serde(default)]
    pub(super) last_success_times: BTreeMap<String, DateTime<Utc>>,
    #[serde(default)]
    pub(super) waits: Vec<WaitReport>,
    #[serde(default)]
    pub(super) refused_tokens: Vec<RefusalReport>,
    #[serde(default)]
    pub(super) suspended_plugins: Vec<SuspensionReport>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ProcessRole {
    /// HTTP and background work.
    Serve,
    /// HTTP only.
    ServeOnly,
    /// Background work only.
    Work,
}

impl ProcessRole {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Serve => "SERVE",
            Self::ServeOnly => "SERVE_ONLY",
            Self::Work => "WORK",
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ConnectionReport {
    pub(super) used: u32,
    pub(super) idle: u32,
    pub(super) max: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BindReport {
    pub(super) bind: String,
    pub(super) state: String,
    pub(super) reason: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallReport {
    pub(super) provider: String,
    pub(super) outcome: String,
    pub(super) code: Option<String>,
    pub(super) calls: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WaitReport {
    pub(super) client_id: ClientId,
    pub(super) inbox_id: InboxId,
    pub(super) kind: String,
    pub(super) reason: String,
    pub(super) until: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RefusalReport {
    pub(super) client_id: ClientId,
    pub(super) inbox_id: InboxId,
    pub(super) code: String,
    pub(super) refused_time: DateTime<Utc>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SuspensionReport {
    pub(super) client_id: ClientId,
    pub(super) plugin: String,
}

/// The parts of the process that a report is made of.
pub struct ReportSource {
    ctx: Arc<Context>,
    /// Absent if this process does no background work: it has no binds.
    smpp: Option<SmppGateway>,
    role: ProcessRole,
    listen: Option<SocketAddr>,
    started_at: DateTime<Utc>,
}

impl ReportSource {
    pub fn new(ctx: &Arc<Context>, smpp: Option<SmppGateway>, role: ProcessRole, listen: Option<SocketAddr>) -> Self {
        Self { ctx: Arc::clone(ctx), smpp, role, listen, started_at: ctx.now() }
    }

    /// Writes reports until `stop`, and then the last one.
    pub async fn keep(self, stop: CancellationToken) {
        let mut turns = tokio::time::interval(EVERY);
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
        let SendingSnapshot { calls, last_success, waits, refused_tokens } = self.ctx.sending.snapshot(self.ctx.now());
        let binds = self.smpp.as_ref().map(SmppGateway::status).unwrap_or_default();
        ProcessReport {
            role: self.role,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: env!("PATCHBAY_COMMIT").to_owned(),
            host: fs::read_to_string("/proc/sys/kernel/hostname").ok().map(|name| name.trim().to_owned()),
            pid: std::process::id(),
            listen: self.listen,
            started_time: self.started_at,
            stopped,
            resident_bytes,
            open_files,
            open_files_max,
            database_connections: ConnectionReport {
                used: db.size().saturating_sub(idle),
                idle,
                max: db.max_connections(),
            },
            smpp_binds: binds.into_iter().map(BindReport::from).collect(),
            calls: calls
                .into_iter()
                .map(|(call, calls)| CallReport {
                    provider: call.provider.to_owned(),
                    outcome: call.outcome.to_owned(),
                    code: Some(call.code).filter(|code| code != "none"),
                    calls,
                })
                .collect(),
            last_success_times: last_success.into_iter().map(|(provider, at)| (provider.to_owned(), at)).collect(),
            waits: waits
                .into_iter()
                .map(|(client_id, inbox_id, wait)| WaitReport {
                    client_id,
                    inbox_id,
                    kind: wait.kind.as_str().to_owned(),
                    reason: wait.reason,
                    until: wait.until,
                })
                .collect(),
            refused_tokens: refused_tokens
                .into_iter()
                .map(|(client_id, inbox_id, refused)| RefusalReport {
                    client_id,
                    inbox_id,
                    code: refused.code,
                    refused_time: refused.refused_at,
                })
                .collect(),
            suspended_plugins: self
                .ctx
                .plugins
                .suspended_plugins()
                .into_iter()
                .map(|(client_id, plugin)| SuspensionReport { client_id, plugin: plugin.to_string() })
                .collect(),
        }
    }
}

impl From<BindStatus> for BindReport {
    fn from(BindStatus { bind, state }: BindStatus) -> Self {
        let (state, reason) = match state {
            BindState::Connecting => ("CONNECTING", None),
            BindState::Bound => ("BOUND", None),
            BindState::Refused { status } => ("REFUSED", Some(status)),
            BindState::Waiting { reason } => ("WAITING", Some(reason)),
            BindState::Stopped => ("STOPPED", None),
        };
        Self { bind, state: state.to_owned(), reason }
    }
}
