use base::{Context, Error, Result, lanes::Lease};
use chat::receive;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    ids::{CallbackId, InboxId},
    inbound::{CallbackBody, StatusUpdate},
};
use outbound::{delivery, watermarks};
use storage::{Queue, chat::chat_messages, inbound::callbacks, outbound::legs::LockPolicy};
use uuid::Uuid;

use super::{
    account,
    failed_items::{self, GivenUpItem},
    item::Item,
    message_changes::{self, ItemOutcome},
    messages::{self, TakeOutcome},
    waiting_senders::WaitingSenders,
};

pub(super) const MOST_ATTEMPTS: i16 = 10;

/// Immediate attempts of one item, in case two transactions collided.
pub(super) const TRIES_AT_ONCE: usize = 3;

/// Time between two attempts to apply a status of an unknown message.
pub(super) const EARLY_STATUS_PAUSE: TimeDelta = TimeDelta::seconds(5);

pub(super) const EARLY_STATUS_PATIENCE: TimeDelta = TimeDelta::minutes(10);

/// Takes items in order. Neighbours share a transaction, and an item that was put off has one of its own. Items of a
/// customer with a waiting earlier one are put off.
pub(super) async fn take_group(ctx: &Context, lease: &Lease, waiting: &WaitingSenders, group: &[&Item]) -> Result<()> {
    let mut rest = waiting.let_through(ctx, lease, group).await?;
    while !rest.is_empty() && !lease.is_over() {
        let alone = rest.iter().position(|item| item.is_taken_alone());
        let (together, later) = rest.split_at(alone.map_or(rest.len(), |alone| alone.max(1)));
        take_together(ctx, lease, waiting, together).await?;
        // Those may have been put off.
        rest = waiting.let_through(ctx, lease, later).await?;
    }
    Ok(())
}

/// Takes items in one transaction. If it fails, they are taken one by one, so that one bad item does not stop its
/// neighbours.
async fn take_together(ctx: &Context, lease: &Lease, waiting: &WaitingSenders, group: &[&Item]) -> Result<()> {
    if group.len() > 1 {
        match take(ctx, lease, group).await {
            Err(error) if error.is_outage() && !error.lost_to_another_transaction() => return Err(error),
            Err(error) => {
                tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    "the callbacks of a failed group are processed one by one"
                )
            }
            Ok(TakeOutcome::Taken) => return Ok(()),
            Ok(TakeOutcome::TooEarly) => {}
        }
    }
    for item in group.iter().copied() {
        if lease.is_over() {
            break;
        }
        // The one before it may have failed.
        if !waiting.let_through(ctx, lease, &[item]).await?.is_empty() {
            take_one(ctx, lease, waiting, item).await?;
        }
    }
    Ok(())
}

async fn take_one(ctx: &Context, lease: &Lease, waiting: &WaitingSenders, item: &Item) -> Result<()> {
    let mut tries = 1;
    loop {
        match take(ctx, lease, &[item]).await {
            Ok(TakeOutcome::Taken) => return Ok(()),
            Ok(TakeOutcome::TooEarly) => {
                let due_at = ctx.now() + messages::EARLY_ANSWER_PAUSE;
                waiting.note(ctx, lease, item, due_at).await?;
                return put_off(ctx, lease, item.id, due_at).await;
            }
            Err(error) if error.is_outage() => return Err(error),
            Err(error) if tries < TRIES_AT_ONCE => {
                tracing::debug!(callback.id = %item.id, error = &error as &dyn std::error::Error, "a callback is tried again");
                tries += 1;
            }
            Err(error) => return fail(ctx, lease, waiting, item, &error).await,
        }
    }
}

async fn take(ctx: &Context, lease: &Lease, group: &[&Item]) -> Result<TakeOutcome> {
    if let [Item { body: CallbackBody::Message(_), .. }, ..] = group {
        return messages::take(ctx, lease, group).await;
    }
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let inbox = InboxId(lease.lane);
    let mut done: Vec<CallbackId> = group.iter().map(|item| item.id).collect();
    let wakes = match group {
        [Item { body: CallbackBody::Account { field, value }, target, .. }] => {
            let event = account::AccountEvent { target, field, value };
            account::take(ctx, &mut tx, lease.client, lease.lane, event).await?
        }
        [Item { body: CallbackBody::Echo(echo), received_at, .. }] => {
            let taken = message_changes::echo(ctx, &mut tx, lease, echo, *received_at).await?;
            wakes_or_wait(&mut tx, lease, &mut done, taken).await?
        }
        [Item { body: CallbackBody::Change(change), received_at, .. }] => {
            let taken = message_changes::change(ctx, &mut tx, lease, change, *received_at).await?;
            wakes_or_wait(&mut tx, lease, &mut done, taken).await?
        }
        [Item { body: CallbackBody::Referral(came), .. }] => {
            receive::came_by(ctx, &mut tx, lease.client, inbox, came).await?
        }
        [Item { id, body: CallbackBody::Watermark(mark), received_at, .. }] => {
            let moved = watermarks::apply(ctx, &mut tx, lease.client, inbox, mark).await?;
            // It may also refer to a message that is not settled yet.
            if moved.unsettled && ctx.now() - *received_at < EARLY_STATUS_PATIENCE {
                callbacks::postpone(&mut tx, lease.client, &[*id], ctx.now() + EARLY_STATUS_PAUSE).await?;
                done.clear();
            }
            moved.wakes
        }
        statuses => {
            let updates: Vec<&StatusUpdate> = statuses.iter().filter_map(|item| item.body.status()).collect();
            let outcome = delivery::apply_statuses(ctx, &mut tx, lease.client, &updates, LockPolicy::Wait).await?;
            let unknown = outcome.unknown.iter().filter_map(|position| statuses.get(*position).copied());
            let early = postpone(ctx, &mut tx, lease, unknown.collect()).await?;
            done.retain(|id| !early.contains(id));
            outcome.wakes
        }
    };
    callbacks::remove(&mut tx, lease.client, &done).await?;
    tx.commit().await?;
    ctx.wake.wake_all(lease.client, wakes.into_iter().collect::<std::collections::BTreeSet<(Queue, Uuid)>>());
    Ok(TakeOutcome::Taken)
}

/// Returns the lanes to wake. An item that must wait is postponed and removed from `done`.
pub(super) async fn wakes_or_wait(
    db: &mut storage::PgConnection,
    lease: &Lease,
    done: &mut Vec<CallbackId>,
    taken: ItemOutcome,
) -> Result<Vec<(Queue, Uuid)>> {
    match taken {
        ItemOutcome::Done(wakes) => Ok(wakes),
        ItemOutcome::Later(due_at) => {
            callbacks::postpone(db, lease.client, done, due_at).await?;
            done.clear();
            Ok(Vec::new())
        }
    }
}

/// Postpones statuses that came before the answer to their send, and drops those that are too old. Returns the
/// postponed ones.
pub(super) async fn postpone(
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
        chat_messages::find_imported(db, lease.client, &ids.iter().map(String::as_str).collect::<Vec<_>>()).await?;
    let (early, lost): (Vec<&Item>, Vec<&Item>) = unknown
        .into_iter()
        .filter(|item| id(item).is_none_or(|id| !imported.contains(&id)))
        .partition(|item| now - item.received_at < EARLY_STATUS_PATIENCE);
    for item in lost {
        tracing::warn!(callback.id = %item.id, "dropped a status of a message that we never sent");
        failed_items::count_unknown_message(&item.target);
    }
    let early: Vec<CallbackId> = early.into_iter().map(|item| item.id).collect();
    callbacks::postpone(db, lease.client, &early, now + EARLY_STATUS_PAUSE).await?;
    Ok(early)
}

/// Puts off an item whose message cannot be taken yet. This does not count as a failure.
async fn put_off(ctx: &Context, lease: &Lease, item: CallbackId, due_at: DateTime<Utc>) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    callbacks::postpone(&mut tx, lease.client, &[item], due_at).await?;
    tx.commit().await?;
    Ok(())
}

async fn fail(ctx: &Context, lease: &Lease, waiting: &WaitingSenders, item: &Item, error: &Error) -> Result<()> {
    let attempts = item.attempts.saturating_add(1);
    if attempts >= MOST_ATTEMPTS {
        tracing::error!(callback.id = %item.id, error = error as &dyn std::error::Error, "a callback was given up");
        return give_up(ctx, lease, item.id, &reason(error), Some(item)).await;
    }
    tracing::warn!(callback.id = %item.id, attempts, error = error as &dyn std::error::Error, "a callback could not be processed; it is tried again");
    let due_at = ctx.now() + TimeDelta::seconds(1_i64 << attempts.clamp(0, 8));
    waiting.note(ctx, lease, item, due_at).await?;
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    callbacks::retry(&mut tx, lease.client, item.id, due_at).await?;
    tx.commit().await?;
    Ok(())
}

pub(super) async fn give_up(
    ctx: &Context,
    lease: &Lease,
    item: CallbackId,
    reason: &str,
    read: Option<&Item>,
) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    callbacks::give_up(&mut tx, lease.client, item, reason).await?;
    if let Some(Item { id, target, body, .. }) = read {
        failed_items::keep_given_up(ctx, &mut tx, lease.client, GivenUpItem { id: *id, target, body }).await?;
    }
    tx.commit().await?;
    Ok(())
}

pub(super) fn reason(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        text = format!("{text}: {inner}");
        source = inner.source();
    }
    text
}
