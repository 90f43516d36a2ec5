//! Reports the suspension of a plugin to its client. During a suspension the built-in fallback answers.

use std::sync::Arc;

use domain::{
    address::Address,
    event::{Event, PluginSuspended},
    ids::{ClientId, InboxId},
    recipient::order_key,
};
use plugin_host::SuspensionChange;
use storage::{
    PgConnection, inboxes,
    plugins::{activations, events},
    silence::in_time,
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{
    slots::stored_version,
    swaps::{reporting_inbox, version_of},
};
use ::events::{NewEvent, record};
use base::{Context, Result};

/// The event of the begin of a suspension.
pub(crate) const OPENED: &str = "CIRCUIT_OPENED";
const CLOSED: &str = "CIRCUIT_CLOSED";

pub async fn follow(ctx: Arc<Context>, stop: CancellationToken) {
    let mut suspensions = ctx.plugins.suspensions();
    loop {
        let next = tokio::select! {
            () = stop.cancelled() => return,
            next = suspensions.recv() => next,
        };
        let Some(suspension) = next else { return };
        let name = suspension.plugin.name().to_owned();
        if let Err(error) = in_time(note(&ctx, &suspension)).await {
            tracing::error!(client.id = %suspension.client, plugin = name, error = &error as &dyn std::error::Error,
                "the suspension of a plugin could not be stored");
        }
    }
}

/// Stores the event of the plugin. If a circuit opened, also records an event for each number that the plugin serves.
async fn note(ctx: &Context, suspension: &SuspensionChange) -> Result<()> {
    let (client, plugin) = (suspension.client, &suspension.plugin);
    let kind = if suspension.opened { OPENED } else { CLOSED };
    tracing::warn!(client.id = %client, plugin = plugin.name(), version = plugin.version(), kind,
        "a plugin was suspended or resumed");
    metrics::counter!("patchbay_plugin_circuits_total", "kind" => kind).increment(1);
    let event = events::PluginEvent {
        id: ctx.mint::<Uuid>(),
        plugin: plugin.name().to_owned(),
        version: stored_version(plugin),
        kind: kind.to_owned(),
        reason: Some(suspension.reason.clone()).filter(|reason| !reason.is_empty()),
        at: ctx.now(),
    };
    let mut tx = ctx.db.begin().await?;
    events::insert(&mut tx, client, &event).await?;
    let mut happened = Vec::new();
    if suspension.opened {
        for inbox in affected_inboxes(&mut tx, client, plugin.name()).await? {
            happened.extend(suspension_event(ctx, &mut tx, client, inbox, suspension).await?);
        }
    }
    let wakes = record(ctx, &mut tx, client, &happened).await?;
    tx.commit().await?;
    ctx.wake.wake_all(client, wakes);
    Ok(())
}

/// The inboxes with an activation of their own for the plugin. If the plugin serves all inboxes, one inbox of the
/// client.
async fn affected_inboxes(db: &mut PgConnection, client: ClientId, plugin: &str) -> Result<Vec<InboxId>> {
    let mut concerned: Vec<InboxId> = Vec::new();
    for activation in activations::list(db, client, Some(plugin)).await? {
        let inbox = reporting_inbox(db, client, activation.inbox).await?;
        concerned.extend(inbox.filter(|inbox| !concerned.contains(inbox)));
    }
    Ok(concerned)
}

async fn suspension_event(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    suspension: &SuspensionChange,
) -> Result<Option<NewEvent>> {
    let known = inboxes::by_id(db, client, inbox).await?;
    let Some(msisdn) = known.as_ref().and_then(|inbox| inbox.msisdn()).cloned() else { return Ok(None) };
    let plugin = version_of(&suspension.plugin);
    Ok(Some(NewEvent {
        inbox: Some(inbox),
        order_key: order_key(inbox, &Address::from(msisdn)),
        at: ctx.now(),
        event: Event::PluginSuspended(PluginSuspended { plugin, reason: suspension.reason.clone() }),
    }))
}
