//! What customers and businesses do beside writing through us: they change messages, answer by other means and come by links. What is about a message that is not known yet waits for it.

use base::{Context, Result};
use chat::receive::{self, Imported};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    change::MessageChange,
    ids::{ClientId, InboxId},
    inbound::Echo,
};
use storage::{PgConnection, Queue};
use uuid::Uuid;

/// A change of a message that is not known yet is looked at again after this.
const CHANGE_PAUSE: TimeDelta = TimeDelta::seconds(5);
/// A change of a message that is still not known after this is of none that we have.
const CHANGE_PATIENCE: TimeDelta = TimeDelta::minutes(10);
/// An echo of what may be a message of ours is looked at again after this.
const ECHO_PAUSE: TimeDelta = TimeDelta::seconds(2);
/// A message of ours is settled after this, or its answer never comes.
const ECHO_PATIENCE: TimeDelta = TimeDelta::minutes(2);

/// What becomes of an item.
pub(super) enum Taken {
    /// It is done with; these lanes are to be woken.
    Done(Vec<(Queue, Uuid)>),
    /// It is to be looked at again then.
    Later(DateTime<Utc>),
}

/// Takes a change of a message. One of a message that never comes is counted.
pub(super) async fn change(
    ctx: &Context,
    db: &mut PgConnection,
    (client, inbox): (ClientId, InboxId),
    change: &MessageChange,
    received_at: DateTime<Utc>,
) -> Result<Taken> {
    if let Some(wakes) = receive::change(ctx, db, client, inbox, change).await? {
        return Ok(Taken::Done(wakes));
    }
    let now = ctx.now();
    if now - received_at < CHANGE_PATIENCE {
        return Ok(Taken::Later(now + CHANGE_PAUSE));
    }
    tracing::info!(client.id = %client, kind = change.change.kind().as_str(), "dropped a change of a message that is not known");
    metrics::counter!("patchbay_message_changes_total", "taken" => "unknown").increment(1);
    Ok(Taken::Done(Vec::new()))
}

/// Takes a message that the business sent by other means than ours.
pub(super) async fn echo(
    ctx: &Context,
    db: &mut PgConnection,
    (client, inbox): (ClientId, InboxId),
    echo: &Echo,
    received_at: DateTime<Utc>,
) -> Result<Taken> {
    let waits = ctx.now() - received_at < ECHO_PATIENCE;
    Ok(match receive::import(ctx, db, client, inbox, (echo, waits)).await? {
        Imported::Done(wakes) => Taken::Done(wakes),
        Imported::PerhapsOurs => Taken::Later(ctx.now() + ECHO_PAUSE),
    })
}
