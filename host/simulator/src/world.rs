//! The state of the simulator, behind one lock.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
    time::Duration,
};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Notify, watch};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    callbacks::{Callbacks, log::CallbackLog},
    faults::FaultSwitches,
    graph::{catalogue::Catalogue, limits::GraphAllowance},
    lite::devices::Devices,
    mailbox::Mailbox,
    media::MediaLibrary,
    messenger::state::MessengerState,
    numbers::Numbers,
    phones::Phones,
    request_log::CallLog,
    sites::SimulatedSites,
    smsc::registry::SimulatedSmsc,
    telegram::state::Telegram,
};

/// The lock is never held across an await.
#[derive(Debug, Default)]
pub(crate) struct WorldState {
    /// `http://host:port` of the simulator itself, for absolute URLs in callbacks.
    pub(crate) origin: String,
    pub(crate) faults: FaultSwitches,
    pub(crate) phones: Phones,
    pub(crate) numbers: Numbers,
    pub(crate) catalogue: Catalogue,
    pub(crate) media: MediaLibrary,
    pub(crate) mailbox: Mailbox,
    pub(crate) requests: CallLog,
    pub(crate) callbacks: CallbackLog,
    pub(crate) limits: GraphAllowance,
    pub(crate) lite: Devices,
    pub(crate) messenger: MessengerState,
    pub(crate) telegram: Telegram,
    pub(crate) sites: SimulatedSites,
}

/// Access to the state. The end of an access that may have written wakes the live views.
pub(crate) struct StateAccess<'a> {
    state: MutexGuard<'a, WorldState>,
    changes: &'a watch::Sender<()>,
    has_written: bool,
}

impl Deref for StateAccess<'_> {
    type Target = WorldState;

    fn deref(&self) -> &WorldState {
        &self.state
    }
}

impl DerefMut for StateAccess<'_> {
    fn deref_mut(&mut self) -> &mut WorldState {
        self.has_written = true;
        &mut self.state
    }
}

impl Drop for StateAccess<'_> {
    fn drop(&mut self) {
        if self.has_written && self.changes.receiver_count() > 0 {
            self.changes.send_replace(());
        }
    }
}

pub(crate) struct SimulatedWorld {
    state: Mutex<WorldState>,
    changes: watch::Sender<()>,
    /// URL that moves the business clock of the host, if it can be moved.
    pub(crate) testing_clock: Mutex<Option<String>>,
    pub(crate) callbacks: Callbacks,
    pub(crate) smsc: SimulatedSmsc,
    pub(crate) lite_news: Notify,
    pub(crate) telegram_news: Notify,
    pub(crate) shutdown: CancellationToken,
    pub(crate) tasks: TaskTracker,
}

impl SimulatedWorld {
    pub(crate) fn new(callbacks: Callbacks, origin: String) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(WorldState { origin, ..WorldState::default() }),
            changes: watch::Sender::new(()),
            testing_clock: Mutex::default(),
            callbacks,
            smsc: SimulatedSmsc::default(),
            lite_news: Notify::new(),
            telegram_news: Notify::new(),
            shutdown: CancellationToken::new(),
            tasks: TaskTracker::new(),
        })
    }

    pub(crate) fn state(&self) -> StateAccess<'_> {
        StateAccess { state: self.state.lock(), changes: &self.changes, has_written: false }
    }

    /// Tells of writes to the state. The first notice comes at once.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        let mut changes = self.changes.subscribe();
        changes.mark_changed();
        changes
    }

    pub(crate) fn faults(&self) -> FaultSwitches {
        self.state().faults.clone()
    }

    pub(crate) async fn pause(&self, duration: Duration) {
        if !duration.is_zero() {
            self.shutdown.run_until_cancelled(tokio::time::sleep(duration)).await;
        }
    }

    pub(crate) fn reset(&self) {
        {
            let mut state = self.state();
            let origin = std::mem::take(&mut state.origin);
            *state = WorldState { origin, ..WorldState::default() };
        }
        self.callbacks.drop_pending();
        self.smsc.drop_pending();
    }
}
