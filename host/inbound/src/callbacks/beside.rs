//! Edits, deletions, messages that the business sent elsewhere, and referrals. An item about an unknown message waits
//! for it.

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

/// Time until the next look at a change of an unknown message.
const CHANGE_PAUSE: TimeDelta = TimeDelta::seconds(5);
/// Time after which a change of an unknown message is dropped.
const CHANGE_PATIENCE: TimeDelta = TimeDelta::minutes(10);
/// Time until the next look at an echo that may be a message of ours.
const ECHO_PAUSE: TimeDelta = TimeDelta::seconds(2);
/// Time after which a message of ours is settled, or its answer never comes.
const ECHO_PATIENCE: TimeDelta = TimeDelta::minutes(2);

/// The result for an item.
pub(super) enum Taken {
    /// It is handled; wake these lanes.
    Done(Vec<(Queue, Uuid)>),
    /// It is to be looked at again at this time.
    Later(DateTime<Utc>),
}

/// Takes a change of a message. A change without a message is counted.
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

/// Takes a message that the business sent elsewhere.
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
