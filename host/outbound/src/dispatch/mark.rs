//! Selects the legs that go out next, and commits the marks that precede their calls (ADR 0004).

use std::{borrow::Cow, collections::HashSet};

use base::{Context, Result, lanes::Lease};
use domain::ids::{ClientId, InboxId, MessageId};
use plugins::calls::KeptCalls;
use storage::{
    PgConnection, Transaction,
    outbound::{
        legs,
        messenger::{self, Beginning, Standing},
        provider_ids,
        work::{self, Due, DueLeg, Later},
    },
    sms,
};

use super::{
    due::due,
    offers,
    pick::{Picked, pick},
    route::{self, Asked, Decided},
    scheduled,
    sender::Sender,
    stopped, waits,
};

/// Most looks in one transaction. Each look starts behind the legs that stepped aside in the look before.
const LOOKS: usize = 8;

/// Factor for the wait after the second call. Only a status can settle the leg then, and giving up too early would
/// report a delivered message as failed.
const LAST_PATIENCE: u32 = 10;

/// A leg with a committed mark. Its call must start now.
pub(super) struct Marked {
    pub(super) leg: DueLeg,
    /// Numbers of the parts that the provider has already, from 1.
    pub(super) taken: Vec<u8>,
    /// The author of the message and the time when its recipient last wrote, if the carrier needs them.
    pub(super) standing: Option<Standing>,
    /// True if the quoted message is one of ours. Read only if the carrier needs it.
    pub(super) quotes_ours: bool,
}

#[derive(Default)]
pub(super) struct Marks {
    pub(super) legs: Vec<Marked>,
    /// True if the queue may have more legs that can go out now.
    pub(super) more: bool,
}

/// Picks up to `limit` legs and commits their `SENDING` marks. A recipient gets its messages in order: one call at a
/// time, and none while it is `busy`. Legs step aside if their recipient must not be written to so fast, or if they
/// cannot be read. Legs without an answer to their second call, and SMS that waited too long, are given up.
pub(super) async fn mark(
    ctx: &Context,
    lease: &Lease,
    sender: &Sender,
    limit: usize,
    busy: &HashSet<String>,
) -> Result<Marks> {
    loop {
        let asked = route::ask(ctx, lease, sender, limit, busy).await?;
        let mut tx = ctx.db.begin().await?;
        if route::hold(&mut tx, lease, &asked).await? {
            return mark_in(ctx, lease, tx, (sender, asked), limit, busy).await;
        }
    }
}

/// As [`mark`], in a transaction that holds the lane.
async fn mark_in(
    ctx: &Context,
    lease: &Lease,
    mut tx: Transaction<'static>,
    (sender, asked): (&Sender, Asked),
    limit: usize,
    busy: &HashSet<String>,
) -> Result<Marks> {
    let mut decided = match asked {
        Asked::Decided(decided) => Some(decided),
        Asked::Unknown | Asked::Nobody => None,
    };
    let (mut busy, mut go, mut wakes, mut changed) = (Cow::Borrowed(busy), Vec::new(), Vec::new(), false);
    let (mut beyond, mut looked_through) = (false, false);
    for _ in 0..LOOKS {
        let Due { legs, unreadable } = due(&mut tx, lease, ctx.now(), limit - go.len(), &busy, beyond).await?;
        let mut picked = pick(ctx, sender, legs, limit - go.len(), &busy);
        stopped::leave_out(&mut tx, lease.client, sender, &mut picked).await?;
        if let Some(decided) = &mut decided {
            decided.apply(&mut tx, lease.client, &mut picked).await?;
            decided.keep(ctx, &mut tx, lease).await?;
        }
        // If some legs are given up or cannot be read, more legs of that kind may follow.
        beyond = !picked.failed.is_empty() || !unreadable.is_empty();
        // Other legs may stand behind the ones that make room.
        let room_is_made = beyond || !picked.later.is_empty() || !picked.waiting.is_empty();
        changed |= room_is_made || !picked.go.is_empty();
        scheduled::correspond(ctx, &mut tx, lease.client, sender, &picked.go).await?;
        write(ctx, &mut tx, lease, &picked).await?;
        wakes.extend(offers::begin(ctx, &mut tx, lease.client, sender, &picked.go).await?);
        wakes.extend(waits::give_up(ctx, &mut tx, lease.client, picked.failed).await?);
        waits::put_aside(ctx, &mut tx, lease, unreadable).await?;
        if !picked.go.is_empty() && room_is_made {
            busy.to_mut().extend(picked.go.iter().map(|leg| leg.recipient.address().value().to_owned()));
        }
        go.extend(picked.go);
        looked_through = !room_is_made;
        if go.len() == limit || looked_through {
            break;
        }
    }
    let left_some = decided.as_deref().is_some_and(Decided::left_some);
    if !changed && !decided.as_deref().is_some_and(Decided::has_calls) {
        if let Some(decided) = decided {
            decided.remember(sender);
        }
        return Ok(Marks { more: left_some, ..Marks::default() });
    }
    let more = go.len() == limit || !looked_through || left_some;
    let mut legs = with_parts(&mut tx, lease, go).await?;
    if sender.carrier.needs_standing() {
        add_standing(ctx, &mut tx, lease, &mut legs).await?;
    }
    if sender.carrier.asks_who_is_quoted() {
        add_who_is_quoted(&mut tx, lease.client, &mut legs).await?;
    }
    let kept = match &mut decided {
        Some(decided) => decided.keep_calls(ctx, &mut tx, lease).await?,
        None => KeptCalls::default(),
    };
    tx.commit().await?;
    if let Some(decided) = decided {
        decided.remember(sender);
    }
    kept.compare(ctx, lease.client);
    ctx.wake.wake_all(lease.client, wakes);
    Ok(Marks { legs, more })
}

/// Stores the marks, and the times until which legs step aside.
async fn write(ctx: &Context, db: &mut PgConnection, lease: &Lease, picked: &Picked) -> Result<()> {
    // Every writer locks legs before their work. The opposite order in two transactions would be a deadlock.
    let key = |leg: &&DueLeg| (leg.message, leg.ordinal);
    let again: Vec<(MessageId, i16)> = picked.go.iter().filter(|leg| leg.unanswered).map(|leg| key(&leg)).collect();
    legs::mark_ambiguous(db, lease.client, &again).await?;
    let (last, first): (Vec<&DueLeg>, Vec<&DueLeg>) = picked.go.iter().partition(|leg| leg.unanswered || leg.ambiguous);
    for (legs, times) in [(first, 1), (last, LAST_PATIENCE)] {
        let keys: Vec<(MessageId, i16)> = legs.iter().map(key).collect();
        work::mark_sending(db, lease.client, &keys, ctx.now(), ctx.settings.limits.unknown_after * times).await?;
    }
    work::defer(db, lease.client, &picked.later, Later::Paced).await?;
    work::wait(db, lease.client, &picked.waiting).await?;
    Ok(())
}

/// Reads the parts that the provider has of legs that were called for before. Legs without a call have none.
async fn with_parts(db: &mut PgConnection, lease: &Lease, legs: Vec<DueLeg>) -> Result<Vec<Marked>> {
    let key = |leg: &DueLeg| (leg.message, leg.ordinal);
    let again: Vec<(MessageId, i16)> = legs.iter().filter(|leg| leg.attempts > 0).map(key).collect();
    let mut taken = sms::parts::submitted(db, lease.client, &again).await?;
    let marked = legs.into_iter().map(|leg| {
        let taken = taken.remove(&key(&leg)).unwrap_or_default();
        let taken = taken.into_iter().filter_map(|part| u8::try_from(part).ok()).collect();
        Marked { leg, taken, standing: None, quotes_ours: false }
    });
    Ok(marked.collect())
}

/// Reads the facts that the window of each message depends on, and records that its call begins, because reports about
/// it name only a moment.
async fn add_standing(ctx: &Context, db: &mut PgConnection, lease: &Lease, marked: &mut [Marked]) -> Result<()> {
    let inbox = InboxId(lease.lane);
    let to = |marked: &Marked| marked.leg.recipient.address().value().to_owned();
    let recipients: Vec<String> = marked.iter().map(to).collect();
    let mut noted = Vec::with_capacity(marked.len());
    let mut asked = Vec::with_capacity(marked.len());
    for (Marked { leg, .. }, psid) in marked.iter().zip(&recipients) {
        noted.push(Beginning { message: leg.message, ordinal: leg.ordinal, psid, in_doubt: leg.unanswered });
        asked.push((leg.chat_message, psid.as_str()));
    }
    messenger::note(db, lease.client, inbox, &noted, ctx.now()).await?;
    let standing = messenger::standing(db, lease.client, inbox, &asked).await?;
    for (marked, standing) in marked.iter_mut().zip(standing) {
        marked.standing = Some(standing);
    }
    Ok(())
}

/// Reads which quoted messages are ours. Few messages quote another.
async fn add_who_is_quoted(db: &mut PgConnection, client: ClientId, marked: &mut [Marked]) -> Result<()> {
    let quoted: Vec<&str> = marked.iter().filter_map(|marked| marked.leg.quoted_provider_id.as_deref()).collect();
    if quoted.is_empty() {
        return Ok(());
    }
    let ours = provider_ids::find(db, client, &quoted).await?;
    for Marked { leg, quotes_ours, .. } in marked {
        *quotes_ours = leg.quoted_provider_id.as_deref().is_some_and(|id| ours.contains_key(id));
    }
    Ok(())
}
