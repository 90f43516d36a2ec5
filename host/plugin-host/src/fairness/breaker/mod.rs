//! Circuit breaker: suspends a plugin that keeps failing, per client and plugin.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::ClientId;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::PluginRef;
use crate::calling::limits::CallLimits;

/// Number of recent calls that are remembered, one bit each.
const WINDOW: u32 = 40;
/// Mask of these bits.
const RECENT: u64 = (1 << WINDOW) - 1;
/// Circuits that were not used for this long are forgotten.
const IDLE: Duration = Duration::from_secs(600);
/// If more circuits than this exist, idle ones are removed.
const ROOM: usize = 1_024;
/// Announcements that may wait for a listener.
const WAITING: usize = 256;
/// Announced duration of a suspension while the probing call is under way.
const PROBE: Duration = Duration::from_secs(1);

/// A plugin was suspended for a client, or its suspension ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuspensionChange {
    pub client: ClientId,
    pub plugin: PluginRef,
    pub reason: String,
    pub at: DateTime<Utc>,
    /// `true` at the beginning of a suspension, `false` at its end.
    pub opened: bool,
}

/// A plugin that is suspended now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuspendedPlugin {
    pub client: ClientId,
    pub plugin: PluginRef,
    /// Begin of the suspension.
    pub since: DateTime<Utc>,
    /// Time until a call decides if the plugin is used again. Zero: the next call does, or one is under way.
    pub remaining: Duration,
    /// The reason, without texts of the plugin.
    pub reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallVerdict {
    /// The plugin did its work. An error that it returned is an answer too.
    Well,
    /// It crashed, took too long, exceeded a limit, or gave a bad answer.
    Failed,
    /// It says nothing about the plugin, so it is not counted.
    Nothing,
}

/// One circuit. Calls before the first failure count as good ones, so a plugin that never failed needs no circuit.
struct Circuit {
    recent: u64,
    state: State,
    touched: Instant,
    /// Begin and reason of the suspension.
    opening: Option<(DateTime<Utc>, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Closed,
    Open(Instant),
    Probing,
}

pub(crate) struct Breakers {
    table: Mutex<Table>,
    listeners: Mutex<Vec<mpsc::Sender<SuspensionChange>>>,
    limits: Arc<CallLimits>,
}

#[derive(Default)]
struct Table {
    clients: HashMap<ClientId, HashMap<PluginRef, Circuit>>,
    circuits: usize,
    forget_at: usize,
}

/// Permission for a call. If it is dropped without [`BreakerPermit::settle`], the call does not count.
pub(crate) struct BreakerPermit<'a> {
    breakers: &'a Breakers,
    client: ClientId,
    plugin: &'a PluginRef,
    now: DateTime<Utc>,
    probe: bool,
}

impl Breakers {
    pub(crate) fn new(limits: Arc<CallLimits>) -> Self {
        Self { table: Mutex::default(), listeners: Mutex::default(), limits }
    }

    /// All later beginnings and ends of suspensions. A listener that falls far behind misses some.
    pub(crate) fn listen(&self) -> mpsc::Receiver<SuspensionChange> {
        let (sender, receiver) = mpsc::channel(WAITING);
        self.listeners.lock().push(sender);
        receiver
    }

    pub(crate) fn is_suspended(&self, client: ClientId, plugin: &PluginRef) -> bool {
        let table = self.table();
        let state = table.clients.get(&client).and_then(|circuits| circuits.get(plugin)).map(|circuit| circuit.state);
        match state {
            None | Some(State::Closed) => false,
            Some(State::Open(until)) => Instant::now() < until,
            Some(State::Probing) => true,
        }
    }

    pub(crate) fn suspended_count(&self) -> usize {
        let table = self.table();
        let circuits = table.clients.values().flat_map(HashMap::values);
        circuits.filter(|circuit| circuit.state != State::Closed).count()
    }

    pub(crate) fn suspended_plugins(&self) -> Vec<SuspendedPlugin> {
        let (table, present) = (self.table(), Instant::now());
        let circuits =
            table.clients.iter().flat_map(|(client, circuits)| circuits.iter().map(move |one| (client, one)));
        let suspended = circuits.filter_map(|(client, (plugin, circuit))| {
            let remaining = match circuit.state {
                State::Closed => return None,
                State::Open(until) => until.saturating_duration_since(present),
                State::Probing => Duration::ZERO,
            };
            let (since, reason) = circuit.opening.clone()?;
            Some(SuspendedPlugin { client: *client, plugin: plugin.clone(), since, remaining, reason })
        });
        suspended.collect()
    }

    /// Admits a call. If the plugin is suspended, returns when to ask again: the end, or in 1 s while a probe runs. `now`
    /// is the time of the call, for announcements.
    pub(crate) fn admit<'a>(
        &'a self,
        client: ClientId,
        plugin: &'a PluginRef,
        now: DateTime<Utc>,
    ) -> Result<BreakerPermit<'a>, DateTime<Utc>> {
        let mut permit = BreakerPermit { breakers: self, client, plugin, now, probe: false };
        let mut table = self.table();
        let Some(circuit) = table.clients.get_mut(&client).and_then(|circuits| circuits.get_mut(plugin)) else {
            return Ok(permit);
        };
        let present = Instant::now();
        let closed_for = match circuit.state {
            State::Closed => return Ok(permit),
            State::Open(until) if present >= until => {
                circuit.state = State::Probing;
                circuit.touched = present;
                permit.probe = true;
                return Ok(permit);
            }
            State::Open(until) => until - present,
            State::Probing => PROBE,
        };
        Err(now + TimeDelta::from_std(closed_for).unwrap_or_default())
    }

    fn announce(&self, change: &SuspensionChange) {
        let mut listeners = self.listeners.lock();
        listeners.retain(|listener| match listener.try_send(change.clone()) {
            Ok(()) => true,
            Err(mpsc::error::TrySendError::Full(_)) => {
                tracing::warn!("the notice of a suspended plugin was dropped: the queue of notices is full");
                true
            }
            Err(mpsc::error::TrySendError::Closed(_)) => false,
        });
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock()
    }

    fn too_much(&self, recent: u64) -> Option<String> {
        let in_a_row = self.limits.failures_in_a_row.clamp(1, WINDOW);
        if recent.trailing_ones() >= in_a_row {
            return Some(format!("{in_a_row} calls in a row failed"));
        }
        let failed = recent.count_ones();
        let too_many = failed * 100 > WINDOW * self.limits.failures_percent;
        too_many.then(|| format!("{failed} of the last {WINDOW} calls failed"))
    }
}

impl BreakerPermit<'_> {
    pub(crate) fn settle(self, verdict: CallVerdict, last: impl FnOnce() -> String) {
        let announcement = match verdict {
            CallVerdict::Failed => self.count_failure(last),
            CallVerdict::Well => self.went_well(),
            CallVerdict::Nothing => None,
        };
        if let Some((opened, reason)) = announcement {
            let (client, plugin) = (self.client, self.plugin.clone());
            self.breakers.announce(&SuspensionChange { client, plugin, reason, at: self.now, opened });
        }
    }

    fn count_failure(&self, last: impl FnOnce() -> String) -> Option<(bool, String)> {
        let present = Instant::now();
        let mut table = self.breakers.table();
        let circuit = table.circuit(self.client, self.plugin, present);
        circuit.recent = (circuit.recent << 1 | 1) & RECENT;
        circuit.touched = present;
        let until = present + self.breakers.limits.suspended_for;
        match circuit.state {
            // The suspension starts again, without a second announcement.
            State::Probing if self.probe => {
                circuit.state = State::Open(until);
                None
            }
            State::Closed => {
                let reason = self.breakers.too_much(circuit.recent)?;
                circuit.state = State::Open(until);
                circuit.opening = Some((self.now, reason.clone()));
                Some((true, format!("{reason}; the last one: {}", last())))
            }
            // The call began before the circuit opened.
            State::Open(_) | State::Probing => None,
        }
    }

    fn went_well(&self) -> Option<(bool, String)> {
        let mut table = self.breakers.table();
        let circuit = table.clients.get_mut(&self.client)?.get_mut(self.plugin)?;
        circuit.touched = Instant::now();
        match circuit.state {
            State::Probing if self.probe => {
                table.forget(self.client, self.plugin);
                Some((false, "a call went well again".into()))
            }
            State::Closed => {
                circuit.recent = (circuit.recent << 1) & RECENT;
                if circuit.recent == 0 {
                    table.forget(self.client, self.plugin);
                }
                None
            }
            State::Open(_) | State::Probing => None,
        }
    }
}

impl Drop for BreakerPermit<'_> {
    /// A probe without a result makes room for the next one.
    fn drop(&mut self) {
        if !self.probe {
            return;
        }
        let mut table = self.breakers.table();
        let circuits = table.clients.get_mut(&self.client);
        let Some(circuit) = circuits.and_then(|circuits| circuits.get_mut(self.plugin)) else { return };
        if circuit.state == State::Probing {
            circuit.state = State::Open(Instant::now());
        }
    }
}

impl Table {
    fn circuit(&mut self, client: ClientId, plugin: &PluginRef, present: Instant) -> &mut Circuit {
        let known = self.clients.get(&client).is_some_and(|circuits| circuits.contains_key(plugin));
        if !known {
            self.forget_idle(present);
            self.circuits += 1;
        }
        let circuits = self.clients.entry(client).or_default();
        circuits.entry(plugin.clone()).or_insert(Circuit {
            recent: 0,
            state: State::Closed,
            touched: present,
            opening: None,
        })
    }

    fn forget(&mut self, client: ClientId, plugin: &PluginRef) {
        let Some(circuits) = self.clients.get_mut(&client) else { return };
        if circuits.remove(plugin).is_some() {
            self.circuits -= 1;
        }
        if circuits.is_empty() {
            self.clients.remove(&client);
        }
    }

    /// Removes idle circuits, but only if their number has doubled since the last removal.
    fn forget_idle(&mut self, present: Instant) {
        if self.circuits < self.forget_at.max(ROOM) {
            return;
        }
        for circuits in self.clients.values_mut() {
            circuits.retain(|_, circuit| match circuit.state {
                State::Open(until) if until > present => true,
                _ => present.duration_since(circuit.touched) < IDLE,
            });
        }
        self.clients.retain(|_, circuits| !circuits.is_empty());
        self.circuits = self.clients.values().map(HashMap::len).sum();
        self.forget_at = self.circuits * 2;
    }
}

#[cfg(test)]
mod tests;
