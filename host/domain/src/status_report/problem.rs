use serde::Serialize;
use utoipa::ToSchema;

/// A reason why the service is not healthy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusProblem {
    /// The kind of the problem.
    pub kind: ProblemKind,
    /// The name of the part that has it, such as a queue, a table, a setting or the id of a process.
    pub subject: String,
    /// The fact, in words.
    pub detail: String,
}

/// The kind of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ProblemKind {
    /// The database has another schema than the program.
    SchemaDiffers,
    /// No process does background work.
    NoWorker,
    /// A process has ended without a stop, or hangs.
    ProcessSilent,
    /// Due rows of a queue wait for long.
    QueueLate,
    /// An SMS centre is not connected.
    BindDown,
    /// A provider refuses the token of an inbox.
    TokenRefused,
    /// Sessions of WhatsApp Lite are disconnected.
    LiteDisconnected,
    /// A plugin fails too often and is not called.
    PluginSuspended,
    /// A disk is nearly full.
    DiskFull,
    /// A table has no partition for new rows.
    PartitionMissing,
    /// A setting of PostgreSQL that protects committed data is off.
    SafeguardDisabled,
}
