//! The loop of one inbox: mark, call, settle.

use std::{
    borrow::Cow,
    collections::{HashSet, VecDeque},
    time::{Duration, Instant},
};

use base::{Context, Error, Result, lanes::Lease};
use channels::carrier::{OutgoingMessage, PartJournal, PartTaken, ProviderState, SendPlace};
use domain::{
    carriage::SendFailure,
    content::{LegContent, OutboundContent},
    sandbox::KeyMode,
};
use futures::{FutureExt, StreamExt, future::BoxFuture, stream::FuturesUnordered};
use tokio::{
    sync::mpsc::{self, UnboundedReceiver, UnboundedSender},
    task::{JoinError, JoinSet},
};

use super::{
    account_state::AccountState,
    call_figures,
    hook::{DispatchHooks, LegPart},
    mark::{self, MarkedLeg, Marks},
    outcome::LegOutcome,
    outcomes::{OutcomeWrite, Outcomes, gathering},
    postponement,
    sender::SenderInbox,
    settle,
    wait_notes::WaitNotes,
};
use crate::delivery::opaque;

/// Time between two reads of the queue while calls are in flight and no nudge comes.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

const SHORTEST_WAIT: Duration = Duration::from_millis(1);

const WITHOUT_SENDER: Duration = Duration::from_secs(60);

/// Sends the due messages of one inbox until none is left or the lease ends. Waits for calls in flight, and keeps their
/// outcomes in memory until the database has stored them, even if the database is down for a while.
pub async fn run(ctx: &Context, hooks: &DispatchHooks, lease: &Lease) -> Result<()> {
    loop {
        let Some(sender) = SenderInbox::load(ctx, hooks, lease).await? else {
            return postponement::postpone(ctx, lease, None, WITHOUT_SENDER).await;
        };
        // If the device of the lane is in another process, the lane is given back. That process finds it with its next
        // look.
        if sender.is_elsewhere || sender.waits_until.is_some_and(|until| until > ctx.now()) {
            return Ok(());
        }
        postponement::expire_refused(ctx, lease, &sender).await?;
        match send(ctx, lease, &sender).await? {
            End::Done => return Ok(()),
            End::Stale => {}
        }
    }
}

enum End {
    /// Nothing is due, or the lease is over.
    Done,
    /// The facts about the inbox may have changed, so they are read again.
    Stale,
}

async fn send(ctx: &Context, lease: &Lease, sender: &SenderInbox) -> Result<End> {
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
        waits: WaitNotes::new(ctx, lease),
        account: AccountState::new(sender.hold.is_some()),
    };
    round.run().await
}

enum Step {
    /// Legs with committed marks, and the places for their calls.
    Marked(Result<Marks>, Vec<SendPlace>),
    Settled(Result<()>, OutcomeWrite),
}

/// The work on one lane. At most one marking and one settling transaction run at a time, while calls are in flight.
struct Round<'a> {
    ctx: &'a Context,
    lease: &'a Lease,
    sender: &'a SenderInbox,
    stale_at: Option<Instant>,
    journal: UnboundedSender<LegPart>,
    taken_parts: UnboundedReceiver<LegPart>,
    calls: JoinSet<LegOutcome>,
    /// Marked legs that wait for a place. Never more than the calls in flight when they were marked.
    ahead: VecDeque<MarkedLeg>,
    /// Recipients of marked legs, of calls in flight and of outcomes that are not stored.
    busy: HashSet<String>,
    outcomes: Outcomes,
    steps: FuturesUnordered<BoxFuture<'a, Step>>,
    marking: bool,
    /// After this time a few free places are worth a marking transaction. Before it, half a window must be free. Places
    /// that become free one by one are so taken together, and calls take too long for a provider to notice.
    mark_from: Instant,
    /// True if the queue may have more legs that can go out now.
    more: bool,
    failed: Option<Error>,
    waits: WaitNotes<'a>,
    account: AccountState,
}

#[derive(Clone, Copy)]
enum Marking {
    /// One runs, or nothing is to be marked.
    Fine,
    NoPlace,
    /// The carrier has no place for this time.
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
                        postponement::postpone(self.ctx, self.lease, Some(self.sender), length).await?;
                        return Ok(End::Done);
                    }
                    (None, Marking::Fine) => return Ok(self.end()),
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
                () = tokio::time::sleep(POLL_INTERVAL) => self.more = true,
            }
        }
    }

    fn end(&mut self) -> End {
        match self.account {
            AccountState::Restored => return End::Stale,
            AccountState::Stopped => {}
            AccountState::Open | AccountState::Tried { .. } => self.waits.continues(),
        }
        End::Done
    }

    fn waits_until(&self) -> Instant {
        let now = Instant::now();
        let marking = (!self.marking && now < self.mark_from).then_some(self.mark_from);
        marking.into_iter().chain(self.outcomes.next_at()).min().unwrap_or(now + POLL_INTERVAL).max(now + SHORTEST_WAIT)
    }

    fn is_idle(&self) -> bool {
        self.calls.is_empty() && self.steps.is_empty() && self.ahead.is_empty()
    }

    /// Calls legs that were marked ahead. `true`: there is no place, although the window of the lane has room.
    fn start_calls_ahead(&mut self) -> bool {
        if self.ahead.is_empty() || !self.outcomes.can_be_written() {
            return false;
        }
        if self.failed.is_some() || self.lease.is_over() {
            self.give_back_ahead("the lane is given back");
            return false;
        }
        let SenderInbox { inbox, carrier, .. } = self.sender;
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

    fn give_back_ahead(&mut self, reason: &str) {
        for MarkedLeg { leg, .. } in self.ahead.drain(..) {
            let not_sent = SendFailure::NotSent { reason: reason.to_owned(), after: None };
            self.outcomes.add(LegOutcome { leg, result: Err(not_sent), doubt: None });
        }
    }

    /// Begins to mark as many legs as the carrier has places for, plus those that may be marked ahead.
    fn start_marking(&mut self) -> Marking {
        let cannot = self.failed.is_some() || !self.outcomes.can_be_written() || self.lease.is_over();
        let waits_for_try = self.account.is_tried() && !(self.is_idle() && self.outcomes.is_empty());
        if self.marking || !self.more || cannot || waits_for_try || self.account.is_over() {
            return Marking::Fine;
        }
        let SenderInbox { inbox, carrier, .. } = self.sender;
        let window = carrier.window(inbox);
        let free = window.saturating_sub(self.calls.len() + self.ahead.len()).min(self.may_be_called());
        let wanted = (free + self.may_mark_ahead(0)).min(self.may_be_marked()).min(window);
        let wanted = if self.account.is_tried() { wanted.min(1) } else { wanted };
        if wanted == 0 {
            self.waits.window(window);
            return Marking::Fine;
        }
        if self.gathers(wanted, window) {
            return Marking::Fine;
        }
        let places = match carrier.take(inbox, wanted.min(free)) {
            Ok(places) => places,
            Err(closed) => {
                call_figures::count_pause(self.sender);
                self.waits.closed(&closed);
                tracing::warn!(client.id = %inbox.client, inbox.id = %inbox.id, reason = closed.reason, "messages wait, because the carrier has no place");
                // The carrier is asked again when the calls in flight have ended.
                self.more = self.is_idle();
                return if self.more { Marking::Closed(closed.look_again) } else { Marking::Fine };
            }
        };
        let limit = wanted.min(places.len() + self.may_mark_ahead(places.len()));
        if limit == 0 {
            self.waits.no_place();
            return Marking::NoPlace;
        }
        let (ctx, lease, sender, busy) = (self.ctx, self.lease, self.sender, self.busy.clone());
        let mark = async move { Step::Marked(mark::mark(ctx, lease, sender, limit, &busy).await, places) };
        self.steps.push(mark.boxed());
        (self.marking, self.more) = (true, false);
        Marking::Fine
    }

    /// Returns how many more legs may be marked before their places are free, once `more` calls have started. Never
    /// more than the number of calls, so that marks stay in proportion to the limit that all lanes share.
    fn may_mark_ahead(&self, more: usize) -> usize {
        match self.sender.carrier.marks_ahead() {
            true => (self.calls.len() + more).saturating_sub(self.ahead.len()),
            false => 0,
        }
    }

    /// Returns how many more legs may be called for. Calls in flight and outcomes that are not stored may arrive twice
    /// after a kill. If marks run ahead, the next calls are ready as soon as an outcome is stored, so the limit is one
    /// window. Otherwise the next legs are marked in that time, and the limit is two windows.
    fn may_be_called(&self) -> usize {
        let windows = if self.sender.carrier.marks_ahead() { 1 } else { 2 };
        let maybe_sent = self.busy.len().saturating_sub(self.ahead.len());
        (windows * self.sender.carrier.window(&self.sender.inbox)).saturating_sub(maybe_sent)
    }

    /// Returns how many more legs may be marked. The limit is two windows: the legs that may be called for and, if that
    /// is one window, as many again ahead of them.
    fn may_be_marked(&self) -> usize {
        (2 * self.sender.carrier.window(&self.sender.inbox)).saturating_sub(self.busy.len())
    }

    fn gathers(&self, wanted: usize, window: usize) -> bool {
        // The legs that are marked already keep the carrier busy.
        let enough_ahead = self.ahead.len() > window / 4;
        enough_ahead || (wanted < window / 2 && !self.is_idle() && Instant::now() < self.mark_from)
    }

    /// Begins to store outcomes. A part is stored before the outcome of its leg, or with it.
    fn start_settling(&mut self) {
        while let Ok(part) = self.taken_parts.try_recv() {
            self.outcomes.add_part(part);
        }
        // If no call is in flight and none may start, no more outcomes come until these are stored.
        let calm = self.is_idle() || (self.calls.is_empty() && self.may_be_called() == 0);
        let hurried = self.lease.is_over() && self.calls.is_empty();
        let Some(writing) = self.outcomes.take(Instant::now(), calm, hurried) else { return };
        let (ctx, lease, sender) = (self.ctx, self.lease, self.sender);
        let settle = async move { Step::Settled(settle::settle(ctx, lease, sender, &writing.ended).await, writing) };
        self.steps.push(settle.boxed());
    }

    fn call_ended(&mut self, first: Result<LegOutcome, JoinError>) {
        let mut next = Some(first);
        while let Some(call) = next {
            match call {
                Ok(outcome) => {
                    self.account.note(&outcome.result);
                    self.outcomes.add(outcome);
                }
                // Continues the panic here: the runner logs it and frees the lane.
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
                        if !marks.legs.is_empty() {
                            self.waits.continues();
                        }
                        self.add_marks(marks);
                        // During the marking, legs that were marked ahead may have been called for, and outcomes may
                        // have been refused. The remaining legs wait with those marked ahead.
                        places.truncate(if self.outcomes.can_be_written() { self.may_be_called() } else { 0 });
                        self.start_calls(places);
                    }
                    Err(error) => self.failed = Some(error),
                }
            }
            Step::Settled(Ok(()), OutcomeWrite { ended, .. }) => {
                self.outcomes.note_stored(Instant::now());
                // Legs that waited for one of these may go out now.
                self.more = true;
                for recipient in ended.recipients() {
                    self.busy.remove(recipient);
                }
            }
            Step::Settled(Err(error), writing) => self.not_written(error, writing),
        }
    }

    /// Keeps outcomes that could not be stored, as long as this process holds the lane.
    fn not_written(&mut self, error: Error, writing: OutcomeWrite) {
        if matches!(error, Error::LeaseLost) {
            // Messages that providers took were stored all the same. The process that holds the lane now does the rest.
            // Calls in flight are waited for, and their outcomes are stored in the same way.
            self.outcomes.note_stored(Instant::now());
            self.ahead.clear();
            self.failed = Some(error);
            return;
        }
        // A process that stops cannot try again later.
        if self.lease.is_over() {
            self.outcomes = outcomes_of(self.sender);
            self.ahead.clear();
            self.failed = Some(error);
            return;
        }
        tracing::error!(
            client.id = %self.lease.client, inbox.id = %self.lease.lane, outcomes = writing.ended.outcomes.len(),
            error = &error as &dyn std::error::Error,
            "the outcome of a call cannot be stored; it is kept and tried again, and nothing more is sent until an outcome is stored"
        );
        self.outcomes.note_refused(writing, Instant::now());
    }

    fn add_marks(&mut self, marks: Marks) {
        self.more |= marks.more;
        let recipients = marks.legs.iter().map(|marked| marked.leg.recipient.address().value().to_owned());
        self.busy.extend(recipients);
        self.ahead.extend(marks.legs);
    }

    /// Starts the calls for the oldest marks, one for each place, and gives back the places that are left.
    fn start_calls(&mut self, places: Vec<SendPlace>) {
        for place in places {
            let Some(marked) = self.ahead.pop_front() else { break };
            let journal = LegJournal { ordinal: marked.leg.ordinal, parts: self.journal.clone() };
            self.calls.spawn(call(self.sender.clone(), marked, place, journal));
        }
    }
}

struct LegJournal {
    ordinal: i16,
    parts: UnboundedSender<LegPart>,
}

impl PartJournal for LegJournal {
    fn record(&self, part: PartTaken) {
        // If the lane is lost, its loop is gone. The marks make the next owner read the stored parts.
        let _ = self.parts.send(LegPart { ordinal: self.ordinal, part });
    }
}

/// Returns empty outcomes. The size of a group depends on how many calls may be made before it is stored.
fn outcomes_of(sender: &SenderInbox) -> Outcomes {
    let one_window = sender.carrier.marks_ahead().then(|| sender.carrier.window(&sender.inbox));
    Outcomes::new(one_window)
}

async fn call(sender: SenderInbox, marked: MarkedLeg, mut place: SendPlace, journal: LegJournal) -> LegOutcome {
    let MarkedLeg { leg, taken, standing, quotes_ours } = marked;
    let doubt = place.take_doubt();
    let SenderInbox { inbox, carrier, files, links, mode, .. } = &sender;
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
    let content = match mode {
        KeyMode::Live => links.fill_in(inbox.kind, content).await,
        KeyMode::Test => content,
    };
    let outgoing = OutgoingMessage {
        attempt: leg.attempts.saturating_add(1),
        other: leg.recipient.other(),
        quoted: leg.quoted_provider_id.as_deref(),
        quotes_ours,
        source: route.and_then(|route| route.source.as_deref()).or(sms.and_then(|sms| sms.source.as_deref())),
        unicode: sms.is_some_and(|sms| sms.unicode),
        // The messages of a chatbot have the owner `BOT`, and messages outside a chat were written by a program.
        human: standing.as_ref().is_some_and(|standing| standing.owner.as_deref().is_some_and(|owner| owner != "BOT")),
        wrote_at: standing.as_ref().and_then(|standing| standing.wrote_at),
        priority: route.and_then(|route| route.priority).unwrap_or(u8::from(sms.is_some_and(|sms| sms.urgent))),
        bind: route.and_then(|route| route.bind.as_deref()),
        validity_seconds: route.and_then(|route| route.validity_seconds),
        taken: &taken,
        files: files.as_ref(),
        ..OutgoingMessage::new(leg.message, &opaque, leg.recipient.address(), &content, &journal)
    };
    let started = Instant::now();
    let known = if leg.unanswered { carrier.lookup(inbox, &outgoing).await } else { ProviderState::NotThere };
    let result = match known {
        ProviderState::Taken(taken) => Ok(taken),
        ProviderState::NotThere | ProviderState::NotPossible => carrier.send(inbox, place, &outgoing).await,
    };
    call_figures::count(&sender, &result, started.elapsed());
    call_figures::report(&sender, &leg, &result, started);
    LegOutcome { leg, result, doubt }
}
