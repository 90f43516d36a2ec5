//! The places and the memory of the calls of one kind, shared out among clients.
//!
//! A call begins as a *light* one. One that is not over after [`LIGHT`], because it waits or because it computes, or that
//! takes much memory, is a *heavy* one from then on, and for a while the calls of its client begin as such. Heavy calls have
//! three quarters of the places and of the memory together. So however many clients let their calls wait, or fill memory,
//! the calls of all others find places and memory at once.
//!
//! What there is no room for waits. Next comes a call of the client that has the fewest places, and among those of the one
//! that has used its places the least: each client gets its share, however many others there are. A call that turns out to
//! be heavy where no heavy one fits is ended, and begun again in its turn.

mod state;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::ids::ClientId;
use tokio::time::{Instant, sleep, timeout_at};

use self::state::{Asked, State};
use super::room::Room;

/// How long a call is a light one, whatever it does.
pub(crate) const LIGHT: Duration = Duration::from_millis(100);
/// Memory is set apart for calls in steps of this.
const STEP: usize = 1 << 20;
/// What a call takes beside the memory of its instance: its stack, its tables, what the host keeps of it.
const BESIDE_MEMORY: usize = 256 << 10;

/// How much there is, and how much of it one client may have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    /// Calls at once.
    pub(crate) places: usize,
    /// Bytes of all calls together.
    pub(crate) memory: usize,
    /// Calls of one client at once.
    pub(crate) per_client: usize,
    /// Calls of one client that wait for a place.
    pub(crate) waiting_per_client: usize,
    /// Most bytes of one call, beside which it has a little for itself.
    pub(crate) call_memory: usize,
}

impl Terms {
    /// Most bytes that are set apart for one call.
    fn most_of_a_call(&self) -> usize {
        self.call_memory.saturating_add(BESIDE_MEMORY).next_multiple_of(STEP)
    }

    /// All the memory: one call fits at least, as a heavy one.
    fn all_memory(&self) -> usize {
        self.memory.max(self.most_of_a_call())
    }

    fn heavy_memory(&self) -> usize {
        (self.all_memory() / 4 * 3).max(self.most_of_a_call())
    }

    fn heavy_places(&self) -> usize {
        self.places.max(1) - self.places / 4
    }

    /// Bytes beyond which a call is a heavy one.
    fn large(&self) -> usize {
        (self.call_memory / 8).max(STEP)
    }
}

/// The places of one kind. Cheap to share.
#[derive(Clone)]
pub(crate) struct Places(Arc<Shared>);

struct Shared {
    terms: Terms,
    state: Mutex<State>,
}

/// A place that a call has, with its memory, until this is dropped.
pub(crate) struct Place {
    shared: Arc<Shared>,
    client: ClientId,
    began: Instant,
    held: Mutex<Held>,
    /// There was no room for what the call became.
    refused: AtomicBool,
}

/// What a call has.
#[derive(Debug, Clone, Copy)]
struct Held {
    /// It counts among the heavy ones.
    heavy: bool,
    /// It has shown that it is one.
    shown: bool,
    /// Bytes that it uses.
    used: usize,
    /// Bytes that are set apart for it.
    reserved: usize,
}

/// There was no place in time.
pub(crate) struct NotAdmitted;

impl Places {
    pub(crate) fn new(terms: Terms) -> Self {
        Self(Arc::new(Shared { terms, state: Mutex::new(State::default()) }))
    }

    /// Waits for a place until then.
    pub(crate) async fn enter(&self, client: ClientId, until: Instant) -> Result<Place, NotAdmitted> {
        let asked = self.0.state().ask(&self.0.terms, client);
        match asked {
            Asked::Granted(held) => Ok(Place::new(&self.0, client, held)),
            Asked::Refused => Err(NotAdmitted),
            Asked::Waiting(id, place) => {
                let _waiting = Waiting { shared: &self.0, client, id };
                // A place that comes too late is given back when the receiver goes.
                timeout_at(until, place).await.ok().and_then(Result::ok).ok_or(NotAdmitted)
            }
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives what is free to those who wait. They are told once the lock is given back: one who has gone gives its place
    /// back at once, which takes the lock.
    fn give_out(self: &Arc<Self>) {
        let granted = self.state().give_out(&self.terms);
        for (client, held, tell) in granted {
            drop(tell.send(Place::new(self, client, held)));
        }
    }
}

/// A call that waits for a place, until this is dropped.
struct Waiting<'a> {
    shared: &'a Shared,
    client: ClientId,
    id: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.shared.state().leave(self.client, self.id);
    }
}

impl Place {
    fn new(shared: &Arc<Shared>, client: ClientId, held: Held) -> Self {
        let (shared, began) = (Arc::clone(shared), Instant::now());
        Self { shared, client, began, held: Mutex::new(held), refused: AtomicBool::new(false) }
    }

    /// Lets a call go on for as long as there is room for it; `None` when there is none any more.
    pub(crate) async fn keep<T>(&self, call: impl Future<Output = T>) -> Option<T> {
        let no_room = async {
            sleep(LIGHT).await;
            if self.is_long() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            biased;
            made = call => Some(made),
            () = no_room => None,
        }
    }

    /// Whether the call was ended for want of room: it may well find some in its turn.
    pub(crate) fn was_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// The call is not over after [`LIGHT`]: a heavy one. `false` when there is no room for it.
    fn is_long(&self) -> bool {
        let mut held = self.held();
        let stays = self.shared.state().is_long(&self.shared.terms, self.client, &mut held);
        drop(held);
        // Its client has another standing now: one that waits may have its turn.
        self.shared.give_out();
        self.refused.fetch_or(!stays, Ordering::Relaxed);
        stays
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Room for Place {
    fn grow(&self, bytes: usize) -> bool {
        let mut held = self.held();
        let wanted = held.used.saturating_add(bytes);
        if wanted <= held.reserved || self.shared.state().grow(&self.shared.terms, self.client, &mut held, wanted) {
            held.used = wanted;
            return true;
        }
        self.refused.store(true, Ordering::Relaxed);
        false
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let held = *self.held();
        self.shared.state().release(&self.shared.terms, self.client, held, self.began.elapsed());
        self.shared.give_out();
    }
}

#[cfg(test)]
mod tests;
