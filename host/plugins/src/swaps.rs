//! Events about activations that begin and end.

use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    event::{Event, PluginMode, PluginSwapped, PluginVersion, Swap},
    ids::{ClientId, InboxId},
    page::PageRequest,
};
use events::NewEvent;
use plugin_host::PluginRef;
use storage::{PgConnection, inboxes};

use crate::slots::{Mode, SlotActivation};
use base::Result;

/// The version of a plugin in the form of events.
pub(crate) fn version_of(plugin: &PluginRef) -> PluginVersion {
    PluginVersion { name: plugin.name().to_owned(), version: plugin.version() }
}

/// The event of an activation that begins or ends. It has no conversation, so all such events of a client are in one
/// order.
pub(crate) fn swap_event(activation: &SlotActivation, swap: Swap, at: DateTime<Utc>) -> NewEvent {
    let event = Event::PluginSwapped(PluginSwapped {
        activation: activation.id,
        plugin: version_of(&activation.plugin),
        world: activation.world,
        mode: match activation.mode {
            Mode::Live => PluginMode::Live,
            Mode::Shadow => PluginMode::Shadow,
            Mode::Canary => PluginMode::Canary,
        },
        swap,
    });
    NewEvent { inbox: activation.inbox, order_key: 0, at, event }
}

/// The inbox whose webhooks report news of an activation: its own, or the first number of the client if the activation
/// is for all inboxes. `None` = the client has no number.
pub(crate) async fn reporting_inbox(
    db: &mut PgConnection,
    client: ClientId,
    inbox: Option<InboxId>,
) -> Result<Option<InboxId>> {
    if inbox.is_some() {
        return Ok(inbox);
    }
    let (first, _) = inboxes::page(db, client, Channel::Whatsapp, "", PageRequest::first(1)).await?;
    Ok(first.first().map(|inbox| inbox.id))
}
