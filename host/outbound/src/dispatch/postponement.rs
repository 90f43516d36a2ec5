//! Legs that do not go out now: postponed with their lane, deferred because they cannot be read, or given up.

use std::time::Duration;

use base::{Context, Result, lanes::Lease};
use channels::code_meaning::CodeMeaning;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    carriage::DoubtRule,
    channel::Channel,
    ids::{ClientId, InboxId},
    inbound::ProviderFailure,
    inbox::InboxKind,
};
use storage::{
    PgConnection, Queue,
    inboxes::gates,
    outbound::work::{self, DueLeg, DueLegs, UnreadableLeg, WaitReason},
};
use uuid::Uuid;

use super::{doubt, sender::SenderInbox, settle};
use crate::delivery;

const POSTPONED_AT_ONCE: i64 = 1000;
/// Pages of expired legs before the lane is looked at again.
const MOST_EXPIRED_PAGES: usize = 1000;
/// How long a leg that cannot be read is deferred: a newer release can perhaps read it.
const PUT_ASIDE: TimeDelta = TimeDelta::minutes(10);

/// Defers legs that cannot be read, so that the rest of their lane continues. Inside the caller's transaction.
pub(super) async fn postpone_unreadable(
    ctx: &Context,
    db: &mut PgConnection,
    lease: &Lease,
    unreadable: Vec<UnreadableLeg>,
) -> Result<()> {
    let again = ctx.now() + PUT_ASIDE;
    let mut aside = Vec::with_capacity(unreadable.len());
    for leg in unreadable {
        metrics::counter!("patchbay_messages_unreadable_total").increment(1);
        tracing::error!(
            client.id = %lease.client, inbox.id = %lease.lane, message.id = %leg.message,
            error = &leg.error as &dyn std::error::Error,
            "a stored message cannot be read and is deferred for ten minutes; the rest of its lane continues"
        );
        aside.push((leg.message, leg.ordinal, again));
    }
    work::defer(db, lease.client, &aside, WaitReason::PutOff).await?;
    Ok(())
}

/// Returns the failure of a message that waited too long for its provider. `None` while it may wait. `sender` is the kind
/// of the lane's sender, if there is one.
pub(super) fn expiry_failure(
    ctx: &Context,
    sender: Option<InboxKind>,
    leg: &DueLeg,
    now: DateTime<Utc>,
) -> Option<ProviderFailure> {
    let kind = sender.filter(|kind| kind.channel() == leg.channel).or_else(|| usual_kind(leg.channel))?;
    let (reasons, may_wait) = (kind.facts().expiry?, ctx.settings.limits.expires_after(kind)?);
    let waited = (now - leg.queued_at).to_std().unwrap_or_default();
    if waited <= may_wait { None } else { reasons.failure(leg.unanswered, may_wait) }
}

/// Fails the messages of a lane that have waited too long for an account that the provider refuses. Others stay as they are.
pub(super) async fn expire_refused(ctx: &Context, lease: &Lease, sender: &SenderInbox) -> Result<()> {
    let may_wait = ctx.settings.limits.refused_expires_after;
    let Some(hold) = sender.hold else { return Ok(()) };
    let Some(latest) = hold.waited_too_long(may_wait, ctx.now()) else { return Ok(()) };
    let meaning = CodeMeaning::of(sender.inbox.kind.channel(), hold.code).map(|meaning| meaning.text);
    let failure = hold.failure(meaning, may_wait);
    for _ in 0..MOST_EXPIRED_PAGES {
        let mut tx = ctx.db.begin().await?;
        lease.hold(&mut tx).await?;
        let legs = work::queued_by(&mut tx, lease.client, lease.lane, latest, POSTPONED_AT_ONCE).await?;
        if legs.is_empty() || lease.is_over() {
            break;
        }
        let steps = legs.into_iter().map(|leg| settle::failed_step_of(leg, failure.clone(), ctx.now())).collect();
        let wakes = delivery::advance(ctx, &mut tx, lease.client, steps).await?;
        tx.commit().await?;
        ctx.wake.wake_all(lease.client, wakes);
    }
    Ok(())
}

pub(super) async fn give_up(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    given_up: Vec<(DueLeg, ProviderFailure)>,
) -> Result<Vec<(Queue, Uuid)>> {
    if given_up.is_empty() {
        return Ok(Vec::new());
    }
    let steps = given_up.into_iter().map(|(leg, failure)| settle::failed_step(&leg, failure, ctx.now())).collect();
    delivery::advance(ctx, db, client, steps).await
}

/// Postpones the due legs of a lane while its carrier has no place. Legs that waited too long fail, and legs in doubt that
/// are not sent again.
pub(super) async fn postpone(
    ctx: &Context,
    lease: &Lease,
    sender: Option<&SenderInbox>,
    length: Duration,
) -> Result<()> {
    let (client, inbox) = (lease.client, InboxId(lease.lane));
    let kind = sender.map(|sender| sender.inbox.kind);
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    // The code that opens the gate locks it too, so the facts that are read now hold until the write.
    let gated = match kind {
        Some(kind) => gates::lock(&mut tx, client, inbox, kind).await?.then_some(kind),
        None => None,
    };
    // One time for all of them: a leg that is not too old at this time is looked at again `length` after it.
    let now = ctx.now();
    let DueLegs { legs, unreadable } = work::due(&mut tx, client, lease.lane, now, POSTPONED_AT_ONCE).await?;
    let again = now + length;
    // A device that is not connected reports its messages when it is back.
    let rule = if gated.is_some() { DoubtRule::default() } else { doubt::read_rule(&mut tx, client, &legs).await? };
    let (mut later, mut given_up) = (Vec::new(), Vec::new());
    for leg in legs {
        match doubt::failure(rule, &leg).or_else(|| expiry_failure(ctx, kind, &leg, now)) {
            Some(failure) => given_up.push((leg, failure)),
            None => later.push((leg.message, leg.ordinal, again)),
        }
    }
    // Legs before their work, in the order of every writer.
    let wakes = give_up(ctx, &mut tx, client, given_up).await?;
    if gated.is_none() {
        work::defer(&mut tx, client, &later, WaitReason::PutOff).await?;
    }
    postpone_unreadable(ctx, &mut tx, lease, unreadable).await?;
    if let Some(kind) = gated
        && let Some(reread) = SenderInbox::read(ctx, &mut tx, client, inbox).await?
        && let Err(closed) = reread.carrier.take(&reread.inbox, 1)
    {
        let until = now + TimeDelta::from_std(closed.look_again).unwrap_or(TimeDelta::MAX);
        gates::close(&mut tx, client, inbox, kind, until).await?;
    }
    tx.commit().await?;
    ctx.wake.wake_all(client, wakes);
    Ok(())
}

/// The first kind of inbox of a channel, for a leg without a sender of its channel.
fn usual_kind(channel: Channel) -> Option<InboxKind> {
    InboxKind::ALL.into_iter().find(|kind| kind.channel() == channel)
}
