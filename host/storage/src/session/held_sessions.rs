//! Finds a task that holds a session and takes a second one of the pool, in test builds: such tasks could block each
//! other. A session in an exchange does not count, because it belongs to another future of the task.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::Mutex;
use tokio::task;

#[derive(Debug, Default)]
pub(super) struct HeldSessions(Mutex<HashMap<task::Id, Vec<Arc<AtomicBool>>>>);

#[derive(Debug)]
pub(super) struct HeldSession {
    of_pool: Arc<HeldSessions>,
    task: task::Id,
    in_exchange: Arc<AtomicBool>,
}

/// An exchange on the session, until this is dropped.
#[derive(Debug)]
pub(super) struct ExchangeMark(Arc<AtomicBool>);

impl HeldSessions {
    /// Panics if this task holds a session that nothing uses.
    pub(super) fn check(&self) {
        let Some(task) = this_task() else { return };
        let is_idle = |held: &Vec<Arc<AtomicBool>>| held.iter().any(|in_exchange| !in_exchange.load(Ordering::Relaxed));
        let second = self.0.lock().get(&task).is_some_and(is_idle);
        assert!(
            !second,
            "this task holds a database session and takes a second one: pass on the first, or give it back"
        );
    }

    pub(super) fn hold(self: &Arc<Self>) -> Option<HeldSession> {
        let task = this_task()?;
        let in_exchange = Arc::new(AtomicBool::new(false));
        self.0.lock().entry(task).or_default().push(Arc::clone(&in_exchange));
        Some(HeldSession { of_pool: Arc::clone(self), task, in_exchange })
    }
}

fn this_task() -> Option<task::Id> {
    if cfg!(debug_assertions) { task::try_id() } else { None }
}

impl HeldSession {
    pub(super) fn exchange(&self) -> ExchangeMark {
        self.in_exchange.store(true, Ordering::Relaxed);
        ExchangeMark(Arc::clone(&self.in_exchange))
    }
}

impl Drop for HeldSession {
    fn drop(&mut self) {
        let mut all = self.of_pool.0.lock();
        let Some(held) = all.get_mut(&self.task) else { return };
        held.retain(|in_exchange| !Arc::ptr_eq(in_exchange, &self.in_exchange));
        if held.is_empty() {
            all.remove(&self.task);
        }
    }
}

impl Drop for ExchangeMark {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
