//! Every limit of a call, in one place.

use std::{fmt, time::Duration};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// What one call, and one client, may use.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of linear memory of one instance, all its memories together, and of the key-values that the host holds for the
    /// call. At most 128 MiB, the size of a pool slot.
    pub memory_bytes: usize,
    /// Bytes that the calls of all clients have together, with 256 KiB of its own for each. Chatbots, routers and fallback
    /// rules share three quarters, webhook shapers have an eighth and shadows another one; the largest call fits into each.
    pub memory_bytes_of_all: usize,
    /// Elements of all tables of one instance.
    pub table_elements: usize,
    /// Time that a call may spend running, in steps of `epoch_tick`.
    pub cpu: Duration,
    /// Time from the start of the instance to the answer, waiting included.
    pub wall_clock: Duration,
    /// How often a running guest is interrupted, so that other work gets its turn.
    pub epoch_tick: Duration,
    /// Processor time that the calls of one client to its uploaded plugins get in a second; what was not used in the last
    /// five seconds may be used at once. The calls of a client that has used it up run when nobody else wants a processor,
    /// one at a time. A call that takes longer than a millisecond goes on on a thread apart, and the next ones of the
    /// client begin there.
    pub prompt_cpu: Duration,
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
    /// HTTP requests that one call may send.
    pub http_requests: u32,
    /// Bytes of the body of one HTTP request.
    pub http_request_bytes: usize,
    /// Bytes of the body of one HTTP response.
    pub http_response_bytes: usize,
    /// Headers of one HTTP request, and of a response.
    pub http_headers: usize,
    /// Bytes of all header names and values of one HTTP request, and of a response.
    pub http_header_bytes: usize,
    /// Longest wait for one HTTP response. The wall clock of the call goes on meanwhile.
    pub http_timeout: Duration,
    /// Calls of uploaded plugins that one client may make in a second. Those beyond it wait, as long as `queue_wait`;
    /// what was not used in the last two seconds may be used at once.
    pub calls_per_second: u32,
    /// Calls of one client that run at once.
    pub calls_per_client: usize,
    /// Calls of one client that wait for a free place.
    pub waiting_per_client: usize,
    /// How long a call waits for a free place.
    pub queue_wait: Duration,
    /// Calls of all clients that are under way at once. Those that wait, and those that take long, have three quarters of
    /// these places, shared evenly among clients. Webhook shapers have a quarter as many places beside them.
    pub calls: usize,
    /// Replays of one client that run beside its live calls, for its shadows. They take no place of those and do not
    /// wait: a client that finds none free goes without.
    pub shadows_per_client: usize,
    /// Bytes of a component.
    pub component_bytes: usize,
    /// Uploaded plugins that are kept ready in memory; what was called longest ago goes first.
    pub loaded_plugins: usize,
    /// Calls that fail one after another before a plugin is suspended for a client. At most 40.
    pub failures_in_a_row: u32,
    /// Percentage of the last 40 calls above which failures suspend a plugin for a client.
    pub failures_percent: u32,
    /// How long a suspended plugin is not called; then one call decides whether it is called again.
    pub suspended_for: Duration,
    /// Processor time for compiling one component, in whole seconds.
    pub compile_cpu: Duration,
    /// Bytes of address space for compiling one component.
    pub compile_memory_bytes: usize,
    /// Time for compiling one component, waiting for a processor included.
    pub compile_wall_clock: Duration,
    /// Uploads that are compiled at once, each of another client.
    pub compile_places: usize,
    /// Uploads that wait for those that are being compiled; one per client.
    pub compile_queue: usize,
    /// Processor time for compiling the uploads of one client in `compile_budget_period`. It comes back evenly; a client
    /// that has used more than that waits until it is made up for.
    pub compile_budget: Duration,
    /// The time in which `compile_budget` comes back.
    pub compile_budget_period: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 96 * MIB,
            memory_bytes_of_all: 1_024 * MIB,
            table_elements: 100_000,
            cpu: Duration::from_secs(1),
            wall_clock: Duration::from_secs(5),
            epoch_tick: Duration::from_millis(2),
            prompt_cpu: Duration::from_millis(50),
            transfer_bytes: 4 * MIB,
            host_calls: 1_000,
            log_bytes: 16 * KIB,
            output_bytes: 16 * KIB,
            handles: 1_000,
            actions: 32,
            body_bytes: 256 * KIB,
            value_bytes: 64 * KIB,
            written_keys: 64,
            http_requests: 8,
            http_request_bytes: 256 * KIB,
            http_response_bytes: MIB,
            http_headers: 64,
            http_header_bytes: 16 * KIB,
            http_timeout: Duration::from_secs(3),
            calls_per_second: 500,
            calls_per_client: 16,
            waiting_per_client: 256,
            queue_wait: Duration::from_secs(2),
            calls: 200,
            shadows_per_client: 4,
            component_bytes: 32 * MIB,
            loaded_plugins: 2_000,
            failures_in_a_row: 10,
            failures_percent: 50,
            suspended_for: Duration::from_secs(30),
            compile_cpu: Duration::from_secs(30),
            compile_memory_bytes: 2_048 * MIB,
            compile_wall_clock: Duration::from_secs(120),
            compile_places: 2,
            compile_queue: 8,
            compile_budget: Duration::from_secs(120),
            compile_budget_period: Duration::from_secs(600),
        }
    }
}

impl Limits {
    /// Calls of webhook shapers that are under way at once.
    pub(crate) fn calls_for_bodies(&self) -> usize {
        (self.calls / 4).max(1)
    }

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
