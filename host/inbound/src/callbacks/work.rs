//! Works off the callbacks of one lane. Neighbouring statuses share a transaction, and [`messages`] takes neighbouring
//! messages. An item that fails is postponed, so that it does not block the number.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    ids::{CallbackId, InboxId},
    inbound::{CallbackBody, CallbackItem, CallbackTarget, InboundMessage, StatusUpdate},
};
use storage::{
    Queue,
    chat::chat_messages,
    inbound::callbacks::{self, Callback},
    outbound::legs::WhenLocked,
};
use uuid::Uuid;

use super::{
    account,
    beside::{self, Taken},
    failed, messages,
};
use base::{Context, Error, Result, lanes::Lease};
use chat::receive;
use outbound::{delivery, watermarks};

const PAGE: i64 = 100;
/// Pause after a small page, so that the next items share a transaction. Customers wait for it too, and most statuses
/// never come here (ADR 0020).
const GATHER: Duration = Duration::from_millis(5);
/// A page of at least this size is followed by the next without a pause.
const FULL_ENOUGH: usize = 50;
/// Failures of one item before it is given up.
const MOST_ATTEMPTS: i16 = 10;
/// Immediate attempts of one item, in case two transactions collided.
const TRIES_AT_ONCE: usize = 3;
/// Time between two attempts to apply a status of an unknown message.
const EARLY_STATUS_PAUSE: TimeDelta = TimeDelta::seconds(5);
/// After this time a status of an unknown message is dropped.
const EARLY_STATUS_PATIENCE: TimeDelta = TimeDelta::minutes(10);

pub(super) struct Item {
    pub(super) id: CallbackId,
    received_at: DateTime<Utc>,
    attempts: i16,
    target: CallbackTarget,
    body: CallbackBody,
}

/// Works off a lane of the callback queue, page after page, until a page is small. [`Lease::give_back`] checks for the
/// rest.
pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    while !lease.is_over() {
        let page = {
            let mut db = ctx.db.acquire().await?;
            callbacks::due(&mut db, lease.client, lease.lane, ctx.now(), PAGE).await?
        };
        if page.is_empty() {
            return Ok(());
        }
        let gather = page.len() < FULL_ENOUGH;
        let items = read(ctx, lease, page).await?;
        for group in items.chunk_by(|one, next| one.is_like(next)) {
            if lease.is_over() {
                return Ok(());
            }
            match group {
                [Item { body: CallbackBody::Message(_), .. }, ..] => messages::take_all(ctx, lease, group).await?,
                group => take_group(ctx, lease, &group.iter().collect::<Vec<_>>()).await?,
            }
        }
        if gather {
            lease.pause(GATHER).await;
            break;
        }
    }
    Ok(())
}

impl Item {
    /// True if both can share a transaction.
    fn is_like(&self, next: &Self) -> bool {
        use CallbackBody::{Message, Status};
        matches!((&self.body, &next.body), (Status(_), Status(_)) | (Message(_), Message(_)))
    }

    pub(super) fn message(&self) -> Option<&InboundMessage> {
        self.body.message()
    }
}

/// Parses a page. Unreadable items are given up at once.
async fn read(ctx: &Context, lease: &Lease, page: Vec<Callback>) -> Result<Vec<Item>> {
    let mut items = Vec::with_capacity(page.len());
    for callback in page {
        let Callback { id, received_at, attempts, item } = callback;
        match item {
            Ok(CallbackItem { target, body, .. }) => items.push(Item { id, received_at, attempts, target, body }),
            Err(unreadable) => give_up(ctx, lease, id, &unreadable.to_string(), None).await?,
        }
    }
    Ok(items)
}

/// Takes items in one transaction. If it fails, they are taken one by one, so that one bad item does not stop its
/// neighbours.
pub(super) async fn take_group(ctx: &Context, lease: &Lease, group: &[&Item]) -> Result<()> {
    if group.len() > 1 {
        match take(ctx, lease, group).await {
            Err(error) if error.is_outage() && !error.gave_way() => return Err(error),
            Err(error) => {
                tracing::debug!(error = &error as &dyn std::error::Error, "a group of callbacks is taken apart")
            }
            Ok(()) => return Ok(()),
        }
    }
    for item in group {
        if lease.is_over() {
            break;
        }
        take_one(ctx, lease, item).await?;
    }
    Ok(())
}

async fn take_one(ctx: &Context, lease: &Lease, item: &Item) -> Result<()> {
    let mut tries = 1;
    loop {
        match take(ctx, lease, &[item]).await {
            Ok(()) => return Ok(()),
            Err(error) if error.is_outage() => return Err(error),
            Err(error) if tries < TRIES_AT_ONCE => {
                tracing::debug!(callback.id = %item.id, error = &error as &dyn std::error::Error, "a callback is tried again");
                tries += 1;
            }
            Err(error) => return fail(ctx, lease, item, &error).await,
        }
    }
}

/// Takes one item, or several of the same kind, in one transaction.
async fn take(ctx: &Context, lease: &Lease, group: &[&Item]) -> Result<()> {
    if let [Item { body: CallbackBody::Message(_), .. }, ..] = group {
        return messages::take(ctx, lease, group).await;
    }
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let place = (lease.client, InboxId(lease.lane));
    let mut done: Vec<CallbackId> = group.iter().map(|item| item.id).collect();
    let wakes = match group {
        [Item { body: CallbackBody::Account { field, value }, target, .. }] => {
            account::take(ctx, &mut tx, (lease.client, lease.lane), target, field, value).await?
        }
        [Item { body: CallbackBody::Echo(echo), received_at, .. }] => {
            let taken = beside::echo(ctx, &mut tx, place, echo, *received_at).await?;
            wakes_or_wait(&mut tx, lease, &mut done, taken).await?
        }
        [Item { body: CallbackBody::Change(change), received_at, .. }] => {
            let taken = beside::change(ctx, &mut tx, place, change, *received_at).await?;
            wakes_or_wait(&mut tx, lease, &mut done, taken).await?
        }
        [Item { body: CallbackBody::Referral(came), .. }] => {
            receive::came_by(ctx, &mut tx, lease.client, place.1, came).await?
        }
        [Item { id, body: CallbackBody::Watermark(mark), received_at, .. }] => {
            let moved = watermarks::apply(ctx, &mut tx, lease.client, InboxId(lease.lane), mark).await?;
            // It may also refer to a message that is not settled yet.
            if moved.unsettled && ctx.now() - *received_at < EARLY_STATUS_PATIENCE {
                callbacks::postpone(&mut tx, lease.client, &[*id], ctx.now() + EARLY_STATUS_PAUSE).await?;
                done.clear();
            }
            moved.wakes
        }
        statuses => {
            let updates: Vec<&StatusUpdate> = statuses.iter().filter_map(|item| item.body.status()).collect();
            let outcome = delivery::apply_statuses(ctx, &mut tx, lease.client, &updates, WhenLocked::Wait).await?;
            let unknown = outcome.unknown.iter().filter_map(|position| statuses.get(*position).copied());
            let early = put_off(ctx, &mut tx, lease, unknown.collect()).await?;
            done.retain(|id| !early.contains(id));
            outcome.wakes
        }
    };
    callbacks::remove(&mut tx, lease.client, &done).await?;
    tx.commit().await?;
    ctx.wake.wake_all(lease.client, wakes.into_iter().collect::<std::collections::BTreeSet<(Queue, Uuid)>>());
    Ok(())
}

/// Returns the lanes to wake. An item that must wait is postponed and removed from `done`.
async fn wakes_or_wait(
    db: &mut storage::PgConnection,
    lease: &Lease,
    done: &mut Vec<CallbackId>,
    taken: Taken,
) -> Result<Vec<(Queue, Uuid)>> {
    match taken {
        Taken::Done(wakes) => Ok(wakes),
        Taken::Later(due_at) => {
            callbacks::postpone(db, lease.client, done, due_at).await?;
            done.clear();
            Ok(Vec::new())
        }
    }
}

/// Postpones statuses that came before the answer to their send, and drops those that are too old. Returns the
/// postponed ones.
async fn put_off(
    ctx: &Context,
    db: &mut storage::PgConnection,
    lease: &Lease,
    unknown: Vec<&Item>,
) -> Result<Vec<CallbackId>> {
    if unknown.is_empty() {
        return Ok(Vec::new());
    }
    let now = ctx.now();
    let id = |item: &Item| item.body.status().map(|status| status.provider_id.clone());
    let ids: Vec<String> = unknown.iter().filter_map(|item| id(item)).collect();
    // An imported message of another app has no state to move.
    let imported =
        chat_messages::imported(db, lease.client, &ids.iter().map(String::as_str).collect::<Vec<_>>()).await?;
    let (early, lost): (Vec<&Item>, Vec<&Item>) = unknown
        .into_iter()
        .filter(|item| id(item).is_none_or(|id| !imported.contains(&id)))
        .partition(|item| now - item.received_at < EARLY_STATUS_PATIENCE);
    for item in lost {
        tracing::warn!(callback.id = %item.id, "dropped a status of a message that we never sent");
        failed::count_unknown_message(&item.target);
    }
    let early: Vec<CallbackId> = early.into_iter().map(|item| item.id).collect();
    callbacks::postpone(db, lease.client, &early, now + EARLY_STATUS_PAUSE).await?;
    Ok(early)
}

/// Retries a failed item with growing pauses, and gives it up in the end.
async fn fail(ctx: &Context, lease: &Lease, item: &Item, error: &Error) -> Result<()> {
    let attempts = item.attempts.saturating_add(1);
    if attempts >= MOST_ATTEMPTS {
        tracing::error!(callback.id = %item.id, error = error as &dyn std::error::Error, "a callback was given up");
        return give_up(ctx, lease, item.id, &reason(error), Some(item)).await;
    }
    tracing::warn!(callback.id = %item.id, attempts, error = error as &dyn std::error::Error, "a callback could not be taken");
    let pause = TimeDelta::seconds(1_i64 << attempts.clamp(0, 8));
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    callbacks::retry(&mut tx, lease.client, item.id, ctx.now() + pause).await?;
    tx.commit().await?;
    Ok(())
}

/// Gives an item up. Its row is kept for the operator and, if it was parsed, the item for its client.
async fn give_up(ctx: &Context, lease: &Lease, item: CallbackId, reason: &str, read: Option<&Item>) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    callbacks::give_up(&mut tx, lease.client, item, reason).await?;
    if let Some(Item { id, target, body, .. }) = read {
        failed::keep_given_up(ctx, &mut tx, lease.client, (*id, target, body)).await?;
    }
    tx.commit().await?;
    Ok(())
}

fn reason(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        text = format!("{text}: {inner}");
        source = inner.source();
    }
    text
}
