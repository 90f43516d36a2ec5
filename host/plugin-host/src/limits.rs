//! Every limit of a call, in one place.

use std::{fmt, time::Duration};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// What one call, and one client, may use.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of linear memory of one instance, all its memories together. At most 128 MiB, the size of a pool slot.
    pub memory_bytes: usize,
    /// Elements of all tables of one instance.
    pub table_elements: usize,
    /// Time that a call may spend running, in steps of `epoch_tick`.
    pub cpu: Duration,
    /// Time from the start of the instance to the answer, waiting included.
    pub wall_clock: Duration,
    /// How often a running guest is interrupted, so that other work gets its turn.
    pub epoch_tick: Duration,
    /// Bytes that cross from guest to host in one transfer: the arguments of an import, or the answer.
    pub transfer_bytes: usize,
    /// Calls of `log`, `kv`, `config` and `http`.
    pub host_calls: u32,
    /// Bytes of log lines that are kept; the rest is dropped, and the trace says so.
    pub log_bytes: usize,
    /// Bytes of standard output and standard error that are kept, both together; the rest is dropped.
    pub output_bytes: usize,
    /// Handles to WASI resources that are open at once; what a guest can wait for takes two.
    pub handles: usize,
    /// Actions in one answer of a chatbot.
    pub actions: usize,
    /// Bytes of one webhook body.
    pub body_bytes: usize,
    /// Bytes of one key-value value.
    pub value_bytes: usize,
    /// Different keys written by one call.
    pub written_keys: usize,
    /// Calls of one client that run at once.
    pub calls_per_client: usize,
    /// Calls of one client that wait for a free place.
    pub waiting_per_client: usize,
    /// How long a call waits for a free place.
    pub queue_wait: Duration,
    /// Calls of all clients that run at once; also the size of the pool of instances.
    pub calls: usize,
    /// Bytes of a component.
    pub component_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 96 * MIB,
            table_elements: 100_000,
            cpu: Duration::from_secs(1),
            wall_clock: Duration::from_secs(5),
            epoch_tick: Duration::from_millis(10),
            transfer_bytes: 4 * MIB,
            host_calls: 1_000,
            log_bytes: 16 * KIB,
            output_bytes: 16 * KIB,
            handles: 1_000,
            actions: 32,
            body_bytes: 256 * KIB,
            value_bytes: 64 * KIB,
            written_keys: 64,
            calls_per_client: 16,
            waiting_per_client: 256,
            queue_wait: Duration::from_secs(2),
            calls: 200,
            component_bytes: 32 * MIB,
        }
    }
}

impl Limits {
    /// Interruptions after which the time of `cpu` is used up.
    pub(crate) fn cpu_ticks(&self) -> u64 {
        let ticks = self.cpu.as_nanos().div_ceil(self.epoch_tick.as_nanos().max(1));
        u64::try_from(ticks).unwrap_or(u64::MAX)
    }
}

/// A limit that a call went beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// [`Limits::memory_bytes`].
    Memory,
    /// [`Limits::table_elements`].
    Tables,
    /// [`Limits::cpu`].
    Cpu,
    /// [`Limits::transfer_bytes`].
    Transfer,
    /// [`Limits::handles`].
    Handles,
    /// [`Limits::host_calls`].
    HostCalls,
    /// [`Limits::actions`].
    Actions,
    /// [`Limits::body_bytes`].
    Body,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "memory",
            Self::Tables => "table elements",
            Self::Cpu => "processor time",
            Self::Transfer => "bytes handed to the host at once",
            Self::Handles => "open handles",
            Self::HostCalls => "calls of host functions",
            Self::Actions => "actions in one answer",
            Self::Body => "bytes of a webhook body",
        })
    }
}
