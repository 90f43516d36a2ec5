//! The carrier of sandboxes. Nothing leaves the server: the number of the recipient decides the outcome, and the reports
//! and answers of a provider are made here (`docs/test-keys.md`).

mod carrier;
mod customer_message;
mod reports;

pub use carrier::SandboxCarrier;
pub use customer_message::{NAME, SandboxMessage};
pub use reports::ANSWER;

use domain::ids::MessageId;
use uuid::Uuid;

/// Begins the provider ids of messages in sandboxes. No provider makes such ids.
const ID_PREFIX: &str = "sandbox.";
/// The provider in metrics and traces.
pub const PROVIDER: &str = "sandbox";

/// The same for each send of a leg, whose correlation string ends with its position.
fn provider_id(message: MessageId, opaque: &str) -> String {
    let leg = opaque.rsplit(':').next().unwrap_or_default();
    format!("{ID_PREFIX}{}.{leg}", message.0)
}

/// The id of a message that a test customer wrote.
pub fn incoming_id(id: Uuid) -> String {
    format!("{ID_PREFIX}{id}.in")
}

/// True if no provider has the message.
pub fn is_sandbox_id(provider_id: &str) -> bool {
    provider_id.starts_with(ID_PREFIX)
}
