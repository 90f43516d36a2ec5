//! Uploaded components that are ready: linked programs by hash, loaded at first use. The oldest use is dropped first.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::ids::ClientId;
use parking_lot::RwLock;
use tokio::sync::OnceCell;

use super::component_source::ComponentSource;
use super::loader::{Loader, Program};
use crate::compile::{CompileFault, CompilePurpose};

#[derive(Debug)]
pub(crate) enum NoProgram {
    Unknown,
    /// It can never be loaded.
    Unloadable(String),
    /// It could not be read from its store.
    Unread(String),
    Unavailable(String),
}

pub(crate) struct Programs {
    loader: Arc<Loader>,
    source: Option<Arc<dyn ComponentSource>>,
    most: usize,
    slots: RwLock<HashMap<String, Arc<Slot>>>,
    uses: AtomicU64,
}

#[derive(Default)]
struct Slot {
    program: OnceCell<Arc<Program>>,
    last_use: AtomicU64,
}

impl Programs {
    pub(crate) fn new(loader: Arc<Loader>, source: Option<Arc<dyn ComponentSource>>, most: usize) -> Self {
        Self { loader, source, most: most.max(1), slots: RwLock::default(), uses: AtomicU64::new(0) }
    }

    pub(crate) async fn get(&self, client: ClientId, sha256: &str) -> Result<Arc<Program>, NoProgram> {
        let slot = self.slot(sha256);
        let program = slot.program.get_or_try_init(|| self.load(client, sha256)).await;
        program.map(Arc::clone).inspect_err(|_| self.forget_empty(sha256))
    }

    pub(crate) fn keep(&self, program: Arc<Program>) {
        // If there is already a program, it is the same one.
        drop(self.slot(&program.sha256).program.set(program));
    }

    pub(crate) fn count(&self) -> usize {
        self.slots.read().len()
    }

    async fn load(&self, client: ClientId, sha256: &str) -> Result<Arc<Program>, NoProgram> {
        let bytes = match &self.source {
            Some(source) => source.bytes(client, sha256).await,
            None => Ok(None),
        };
        let bytes = bytes.map_err(|fault| NoProgram::Unread(fault.to_string()))?.ok_or(NoProgram::Unknown)?;
        match self.loader.load(bytes, CompilePurpose::InUse(Some(client))).await {
            Ok(program) if program.sha256 == sha256 => Ok(Arc::new(program)),
            Ok(_) => Err(NoProgram::Unloadable("the stored bytes are not those that were uploaded".into())),
            Err(fault @ CompileFault::Problems(_)) => Err(NoProgram::Unloadable(fault.to_string())),
            Err(fault @ (CompileFault::Busy | CompileFault::UsedUp(_) | CompileFault::Host(_))) => {
                Err(NoProgram::Unavailable(fault.to_string()))
            }
        }
    }

    fn slot(&self, sha256: &str) -> Arc<Slot> {
        let now = self.uses.fetch_add(1, Ordering::Relaxed);
        let known = self.slots.read().get(sha256).cloned();
        let slot = known.unwrap_or_else(|| {
            let mut slots = self.slots.write();
            if slots.len() >= self.most && !slots.contains_key(sha256) {
                make_room(&mut slots, self.most);
            }
            Arc::clone(slots.entry(sha256.to_owned()).or_default())
        });
        slot.last_use.store(now, Ordering::Relaxed);
        slot
    }

    fn forget_empty(&self, sha256: &str) {
        let mut slots = self.slots.write();
        // A slot that other calls wait for stays, because they are loading it.
        if slots.get(sha256).is_some_and(|slot| !slot.program.initialized() && Arc::strong_count(slot) <= 2) {
            slots.remove(sha256);
        }
    }
}

/// Drops a sixteenth at a time, so that a client with many plugins does not cause a search per call.
fn make_room(slots: &mut HashMap<String, Arc<Slot>>, most: usize) {
    let mut by_use: Vec<(u64, String)> =
        slots.iter().map(|(hash, slot)| (slot.last_use.load(Ordering::Relaxed), hash.clone())).collect();
    by_use.sort_unstable();
    for (_, hash) in by_use.into_iter().take((most / 16).max(1)) {
        slots.remove(&hash);
    }
}
