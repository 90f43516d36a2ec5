//! The loop of one inbox: mark, call, settle.

use std::{
    borrow::Cow,
    collections::{HashSet, VecDeque},
    time::{Duration, Instant},
};

use base::{Context, Error, Result, lanes::Lease};
use channels::carrier::{Lookup, Outgoing, PartJournal, PartTaken, Place};
use domain::{
    carriage::SendFailure,
    content::{LegContent, OutboundContent},
    inbox::InboxKind,
};
use futures::{FutureExt, StreamExt, future::BoxFuture, stream::FuturesUnordered};
use tokio::{
    sync::mpsc::{self, UnboundedReceiver, UnboundedSender},
    task::{JoinError, JoinSet},
};

use super::{
    mark::{self, Marked, Marks},
    outcomes::{Outcomes, Writing, gathering},
    sender::Sender,
    settle::{self, Outcome},
    waits,
};
use crate::{delivery::opaque, sms_parts::LegPart};

/// How often the queue is looked at while calls are in flight and nobody nudges.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// Between two looks at what waits: nothing needs to be exacter than this.
const SHORTEST_WAIT: Duration = Duration::from_millis(1);

/// When messages of an inbox that cannot send are looked at again.
const WITHOUT_SENDER: Duration = Duration::from_secs(60);

/// Sends what is due in the lane of an inbox until nothing is, or the lease is over. Calls in flight are always waited for,
/// and what they led to is kept until it is written, however long the database takes it from nobody.
pub async fn run(ctx: &Context, lease: &Lease) -> Result<()> {
    loop {
        let Some(sender) = Sender::load(ctx, lease).await? else {
            return waits::postpone(ctx, lease, WITHOUT_SENDER).await;
        };
        // A lane whose device lives elsewhere is given back: the process that holds it finds it with its next look.
        if sender.is_elsewhere || sender.waits_until.is_some_and(|until| until > ctx.now()) {
            return Ok(());
        }
        match send(ctx, lease, &sender).await? {
            End::Done => return Ok(()),
            End::Stale => {}
        }
    }
}

/// How a round ended.
enum End {
    /// Nothing is due, or the lease is over.
    Done,
    /// What is known of the inbox may have changed: it is read again.
    Stale,
}

async fn send(ctx: &Context, lease: &Lease, sender: &Sender) -> Result<End> {
    let (journal, taken_parts) = mpsc::unbounded_channel();
    let mut round = Round {
        ctx,
        lease,
        sender,
        stale_at: sender.carrier.settings_last().map(|length| Instant::now() + length),
        journal,
        taken_parts,
        calls: JoinSet::new(),
        ahead: VecDeque::new(),
        busy: HashSet::new(),
        outcomes: outcomes_of(sender),
        steps: FuturesUnordered::new(),
        marking: false,
        mark_from: Instant::now(),
        more: true,
        failed: None,
    };
    round.run().await
}

/// What a transaction beside the calls led to.
enum Step {
    /// Legs whose marks are committed, with the places of their calls.
    Marked(Result<Marks>, Vec<Place>),
    /// What was to be written down, and whether it is on disk.
    Settled(Result<()>, Writing),
}

/// The work on one lane: at most one transaction that marks and one that settles at a time, beside all calls in flight.
struct Round<'a> {
    ctx: &'a Context,
    lease: &'a Lease,
    sender: &'a Sender,
    /// From when what is known of the inbox is not believed any more.
    stale_at: Option<Instant>,
    journal: UnboundedSender<LegPart>,
    taken_parts: UnboundedReceiver<LegPart>,
    calls: JoinSet<Outcome>,
    /// Marked, and waiting for a place: never more than there are calls in flight when they are marked.
    ahead: VecDeque<Marked>,
    /// Recipients of what is marked, of the calls in flight and of outcomes that are not on disk.
    busy: HashSet<String>,
    /// What is to be written down.
    outcomes: Outcomes,
    steps: FuturesUnordered<BoxFuture<'a, Step>>,
    marking: bool,
    /// From when a few places are worth a transaction that marks, unless there are places for half a window: those that become
    /// free one by one meanwhile are taken together, and calls of providers take too long to notice.
    mark_from: Instant,
    /// The queue may have more that can go out now.
    more: bool,
    /// Why the round ends when all that was called for is written.
    failed: Option<Error>,
}

/// Why there is no transaction that marks.
#[derive(Clone, Copy)]
enum Marking {
    /// There is one, or nothing to mark.
    Fine,
    /// The carrier has no place now.
    NoPlace,
    /// The carrier takes nothing for a while.
    Closed(Duration),
}

impl<'a> Round<'a> {
    async fn run(&mut self) -> Result<End> {
        loop {
            if self.stale_at.is_some_and(|at| at <= Instant::now()) {
                if self.is_idle() && self.outcomes.is_empty() && self.failed.is_none() && !self.lease.is_over() {
                    return Ok(End::Stale);
                }
                self.more = false;
            }
            let no_place_ahead = self.start_calls_ahead();
            let marking = self.start_marking();
            self.start_settling();
            let no_place = no_place_ahead || matches!(marking, Marking::NoPlace);
            if self.is_idle() && self.outcomes.is_empty() {
                match (self.failed.take(), marking) {
                    (Some(error), _) => return Err(error),
                    (None, Marking::Closed(length)) => {
                        waits::close(self.ctx, self.lease, self.sender, length).await?;
                        return Ok(End::Done);
                    }
                    (None, Marking::Fine) => return Ok(End::Done),
                    (None, Marking::NoPlace) => {}
                }
            }
            let waits_until = self.waits_until();
            tokio::select! {
                Some(call) = self.calls.join_next() => self.call_ended(call),
                Some(step) = self.steps.next() => self.step_ended(step),
                Some(part) = self.taken_parts.recv() => self.outcomes.add_part(part),
                () = self.lease.nudge.notified() => self.more = true,
                () = self.sender.carrier.ready(&self.sender.inbox), if no_place => {}
                () = tokio::time::sleep_until(waits_until.into()) => {}
                () = tokio::time::sleep(LOOK_AGAIN) => self.more = true,
            }
        }
    }

    /// When something that gathers, or pauses, is looked at again.
    fn waits_until(&self) -> Instant {
        let now = Instant::now();
        let marking = (!self.marking && now < self.mark_from).then_some(self.mark_from);
        marking.into_iter().chain(self.outcomes.next_at()).min().unwrap_or(now + LOOK_AGAIN).max(now + SHORTEST_WAIT)
    }

    fn is_idle(&self) -> bool {
        self.calls.is_empty() && self.steps.is_empty() && self.ahead.is_empty()
    }

    /// Starts calls that were marked ahead, for as many as there are places by now. `true`: none is there although the lane's
    /// own window has room.
    fn start_calls_ahead(&mut self) -> bool {
        if self.ahead.is_empty() || !self.outcomes.can_be_written() {
            return false;
        }
        if self.failed.is_some() || self.lease.is_over() {
            self.give_back_ahead("the lane is given back");
            return false;
        }
        let Sender { inbox, carrier, .. } = self.sender;
        let window = carrier.window(inbox);
        let room = window.saturating_sub(self.calls.len()).min(self.ahead.len()).min(self.may_be_called());
        if room == 0 {
            return false;
        }
        match carrier.take(inbox, room) {
            Ok(places) => {
                let none = places.is_empty();
                self.start_calls(places);
                none
            }
            Err(closed) => {
                self.give_back_ahead(&closed.reason);
                false
            }
        }
    }

    /// Nobody called for these: they are as if they had not been marked.
    fn give_back_ahead(&mut self, reason: &str) {
        for Marked { leg, .. } in self.ahead.drain(..) {
            let not_sent = SendFailure::NotSent { reason: reason.to_owned(), after: None };
            self.outcomes.add(Outcome { leg, result: Err(not_sent), doubt: None });
        }
    }

    /// Begins to mark as many legs as the carrier has places for, and as many more as may be marked ahead of theirs.
    fn start_marking(&mut self) -> Marking {
        let cannot = self.failed.is_some() || !self.outcomes.can_be_written() || self.lease.is_over();
        if self.marking || !self.more || cannot {
            return Marking::Fine;
        }
        let Sender { inbox, carrier, .. } = self.sender;
        let window = carrier.window(inbox);
        let free = window.saturating_sub(self.calls.len() + self.ahead.len()).min(self.may_be_called());
        let wanted = (free + self.may_mark_ahead(0)).min(self.may_be_marked()).min(window);
        if wanted == 0 || self.gathers(wanted, window) {
            return Marking::Fine;
        }
        let places = match carrier.take(inbox, wanted.min(free)) {
            Ok(places) => places,
            Err(closed) => {
                tracing::warn!(client.id = %inbox.client, inbox.id = %inbox.id, reason = closed.reason, "messages wait");
                // Asked again when what is in flight has ended.
                self.more = self.is_idle();
                return if self.more { Marking::Closed(closed.look_again) } else { Marking::Fine };
            }
        };
        let limit = wanted.min(places.len() + self.may_mark_ahead(places.len()));
        if limit == 0 {
            return Marking::NoPlace;
        }
        let (ctx, lease, sender, busy) = (self.ctx, self.lease, self.sender, self.busy.clone());
        let mark = async move { Step::Marked(mark::mark(ctx, lease, sender, limit, &busy).await, places) };
        self.steps.push(mark.boxed());
        (self.marking, self.more) = (true, false);
        Marking::Fine
    }

    /// How many more may be marked before their places are there, once `more` calls have started. Never more than there are
    /// calls, so that what is marked stays in proportion to the limit that all lanes share.
    fn may_mark_ahead(&self, more: usize) -> usize {
        match self.sender.carrier.marks_ahead() {
            true => (self.calls.len() + more).saturating_sub(self.ahead.len()),
            false => 0,
        }
    }

    /// How many more may be called for. What is in flight and what is not on disk may have been sent, and comes twice after a
    /// kill. Where marks run ahead, the next calls are ready as soon as something is on disk, and one window is enough;
    /// elsewhere the next are marked meanwhile, and it is two.
    fn may_be_called(&self) -> usize {
        let windows = if self.sender.carrier.marks_ahead() { 1 } else { 2 };
        let maybe_sent = self.busy.len().saturating_sub(self.ahead.len());
        (windows * self.sender.carrier.window(&self.sender.inbox)).saturating_sub(maybe_sent)
    }

    /// How many more may be marked, of two windows: those that may be called for, and where that is one window, as much again
    /// ahead of them.
    fn may_be_marked(&self) -> usize {
        (2 * self.sender.carrier.window(&self.sender.inbox)).saturating_sub(self.busy.len())
    }

    /// Whether marking so few waits for more.
    fn gathers(&self, wanted: usize, window: usize) -> bool {
        // What is marked already keeps the carrier busy meanwhile.
        let enough_ahead = self.ahead.len() > window / 4;
        enough_ahead || (wanted < window / 2 && !self.is_idle() && Instant::now() < self.mark_from)
    }

    /// Begins to write down what has ended meanwhile. A part is written before the outcome of its leg, or with it.
    fn start_settling(&mut self) {
        while let Ok(part) = self.taken_parts.try_recv() {
            self.outcomes.add_part(part);
        }
        // Where no call is in flight and none may be made, nothing more comes until something is on disk.
        let calm = self.is_idle() || (self.calls.is_empty() && self.may_be_called() == 0);
        let hurried = self.lease.is_over() && self.calls.is_empty();
        let Some(writing) = self.outcomes.take(Instant::now(), calm, hurried) else { return };
        let (ctx, lease, sender) = (self.ctx, self.lease, self.sender);
        let settle = async move { Step::Settled(settle::settle(ctx, lease, sender, &writing.ended).await, writing) };
        self.steps.push(settle.boxed());
    }

    fn call_ended(&mut self, first: Result<Outcome, JoinError>) {
        let mut next = Some(first);
        while let Some(call) = next {
            match call {
                Ok(outcome) => self.outcomes.add(outcome),
                // As if it had happened here: the runner says so and frees the lane.
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                Err(_) => {}
            }
            next = self.calls.try_join_next();
        }
    }

    fn step_ended(&mut self, step: Step) {
        match step {
            Step::Marked(marked, mut places) => {
                let gathering = gathering(self.sender.carrier.marks_ahead());
                (self.marking, self.mark_from) = (false, Instant::now() + gathering);
                match marked {
                    Ok(marks) => {
                        self.add_marks(marks);
                        // Meanwhile others that were marked ahead may have been called for, and what those before led to may
                        // have been refused. What is left waits with what is marked ahead.
                        places.truncate(if self.outcomes.can_be_written() { self.may_be_called() } else { 0 });
                        self.start_calls(places);
                    }
                    Err(error) => self.failed = Some(error),
                }
            }
            Step::Settled(Ok(()), Writing { ended, .. }) => {
                self.outcomes.written(Instant::now());
                // What waited for one of these may go out now.
                self.more = true;
                for recipient in ended.recipients() {
                    self.busy.remove(recipient);
                }
            }
            Step::Settled(Err(error), writing) => self.not_written(error, writing),
        }
    }

    /// Keeps what could not be written, for as long as the lane is ours.
    fn not_written(&mut self, error: Error, writing: Writing) {
        if matches!(error, Error::LeaseLost) {
            // Messages that providers have taken are on disk all the same; the rest is for the process that has the lane now. Calls in
            // flight are waited for, and written in the same way.
            self.outcomes.written(Instant::now());
            self.ahead.clear();
            self.failed = Some(error);
            return;
        }
        // A process that stops has no later.
        if self.lease.is_over() {
            self.outcomes = outcomes_of(self.sender);
            self.ahead.clear();
            self.failed = Some(error);
            return;
        }
        tracing::error!(
            client.id = %self.lease.client, inbox.id = %self.lease.lane, outcomes = writing.ended.outcomes.len(),
            error = &error as &dyn std::error::Error,
            "what a provider answered cannot be written; it is kept and tried again, and nothing more is sent until something is"
        );
        self.outcomes.refused(writing, Instant::now());
    }

    fn add_marks(&mut self, marks: Marks) {
        self.more |= marks.more;
        let recipients = marks.legs.iter().map(|marked| marked.leg.recipient.address().value().to_owned());
        self.busy.extend(recipients);
        self.ahead.extend(marks.legs);
    }

    /// Starts the calls that were marked first, one over each place; places that none is left for are given back.
    fn start_calls(&mut self, places: Vec<Place>) {
        for place in places {
            let Some(marked) = self.ahead.pop_front() else { break };
            let journal = LegJournal { ordinal: marked.leg.ordinal, parts: self.journal.clone() };
            self.calls.spawn(call(self.sender.clone(), marked, place, journal));
        }
    }
}

/// Tells the lane of each part that the provider takes.
struct LegJournal {
    ordinal: i16,
    parts: UnboundedSender<LegPart>,
}

impl PartJournal for LegJournal {
    fn taken(&self, part: PartTaken) {
        // Nobody listens any more when the lane is lost; its marks tell the next owner to ask for what is there.
        let _ = self.parts.send(LegPart { ordinal: self.ordinal, part });
    }
}

/// Nothing to write yet; what is worth a transaction depends on how many calls there may be before it.
fn outcomes_of(sender: &Sender) -> Outcomes {
    let one_window = sender.carrier.marks_ahead().then(|| sender.carrier.window(&sender.inbox));
    Outcomes::new(one_window)
}

/// One call of a carrier.
async fn call(sender: Sender, marked: Marked, mut place: Place, journal: LegJournal) -> Outcome {
    let Marked { leg, taken, standing, quotes_ours } = marked;
    let doubt = place.take_doubt();
    let Sender { inbox, carrier, files, links, .. } = &sender;
    let opaque = opaque(inbox.client, leg.message, leg.ordinal);
    let (content, sms) = match (leg.own_content.as_ref(), leg.content.as_ref()) {
        (Some(LegContent::Sms(sms)), _) => (Cow::Owned(OutboundContent::Text { body: sms.text.clone() }), Some(sms)),
        (Some(LegContent::Message(content)), _) => (Cow::Borrowed(content.as_ref()), None),
        (None, content @ OutboundContent::Sms(sms)) => (Cow::Borrowed(content), Some(sms)),
        (None, content) => (Cow::Borrowed(content), None),
    };
    let route = leg.route.as_ref();
    let content = match route.and_then(|route| route.text.clone()) {
        Some(text) => Cow::Owned(content.saying(text)),
        None => content,
    };
    let content = links.told(inbox.kind, content).await;
    let outgoing = Outgoing {
        attempt: leg.attempts.saturating_add(1),
        other: leg.recipient.other(),
        quoted: leg.quoted_provider_id.as_deref(),
        quotes_ours,
        source: route.and_then(|route| route.source.as_deref()).or(sms.and_then(|sms| sms.source.as_deref())),
        unicode: sms.is_some_and(|sms| sms.unicode),
        // What a chatbot writes has no other owner; what is in no chat was written by a program.
        human: standing.as_ref().is_some_and(|standing| standing.owner.as_deref().is_some_and(|owner| owner != "BOT")),
        wrote_at: standing.as_ref().and_then(|standing| standing.wrote_at),
        priority: route.and_then(|route| route.priority).unwrap_or(u8::from(sms.is_some_and(|sms| sms.urgent))),
        bind: route.and_then(|route| route.bind.as_deref()),
        validity_seconds: route.and_then(|route| route.validity_seconds),
        taken: &taken,
        files: files.as_ref(),
        ..Outgoing::new(leg.message, &opaque, leg.recipient.address(), &content, &journal)
    };
    let started = Instant::now();
    let known = if leg.unanswered { carrier.lookup(inbox, &outgoing).await } else { Lookup::NotThere };
    let result = match known {
        Lookup::Taken(taken) => Ok(taken),
        Lookup::NotThere | Lookup::NotPossible => carrier.send(inbox, place, &outgoing).await,
    };
    metrics::histogram!("patchbay_provider_call_seconds", "provider" => label(inbox.kind))
        .record(started.elapsed().as_secs_f64());
    Outcome { leg, result, doubt }
}

/// The provider's name in metrics.
fn label(kind: InboxKind) -> &'static str {
    match kind {
        InboxKind::WhatsappCloud => "whatsapp_cloud",
        InboxKind::WhatsappLite => "whatsapp_lite",
        InboxKind::Messenger => "messenger",
        InboxKind::Web => "web",
        InboxKind::Sms => "smpp",
    }
}
