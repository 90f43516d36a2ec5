use serde_json::Value;
use tokio::{sync::oneshot, time::Instant};

/// Marks events of Messenger among all callbacks.
pub(crate) const FIELD: &str = "messenger";

#[derive(Debug)]
pub(crate) struct SimulatedChange {
    /// Events of one queue are posted in order: the phone, or `account`.
    pub(crate) queue: String,
    pub(crate) waba_id: String,
    pub(crate) field: String,
    pub(crate) value: Value,
    /// Receives a signal when the host has accepted the event.
    pub(crate) taken: Option<oneshot::Sender<()>>,
}

pub(super) struct QueuedChange {
    pub(super) event: SimulatedChange,
    pub(super) due: Instant,
}
