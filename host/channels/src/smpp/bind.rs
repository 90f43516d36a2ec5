//! One bind: the task that keeps its session up, and submitting over it (PROVIDERS C.1).

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use futures::StreamExt;
use rusmppc::Event;
use tokio::{sync::watch, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    SmppEvents, SmppSettings,
    deliveries::{After, Deliveries},
    joiner,
    link::{self, Incoming, Link},
    pacing::Pacing,
    submit::{Refusal, SmsPart, SubmitFailure, Submitted, sort, submit_sm},
    url::SmppUrl,
    window::Window,
};

/// How far ahead a rate-limited bind gives out places: enough for a handful at once, too little to be noticed.
const AHEAD: Duration = Duration::from_millis(200);

/// Where a bind stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BindState {
    /// Connecting and binding.
    Connecting,
    /// Submits and deliveries flow.
    Bound,
    /// The SMSC refused the bind; the name of its status. Tried again after a long pause.
    Refused {
        /// `ESME_RINVPASWD`, ...
        status: String,
    },
    /// No connection; tried again after a short pause.
    Waiting {
        /// Why, for people.
        reason: String,
    },
    /// The gateway was shut down.
    Stopped,
}

/// A bind and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindStatus {
    /// Name of the bind.
    pub bind: String,
    /// Its state.
    pub state: BindState,
}

/// One bind.
pub(super) struct Bind {
    url: SmppUrl,
    settings: SmppSettings,
    state: watch::Sender<BindState>,
    link: Mutex<Option<Link>>,
    window: Arc<Window>,
    pacing: Pacing,
}

impl Bind {
    pub(super) fn new(url: SmppUrl, settings: SmppSettings, window: Arc<Window>) -> Self {
        Self {
            window,
            pacing: Pacing::new(url.rate),
            state: watch::Sender::new(BindState::Connecting),
            link: Mutex::new(None),
            url,
            settings,
        }
    }

    /// What it is called in stored data.
    pub(super) fn name(&self) -> &str {
        &self.url.name
    }

    pub(super) fn status(&self) -> BindStatus {
        BindStatus { bind: self.url.name.clone(), state: self.state.borrow().clone() }
    }

    /// Beginnings of the numbers that it is for.
    pub(super) fn prefixes(&self) -> &[String] {
        &self.url.prefixes
    }

    /// Returns when the bind is up.
    pub(super) async fn bound(&self) {
        // Cannot fail: the sender lives in `self`.
        let _ = self.state.subscribe().wait_for(|state| *state == BindState::Bound).await;
    }

    fn link(&self) -> MutexGuard<'_, Option<Link>> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn current_link(&self) -> Option<Link> {
        self.link().clone().filter(|link| !link.sender.is_closed())
    }

    /// Whether a session is up.
    pub(super) fn is_up(&self) -> bool {
        self.link().as_ref().is_some_and(|link| !link.sender.is_closed())
    }

    /// Submits without an answer that it bears.
    pub(super) fn window_size(&self) -> usize {
        self.url.window
    }

    /// How long the SMSC wants to be left alone.
    pub(super) fn paused_for(&self, now: Instant) -> Option<Duration> {
        self.pacing.paused_for(now)
    }

    /// How long until a submit may be started.
    pub(super) fn wait(&self, now: Instant) -> Duration {
        self.pacing.paused_for(now).unwrap_or_default().max(self.pacing.wait(now, AHEAD))
    }

    /// Reserves the next place in the rate and says how long it is until then; `None` when it is too early for that, `Err` when
    /// nothing can be started now.
    pub(super) fn reserve(&self, now: Instant) -> Result<Option<Duration>, SubmitFailure> {
        self.ready(now)?;
        Ok(self.pacing.slot(now, AHEAD).ok())
    }

    /// Reserves the next place in the rate, however late it is.
    pub(super) fn next_in_rate(&self, now: Instant) -> Instant {
        now + self.pacing.slot(now, Duration::MAX).unwrap_or_default()
    }

    /// A reserved place is not used.
    pub(super) fn give_back_rate(&self) {
        self.pacing.give_back();
    }

    /// Whether a submit would be tried now: `Err` says why not.
    fn ready(&self, now: Instant) -> Result<(), SubmitFailure> {
        if !self.is_up() {
            return Err(SubmitFailure::NotConnected);
        }
        self.pacing.paused_for(now).map_or(Ok(()), |after| Err(SubmitFailure::Throttled { after }))
    }

    /// Submits one part and waits for the answer.
    pub(super) async fn submit(&self, part: &SmsPart) -> Result<Submitted, SubmitFailure> {
        let pdu = submit_sm(part)?;
        self.ready(Instant::now())?;
        let link = self.current_link().ok_or(SubmitFailure::NotConnected)?;
        // The library's own limit starts when the request is flushed; a peer that stops reading would never let it start.
        let limit = self.settings.response_timeout * 2;
        let outcome = match timeout(limit, link.sender.submit_sm(pdu)).await {
            Ok(outcome) => outcome,
            Err(_) => return Err(SubmitFailure::Unknown { reason: "the SMSC stopped reading".to_owned() }),
        };
        match outcome {
            // One that names no id has taken it all the same: again would be twice.
            Ok(response) => {
                self.pacing.taken(Instant::now());
                let smsc_id = self.url.ids.of_submit(response.message_id().as_str());
                Ok(Submitted { bind: self.url.name.clone(), smsc_id })
            }
            Err(error) => Err(match sort(error) {
                Refusal::TooFast => SubmitFailure::Throttled { after: self.pacing.throttled(Instant::now()) },
                Refusal::Failure(failure) => failure,
            }),
        }
    }

    /// Keeps the session up until `stop`.
    pub(super) async fn run(
        self: Arc<Self>,
        events: Arc<dyn SmppEvents>,
        to_joiner: joiner::Parts,
        tasks: TaskTracker,
        stop: CancellationToken,
    ) {
        let deliveries = Deliveries::new(self.url.name.clone(), self.url.ids, events, to_joiner, tasks);
        let mut pause = Pause::new(&self.settings);
        while !stop.is_cancelled() {
            self.state.send_replace(BindState::Connecting);
            let opened = tokio::select! {
                () = stop.cancelled() => break,
                opened = link::open(&self.url, &self.settings) => opened,
            };
            let wait = match opened {
                Ok((link, incoming)) => {
                    pause.reset();
                    let reason = self.serve(link, incoming, &deliveries, &stop).await;
                    tracing::warn!(bind = %self.url.name, %reason, "the SMSC session ended");
                    self.state.send_replace(BindState::Waiting { reason });
                    pause.after_loss()
                }
                Err(error) if error.is_refusal() => {
                    let status = error.describe();
                    let wait = pause.after_refusal();
                    tracing::error!(bind = %self.url.name, %status, wait_s = wait.as_secs(), "the SMSC refused the bind");
                    self.state.send_replace(BindState::Refused { status });
                    wait
                }
                Err(error) => {
                    let reason = error.describe();
                    tracing::warn!(bind = %self.url.name, %reason, "the SMSC cannot be reached");
                    self.state.send_replace(BindState::Waiting { reason });
                    pause.after_loss()
                }
            };
            let _ = timeout(wait, stop.cancelled()).await;
        }
        self.state.send_replace(BindState::Stopped);
    }

    /// Runs one session to its end and says why it ended.
    async fn serve(
        &self,
        link: Link,
        mut incoming: Incoming,
        deliveries: &Deliveries,
        stop: &CancellationToken,
    ) -> String {
        *self.link() = Some(link.clone());
        self.state.send_replace(BindState::Bound);
        self.window.tell_all();
        tracing::info!(bind = %self.url.name, "bound to the SMSC");
        let reason = loop {
            let event = tokio::select! {
                () = stop.cancelled() => break None,
                event = incoming.next() => event,
            };
            match event {
                Some((client, Event::Incoming(command))) => {
                    if deliveries.handle(client, command).await == After::End {
                        break Some("the SMSC said goodbye".to_owned());
                    }
                }
                Some((_, Event::Error(error))) => break Some(error.to_string()),
                None => break Some("the connection was closed".to_owned()),
            }
        };
        *self.link() = None;
        match reason {
            Some(reason) => {
                link.drop_now().await;
                reason
            }
            None => {
                link.unbind().await;
                "the gateway is stopping".to_owned()
            }
        }
    }
}

/// How long to wait before the next attempt.
struct Pause {
    lost: Duration,
    refused: Duration,
    settings: SmppSettings,
}

impl Pause {
    fn new(settings: &SmppSettings) -> Self {
        Self { lost: settings.reconnect_first, refused: settings.refused_first, settings: settings.clone() }
    }

    fn reset(&mut self) {
        *self = Self::new(&self.settings);
    }

    fn after_loss(&mut self) -> Duration {
        let next = (self.lost * 2).min(self.settings.reconnect_longest);
        std::mem::replace(&mut self.lost, next)
    }

    fn after_refusal(&mut self) -> Duration {
        let next = (self.refused * 2).min(self.settings.refused_longest);
        std::mem::replace(&mut self.refused, next)
    }
}
