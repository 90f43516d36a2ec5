//! Carriers with the same kind of pace: a place is one call in flight and one message of the inbox's rate.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{carriage::SendFailure, carriage::pause, ids::InboxId};
use parking_lot::{Mutex, MutexGuard};
use tokio::{sync::Notify, time::timeout};

use super::{CarrierInbox, POLL_INTERVAL, SendPlace, inbox_pace::InboxPace};

/// How long the token and the rate of an inbox are used: an operator may change them while its lane is busy.
pub(crate) const SETTINGS_LAST: Duration = Duration::from_secs(10);

pub(crate) struct RateGate {
    rate_per_second: u32,
    in_flight: usize,
    by_inbox: Mutex<HashMap<InboxId, Arc<InboxGate>>>,
}

struct InboxGate {
    state: Mutex<State>,
    freed: Notify,
}

struct State {
    pace: InboxPace,
    in_flight: usize,
}

impl InboxGate {
    fn new(rate: u32) -> Self {
        let state = State { pace: InboxPace::new(rate, Instant::now()), in_flight: 0 };
        Self { state: Mutex::new(state), freed: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

/// A call in flight, or about to begin. If it is dropped before the call, it also gives its message of the rate back.
pub(crate) struct RateCall {
    gate: Arc<InboxGate>,
    made: bool,
}

impl RateCall {
    pub(crate) fn begins(&mut self) {
        self.made = true;
    }

    /// Lets the inbox rest for the time that the provider names.
    pub(crate) fn rest<T>(&self, result: &mut Result<T, SendFailure>, attempt: i16) {
        if let Err(SendFailure::SlowDown { after, .. }) = result {
            let length = *after.get_or_insert_with(|| pause(attempt));
            self.gate.state().pace.pause(length, Instant::now());
        }
    }
}

impl Drop for RateCall {
    fn drop(&mut self) {
        let mut state = self.gate.state();
        state.in_flight = state.in_flight.saturating_sub(1);
        if !self.made {
            state.pace.give_back(1);
        }
        drop(state);
        self.gate.freed.notify_one();
    }
}

impl RateGate {
    /// The rate applies unless an inbox has its own. `in_flight`: most calls in flight.
    pub(crate) fn new(rate_per_second: u32, in_flight: usize) -> Self {
        Self { rate_per_second, in_flight, by_inbox: Mutex::default() }
    }

    pub(crate) fn window(&self) -> usize {
        self.in_flight
    }

    fn gate(&self, inbox: &CarrierInbox) -> Arc<InboxGate> {
        let rate = inbox.rate_per_second.unwrap_or(self.rate_per_second);
        let mut gates = self.by_inbox.lock();
        let gate = Arc::clone(gates.entry(inbox.id).or_insert_with(|| Arc::new(InboxGate::new(rate))));
        drop(gates);
        gate.state().pace.set_rate(rate);
        gate
    }

    /// Takes the free places, at most `wanted`; each holds a [`RateCall`].
    pub(crate) fn take(&self, inbox: &CarrierInbox, wanted: usize) -> Vec<SendPlace> {
        let gate = self.gate(inbox);
        let mut state = gate.state();
        let room = self.in_flight.saturating_sub(state.in_flight).min(wanted);
        let now = Instant::now();
        let taken = if room == 0 { 0 } else { state.pace.take(room, now) };
        state.in_flight += taken;
        drop(state);
        (0..taken).map(|_| SendPlace::of(RateCall { gate: Arc::clone(&gate), made: false })).collect()
    }

    pub(crate) async fn ready(&self, inbox: &CarrierInbox) {
        let gate = self.gate(inbox);
        let wait = {
            let state = gate.state();
            let full = state.in_flight >= self.in_flight;
            if full { POLL_INTERVAL } else { state.pace.wait(Instant::now()).min(POLL_INTERVAL) }
        };
        if !wait.is_zero() {
            // Both cases need a new check.
            let _ = timeout(wait, gate.freed.notified()).await;
        }
    }

    pub(crate) fn admit(&self, inbox: &CarrierInbox, recipient: &str) -> Result<(), Duration> {
        self.gate(inbox).state().pace.admit(recipient, Instant::now())
    }
}
