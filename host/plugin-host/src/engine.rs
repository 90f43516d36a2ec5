//! The WebAssembly engine: its configuration, the instance pool, and the ticker that interrupts running guests.

use std::time::Duration;

use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::calling::limits::CallLimits;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// Size of a memory slot in the pool. `CallLimits::memory_bytes` stays below it.
const SLOT_BYTES: usize = 128 * MIB;
/// Memory of an ended instance that is cleaned in place and not returned to the system, so its next user has no page
/// faults.
const KEPT_BYTES: usize = MIB;
/// Calls that the pool has room for in addition to the limits: trial calls and replays of shadows.
const SPARE_CALLS: usize = 24;

/// An engine with an instance pool, or without one (with a log line) if its address space cannot be reserved.
pub(crate) fn start(limits: &CallLimits) -> wasmtime::Result<(Engine, bool)> {
    let mut config = common();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(limits)));
    match Engine::new(&config) {
        Ok(engine) => Ok((engine, true)),
        Err(fault) => {
            tracing::warn!(
                reason = format!("{fault:#}"),
                "the address space for a pool of plugin instances cannot be reserved; instances are allocated one by \
                 one, which makes plugin calls slower"
            );
            on_demand().map(|engine| (engine, false))
        }
    }
}

/// An engine for compiling, under a limit on the address space. It is not meant to run code.
pub(crate) fn for_compiling(pooled: bool) -> wasmtime::Result<Engine> {
    if !pooled {
        return on_demand();
    }
    let mut config = common();
    config.allocation_strategy(InstanceAllocationStrategy::OnDemand);
    Engine::new(&config)
}

/// An engine that reserves nothing: for checks, and for machines with little address space.
pub(crate) fn on_demand() -> wasmtime::Result<Engine> {
    let mut config = common();
    config.allocation_strategy(InstanceAllocationStrategy::OnDemand);
    config.memory_reservation(0);
    config.memory_reservation_for_growth(MIB as u64);
    config.memory_guard_size(64 * KIB as u64);
    Engine::new(&config)
}

fn common() -> Config {
    let mut config = Config::new();
    config.wasm_component_model(true);
    // Calls of hooks are synchronous, and the support for concurrent ones makes small calls many times slower.
    config.concurrency_support(false);
    config.epoch_interruption(true);
    // Processors may differ in NaN bits, and a recorded call must give the same result on each.
    config.cranelift_nan_canonicalization(true);
    config.relaxed_simd_deterministic(true);
    config.max_wasm_stack(512 * KIB);
    config.async_stack_size(MIB);
    config
}

/// The bounds of one component fit Python, which has the most parts.
fn pool(limits: &CallLimits) -> PoolingAllocationConfig {
    let calls = limits.calls.saturating_add(limits.calls_for_bodies()).saturating_add(SPARE_CALLS);
    let calls = u32::try_from(calls).unwrap_or(u32::MAX);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(calls)
        .total_stacks(calls)
        .total_core_instances(calls.saturating_mul(20))
        .total_memories(calls.saturating_mul(2))
        .total_tables(calls.saturating_mul(10))
        .max_core_instances_per_component(60)
        .max_memories_per_component(20)
        .max_tables_per_component(20)
        .max_component_instance_size(8 * MIB)
        .max_core_instance_size(8 * MIB)
        .max_memory_size(SLOT_BYTES.max(limits.memory_bytes))
        .table_elements(50_000)
        .max_unused_warm_slots(32)
        .linear_memory_keep_resident(KEPT_BYTES)
        // Finds the written pages if the kernel supports it (Linux 6.7).
        .pagemap_scan(Enabled::Auto)
        .table_keep_resident(64 * KIB);
    pool
}

/// Advances the engine's epoch. A thread of the system, because guests may occupy all threads of the runtime.
pub(crate) fn tick(engine: &Engine, every: Duration) -> std::io::Result<()> {
    let engine = engine.weak();
    let ticker = std::thread::Builder::new().name("plugin-ticker".into());
    ticker.spawn(move || {
        loop {
            std::thread::sleep(every);
            match engine.upgrade() {
                Some(engine) => engine.increment_epoch(),
                None => return,
            }
        }
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_do_not_support_concurrent_calls_of_components() {
        assert!(!on_demand().unwrap().get_concurrency_support());
        assert!(!for_compiling(true).unwrap().get_concurrency_support());
    }
}
