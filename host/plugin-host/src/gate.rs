//! Bounds the calls that run at once, per client and in all, and how long a call waits for its turn.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use domain::ids::ClientId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::limits::Limits;

/// Clients remembered before those without calls are forgotten.
const REMEMBERED: usize = 1_024;

/// The way in for calls.
pub(crate) struct Gate {
    clients: Mutex<HashMap<ClientId, Arc<Lane>>>,
    places: Arc<Semaphore>,
    limits: Arc<Limits>,
}

struct Lane {
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// A call that may run, until this is dropped.
pub(crate) struct Place {
    _of_all: OwnedSemaphorePermit,
    _of_client: OwnedSemaphorePermit,
    // Keeps the lane in use, and thereby remembered.
    _lane: Arc<Lane>,
}

/// There was no free place in time.
pub(crate) struct NoPlace;

impl Gate {
    pub(crate) fn new(limits: Arc<Limits>) -> Self {
        Self { clients: Mutex::default(), places: Arc::new(Semaphore::new(limits.calls)), limits }
    }

    /// Waits for a place: first among the calls of the client, so that a busy client queues by itself.
    pub(crate) async fn enter(&self, client: ClientId) -> Result<Place, NoPlace> {
        let lane = self.lane(client);
        let of_client = match Arc::clone(&lane.places).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => self.queue(&lane).await?,
        };
        let of_all = match Arc::clone(&self.places).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => self.wait(&self.places).await?,
        };
        Ok(Place { _of_all: of_all, _of_client: of_client, _lane: lane })
    }

    async fn queue(&self, lane: &Lane) -> Result<OwnedSemaphorePermit, NoPlace> {
        let waiting = Waiting(&lane.waiting);
        if waiting.0.fetch_add(1, Ordering::Relaxed) >= self.limits.waiting_per_client {
            return Err(NoPlace);
        }
        self.wait(&lane.places).await
    }

    async fn wait(&self, places: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, NoPlace> {
        match timeout(self.limits.queue_wait, Arc::clone(places).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => Err(NoPlace),
        }
    }

    fn lane(&self, client: ClientId) -> Arc<Lane> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= REMEMBERED && !clients.contains_key(&client) {
            clients.retain(|_, lane| Arc::strong_count(lane) > 1);
        }
        let lane = clients.entry(client).or_insert_with(|| {
            let places = Arc::new(Semaphore::new(self.limits.calls_per_client));
            Arc::new(Lane { places, waiting: AtomicUsize::new(0) })
        });
        Arc::clone(lane)
    }
}

/// Counts down again when the wait ends, also when it is cancelled.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
