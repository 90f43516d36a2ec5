//! One bind: the task that keeps its session up, and its submits (PROVIDERS C.1).

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::{Mutex, MutexGuard};
use rusmpp::{CommandId, CommandStatus};
use tokio::{sync::watch, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    SmppEvents, SmppSettings,
    deliveries::{Deliveries, SessionAction},
    joiner,
    link::{self, BoundSession, SessionError, SmscRequests, encoded},
    pacing::{Pacing, SubmitPermit},
    pause::Pause,
    pdu::{body::submitted_id, header::Header},
    session::{RequestFailure, Response, SmppSession},
    submit::{SmscRefusal, SubmitFailure, SubmittedPart, SubmittedSms, classify, submit_sm, unknown},
    url::SmppUrl,
    window::Window,
};

/// How far ahead a bind with a rate gives out places: a few at once, too few to be noticed.
const AHEAD: Duration = Duration::from_millis(200);

/// Time after a bind attempt until its result can be checked.
const AFTER_TRY: Duration = Duration::from_millis(300);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BindState {
    Connecting,
    Bound,
    /// Tried again after a pause, which is long if the SMSC does not know us.
    Refused {
        /// `ESME_RINVPASWD`, ...
        status: String,
    },
    /// No connection; tried again after a short pause.
    Waiting {
        reason: String,
    },
    Stopped,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindStatus {
    pub bind: String,
    pub state: BindState,
}

pub(super) struct BindTask {
    url: SmppUrl,
    settings: SmppSettings,
    state: watch::Sender<BindState>,
    link: Mutex<Option<BoundSession>>,
    /// When the next bind is tried, or the last one was.
    next_try: Mutex<Instant>,
    window: Arc<Window>,
    pacing: Pacing,
}

impl BindTask {
    pub(super) fn new(url: SmppUrl, settings: SmppSettings, window: Arc<Window>) -> Self {
        Self {
            window,
            pacing: Pacing::new(url.rate, &settings),
            state: watch::Sender::new(BindState::Connecting),
            link: Mutex::new(None),
            next_try: Mutex::new(Instant::now()),
            url,
            settings,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.url.name
    }

    pub(super) fn is_same_account(&self, other: &Self) -> bool {
        self.url.is_same_account(&other.url)
    }

    pub(super) fn status(&self) -> BindStatus {
        BindStatus { bind: self.url.name.clone(), state: self.state.borrow().clone() }
    }

    pub(super) fn prefixes(&self) -> &[String] {
        &self.url.prefixes
    }

    pub(super) async fn bound(&self) {
        // Cannot fail: the sender lives in `self`.
        let _ = self.state.subscribe().wait_for(|state| *state == BindState::Bound).await;
    }

    fn link(&self) -> MutexGuard<'_, Option<BoundSession>> {
        self.link.lock()
    }

    fn current_link(&self) -> Option<BoundSession> {
        self.link().clone().filter(BoundSession::is_open)
    }

    pub(super) fn is_up(&self) -> bool {
        self.link().as_ref().is_some_and(BoundSession::is_open)
    }

    fn next_try(&self) -> MutexGuard<'_, Instant> {
        self.next_try.lock()
    }

    /// Soon after the next attempt, and less often the longer that takes.
    pub(super) fn look_again(&self, now: Instant) -> Duration {
        if self.link().is_some() {
            // It has just ended, or is about to.
            return AFTER_TRY;
        }
        let tried = *self.next_try();
        match tried.checked_duration_since(now) {
            Some(left) => left + AFTER_TRY,
            None => (now.saturating_duration_since(tried) / 2).max(AFTER_TRY),
        }
    }

    pub(super) fn window_size(&self) -> usize {
        self.url.window
    }

    /// Returns the rest of the pause that the SMSC asked for.
    pub(super) fn paused_for(&self, now: Instant) -> Option<Duration> {
        self.pacing.paused_for(now)
    }

    pub(super) fn wait(&self, now: Instant) -> Duration {
        self.pacing.paused_for(now).unwrap_or_default().max(self.pacing.wait(now, AHEAD))
    }

    /// Reserves the next place in the rate; `None` if it is too early, `Err` if nothing can be started now.
    pub(super) fn reserve(&self, now: Instant) -> Result<Option<SubmitPermit>, SubmitFailure> {
        self.ready(now)?;
        Ok(self.pacing.admit(now, AHEAD))
    }

    /// Reserves the next place in the rate, however late it is.
    pub(super) fn next_in_rate(&self, now: Instant) -> Instant {
        now + self.pacing.next(now)
    }

    pub(super) fn give_back(&self, is_probe: bool) {
        self.pacing.give_back();
        if is_probe {
            self.pacing.probe_ended();
        }
    }

    pub(super) fn probe_ended(&self) {
        self.pacing.probe_ended();
    }

    /// `Err`, with the reason, if no submit can be tried now.
    fn ready(&self, now: Instant) -> Result<(), SubmitFailure> {
        if !self.is_up() {
            return Err(SubmitFailure::NotConnected);
        }
        self.pacing.paused_for(now).map_or(Ok(()), |after| Err(SubmitFailure::Throttled { after }))
    }

    pub(super) async fn submit(&self, part: &SubmittedPart, is_probe: bool) -> Result<SubmittedSms, SubmitFailure> {
        let body = encoded(&submit_sm(part, self.url.alphabet)?);
        let link = self.current_link().ok_or(SubmitFailure::NotConnected)?;
        if !is_probe {
            self.ready(Instant::now())?;
        }
        match link.sender.request(CommandId::SubmitSm, &body, self.settings.response_timeout).await {
            // An answer without an id accepts the part all the same; a repetition would double it.
            Ok(Response { status: CommandStatus::EsmeRok, body, is_nack: false }) => {
                self.pacing.note_accepted(Instant::now());
                let smsc_id = self.url.ids.of_submit(&submitted_id(&body));
                Ok(SubmittedSms { bind: self.url.name.clone(), smsc_id })
            }
            Ok(Response { status, .. }) => Err(match classify(status) {
                SmscRefusal::TooFast => SubmitFailure::Throttled { after: self.pacing.throttle(Instant::now()) },
                SmscRefusal::Failure(failure) => failure,
            }),
            Err(RequestFailure::Unwritten(reason)) => {
                tracing::debug!(bind = %self.url.name, %reason, "a submit was cancelled before it was written");
                Err(SubmitFailure::NotConnected)
            }
            Err(RequestFailure::Written(reason)) => Err(unknown(&reason)),
        }
    }

    pub(super) async fn run(
        self: Arc<Self>,
        account: Vec<String>,
        events: Arc<dyn SmppEvents>,
        to_joiner: joiner::PartQueue,
        tasks: TaskTracker,
        stop: CancellationToken,
    ) {
        let deliveries = Deliveries::new(&self.url, account, events, to_joiner, tasks);
        let mut pause = Pause::new(&self.settings);
        while !stop.is_cancelled() {
            *self.next_try() = Instant::now();
            self.state.send_replace(BindState::Connecting);
            let opened = tokio::select! {
                () = stop.cancelled() => break,
                opened = link::open(&self.url, &self.settings) => opened,
            };
            let wait = match opened {
                Ok((link, incoming)) => {
                    let since = Instant::now();
                    let reason = self.serve(link, incoming, &deliveries, &stop).await;
                    if stop.is_cancelled() {
                        tracing::info!(bind = %self.url.name, "unbound from the SMSC");
                    } else {
                        tracing::warn!(bind = %self.url.name, %reason, "the SMSC session ended");
                    }
                    pause.record_session_length(since.elapsed());
                    let wait = pause.after_loss();
                    self.waits(wait, BindState::Waiting { reason });
                    wait
                }
                Err(error) => {
                    let (is_known, reason) = (!error.is_about_credentials(), error.describe());
                    let wait = if is_known { pause.after_loss() } else { pause.after_unknown() };
                    let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                    match error {
                        SessionError::Refused(_) => {
                            tracing::error!(bind = %self.url.name, status = %reason, wait_ms, "the SMSC refused the bind");
                            self.waits(wait, BindState::Refused { status: reason });
                        }
                        SessionError::Unreachable(_) => {
                            tracing::warn!(bind = %self.url.name, %reason, wait_ms, "the SMSC cannot be reached");
                            self.waits(wait, BindState::Waiting { reason });
                        }
                    }
                    wait
                }
            };
            let _ = timeout(wait, stop.cancelled()).await;
        }
        self.state.send_replace(BindState::Stopped);
    }

    fn waits(&self, wait: Duration, state: BindState) {
        *self.next_try() = Instant::now() + wait;
        self.state.send_replace(state);
    }

    async fn serve(
        &self,
        link: BoundSession,
        mut incoming: SmscRequests,
        deliveries: &Deliveries,
        stop: &CancellationToken,
    ) -> String {
        *self.link() = Some(link.clone());
        self.state.send_replace(BindState::Bound);
        self.window.notify_all();
        tracing::info!(bind = %self.url.name, "bound to the SMSC");
        let end = loop {
            let work = async {
                match incoming.next().await {
                    Some(request) => Some(deliveries.handle(request).await),
                    None => None,
                }
            };
            // The end comes first: deliveries that still wait can no longer be acknowledged.
            tokio::select! {
                biased;
                () = stop.cancelled() => break End::Stopped,
                reason = link.end_reason() => break End::Lost(reason),
                after = work => match after {
                    Some(SessionAction::GoOn) => {}
                    Some(SessionAction::End(session, request)) => break End::Goodbye(session, request),
                    None => break End::Lost(link.end_reason().await),
                },
            }
        };
        *self.next_try() = Instant::now();
        *self.link() = None;
        match end {
            End::Stopped => {
                self.settle(&link, incoming).await;
                link.unbind().await;
                "the gateway is stopping".to_owned()
            }
            End::Goodbye(session, request) => {
                self.settle(&link, incoming).await;
                session.answer(request.answer(CommandStatus::EsmeRok), &[]).await;
                link.finish().await;
                "the SMSC said goodbye".to_owned()
            }
            End::Lost(reason) => {
                link.drop_now(&reason);
                reason
            }
        }
    }

    /// Waits a while for open requests of both sides. Deliveries in this time must be repeated.
    async fn settle(&self, link: &BoundSession, mut incoming: SmscRequests) {
        tokio::select! {
            () = link.settle(self.settings.unbind_wait) => {}
            () = async { while incoming.next().await.is_some() {} std::future::pending().await } => {}
        }
    }
}

enum End {
    Stopped,
    Goodbye(SmppSession, Header),
    Lost(String),
}
