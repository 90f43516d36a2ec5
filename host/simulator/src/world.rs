//! The state of the simulator, behind one lock.

use std::{sync::Arc, time::Duration};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    callbacks::Callbacks,
    faults::Faults,
    graph::{catalogue::Catalogue, limits::Limits},
    lite::devices::Devices,
    mailbox::Mailbox,
    media::Media,
    messenger::state::Messenger,
    numbers::Numbers,
    phones::Phones,
    request_log::RequestLog,
    smsc::registry::Smsc,
    telegram::state::Telegram,
};

/// The lock is never held across an await.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// `http://host:port` of the simulator itself, for absolute URLs in callbacks.
    pub(crate) origin: String,
    pub(crate) faults: Faults,
    pub(crate) phones: Phones,
    pub(crate) numbers: Numbers,
    pub(crate) catalogue: Catalogue,
    pub(crate) media: Media,
    pub(crate) mailbox: Mailbox,
    pub(crate) requests: RequestLog,
    pub(crate) limits: Limits,
    pub(crate) lite: Devices,
    pub(crate) messenger: Messenger,
    pub(crate) telegram: Telegram,
}

/// The state, and the connections to the host: callbacks and SMSC sessions.
pub(crate) struct World {
    state: Mutex<State>,
    pub(crate) callbacks: Callbacks,
    pub(crate) smsc: Smsc,
    /// Wakes requests that wait for events of a device.
    pub(crate) lite_news: Notify,
    /// Wakes requests that wait for updates of a bot.
    pub(crate) telegram_news: Notify,
    pub(crate) shutdown: CancellationToken,
    pub(crate) tasks: TaskTracker,
}

impl World {
    pub(crate) fn new(callbacks: Callbacks, origin: String) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State { origin, ..State::default() }),
            callbacks,
            smsc: Smsc::default(),
            lite_news: Notify::new(),
            telegram_news: Notify::new(),
            shutdown: CancellationToken::new(),
            tasks: TaskTracker::new(),
        })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    pub(crate) fn faults(&self) -> Faults {
        self.state().faults.clone()
    }

    /// Waits, but not beyond the stop of the simulator.
    pub(crate) async fn pause(&self, duration: Duration) {
        if !duration.is_zero() {
            self.shutdown.run_until_cancelled(tokio::time::sleep(duration)).await;
        }
    }

    /// Clears everything but the open SMSC sessions.
    pub(crate) fn reset(&self) {
        {
            let mut state = self.state();
            let origin = std::mem::take(&mut state.origin);
            *state = State { origin, ..State::default() };
        }
        self.callbacks.drop_pending();
        self.smsc.drop_pending();
    }
}
