//! Selects the legs that go out next, and commits the marks that precede their calls (ADR 0004).

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    time::Instant,
};

use base::{
    Context, Result,
    lanes::Lease,
    traces::{self, SpanKind},
};
use domain::ids::{ClientId, InboxId, MessageId};
use storage::{
    PgConnection, Queue, Transaction,
    outbound::{
        legs,
        messenger::{self, LegStart, MessengerWindow},
        provider_ids,
        work::{self, DueLeg, DueLegs, WaitReason},
    },
};
use uuid::Uuid;

use super::{
    doubt,
    due_legs::{LaneLook, due},
    hook::{LegKey, MarkHook},
    offers,
    pick::pick,
    picked_legs::PickedLegs,
    postponement,
    sender::SenderInbox,
    stopped_recipients,
};

/// Most reads in one transaction. Each read starts after the legs that the read before has deferred.
const MOST_READS: usize = 8;

/// Factor for the wait after the second call: giving up too early would report a delivered message as failed.
const LAST_WAIT_FACTOR: u32 = 10;

pub(super) struct MarkedLeg {
    pub(super) leg: DueLeg,
    /// Numbers of the parts that the provider has already, from 1.
    pub(super) taken: Vec<u8>,
    pub(super) standing: Option<MessengerWindow>,
    /// True if the quoted message is one of ours. Read only if the carrier needs it.
    pub(super) quotes_ours: bool,
}

#[derive(Default)]
pub(super) struct Marks {
    pub(super) legs: Vec<MarkedLeg>,
    pub(super) more: bool,
}

/// Picks up to `limit` legs and commits their `SENDING` marks. A recipient gets its messages in order: one call at a
/// time, and none while it is `busy`. Legs step aside if their recipient must not be written to so fast, or if they
/// cannot be read. Legs without an answer to their last call, and legs that waited too long, are given up.
pub(super) async fn mark(
    ctx: &Context,
    lease: &Lease,
    sender: &SenderInbox,
    limit: usize,
    busy: &HashSet<String>,
) -> Result<Marks> {
    let began = Instant::now();
    loop {
        let mut hook = match &sender.hook {
            Some(hook) => Some(hook.prepare(ctx, lease, limit, busy).await?),
            None => None,
        };
        let mut tx = ctx.db.begin().await?;
        let held = match &mut hook {
            Some(hook) => hook.hold(&mut tx).await?,
            None => lease.hold(&mut tx).await.map(|()| true)?,
        };
        if held {
            let (busy, go, wakes) = (Cow::Borrowed(busy), Vec::new(), Vec::new());
            let marks = Marking { ctx, lease, sender, limit, hook, busy, go, wakes }.run(tx).await?;
            report(lease, &marks.legs, began);
            return Ok(marks);
        }
    }
}

fn report(lease: &Lease, legs: &[MarkedLeg], began: Instant) {
    for MarkedLeg { leg, .. } in legs {
        let Some(span) = traces::about(leg.message.0, SpanKind::Consumer) else { continue };
        let span = span.since(began).of(lease.client).with("patchbay.leg", i64::from(leg.ordinal));
        span.with("patchbay.inbox.id", lease.lane).end("mark");
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// No leg stepped aside, so no leg stands behind one.
    Complete,
    /// Legs stepped aside. Other legs may stand behind them.
    RoomMade,
    /// Legs were given up or cannot be read. More legs of that kind may follow.
    LegsGivenUp,
}

struct Marking<'a> {
    ctx: &'a Context,
    lease: &'a Lease,
    sender: &'a SenderInbox,
    limit: usize,
    hook: Option<Box<dyn MarkHook + 'a>>,
    busy: Cow<'a, HashSet<String>>,
    go: Vec<DueLeg>,
    wakes: Vec<(Queue, Uuid)>,
}

impl Marking<'_> {
    async fn run(mut self, mut tx: Transaction<'static>) -> Result<Marks> {
        let mut looks = Vec::with_capacity(MOST_READS);
        loop {
            let look = self.look(&mut tx, looks.last().copied()).await?;
            looks.push(look);
            if look == Look::Complete || self.go.len() == self.limit || looks.len() == MOST_READS {
                break;
            }
        }
        let left_some = self.hook.as_ref().is_some_and(|hook| hook.left_some());
        let nothing_written = self.go.is_empty() && looks == [Look::Complete];
        if nothing_written && !self.hook.as_ref().is_some_and(|hook| hook.has_rows()) {
            self.end_hook();
            return Ok(Marks { more: left_some, ..Marks::default() });
        }
        let more = self.go.len() == self.limit || looks.last() != Some(&Look::Complete) || left_some;
        let legs = self.with_facts(&mut tx).await?;
        if let Some(hook) = &mut self.hook {
            hook.store(&mut tx).await?;
        }
        tx.commit().await?;
        self.end_hook();
        self.ctx.wake.wake_all(self.lease.client, self.wakes);
        Ok(Marks { legs, more })
    }

    /// Picks legs, writes their marks and the times of deferred legs. Begins after those of the `last` read.
    async fn look(&mut self, db: &mut PgConnection, last: Option<Look>) -> Result<Look> {
        let (ctx, lease, sender, client) = (self.ctx, self.lease, self.sender, self.lease.client);
        let room = self.limit - self.go.len();
        let look = LaneLook { limit: room, busy: &self.busy, beyond: last == Some(Look::LegsGivenUp) };
        let DueLegs { legs, unreadable } = due(db, lease, look, ctx.now()).await?;
        let rule = doubt::read_rule(db, client, &legs).await?;
        let mut picked = pick(ctx, sender, legs, room, &self.busy, rule);
        stopped_recipients::leave_out(db, client, sender, &mut picked).await?;
        if let Some(hook) = &mut self.hook {
            hook.decide(db, &mut picked).await?;
        }
        let look = if !picked.failed.is_empty() || !unreadable.is_empty() {
            Look::LegsGivenUp
        } else if !picked.later.is_empty() || !picked.waiting.is_empty() {
            Look::RoomMade
        } else {
            Look::Complete
        };
        write(ctx, db, lease, &picked).await?;
        self.wakes.extend(offers::begin(ctx, db, client, sender, &picked.go).await?);
        self.wakes.extend(postponement::give_up(ctx, db, client, picked.failed).await?);
        postponement::postpone_unreadable(ctx, db, lease, unreadable).await?;
        if !picked.go.is_empty() && look != Look::Complete {
            self.busy.to_mut().extend(picked.go.iter().map(|leg| leg.recipient.address().value().to_owned()));
        }
        self.go.extend(picked.go);
        Ok(look)
    }

    async fn with_facts(&mut self, db: &mut PgConnection) -> Result<Vec<MarkedLeg>> {
        let mut legs = self.with_parts(db).await?;
        if self.sender.carrier.needs_standing() {
            add_standing(self.ctx, db, self.lease, &mut legs).await?;
        }
        if self.sender.carrier.asks_who_is_quoted() {
            add_who_is_quoted(db, self.lease.client, &mut legs).await?;
        }
        Ok(legs)
    }

    /// Reads the parts that the provider has of legs that were called for before. Legs without a call have none.
    async fn with_parts(&mut self, db: &mut PgConnection) -> Result<Vec<MarkedLeg>> {
        let legs = std::mem::take(&mut self.go);
        let key = |leg: &DueLeg| (leg.message, leg.ordinal);
        let again: Vec<LegKey> = legs.iter().filter(|leg| leg.attempts > 0).map(key).collect();
        let mut parts = match &self.sender.hook {
            Some(hook) if !again.is_empty() => hook.parts(db, self.lease.client, &again).await?,
            _ => HashMap::new(),
        };
        let marked = legs.into_iter().map(|leg| {
            let taken = parts.remove(&key(&leg)).unwrap_or_default();
            MarkedLeg { leg, taken, standing: None, quotes_ours: false }
        });
        Ok(marked.collect())
    }

    fn end_hook(&mut self) {
        if let Some(hook) = self.hook.take() {
            hook.end();
        }
    }
}

async fn write(ctx: &Context, db: &mut PgConnection, lease: &Lease, picked: &PickedLegs) -> Result<()> {
    // Every writer locks legs before their work. The opposite order in two transactions would be a deadlock.
    let key = |leg: &&DueLeg| (leg.message, leg.ordinal);
    let again: Vec<(MessageId, i16)> = picked.go.iter().filter(|leg| leg.unanswered).map(|leg| key(&leg)).collect();
    legs::mark_ambiguous(db, lease.client, &again).await?;
    let (last, first): (Vec<&DueLeg>, Vec<&DueLeg>) = picked.go.iter().partition(|leg| leg.unanswered || leg.ambiguous);
    for (legs, times) in [(first, 1), (last, LAST_WAIT_FACTOR)] {
        let keys: Vec<(MessageId, i16)> = legs.iter().map(key).collect();
        work::mark_sending(db, lease.client, &keys, ctx.now(), ctx.settings.limits.unknown_after * times).await?;
    }
    work::defer(db, lease.client, &picked.later, WaitReason::Paced).await?;
    work::wait(db, lease.client, &picked.waiting).await?;
    Ok(())
}

/// Reads the facts for the window of each message, and records that its call begins: reports name only a moment.
async fn add_standing(ctx: &Context, db: &mut PgConnection, lease: &Lease, marked: &mut [MarkedLeg]) -> Result<()> {
    let inbox = InboxId(lease.lane);
    let to = |marked: &MarkedLeg| marked.leg.recipient.address().value().to_owned();
    let recipients: Vec<String> = marked.iter().map(to).collect();
    let mut noted = Vec::with_capacity(marked.len());
    let mut asked = Vec::with_capacity(marked.len());
    for (MarkedLeg { leg, .. }, psid) in marked.iter().zip(&recipients) {
        noted.push(LegStart { message: leg.message, ordinal: leg.ordinal, psid, in_doubt: leg.unanswered });
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
async fn add_who_is_quoted(db: &mut PgConnection, client: ClientId, marked: &mut [MarkedLeg]) -> Result<()> {
    let quoted: Vec<&str> = marked.iter().filter_map(|marked| marked.leg.quoted_provider_id.as_deref()).collect();
    if quoted.is_empty() {
        return Ok(());
    }
    let ours = provider_ids::find(db, client, &quoted).await?;
    for MarkedLeg { leg, quotes_ours, .. } in marked {
        *quotes_ours = leg.quoted_provider_id.as_deref().is_some_and(|id| ours.contains_key(id));
    }
    Ok(())
}
