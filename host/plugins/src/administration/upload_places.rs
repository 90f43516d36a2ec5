//! Turns of uploads, so that few components are in memory at once.

use std::{collections::HashMap, sync::Arc, time::Duration};

use domain::ids::ClientId;
use parking_lot::Mutex;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::PluginError;
use base::Result;

/// Uploads that this process handles at once. Each may hold a component in memory.
const AT_ONCE: usize = 8;
/// Uploads of one client that wait for the one before them.
const WAITING_PER_CLIENT: usize = 4;
/// Longest wait of an upload for its turn.
const TURN_WAIT: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub struct UploadPlaces {
    all: Arc<Semaphore>,
    clients: Arc<Mutex<HashMap<ClientId, Arc<Semaphore>>>>,
}

impl Default for UploadPlaces {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(AT_ONCE)), clients: Arc::default() }
    }
}

/// The turn of an upload. Take it before the component is read.
#[derive(Debug)]
pub struct UploadPlace {
    _all: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
}

impl UploadPlaces {
    /// Waits for a turn. Fails if too many uploads of this client wait, or the wait is too long.
    pub async fn enter(&self, client: ClientId) -> Result<UploadPlace, PluginError> {
        let busy = || PluginError::Busy("too many uploads at once: try again in a few seconds".to_owned());
        let own = {
            let mut clients = self.clients.lock();
            // An entry with one reference has no holder and no waiter.
            clients.retain(|_, own| Arc::strong_count(own) > 1);
            let own = clients.entry(client).or_insert_with(|| Arc::new(Semaphore::new(1)));
            // One reference of this table, one of the holder, and one per waiter.
            if Arc::strong_count(own) > 1 + WAITING_PER_CLIENT {
                return Err(busy());
            }
            Arc::clone(own)
        };
        let turn = async {
            let own = own.acquire_owned().await.ok()?;
            let all = Arc::clone(&self.all).acquire_owned().await.ok()?;
            Some(UploadPlace { _all: all, _own: own })
        };
        timeout(TURN_WAIT, turn).await.ok().flatten().ok_or_else(busy)
    }
}
