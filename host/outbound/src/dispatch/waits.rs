//! What does not go out now: put off with its lane, put aside because it cannot be read, or given up.

use std::time::Duration;

use base::{Context, Result, lanes::Lease};
use channels::smpp::NO_ANSWER_FROM_SMSC;
use chrono::TimeDelta;
use domain::{carriage::NOT_HANDED_OVER, channel::Channel, ids::ClientId, inbound::ProviderFailure};
use storage::{
    PgConnection, Queue,
    outbound::work::{self, Due, DueLeg, UnreadableLeg},
};
use uuid::Uuid;

use super::settle;
use crate::delivery;

/// Legs put off together.
const POSTPONED_AT_ONCE: i64 = 1000;
/// How long what cannot be read is left alone: a newer release, which a deploy is about to start, may know it.
const PUT_ASIDE: TimeDelta = TimeDelta::minutes(10);

/// Has legs that cannot be read wait, so that the rest of their lane goes on. Inside the caller's transaction.
pub(super) async fn put_aside(
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
    work::put_off(db, lease.client, &aside).await?;
    Ok(())
}

/// Why an SMS that waited too long is not sent any more; `None` while it may wait.
pub(super) fn expired(ctx: &Context, leg: &DueLeg) -> Option<ProviderFailure> {
    let may_wait = ctx.settings.sms_expires_after;
    let waited = (ctx.now() - leg.queued_at).to_std().unwrap_or_default();
    if leg.channel != Channel::Sms || waited <= may_wait {
        return None;
    }
    let may_wait = in_words(may_wait);
    Some(if leg.unanswered {
        let text = format!("expired: no SMSC said within {may_wait} what became of the SMS; it may have arrived");
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

/// Fails legs that will not go out any more, inside the caller's transaction.
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

/// Puts off what is due in a lane whose carrier takes nothing, so that it does not keep a worker. What has waited too long
/// fails.
pub(super) async fn postpone(ctx: &Context, lease: &Lease, length: Duration) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let Due { legs, unreadable } = work::due(&mut tx, lease.client, lease.lane, ctx.now(), POSTPONED_AT_ONCE).await?;
    let again = ctx.now() + length;
    let (mut later, mut given_up) = (Vec::new(), Vec::new());
    for leg in legs {
        match expired(ctx, &leg) {
            Some(failure) => given_up.push((leg, failure)),
            None => later.push((leg.message, leg.ordinal, again)),
        }
    }
    // Legs before work, as everybody writes them.
    let wakes = give_up(ctx, &mut tx, lease.client, given_up).await?;
    work::put_off(&mut tx, lease.client, &later).await?;
    put_aside(ctx, &mut tx, lease, unreadable).await?;
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
