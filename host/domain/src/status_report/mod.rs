//! The report about the whole service: `patchbay status` prints it, and operators read it over HTTP (ADR 0068). Both have
//! these types.

mod load;
mod problem;
mod process;
mod queue;
mod report_time;

use serde::Serialize;
use utoipa::ToSchema;

use crate::{ids::NodeId, privacy::CustomerVisibility};

pub use load::{ClientLoad, PluginCondition, PluginLoad, StorageLoad, TableLoad};
pub use problem::{ProblemKind, StatusProblem};
pub use process::{
    BindReport, CallReport, ConnectionReport, DiskReport, ProcessReport, ProcessRole, ProcessState, ProcessStatus,
    REPORT_INTERVAL, SILENT_AFTER, SuspensionReport, WaitReport,
};
pub use queue::{
    LaneStatus, LaneWork, LiteSessions, OutcomeCount, ProviderCalls, ProviderFailures, QueueStatus, RefusedTokenStatus,
};
pub use report_time::ReportTime;

/// The state of the service: its processes, queues, providers, plugins, storage and clients.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusReport {
    /// Version of the program that made the report.
    pub version: String,
    /// Its commit.
    pub commit: String,
    /// The last migration of the database.
    pub schema: i64,
    /// The last migration of this program.
    pub program_schema: i64,
    /// Time of the report.
    pub time: ReportTime,
    /// The reasons why the service is not healthy. Empty: none is known.
    pub problems: Vec<StatusProblem>,
    /// Processes with background work.
    pub nodes: Vec<NodeStatus>,
    /// The last report of each process. A process that ended keeps it for an hour.
    pub processes: Vec<ProcessStatus>,
    /// The queues, with the lanes that have the earliest rows.
    pub queues: Vec<QueueStatus>,
    /// Calls to providers since the start of the running processes.
    pub providers: Vec<ProviderCalls>,
    /// Failed calls to providers in the last hour.
    pub provider_failures: Vec<ProviderFailures>,
    /// Inboxes whose token a provider refuses.
    pub refused_tokens: Vec<RefusedTokenStatus>,
    /// Wanted sessions of WhatsApp Lite, by their state.
    pub lite_sessions: LiteSessions,
    /// Suspended plugins, and the slowest ones of the last hour.
    pub plugins: Vec<PluginLoad>,
    /// The database and its partitions.
    pub storage: StorageLoad,
    /// The clients with the most waiting work, then those with the most messages.
    pub clients: Vec<ClientLoad>,
}

/// A process with background work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeStatus {
    /// Id of the process.
    #[schema(value_type = Uuid)]
    pub id: NodeId,
    /// Time of its start.
    pub started_time: ReportTime,
    /// Lanes that it holds.
    pub lanes: i64,
}

impl StatusReport {
    /// Hides phone numbers, also those of inboxes, except for their last digits.
    #[must_use]
    pub fn without_numbers(mut self) -> Self {
        let hide = |address: &mut Option<String>| {
            *address = address.as_deref().map(|address| CustomerVisibility::Masked.number(address));
        };
        self.queues.iter_mut().flat_map(|queue| &mut queue.oldest_lanes).for_each(|lane| hide(&mut lane.address));
        self.refused_tokens.iter_mut().for_each(|refused| hide(&mut refused.address));
        self
    }
}
