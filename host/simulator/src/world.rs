//! The state of the simulator, behind one lock.

use std::{sync::Arc, time::Duration};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    callbacks::Callbacks,
    faults::FaultSwitches,
    graph::{catalogue::Catalogue, limits::GraphAllowance},
    lite::devices::Devices,
    mailbox::Mailbox,
    media::MediaLibrary,
    messenger::state::MessengerState,
    numbers::Numbers,
    phones::Phones,
    request_log::CallLog,
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
    pub(crate) limits: GraphAllowance,
    pub(crate) lite: Devices,
    pub(crate) messenger: MessengerState,
    pub(crate) telegram: Telegram,
}

pub(crate) struct SimulatedWorld {
    state: Mutex<WorldState>,
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
            callbacks,
            smsc: SimulatedSmsc::default(),
            lite_news: Notify::new(),
            telegram_news: Notify::new(),
            shutdown: CancellationToken::new(),
            tasks: TaskTracker::new(),
        })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, WorldState> {
        self.state.lock()
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
