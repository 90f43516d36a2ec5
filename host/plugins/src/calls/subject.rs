//! The subject of a call.

use base::secrets::Sealer;
use domain::ids::ClientId;
use plugin_host::{CallSeed, PluginRef};
use uuid::Uuid;

#[derive(Debug, Clone)]
pub struct CallSubject {
    /// A participant, a message or a delivery.
    pub subject: Uuid,
    /// Identifies the event. The same in every repetition.
    pub turn: String,
    /// Random bits of the event's id. The same in every repetition, and not secret.
    pub chance: u64,
}

impl CallSubject {
    /// Calls about an event of `subject`.
    pub fn event(event: Uuid, subject: Uuid) -> Self {
        Self { subject, turn: event.to_string(), chance: event.as_u64_pair().1 }
    }

    /// The seed of a plugin's random numbers: the same in every repetition, on all nodes and after a change of the
    /// master key. Plugins and the services that they call know the event, but not the key of the installation. An
    /// uploaded plugin may have the name of a plugin of the operator, and draws other numbers.
    pub(super) fn seed(&self, sealer: &Sealer, client: ClientId, plugin: &PluginRef) -> CallSeed {
        let (origin, name) = match plugin {
            PluginRef::Shipped(name) => ("shipped", name),
            PluginRef::Uploaded { name, .. } => ("uploaded", name),
        };
        // The two ids have a fixed length.
        CallSeed::Key(sealer.derive(&format!("plugin-call/{client}/{}/{origin}/{name}", self.turn)))
    }
}
