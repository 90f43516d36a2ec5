use serde_json::Value;
use tokio::{sync::oneshot, time::Instant};

/// The `field` of events of Messenger, which have none at the provider.
pub(crate) const MESSENGER_FIELD: &str = "messenger";

#[derive(Debug)]
pub(crate) struct SimulatedChange {
    /// The phone, the customer of a page, or `account`. Events of one queue are posted in order.
    pub(crate) queue: String,
    /// The WhatsApp business account, or the page of an event of Messenger.
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
