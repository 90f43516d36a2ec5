//! The report of a process about itself. Each process stores its own every few seconds.

use std::{collections::BTreeMap, net::SocketAddr, time::Duration};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::report_time::ReportTime;
use crate::ids::{ClientId, InboxId, NodeId};

/// Interval at which a process reports.
pub const REPORT_INTERVAL: Duration = Duration::from_secs(5);
/// Age of a report after which its process counts as silent: four reports are missing.
pub const SILENT_AFTER: Duration = Duration::from_secs(20);

/// A process and its last report.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessStatus {
    /// Id of the process.
    #[schema(value_type = Uuid)]
    pub id: NodeId,
    /// Whether it runs.
    pub state: ProcessState,
    /// Time of its last report.
    pub reported_time: ReportTime,
    /// Absent if a process of another version wrote it in another form.
    #[serde(flatten)]
    #[schema(value_type = ProcessReport)]
    pub report: Option<ProcessReport>,
}

/// The state of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ProcessState {
    /// It reports.
    Running,
    /// It ended in order.
    Stopped,
    /// Its reports have ended without a stop.
    Silent,
}

impl ProcessState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "RUNNING",
            Self::Stopped => "STOPPED",
            Self::Silent => "SILENT",
        }
    }
}

/// Fields that another version does not know are left out or read as empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessReport {
    /// Its work.
    pub role: ProcessRole,
    /// Version of its program.
    pub version: String,
    /// Commit of its program.
    pub commit: String,
    /// Name of its machine.
    pub host: Option<String>,
    /// Number of the process on its machine.
    pub pid: u32,
    /// Address of its listener.
    #[schema(value_type = Option<String>)]
    pub listen: Option<SocketAddr>,
    /// Time of its start.
    pub started_time: ReportTime,
    /// It ended in order, and this is its last report.
    pub stopped: bool,
    /// Bytes of memory.
    pub resident_bytes: Option<u64>,
    /// Open files and sockets.
    pub open_files: Option<u64>,
    /// The most that it may open.
    pub open_files_max: Option<u64>,
    /// Its connections to the database.
    pub database_connections: ConnectionReport,
    /// Its connections to SMS centres.
    #[serde(default)]
    pub smpp_binds: Vec<BindReport>,
    /// Calls to providers since its start.
    #[serde(default)]
    pub calls: Vec<CallReport>,
    /// Time of the last successful call, by provider.
    #[serde(default)]
    pub last_success_times: BTreeMap<String, ReportTime>,
    /// Inboxes that wait.
    #[serde(default)]
    pub waits: Vec<WaitReport>,
    /// Plugins that it suspends.
    #[serde(default)]
    pub suspended_plugins: Vec<SuspensionReport>,
    /// File systems that it writes to.
    #[serde(default)]
    pub disks: Vec<DiskReport>,
}

/// The work of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Serve => "SERVE",
            Self::ServeOnly => "SERVE_ONLY",
            Self::Work => "WORK",
        }
    }
}

/// Connections to the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionReport {
    /// Those in use.
    pub used: u32,
    /// Those without work.
    pub idle: u32,
    /// The most that there can be.
    pub max: u32,
}

/// A connection to an SMS centre.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BindReport {
    /// Name of the connection.
    pub bind: String,
    /// `BOUND`, `CONNECTING`, `REFUSED`, `WAITING` or `STOPPED`.
    pub state: String,
    /// The reason, if it is not bound.
    pub reason: Option<String>,
}

/// Calls to a provider with one outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallReport {
    /// Name of the provider.
    pub provider: String,
    /// The outcome.
    pub outcome: String,
    /// The provider's code of a failure.
    pub code: Option<String>,
    /// Number of calls.
    pub calls: u64,
}

/// An inbox that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitReport {
    /// Id of the client.
    #[schema(value_type = Uuid)]
    pub client_id: ClientId,
    /// Id of the inbox.
    #[schema(value_type = Uuid)]
    pub inbox_id: InboxId,
    /// Kind of the wait.
    pub kind: String,
    /// The reason.
    pub reason: String,
    /// Its end, if it is known.
    pub until: Option<ReportTime>,
}

/// A plugin that a process suspends for a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuspensionReport {
    /// Id of the client.
    #[schema(value_type = Uuid)]
    pub client_id: ClientId,
    /// The plugin, with the number of its version if a client uploaded it.
    pub plugin: String,
    /// Name of the plugin. Empty if a process of an earlier version reports.
    #[serde(default)]
    pub name: String,
    /// Number of the version that a client uploaded.
    #[serde(default)]
    pub version: Option<u32>,
    /// Begin of the suspension.
    #[serde(default)]
    pub since: Option<ReportTime>,
    /// Time from which one call decides if the plugin is used again.
    #[serde(default)]
    pub until: Option<ReportTime>,
    /// The reason, without texts of the plugin.
    #[serde(default)]
    pub reason: Option<String>,
}

/// The space of a file system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiskReport {
    /// The setting that names a folder on it.
    pub place: String,
    /// Bytes that are free.
    pub free_bytes: u64,
    /// Bytes of the whole file system.
    pub size_bytes: u64,
}
