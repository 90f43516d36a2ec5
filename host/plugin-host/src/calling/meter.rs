//! Counts memory and tables of one instance, and refuses growth beyond the limits.

use wasmtime::ResourceLimiter;

use super::limits::{Limit, Limits};

/// What one instance holds. All memories of a component count together: twenty memories of 96 MiB are too much too.
pub(crate) struct Meter {
    memory_limit: usize,
    table_limit: usize,
    memory: usize,
    tables: usize,
    peak_memory: usize,
    refused: Option<Limit>,
}

impl Meter {
    pub(crate) fn new(limits: &Limits) -> Self {
        let (memory_limit, table_limit) = (limits.memory_bytes, limits.table_elements);
        Self { memory_limit, table_limit, memory: 0, tables: 0, peak_memory: 0, refused: None }
    }

    pub(crate) fn peak_memory_bytes(&self) -> u64 {
        self.peak_memory as u64
    }

    /// The limit that the instance last ran into. The guest may have coped with that.
    pub(crate) fn refused(&self) -> Option<Limit> {
        self.refused
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(&mut self, current: usize, desired: usize, _max: Option<usize>) -> wasmtime::Result<bool> {
        let total = self.memory.saturating_add(desired.saturating_sub(current));
        if total > self.memory_limit {
            self.refused = Some(Limit::Memory);
            return Ok(false);
        }
        self.memory = total;
        self.peak_memory = self.peak_memory.max(total);
        Ok(true)
    }

    fn table_growing(&mut self, current: usize, desired: usize, _max: Option<usize>) -> wasmtime::Result<bool> {
        let total = self.tables.saturating_add(desired.saturating_sub(current));
        if total > self.table_limit {
            self.refused = Some(Limit::Tables);
            return Ok(false);
        }
        self.tables = total;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter() -> Meter {
        Meter::new(&Limits { memory_bytes: 100, table_elements: 10, ..Limits::default() })
    }

    #[test]
    fn all_memories_of_a_component_count_together() {
        let mut meter = meter();
        assert!(meter.memory_growing(0, 60, None).unwrap());
        assert!(meter.memory_growing(0, 40, None).unwrap());
        assert_eq!(meter.refused(), None);
        assert!(!meter.memory_growing(40, 41, None).unwrap());
        assert_eq!((meter.refused(), meter.peak_memory_bytes()), (Some(Limit::Memory), 100));
    }

    #[test]
    fn all_tables_of_a_component_count_together() {
        let mut meter = meter();
        assert!(meter.table_growing(0, 6, None).unwrap());
        assert!(meter.table_growing(6, 8, None).unwrap());
        assert!(meter.table_growing(0, 2, None).unwrap());
        assert!(!meter.table_growing(0, 1, None).unwrap());
        assert_eq!(meter.refused(), Some(Limit::Tables));
    }
}
