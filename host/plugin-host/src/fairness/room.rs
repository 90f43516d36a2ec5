//! The memory of calls, which has a limit over all clients. A call asks before it grows.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Memory of files that outlive their call, until it is dropped.
pub(crate) type FileMemory = Arc<dyn Send + Sync>;

/// The memory budget of a call. Dropping it returns the memory of the call.
pub(crate) trait MemoryBudget: Send + Sync + 'static {
    fn grow(&self, bytes: usize) -> bool;

    /// Sets the bytes of files aside, which are part of the memory of the call. They count after its end, too.
    fn set_aside(self: Arc<Self>, _bytes: usize) -> FileMemory {
        Arc::new(self)
    }
}

pub(crate) struct UnlimitedBudget;

impl MemoryBudget for UnlimitedBudget {
    fn grow(&self, _bytes: usize) -> bool {
        true
    }
}

/// A number of bytes for calls without a queue, first come, first served.
pub(crate) struct Store {
    most: usize,
    taken: AtomicUsize,
}

impl Store {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, taken: AtomicUsize::new(0) })
    }
}

pub(crate) struct BudgetPart {
    of: Arc<Store>,
    bytes: AtomicUsize,
}

impl BudgetPart {
    pub(crate) fn of(store: &Arc<Store>) -> Self {
        Self { of: Arc::clone(store), bytes: AtomicUsize::new(0) }
    }
}

impl MemoryBudget for BudgetPart {
    fn grow(&self, bytes: usize) -> bool {
        let taken = self.of.taken.fetch_add(bytes, Ordering::Relaxed);
        if taken.saturating_add(bytes) > self.of.most {
            self.of.taken.fetch_sub(bytes, Ordering::Relaxed);
            return false;
        }
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        true
    }
}

impl Drop for BudgetPart {
    fn drop(&mut self) {
        self.of.taken.fetch_sub(*self.bytes.get_mut(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_share_the_memory_and_return_it() {
        let store = Store::new(100);
        let (first, second) = (BudgetPart::of(&store), BudgetPart::of(&store));
        assert!(first.grow(60) && second.grow(40), "all of it is given");
        assert!(!second.grow(1), "and no more");
        drop(first);
        assert!(second.grow(60), "the memory of an ended call is free again");
        assert!(!second.grow(1));
    }
}
