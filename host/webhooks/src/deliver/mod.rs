//! Sends the due deliveries of one endpoint. `Queue::Webhook` has one lane for each endpoint.
//!
//! Three activities run at the same time and never wait for each other: reading the next page of due deliveries, which
//! shapes their bodies ([`page`], [`shape`]); the requests in flight ([`attempt`]), started in the order that
//! [`send_queue`] allows; and a transaction that stores a group of outcomes ([`settle`]). Deliveries in memory are left
//! out of the next page. If the process dies, the attempts in flight are not recorded, so they are made again with the
//! same id: receivers see an event at least once.
//!
//! A process that lives records every attempt that it made. If its lane has gone to another process, it starts nothing
//! more, finishes the requests in flight, and records them too. If the database is down, it waits.
//!
//! No endpoint waits for another one, and no database connection is held during a request.

mod attempt;
mod copies;
mod disable;
mod endpoint;
mod event_message;
mod page;
mod page_schedule;
mod ping;
mod send_queue;
mod settle;
mod shape;

use std::{collections::HashSet, future::Future, pin::Pin, sync::Arc, time::Duration};

use base::{
    Context, Error, Result,
    lanes::{LaneState, Lease},
};
use domain::{
    ids::DeliveryId,
    webhook::{AnswerVerdict, FailurePeriod},
};
use tokio::{
    task::{JoinError, JoinSet},
    time::Instant,
};

use attempt::{DeliveryTarget, FinishedAttempt, attempt};
pub use copies::{HeardWebhooks, ListenError, SignedWebhook, listen, webhook};
use page::{DeliveryPage, PAGE};
use page_schedule::PageSchedule;
pub use ping::{PingResult, ping};
use send_queue::SendQueue;
use settle::{AttemptGroup, SettledDeliveries};

/// Most deliveries in memory if a few conversations hold up the rest. Up to here, pages are read to find others.
const MOST_WAITING: usize = 4096;
/// Outcomes that are stored at once, without waiting for more.
const GROUP: usize = 128;
/// With this many outcomes to store, no more requests start. So many deliveries may arrive twice if the process dies.
const MOST_UNWRITTEN: usize = 2 * GROUP;
const GROUP_WAIT: Duration = Duration::from_millis(15);

/// Sends due deliveries until none is left or the lease ends, then finishes the requests in flight.
pub async fn work(ctx: &Context, lease: &Lease) -> Result<LaneState> {
    EndpointRun::new(ctx, lease).run().await
}

type Running<'a, T> = Option<Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>>;

async fn outcome_of<T>(running: &mut Running<'_, T>) -> Result<T> {
    match running {
        Some(future) => future.await,
        None => std::future::pending().await,
    }
}

enum Wakeup {
    Sent(std::result::Result<FinishedAttempt, JoinError>),
    Page(Result<DeliveryPage>),
    Settled(Result<SettledDeliveries>),
    Nudge,
    Time,
    Stop,
}

struct EndpointRun<'a> {
    ctx: &'a Context,
    lease: &'a Lease,
    /// Read again with each page, so that a changed address or secret is used at once.
    target: Option<Arc<DeliveryTarget>>,
    failing: Option<FailurePeriod>,
    closed: bool,
    /// True if the receiver answered 410 and that is not stored yet. No request starts until it is.
    is_gone: bool,
    /// Why the work ends early. Requests in flight are finished, so that as little as possible is sent twice.
    failed: Option<Error>,
    send_queue: SendQueue,
    /// Deliveries in the queue, in flight, or not stored yet.
    held: HashSet<DeliveryId>,
    sending: JoinSet<FinishedAttempt>,
    outcomes: Vec<FinishedAttempt>,
    oldest_outcome: Option<Instant>,
    page_schedule: PageSchedule,
    page: Running<'a, DeliveryPage>,
    settling: Running<'a, SettledDeliveries>,
    /// True if the group that is being settled gives the lane back. Until it is settled nothing new starts.
    is_closing: bool,
}

impl<'a> EndpointRun<'a> {
    fn new(ctx: &'a Context, lease: &'a Lease) -> Self {
        Self {
            ctx,
            lease,
            target: None,
            failing: None,
            closed: false,
            is_gone: false,
            failed: None,
            send_queue: SendQueue::default(),
            held: HashSet::new(),
            sending: JoinSet::new(),
            outcomes: Vec::new(),
            oldest_outcome: None,
            page_schedule: PageSchedule::new(Instant::now()),
            page: None,
            settling: None,
            is_closing: false,
        }
    }

    async fn run(mut self) -> Result<LaneState> {
        loop {
            if self.is_ending() {
                self.send_queue.clear();
                self.page = None;
            } else if !self.is_closing {
                self.launch();
                self.look();
            }
            self.settle();
            if self.is_idle() && (self.is_ending() || self.page_schedule.is_complete()) {
                return self.failed.map_or(Ok(LaneState::Held), Err);
            }
            let wakeup = self.next_wakeup().await;
            if self.handle(wakeup) == LaneState::GivenBack {
                return Ok(LaneState::GivenBack);
            }
        }
    }

    fn is_ending(&self) -> bool {
        self.closed || self.failed.is_some() || self.lease.is_over()
    }

    fn is_idle(&self) -> bool {
        self.is_quiet() && self.page.is_none() && self.settling.is_none() && self.outcomes.is_empty()
    }

    fn is_quiet(&self) -> bool {
        self.sending.is_empty() && self.send_queue.waiting() == 0
    }

    fn has_free_place(&self) -> bool {
        self.sending.len() < self.ctx.settings.limits.webhook_concurrency_per_endpoint.max(1)
    }

    fn launch(&mut self) {
        let Some(target) = &self.target else { return };
        while self.has_free_place() && !self.is_gone && self.outcomes.len() < MOST_UNWRITTEN {
            let Some(ready) = self.send_queue.pop() else { return };
            let client = self.lease.client;
            let http = self.ctx.http.on_behalf_of(client);
            let clock = Arc::clone(&self.ctx.clock);
            self.sending.spawn(attempt(client, http, clock, Arc::clone(target), ready));
        }
    }

    fn look(&mut self) {
        if self.page.is_some() || !self.has_room() {
            return;
        }
        // If nothing else is in progress, a read of all due deliveries is needed to end the work.
        let alone = self.is_quiet() && self.outcomes.is_empty() && self.settling.is_none();
        let now = Instant::now();
        if self.page_schedule.is_time(now) || (alone && !self.page_schedule.is_complete()) {
            let after = self.page_schedule.begin(now);
            self.page = Some(Box::pin(page::prepare(self.ctx, self.lease, after, self.held.iter().copied().collect())));
        }
    }

    fn has_room(&self) -> bool {
        let held_up = self.send_queue.is_blocked() && self.has_free_place() && self.send_queue.waiting() < MOST_WAITING;
        self.send_queue.waiting() < PAGE || held_up
    }

    /// Starts to store outcomes if there are enough, if they have waited long enough, or if no more will come.
    fn settle(&mut self) {
        if self.settling.is_some() || self.outcomes.is_empty() {
            return;
        }
        let waited = self.oldest_outcome.is_some_and(|oldest| oldest.elapsed() >= GROUP_WAIT);
        if self.outcomes.len() < GROUP && !waited && !self.sending.is_empty() {
            return;
        }
        let Some(target) = &self.target else { return };
        let attempts = std::mem::take(&mut self.outcomes);
        self.oldest_outcome = None;
        // If nothing else is due, the same statement gives the lane back.
        self.is_closing =
            self.is_quiet() && self.page.is_none() && self.page_schedule.is_complete() && !self.is_ending();
        let group = AttemptGroup { attempts, failing: self.failing, is_last: self.is_closing };
        let work = settle::settle(self.ctx, self.lease, Arc::clone(target), group);
        self.settling = Some(Box::pin(work));
    }

    async fn next_wakeup(&mut self) -> Wakeup {
        let timer = self.next_timer();
        let stopping = self.is_ending();
        tokio::select! {
            Some(sent) = self.sending.join_next(), if !self.sending.is_empty() => Wakeup::Sent(sent),
            page = outcome_of(&mut self.page) => Wakeup::Page(page),
            settled = outcome_of(&mut self.settling) => Wakeup::Settled(settled),
            () = self.lease.nudge.notified() => Wakeup::Nudge,
            () = sleep_until(timer) => Wakeup::Time,
            () = self.lease.stop.cancelled(), if !stopping => Wakeup::Stop,
        }
    }

    fn next_timer(&self) -> Option<Instant> {
        let look = (self.page.is_none() && !self.is_ending() && self.has_room()).then(|| self.page_schedule.next_at());
        let settle = self.oldest_outcome.filter(|_| self.settling.is_none()).map(|oldest| oldest + GROUP_WAIT);
        look.into_iter().chain(settle).min()
    }

    fn handle(&mut self, wakeup: Wakeup) -> LaneState {
        match wakeup {
            Wakeup::Sent(sent) => {
                self.take(sent);
                while let Some(sent) = self.sending.try_join_next() {
                    self.take(sent);
                }
            }
            Wakeup::Page(page) => {
                self.page = None;
                match page {
                    Ok(page) => self.take_page(page),
                    Err(error) => self.fail(error),
                }
            }
            Wakeup::Settled(settled) => {
                self.settling = None;
                match settled {
                    Ok(settled) => return self.take_settled(settled),
                    Err(error) => self.fail(error),
                }
            }
            Wakeup::Nudge => self.page_schedule.expect(Instant::now()),
            Wakeup::Time | Wakeup::Stop => {}
        }
        LaneState::Held
    }

    fn fail(&mut self, error: Error) {
        self.failed.get_or_insert(error);
    }

    fn take(&mut self, sent: std::result::Result<FinishedAttempt, JoinError>) {
        match sent {
            Ok(attempted) => {
                self.send_queue.note_settled(&attempted.ready);
                self.is_gone |= attempted.outcome.verdict == AnswerVerdict::Disable;
                self.oldest_outcome.get_or_insert_with(Instant::now);
                self.outcomes.push(attempted);
            }
            // A bug in this program: the lane fails as a whole and is taken again.
            Err(error) => {
                if let Ok(panic) = error.try_into_panic() {
                    std::panic::resume_unwind(panic);
                }
            }
        }
    }

    fn take_page(&mut self, page: DeliveryPage) {
        let Some(open) = page.open else {
            self.closed = true;
            return;
        };
        self.target = Some(open.target);
        self.failing = open.failing;
        self.page_schedule.note_page(Instant::now(), page.ended_at, page.fresh);
        for ready in page.ready {
            self.held.insert(ready.id);
            self.send_queue.push(ready);
        }
    }

    fn take_settled(&mut self, settled: SettledDeliveries) -> LaneState {
        for id in &settled.ids {
            self.held.remove(id);
        }
        self.failing = settled.failing;
        self.closed |= settled.disabled;
        if settled.lane.is_none() {
            self.fail(Error::LeaseLost);
        }
        if self.is_closing {
            self.is_closing = false;
            // A delivery is due that the last page did not have.
            self.page_schedule.expect(Instant::now());
        }
        // A later outcome can set it again.
        self.is_gone = self.outcomes.iter().any(|attempted| attempted.outcome.verdict == AnswerVerdict::Disable);
        settled.lane.unwrap_or(LaneState::Held)
    }
}

/// Sleeps for ever if there is no time.
async fn sleep_until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}
