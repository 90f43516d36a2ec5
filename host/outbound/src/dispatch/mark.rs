//! Which legs go out next, and the committed marks that precede their calls (ADR 0004).

use std::collections::HashSet;

use base::{Context, Result, lanes::Lease};
use chrono::{DateTime, Utc};
use domain::ids::MessageId;
use storage::{
    PgConnection,
    outbound::{
        legs,
        work::{self, DueLeg},
    },
    sms,
};

use super::{sender::Sender, settle};

/// Legs looked at beyond those that can go out, to find other recipients behind several messages to one.
const LOOK_BEYOND: usize = 64;

/// After the second call there is nothing left but to wait for a status, so that wait is this many times as long: giving
/// up too early would report a message as failed that arrived.
const LAST_PATIENCE: u32 = 10;

/// A leg whose mark is committed: its call must start now.
pub(super) struct Marked {
    pub(super) leg: DueLeg,
    /// Parts of it that the provider has already, from 1.
    pub(super) taken: Vec<u8>,
}

/// What was picked from a page of the queue.
#[derive(Default)]
struct Picked {
    go: Vec<DueLeg>,
    /// Recipients that were written to too often, and when they may be again.
    later: Vec<(MessageId, i16, DateTime<Utc>)>,
    /// Their second answer never came either.
    lost: Vec<DueLeg>,
}

/// Picks up to `limit` legs and commits their `SENDING` marks. A recipient gets its messages in order: one call at a time,
/// none while it is `busy`. Legs to recipients that were written to too often go back for a while; legs whose second
/// answer never came either are given up.
pub(super) async fn mark(
    ctx: &Context,
    lease: &Lease,
    sender: &Sender,
    limit: usize,
    busy: &HashSet<String>,
) -> Result<Vec<Marked>> {
    let now = ctx.now();
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let due = due(&mut tx, lease, now, limit, busy).await?;
    let picked = pick(ctx, sender, due, limit, busy);
    if picked.go.is_empty() && picked.later.is_empty() && picked.lost.is_empty() {
        return Ok(Vec::new());
    }
    let (last, first): (Vec<&DueLeg>, Vec<&DueLeg>) = picked.go.iter().partition(|leg| leg.unanswered || leg.ambiguous);
    for (legs, times) in [(first, 1), (last, LAST_PATIENCE)] {
        let keys: Vec<(MessageId, i16)> = legs.iter().map(|leg| (leg.message, leg.ordinal)).collect();
        work::mark_sending(&mut tx, lease.client, &keys, now, ctx.settings.unknown_after * times).await?;
    }
    let again: Vec<(MessageId, i16)> =
        picked.go.iter().filter(|leg| leg.unanswered).map(|leg| (leg.message, leg.ordinal)).collect();
    legs::mark_ambiguous(&mut tx, lease.client, &again).await?;
    work::put_back(&mut tx, lease.client, &picked.later).await?;
    let wakes = settle::give_up(ctx, &mut tx, lease.client, sender, &picked.lost).await?;
    let marked = with_parts(&mut tx, lease, picked.go).await?;
    tx.commit().await?;
    ctx.wake.wake_all(lease.client, wakes);
    Ok(marked)
}

/// Reads what may go out: as many legs as there are places for, and more only where some of them must wait for others to the
/// same recipient.
async fn due(
    db: &mut PgConnection,
    lease: &Lease,
    now: DateTime<Utc>,
    limit: usize,
    busy: &HashSet<String>,
) -> Result<Vec<DueLeg>> {
    let first = work::due(db, lease.client, lease.lane, now, page(limit)).await?;
    let recipients: HashSet<&str> = first.iter().map(|leg| leg.recipient.address().value()).collect();
    let can_go = recipients.iter().filter(|recipient| !busy.contains(**recipient)).count();
    if first.len() < limit || can_go == limit {
        return Ok(first);
    }
    Ok(work::due(db, lease.client, lease.lane, now, page(limit + busy.len() + LOOK_BEYOND)).await?)
}

fn page(legs: usize) -> i64 {
    i64::try_from(legs).unwrap_or(i64::MAX)
}

fn pick(ctx: &Context, sender: &Sender, due: Vec<DueLeg>, limit: usize, busy: &HashSet<String>) -> Picked {
    let mut picked = Picked::default();
    let mut seen: HashSet<String> = HashSet::new();
    for leg in due {
        let recipient = leg.recipient.address().value();
        if picked.go.len() == limit || busy.contains(recipient) || !seen.insert(recipient.to_owned()) {
            continue;
        }
        if leg.unanswered && leg.ambiguous {
            picked.lost.push(leg);
            continue;
        }
        match sender.carrier.admit(&sender.inbox, leg.recipient.address()) {
            Err(wait) => picked.later.push((leg.message, leg.ordinal, ctx.now() + wait)),
            Ok(()) => picked.go.push(leg),
        }
    }
    picked
}

/// Reads which parts the provider has of legs that were called for before. What goes out for the first time has none.
async fn with_parts(db: &mut PgConnection, lease: &Lease, legs: Vec<DueLeg>) -> Result<Vec<Marked>> {
    let mut marked = Vec::with_capacity(legs.len());
    for leg in legs {
        let taken = match leg.attempts {
            0 => Vec::new(),
            _ => sms::parts::submitted(db, lease.client, (leg.message, leg.ordinal)).await?,
        };
        let taken = taken.into_iter().filter_map(|part| u8::try_from(part).ok()).collect();
        marked.push(Marked { leg, taken });
    }
    Ok(marked)
}
