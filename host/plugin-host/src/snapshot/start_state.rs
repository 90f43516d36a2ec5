//! The surroundings of an initialisation: a clock that stands still, one seed, and a record of what is read.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use rand_core::TryRng;
use sha2::{Digest as _, Sha256};
use wasmtime::{StoreLimits, StoreLimitsBuilder, component::ResourceTable};
use wasmtime_wasi::{HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxView, WasiView};

use super::refusal::SnapshotRefusal;
use crate::calling::{limits::CallLimits, output::OutputSink};

/// Bytes of the seed that the runtime of Go reads first.
const SEED_BYTES: usize = 32;

pub(super) struct StartState {
    pub(super) limits: StoreLimits,
    pub(super) output: OutputSink,
    table: ResourceTable,
    wasi: WasiCtx,
}

impl StartState {
    pub(super) fn new(component: &[u8], limits: &CallLimits, reads: &Arc<StartReads>) -> Self {
        let output = OutputSink::new(limits.output_bytes);
        let mut wasi = WasiCtx::builder();
        wasi.stdout(output.clone()).stderr(output.clone());
        wasi.wall_clock(StandingClock(Arc::clone(reads))).monotonic_clock(StandingClock(Arc::clone(reads)));
        wasi.secure_random(BuildSeed::of(component, reads)).insecure_random(BuildSeed::of(component, reads));
        Self {
            limits: StoreLimitsBuilder::new().memory_size(limits.memory_bytes).build(),
            output,
            table: ResourceTable::new(),
            wasi: wasi.build(),
        }
    }
}

impl WasiView for StartState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

/// The readings of an initialisation that would differ between calls.
#[derive(Debug, Default)]
pub(super) struct StartReads {
    time: AtomicBool,
    random_bytes: AtomicUsize,
}

impl StartReads {
    /// The first random bytes are the seed of the runtime, which gets another in each call.
    pub(super) fn judge(&self) -> Result<(), SnapshotRefusal> {
        if self.time.load(Ordering::Relaxed) {
            return Err(SnapshotRefusal::Time);
        }
        match self.random_bytes.load(Ordering::Relaxed) {
            0..=SEED_BYTES => Ok(()),
            _ => Err(SnapshotRefusal::Randomness("import `wasi:random/random#get-random-bytes`".to_owned())),
        }
    }
}

struct StandingClock(Arc<StartReads>);

impl HostWallClock for StandingClock {
    fn resolution(&self) -> Duration {
        Duration::from_micros(1)
    }

    fn now(&self) -> Duration {
        self.0.time.store(true, Ordering::Relaxed);
        Duration::ZERO
    }
}

impl HostMonotonicClock for StandingClock {
    fn resolution(&self) -> u64 {
        1
    }

    /// Earlier than any reading in a call. Zero would be an error to the runtime of Go.
    fn now(&self) -> u64 {
        1
    }
}

/// Bytes that follow from the component, so that the same sources give the same snapshot.
struct BuildSeed {
    state: [u8; 32],
    reads: Arc<StartReads>,
}

impl BuildSeed {
    fn of(component: &[u8], reads: &Arc<StartReads>) -> Self {
        Self { state: Sha256::digest(component).into(), reads: Arc::clone(reads) }
    }

    fn fill(&mut self, into: &mut [u8]) {
        for chunk in into.chunks_mut(self.state.len()) {
            self.state = Sha256::digest(self.state).into();
            for (byte, random) in chunk.iter_mut().zip(self.state) {
                *byte = random;
            }
        }
    }
}

impl TryRng for BuildSeed {
    type Error = Infallible;

    /// Every byte of `get-random-bytes` is drawn in this way.
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.reads.random_bytes.fetch_add(1, Ordering::Relaxed);
        self.fill(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes).map(|()| u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, into: &mut [u8]) -> Result<(), Infallible> {
        self.reads.random_bytes.fetch_add(into.len(), Ordering::Relaxed);
        self.fill(into);
        Ok(())
    }
}
