//! Legs that do not go out now: postponed with their lane, put aside because they cannot be read, or given up.

use std::time::Duration;

use base::{Context, Result, lanes::Lease};
use channels::smpp::NO_ANSWER_FROM_SMSC;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    carriage::NOT_HANDED_OVER,
    channel::Channel,
    ids::{ClientId, InboxId},
    inbound::ProviderFailure,
    inbox::InboxKind,
};
use storage::{
    PgConnection, Queue,
    inboxes::lite,
    outbound::work::{self, DueLeg, DueLegs, UnreadableLeg, WaitReason},
};
use uuid::Uuid;

use super::{sender::SenderInbox, settle};
use crate::delivery;

const POSTPONED_AT_ONCE: i64 = 1000;
/// How long a leg that cannot be read is put aside: a newer release can perhaps read it.
const PUT_ASIDE: TimeDelta = TimeDelta::minutes(10);

/// Puts aside legs that cannot be read, so that the rest of their lane goes on. Inside the caller's transaction.
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
            "a stored message cannot be read and is put aside for ten minutes; the rest of its lane goes on"
        );
        aside.push((leg.message, leg.ordinal, again));
    }
    work::defer(db, lease.client, &aside, WaitReason::PutOff).await?;
    Ok(())
}

/// Returns the failure of an SMS, or of a message of a Lite number, that waited too long. `None` while it may wait.
pub(super) fn expired(ctx: &Context, now: DateTime<Utc>, kind: InboxKind, leg: &DueLeg) -> Option<ProviderFailure> {
    let may_wait = match kind {
        InboxKind::WhatsappLite => ctx.settings.limits.lite_expires_after,
        _ => ctx.settings.limits.sms_expires_after,
    };
    let waited = (now - leg.queued_at).to_std().unwrap_or_default();
    let expires = leg.channel == Channel::Sms || kind == InboxKind::WhatsappLite;
    // A message that may have reached WhatsApp waits for its report.
    let in_doubt = kind == InboxKind::WhatsappLite && leg.unanswered;
    if !expires || in_doubt || waited <= may_wait {
        return None;
    }
    let may_wait = in_words(may_wait);
    if kind == InboxKind::WhatsappLite {
        let text = format!("expired: the number was not connected to WhatsApp, or did not send, within {may_wait}");
        return Some(ProviderFailure { code: NOT_HANDED_OVER, text });
    }
    Some(if leg.unanswered {
        let text = format!("expired: no SMSC reported the outcome of the SMS within {may_wait}; it may have arrived");
        ProviderFailure { code: NO_ANSWER_FROM_SMSC, text }
    } else {
        let text = format!("expired: no SMSC took the SMS within {may_wait}");
        ProviderFailure { code: NOT_HANDED_OVER, text }
    })
}

/// `48 h`
fn in_words(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds % 3600 == 0 => format!("{} h", seconds / 3600),
        seconds if seconds % 60 == 0 => format!("{} min", seconds / 60),
        seconds => format!("{seconds} s"),
    }
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
    let steps = given_up.into_iter().map(|(leg, failure)| settle::failed(&leg, failure, ctx.now())).collect();
    delivery::advance(ctx, db, client, steps).await
}

/// Postpones the due legs of a lane while its carrier takes nothing. Legs that waited too long fail.
pub(super) async fn postpone(ctx: &Context, lease: &Lease, length: Duration) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    // One time for all of them: a leg that is not too old at this time is looked at again `length` after it.
    let now = ctx.now();
    let DueLegs { legs, unreadable } = work::due(&mut tx, lease.client, lease.lane, now, POSTPONED_AT_ONCE).await?;
    let again = now + length;
    let (mut later, mut given_up) = (Vec::new(), Vec::new());
    for leg in legs {
        match expired(ctx, now, InboxKind::Sms, &leg) {
            Some(failure) => given_up.push((leg, failure)),
            None => later.push((leg.message, leg.ordinal, again)),
        }
    }
    // Legs before their work, in the order of every writer.
    let wakes = give_up(ctx, &mut tx, lease.client, given_up).await?;
    work::defer(&mut tx, lease.client, &later, WaitReason::PutOff).await?;
    postpone_unreadable(ctx, &mut tx, lease, unreadable).await?;
    tx.commit().await?;
    ctx.wake.wake_all(lease.client, wakes);
    Ok(())
}

/// Postpones a whole lane without writing rows for a Lite number: its session or schedule opens it.
pub(super) async fn close(ctx: &Context, lease: &Lease, sender: &SenderInbox, length: Duration) -> Result<()> {
    if sender.inbox.kind != InboxKind::WhatsappLite {
        return postpone(ctx, lease, length).await;
    }
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let inbox = InboxId(lease.lane);
    // The code that opens the lane locks this row too, so the facts that are read now hold until the write.
    lite::lock(&mut tx, lease.client, inbox).await?;
    // One time for all of them, as above.
    let now = ctx.now();
    let DueLegs { legs, unreadable } = work::due(&mut tx, lease.client, lease.lane, now, POSTPONED_AT_ONCE).await?;
    let given_up = legs.into_iter().filter_map(|leg| {
        let failure = expired(ctx, now, InboxKind::WhatsappLite, &leg)?;
        Some((leg, failure))
    });
    let wakes = give_up(ctx, &mut tx, lease.client, given_up.collect()).await?;
    postpone_unreadable(ctx, &mut tx, lease, unreadable).await?;
    if let Some(reread) = SenderInbox::read(ctx, &mut tx, lease.client, inbox).await?
        && let Err(closed) = reread.carrier.take(&reread.inbox, 1)
    {
        let until = now + TimeDelta::from_std(closed.look_again).unwrap_or(TimeDelta::MAX);
        lite::close_sending(&mut tx, lease.client, inbox, Some(until)).await?;
    }
    tx.commit().await?;
    ctx.wake.wake_all(lease.client, wakes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_in_the_largest_unit_that_it_is_whole_in() {
        let told = [48 * 3600, 90 * 60, 61].map(|seconds| in_words(Duration::from_secs(seconds)));
        assert_eq!(told, ["48 h", "90 min", "61 s"]);
    }
}
