use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::{Duration, Instant},
};

use domain::ids::InboxId;
use futures::future::select_all;
use tokio::time::timeout;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use uuid::Uuid;

use super::{
    SmppEvents, SmppSettings,
    bind::{BindStatus, BindTask},
    joiner::{self, Joiner},
    slot::Slot,
    submit::{SubmitFailure, SubmittedPart, SubmittedSms},
    url::SmppUrl,
    window::{DoubtRoom, Reservation, Window, WindowPlace},
};
use crate::carrier::POLL_INTERVAL;

const SHUTDOWN: Duration = Duration::from_secs(5);
/// The share of submits without an inbox.
const NO_INBOX: InboxId = InboxId(Uuid::nil());
/// Wait while it is the turn of another inbox.
const FOR_ANOTHERS_TURN: Duration = Duration::from_millis(1);
/// Longest time between two checks.
const MAX_CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// How long a message waits for a place in a window.
pub(super) const FOR_A_PLACE: Duration = Duration::from_secs(10);
/// When to try again after the window stayed full.
const AFTER_FULL_WINDOW: Duration = Duration::from_secs(1);

/// The way to the SMSCs. Cloning is cheap. Binds end with [`SmppGateway::shutdown`], or when the last clone is dropped.
#[derive(Clone)]
pub struct SmppGateway {
    pub(super) inner: Arc<GatewayState>,
}

pub(super) struct GatewayState {
    pub(super) binds: Vec<Arc<BindTask>>,
    pub(super) window: Arc<Window>,
    pub(super) settings: SmppSettings,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl SmppGateway {
    pub fn new(urls: Vec<SmppUrl>, settings: SmppSettings) -> SmppGateway {
        let window = Window::new(urls.iter().map(|url| url.window).collect());
        let bind = |url| Arc::new(BindTask::new(url, settings.clone(), Arc::clone(&window)));
        let binds = urls.into_iter().map(bind).collect();
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        Self { inner: Arc::new(GatewayState { binds, window, settings, tasks, stop }) }
    }

    pub fn connect(&self, events: &Arc<dyn SmppEvents>) {
        let GatewayState { binds, tasks, stop, .. } = &*self.inner;
        // The parts of a message from a subscriber may come over several binds of one account.
        let mut joiners: HashMap<&str, joiner::PartQueue> = HashMap::new();
        for bind in binds {
            let account = binds.iter().filter(|other| bind.is_same_account(other)).map(|other| other.name());
            let first = account.clone().next().unwrap_or(bind.name());
            let parts = joiners.entry(first).or_insert_with(|| {
                let (parts, queue) = joiner::queue();
                let joiner = Joiner::new(first.to_owned(), Arc::clone(events), &self.inner.settings);
                tasks.spawn(joiner.run(queue, stop.clone()));
                parts
            });
            let others: BTreeSet<String> = account.filter(|name| *name != bind.name()).map(str::to_owned).collect();
            let others: Vec<String> = others.into_iter().collect();
            if !others.is_empty() {
                tracing::info!(bind = %bind.name(), ?others, "these binds have the same credentials and are one account");
            }
            let (events, parts) = (Arc::clone(events), parts.clone());
            tasks.spawn(Arc::clone(bind).run(others, events, parts, tasks.clone(), stop.clone()));
        }
    }

    pub fn start(urls: Vec<SmppUrl>, events: Arc<dyn SmppEvents>) -> SmppGateway {
        Self::start_with(urls, events, SmppSettings::default())
    }

    pub fn start_with(urls: Vec<SmppUrl>, events: Arc<dyn SmppEvents>, settings: SmppSettings) -> SmppGateway {
        let gateway = Self::new(urls, settings);
        gateway.connect(&events);
        gateway
    }

    pub fn window(&self) -> usize {
        self.inner.binds.iter().map(|bind| bind.window_size()).sum()
    }

    pub fn is_configured(&self) -> bool {
        !self.inner.binds.is_empty()
    }

    /// True if a bind accepts submits now, apart from full windows.
    pub(super) fn takes_now(&self) -> bool {
        self.check_ready().is_ok()
    }

    pub fn is_connected(&self) -> bool {
        self.inner.binds.iter().any(|bind| bind.is_up())
    }

    /// Takes places in the windows of binds that are up. The second value is kept until the outcome is on disk.
    pub(super) fn take(&self, inbox: InboxId, wanted: usize) -> Vec<(Slot, DoubtRoom)> {
        let mut in_doubt = Vec::new();
        let slots = self.slots(|now, reserve| {
            let taken = self.inner.window.take(inbox, wanted, now, &|bind| self.is_up(bind), reserve);
            let (held, rooms): (Vec<WindowPlace>, Vec<DoubtRoom>) = taken.into_iter().unzip();
            in_doubt = rooms;
            held
        });
        slots.into_iter().zip(in_doubt).collect()
    }

    pub(super) fn spare(&self, inbox: InboxId) -> Option<Slot> {
        self.slots(|now, reserve| self.inner.window.spare(inbox, now, reserve).into_iter().collect()).pop()
    }

    /// Joins places in windows with places in the rates of their binds.
    fn slots(&self, pick: impl FnOnce(Instant, &mut dyn FnMut(usize) -> Reservation) -> Vec<WindowPlace>) -> Vec<Slot> {
        let now = Instant::now();
        let mut reserved = Vec::new();
        let mut reserve = |index: usize| {
            let Some(bind) = self.inner.binds.get(index) else { return Reservation::Closed };
            match bind.reserve(now) {
                Ok(Some(admission)) => {
                    reserved.push((Arc::clone(bind), admission));
                    Reservation::Yes
                }
                Ok(None) => Reservation::NotYet,
                Err(_) => Reservation::Closed,
            }
        };
        let held = pick(now, &mut reserve);
        reserved.into_iter().zip(held).map(|((bind, admission), held)| Slot::new(bind, held, now, admission)).collect()
    }

    fn is_up(&self, bind: usize) -> bool {
        self.inner.binds.get(bind).is_some_and(|bind| bind.is_up())
    }

    pub(super) async fn ready(&self, inbox: InboxId) {
        let now = Instant::now();
        // Before the check, so that no change between the two is missed.
        let freed = self.inner.window.wait_for_room(inbox);
        let open = self.inner.window.open_binds(inbox, now, &|bind| self.is_up(bind));
        let waits = open.into_iter().filter_map(|bind| self.inner.binds.get(bind)).map(|bind| bind.wait(now));
        let mut wait = waits.min().unwrap_or(POLL_INTERVAL).min(POLL_INTERVAL);
        if self.inner.window.is_anothers_turn(inbox, now) {
            wait = wait.max(FOR_ANOTHERS_TURN);
        }
        if !wait.is_zero() {
            // Both cases need a new check.
            let _ = timeout(wait, freed).await;
        }
    }

    pub(super) fn has_enough(&self, inbox: InboxId) {
        self.inner.window.has_enough(inbox);
    }

    pub async fn submit(&self, part: SubmittedPart) -> Result<SubmittedSms, SubmitFailure> {
        let waiting = async {
            loop {
                if let Some(taken) = self.take(NO_INBOX, 1).pop() {
                    return Ok(taken);
                }
                self.check_ready()?;
                self.ready(NO_INBOX).await;
            }
        };
        // If the window stays full, the SMSC is slow.
        let full = SubmitFailure::Throttled { after: AFTER_FULL_WINDOW };
        let (mut slot, _in_doubt) = timeout(FOR_A_PLACE, waiting).await.map_err(|_| full)??;
        slot.submit(&part).await
    }

    /// Returns when a session may be up again if none is.
    pub(super) fn look_again(&self) -> Duration {
        let now = Instant::now();
        let next = self.inner.binds.iter().map(|bind| bind.look_again(now)).min();
        next.map_or(MAX_CHECK_INTERVAL, |next| next.min(MAX_CHECK_INTERVAL))
    }

    /// The reason why nothing can be submitted now, apart from full windows.
    fn check_ready(&self) -> Result<(), SubmitFailure> {
        let now = Instant::now();
        let up = self.inner.binds.iter().filter(|bind| bind.is_up());
        match up.map(|bind| bind.paused_for(now)).min() {
            None => Err(SubmitFailure::NotConnected),
            Some(None) => Ok(()),
            Some(Some(after)) => Err(SubmitFailure::Throttled { after }),
        }
    }

    pub fn status(&self) -> Vec<BindStatus> {
        self.inner.binds.iter().map(|bind| bind.status()).collect()
    }

    /// True if a bind came up within `limit`.
    pub async fn wait_bound(&self, limit: Duration) -> bool {
        let waiting: Vec<_> = self.inner.binds.iter().map(|bind| Box::pin(bind.bound())).collect();
        !waiting.is_empty() && timeout(limit, select_all(waiting)).await.is_ok()
    }

    /// Unbinds everything and waits at most five seconds for deliveries that are being stored.
    pub async fn shutdown(&self) {
        self.inner.stop.cancel();
        self.inner.tasks.close();
        if timeout(SHUTDOWN, self.inner.tasks.wait()).await.is_err() {
            tracing::warn!("some SMSC sessions did not end in time");
        }
    }
}

impl Drop for GatewayState {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
