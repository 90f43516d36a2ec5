//! The places and the memory for calls of one kind, shared among clients.
//!
//! A call begins as a *light* call. If it is not over after [`LIGHT`], because it waits or computes, or if it takes
//! much memory, it becomes a *heavy* call, and for a while the client's calls begin as heavy. Heavy calls together have
//! three quarters of the places and of the memory. So if many clients let their calls wait or fill memory, the calls of
//! all other clients still find places and memory at once.
//!
//! A call without room waits. The next call is one of the client with the fewest places; if several have the same
//! number, of the client that has used its places the least. So each client gets its share, however many
//! clients there are. If a call becomes heavy and no heavy call fits, it is ended and begins again at its turn.
//!
//! Files that a call wrote count until they are stored, after the end of the call (`FileHolder`).

mod state;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use domain::ids::ClientId;
use parking_lot::{Mutex, MutexGuard};
use tokio::time::{Instant, sleep, timeout_at};

use super::room::{FileMemory, MemoryBudget};
use state::{PlaceAnswer, PlacesState};
use terms::HeldMemory;
pub(crate) use terms::PlaceTerms;

/// Longest duration of a light call.
pub(crate) const LIGHT: Duration = Duration::from_millis(100);

#[derive(Clone)]
pub(crate) struct CallPlaces(Arc<Shared>);

struct Shared {
    terms: PlaceTerms,
    state: Mutex<PlacesState<CallPlace>>,
}

pub(crate) struct CallPlace {
    shared: Arc<Shared>,
    client: ClientId,
    began: Instant,
    held: Mutex<HeldMemory>,
    /// Set if there was no room when the call became heavy or grew.
    refused: AtomicBool,
}

/// The bytes of files that outlive their call. Until they are released they count as memory, and as one call of their
/// client, so that no client fills the memory with files that its store takes slowly.
struct FileHolder {
    shared: Arc<Shared>,
    client: ClientId,
    bytes: usize,
}

pub(crate) struct PlaceRefused;

impl CallPlaces {
    pub(crate) fn new(terms: PlaceTerms) -> Self {
        Self(Arc::new(Shared { terms, state: Mutex::new(PlacesState::default()) }))
    }

    pub(crate) async fn enter(&self, client: ClientId, until: Instant) -> Result<CallPlace, PlaceRefused> {
        let asked = self.0.state().ask(&self.0.terms, client);
        match asked {
            PlaceAnswer::Granted(held) => Ok(CallPlace::new(&self.0, client, held)),
            PlaceAnswer::Refused => Err(PlaceRefused),
            PlaceAnswer::Waiting(id, place) => {
                let _waiting = Waiting { shared: &self.0, client, id };
                // If the place comes too late, it is returned when the receiver is dropped.
                timeout_at(until, place).await.ok().and_then(Result::ok).ok_or(PlaceRefused)
            }
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, PlacesState<CallPlace>> {
        self.state.lock()
    }

    /// Gives free places to waiting calls, after the lock is released: a place without a receiver returns at once.
    fn give_out(self: &Arc<Self>) {
        let granted = self.state().give_out(&self.terms);
        for (client, held, tell) in granted {
            drop(tell.send(CallPlace::new(self, client, held)));
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

impl CallPlace {
    fn new(shared: &Arc<Shared>, client: ClientId, held: HeldMemory) -> Self {
        let (shared, began) = (Arc::clone(shared), Instant::now());
        Self { shared, client, began, held: Mutex::new(held), refused: AtomicBool::new(false) }
    }

    /// Runs a call while there is room for it; `None` if there is no more room.
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

    /// Whether the call was ended for lack of room. It may find room at its turn.
    pub(crate) fn was_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// Marks the call as heavy because it runs longer than [`LIGHT`]. `false` if there is no room for it.
    fn is_long(&self) -> bool {
        let mut held = self.lock_memory();
        let stays = self.shared.state().is_long(&self.shared.terms, self.client, &mut held);
        drop(held);
        // The rank of its client has changed, so a waiting call may have its turn.
        self.shared.give_out();
        self.refused.fetch_or(!stays, Ordering::Relaxed);
        stays
    }

    fn lock_memory(&self) -> MutexGuard<'_, HeldMemory> {
        self.held.lock()
    }
}

impl MemoryBudget for CallPlace {
    fn grow(&self, bytes: usize) -> bool {
        let mut held = self.lock_memory();
        let wanted = held.used.saturating_add(bytes);
        if wanted <= held.reserved || self.shared.state().grow(&self.shared.terms, self.client, &mut held, wanted) {
            held.used = wanted;
            return true;
        }
        self.refused.store(true, Ordering::Relaxed);
        false
    }

    fn set_aside(self: Arc<Self>, bytes: usize) -> FileMemory {
        let mut held = self.lock_memory();
        let bytes = self.shared.state().set_aside(&self.shared.terms, self.client, &mut held, bytes);
        Arc::new(FileHolder { shared: Arc::clone(&self.shared), client: self.client, bytes })
    }
}

impl Drop for CallPlace {
    fn drop(&mut self) {
        let held = *self.lock_memory();
        self.shared.state().release(&self.shared.terms, self.client, held, self.began.elapsed());
        self.shared.give_out();
    }
}

impl Drop for FileHolder {
    fn drop(&mut self) {
        self.shared.state().release_files(&self.shared.terms, self.client, self.bytes);
        self.shared.give_out();
    }
}

mod terms;
#[cfg(test)]
mod tests;
