//! Changes of messages, and messages that the business sent with another app. Both wait if the message they refer to is
//! not known yet.

use base::{Context, Result, lanes::Lease};
use chat::receive::{self, EchoImport, ImportOutcome};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{change::MessageChange, ids::InboxId, inbound::Echo};
use storage::{PgConnection, Queue};
use uuid::Uuid;

/// Time between two attempts to apply a change of an unknown message.
const CHANGE_PAUSE: TimeDelta = TimeDelta::seconds(5);
const CHANGE_TIMEOUT: TimeDelta = TimeDelta::minutes(10);
/// Time between two attempts to import an echo that may be one of our messages.
const ECHO_PAUSE: TimeDelta = TimeDelta::seconds(2);
/// After this time an echo is taken as a message of another app. By then our own messages are settled, or a report of
/// their text was taken as their answer (`outbound::own_echoes`).
const ECHO_TIMEOUT: TimeDelta = TimeDelta::minutes(2);

pub(super) enum ItemOutcome {
    Done(Vec<(Queue, Uuid)>),
    Later(DateTime<Utc>),
}

/// Applies a change of a message. If the message never arrives, the change is counted and dropped.
pub(super) async fn change(
    ctx: &Context,
    db: &mut PgConnection,
    lease: &Lease,
    change: &MessageChange,
    received_at: DateTime<Utc>,
) -> Result<ItemOutcome> {
    let (client, inbox) = (lease.client, InboxId(lease.lane));
    if let Some(wakes) = receive::change(ctx, db, client, inbox, change).await? {
        return Ok(ItemOutcome::Done(wakes));
    }
    let now = ctx.now();
    if now - received_at < CHANGE_TIMEOUT {
        return Ok(ItemOutcome::Later(now + CHANGE_PAUSE));
    }
    tracing::info!(client.id = %client, kind = change.change.kind().as_str(), "dropped a change of a message that is not known");
    metrics::counter!("patchbay_message_changes_total", "taken" => "unknown").increment(1);
    Ok(ItemOutcome::Done(Vec::new()))
}

pub(super) async fn echo(
    ctx: &Context,
    db: &mut PgConnection,
    lease: &Lease,
    echo: &Echo,
    received_at: DateTime<Utc>,
) -> Result<ItemOutcome> {
    let waits = ctx.now() - received_at < ECHO_TIMEOUT;
    let import = EchoImport { echo, waits };
    Ok(match receive::import(ctx, db, lease.client, InboxId(lease.lane), import).await? {
        ImportOutcome::Done(wakes) => ItemOutcome::Done(wakes),
        ImportOutcome::PerhapsOurs => ItemOutcome::Later(ctx.now() + ECHO_PAUSE),
    })
}
