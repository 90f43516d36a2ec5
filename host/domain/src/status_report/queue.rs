//! Queues with their lanes, and the facts about providers.

use serde::Serialize;
use utoipa::ToSchema;

use super::report_time::ReportTime;
use crate::ids::{InboxId, NodeId};

/// A queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueStatus {
    /// Name of the queue.
    pub name: String,
    /// Rows that wait.
    pub waiting: i64,
    /// Those of them whose time has come.
    pub due: i64,
    /// Lanes with waiting rows.
    pub lanes: i64,
    /// Age of the oldest due row in seconds.
    pub oldest_due_seconds: Option<i64>,
    /// The ten lanes with the earliest rows.
    pub oldest_lanes: Vec<LaneStatus>,
}

/// A lane with waiting rows, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LaneStatus {
    /// The client.
    pub client_ref: String,
    /// Id of the lane.
    pub lane: String,
    /// Address of the inbox, if the lane is one. The API shows only the last digits of a number.
    pub address: Option<String>,
    /// Rows that wait.
    pub waiting: i64,
    /// Those of them whose time has come.
    pub due: i64,
    /// Age of the oldest due row in seconds.
    pub oldest_due_seconds: Option<i64>,
    /// Whether a worker holds the lane.
    pub state: LaneWork,
    /// The reason why it waits.
    pub reason: String,
    /// Time of the next attempt, if it is known.
    pub until: Option<ReportTime>,
}

/// The state of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum LaneWork {
    /// A worker holds the lane.
    Working,
    /// No worker has taken it.
    Waiting,
}

/// The calls to a provider by all running processes since their start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderCalls {
    /// Name of the provider.
    pub provider: String,
    /// Time of the last successful call.
    pub last_success_time: Option<ReportTime>,
    /// The calls by their outcome.
    pub calls: Vec<OutcomeCount>,
}

/// Calls with one outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeCount {
    /// The outcome.
    pub outcome: String,
    /// The provider's code of a failure.
    pub code: Option<String>,
    /// Number of calls.
    pub calls: u64,
}

/// Failed calls over one channel in the last hour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderFailures {
    /// The channel.
    pub channel: String,
    /// The outcome.
    pub outcome: String,
    /// The code of the failure.
    pub error_code: Option<String>,
    /// Number of calls.
    pub calls: i64,
    /// Time of the last one.
    pub last_time: ReportTime,
}

/// An inbox whose token a provider refuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefusedTokenStatus {
    /// The client.
    pub client_ref: String,
    /// Id of the inbox.
    #[schema(value_type = Uuid)]
    pub inbox_id: InboxId,
    /// Kind of the inbox.
    pub kind: String,
    /// Its address. The API shows only the last digits of a number.
    pub address: Option<String>,
    /// The provider's code.
    pub code: String,
    /// Time of the refusal.
    pub refused_time: ReportTime,
    /// The process that was refused.
    #[schema(value_type = Uuid)]
    pub process: NodeId,
}

/// Wanted sessions of WhatsApp Lite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiteSessions {
    /// Connected ones.
    pub connected: i64,
    /// Those that are being connected.
    pub connecting: i64,
    /// Disconnected ones.
    pub disconnected: i64,
}
