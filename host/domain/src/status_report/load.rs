//! The load of plugins, of the storage and of clients.

use serde::Serialize;
use utoipa::ToSchema;

use super::report_time::ReportTime;

/// A plugin of a client, with its calls in the last hour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PluginLoad {
    /// The client.
    pub client_ref: String,
    /// Name of the plugin.
    pub plugin: String,
    /// Whether it is suspended or slow.
    pub condition: PluginCondition,
    /// Processes in which it is suspended.
    pub suspended_in: u32,
    /// Begin of the suspension.
    pub since: Option<ReportTime>,
    /// Time of the next call of a suspended plugin.
    pub until: Option<ReportTime>,
    /// The reason of the suspension, without texts of the plugin.
    pub reason: Option<String>,
    /// Its calls in the last hour; at most the latest 1,000 count.
    #[schema(minimum = 0)]
    pub calls: i64,
    /// Those of them that failed.
    #[schema(minimum = 0)]
    pub failures: i64,
    /// Mean duration of a call in microseconds.
    pub mean_micros: Option<i64>,
    /// Duration in microseconds that 95 % of the calls stay within.
    pub p95_micros: Option<i64>,
}

/// The condition of a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PluginCondition {
    /// It failed too often and is not called.
    Suspended,
    /// More than one of 20 calls takes 250 ms.
    Slow,
    /// Neither.
    Working,
}

/// The database and its partitioned tables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StorageLoad {
    /// Bytes of the database.
    #[schema(minimum = 0)]
    pub database_bytes: i64,
    /// Settings of PostgreSQL that protect committed data and are off.
    pub disabled_safeguards: Vec<String>,
    /// Its partitioned tables, the largest first.
    pub tables: Vec<TableLoad>,
}

/// A partitioned table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TableLoad {
    /// Name of the table.
    pub table: String,
    /// Partitions, without the one for stray rows.
    pub partitions: usize,
    /// Begin of the first partition.
    pub first_time: Option<ReportTime>,
    /// End of the last partition.
    pub end_time: Option<ReportTime>,
    /// Bytes of its rows and indexes.
    #[schema(minimum = 0)]
    pub bytes: i64,
}

/// A client with its waiting work and its messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientLoad {
    /// The client.
    pub client_ref: String,
    /// Whether it is disabled.
    pub disabled: bool,
    /// Rows that wait in all queues.
    pub waiting: i64,
    /// Those of them whose time has come.
    pub due: i64,
    /// Age of the oldest due row in seconds.
    pub oldest_due_seconds: Option<i64>,
    /// Messages that it sent in the last 24 hours.
    #[schema(minimum = 0)]
    pub messages: i64,
    /// Those of them that failed.
    #[schema(minimum = 0)]
    pub failed_messages: i64,
}
