//! Counts the memory and tables of one instance, and refuses growth beyond the limits.

use std::sync::Arc;

use wasmtime::ResourceLimiter;

use super::{
    limits::{CallLimits, ExceededLimit},
    stop::Stop,
};
use crate::fairness::room::{FileMemory, MemoryBudget};

/// The usage of one instance: all memories of a component together, key-values and written files.
pub(crate) struct Meter {
    memory_limit: usize,
    table_limit: usize,
    memory: usize,
    held: usize,
    recorded: usize,
    tables: usize,
    peak_memory: usize,
    refused: Option<ExceededLimit>,
    room: Arc<dyn MemoryBudget>,
}

impl Meter {
    pub(crate) fn new(limits: &CallLimits, room: Arc<dyn MemoryBudget>) -> Self {
        let (memory_limit, table_limit) = (limits.memory_bytes, limits.table_elements);
        Self {
            memory_limit,
            table_limit,
            memory: 0,
            held: 0,
            recorded: 0,
            tables: 0,
            peak_memory: 0,
            refused: None,
            room,
        }
    }

    pub(crate) fn peak_memory_bytes(&self) -> u64 {
        self.peak_memory as u64
    }

    /// The last limit that the instance reached. The guest may have coped with the refusal.
    pub(crate) fn refusal(&self) -> Option<ExceededLimit> {
        self.refused
    }

    /// Counts bytes that the host holds for the call. The maximum counts, because the call may hold as much again.
    pub(crate) fn hold(&mut self, bytes: usize) -> Result<(), Stop> {
        let more = bytes.saturating_sub(self.held);
        if self.memory.saturating_add(self.held).saturating_add(more) > self.memory_limit {
            self.refused = Some(ExceededLimit::Memory);
            return Err(Stop::Limit(ExceededLimit::Memory));
        }
        self.take(more)?;
        self.held += more;
        Ok(())
    }

    /// Sets aside all that the host holds for the call. While files are stored, writes and recording of the call wait.
    pub(crate) fn set_aside(&self) -> FileMemory {
        Arc::clone(&self.room).set_aside(self.held.saturating_add(self.recorded))
    }

    /// Counts bytes of the recording. Only the bound over all calls limits them.
    pub(crate) fn write_down(&mut self, bytes: usize) -> Result<(), Stop> {
        self.take(bytes)?;
        self.recorded += bytes;
        Ok(())
    }

    fn take(&self, bytes: usize) -> Result<(), Stop> {
        if bytes == 0 || self.room.grow(bytes) { Ok(()) } else { Err(Stop::NoRoom) }
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(&mut self, current: usize, desired: usize, _max: Option<usize>) -> wasmtime::Result<bool> {
        let total = self.memory.saturating_add(desired.saturating_sub(current));
        if total.saturating_add(self.held) > self.memory_limit {
            self.refused = Some(ExceededLimit::Memory);
            return Ok(false);
        }
        if !self.room.grow(total.saturating_sub(self.memory)) {
            // The guest is not at fault. If it saw the refusal, it would give up and the failure would count against
            // it.
            return Err(wasmtime::Error::new(Stop::NoRoom));
        }
        self.memory = total;
        self.peak_memory = self.peak_memory.max(total);
        Ok(true)
    }

    fn table_growing(&mut self, current: usize, desired: usize, _max: Option<usize>) -> wasmtime::Result<bool> {
        let total = self.tables.saturating_add(desired.saturating_sub(current));
        if total > self.table_limit {
            self.refused = Some(ExceededLimit::Tables);
            return Ok(false);
        }
        self.tables = total;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fairness::room::{BudgetPart, Store, UnlimitedBudget};

    fn meter() -> Meter {
        of(Arc::new(UnlimitedBudget))
    }

    fn of(room: Arc<dyn MemoryBudget>) -> Meter {
        Meter::new(&CallLimits { memory_bytes: 100, table_elements: 10, ..CallLimits::default() }, room)
    }

    #[test]
    fn all_memories_of_a_component_count_together() {
        let mut meter = meter();
        assert!(meter.memory_growing(0, 60, None).unwrap());
        assert!(meter.memory_growing(0, 40, None).unwrap());
        assert_eq!(meter.refusal(), None);
        assert!(!meter.memory_growing(40, 41, None).unwrap());
        assert_eq!((meter.refusal(), meter.peak_memory_bytes()), (Some(ExceededLimit::Memory), 100));
    }

    #[test]
    fn a_call_without_shared_memory_ends_and_is_not_blamed_for_its_own_limit() {
        let (store, other) = (Store::new(100), 50);
        let other_call = BudgetPart::of(&store);
        assert!(other_call.grow(other));
        let mut meter = of(Arc::new(BudgetPart::of(&store)));
        assert!(meter.memory_growing(0, 50, None).unwrap());
        let fault = meter.memory_growing(50, 51, None).unwrap_err();
        assert!(matches!(fault.downcast_ref(), Some(Stop::NoRoom)), "{fault}");
        assert_eq!(meter.refusal(), None);
        drop(other_call);
        assert!(meter.memory_growing(50, 51, None).unwrap(), "there is room again");
    }

    #[test]
    fn memory_of_the_host_for_a_call_counts_for_the_call_and_for_all_calls() {
        let store = Store::new(120);
        let mut meter = of(Arc::new(BudgetPart::of(&store)));
        assert!(meter.memory_growing(0, 60, None).unwrap());
        meter.hold(30).unwrap();
        meter.hold(10).unwrap();
        meter.hold(40).unwrap();
        assert!(matches!(meter.hold(41), Err(Stop::Limit(ExceededLimit::Memory))), "100 bytes of one call");
        assert!(!meter.memory_growing(60, 61, None).unwrap(), "nor more of its own");
        assert_eq!((meter.refusal(), meter.peak_memory_bytes()), (Some(ExceededLimit::Memory), 60));
        meter.write_down(20).unwrap();
        assert!(matches!(meter.write_down(1), Err(Stop::NoRoom)), "120 bytes of all calls");
    }

    #[test]
    fn all_tables_of_a_component_count_together() {
        let mut meter = meter();
        assert!(meter.table_growing(0, 6, None).unwrap());
        assert!(meter.table_growing(6, 8, None).unwrap());
        assert!(meter.table_growing(0, 2, None).unwrap());
        assert!(!meter.table_growing(0, 1, None).unwrap());
        assert_eq!(meter.refusal(), Some(ExceededLimit::Tables));
    }
}
