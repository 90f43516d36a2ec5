//! The state of one instance: inputs, usage and records.

use std::sync::Arc;

use tokio::time::Instant;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use super::{
    clock::GuestClock,
    file_part::CALL_BYTES,
    host_calls::HostCalls,
    key_values::KeyValues,
    limits::{CallLimits, ExceededLimit},
    log_line::LogLine,
    meter::Meter,
    outgoing_http::OutgoingRequests,
    output::{Gaps, OutputSink, PrintedText},
    stop::Stop,
    written_file::WrittenFile,
};
use crate::{LogLevel, PluginCall, fairness::room::MemoryBudget};

/// Divisor of the log limit: the last line gets at least this share, in addition to the limit.
const LAST_LOG_SHARE: usize = 4;

const RANDOM_BYTES: u64 = 64 << 10;

pub(crate) struct GuestState {
    pub(crate) limits: Arc<CallLimits>,
    pub(crate) meter: Meter,
    pub(crate) output: OutputSink,
    pub(crate) key_values: KeyValues,
    pub(crate) outgoing: OutgoingRequests,
    pub(crate) config: String,
    /// Bytes of files that the call may still read.
    pub(crate) file_room: u32,
    pub(crate) written_files: Vec<WrittenFile>,
    logs: Vec<LogLine>,
    log_room: usize,
    /// The last line that did not fit.
    last_log: Option<LogLine>,
    logs_dropped: u64,
    recorded: bool,
    pub(crate) host_calls: u32,
    /// Number of host calls after which the guest is stopped, because the recorded call ended there.
    pub(crate) stop_after: Option<u32>,
    pub(crate) ticks: u64,
    pub(crate) clock: GuestClock,
    pub(crate) table: ResourceTable,
    wasi: WasiCtx,
}

impl GuestState {
    pub(crate) fn new(
        call: &PluginCall<'_>,
        limits: &Arc<CallLimits>,
        outside: HostCalls,
        room: Arc<dyn MemoryBudget>,
        sleeps: bool,
    ) -> Self {
        let clock = GuestClock::new(call.now, sleeps);
        let output = OutputSink::new(limits.output_bytes);
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles);
        Self {
            meter: Meter::new(limits, room),
            wasi: wasi_context(call, &clock, &output),
            key_values: KeyValues::new(outside.key_values),
            outgoing: OutgoingRequests {
                client: call.client,
                turn: call.turn.to_owned(),
                allowed: call.allowed_hosts.to_vec(),
                sender: outside.http,
                end: Instant::now() + limits.wall_clock,
                sent: 0,
                started: Vec::new(),
            },
            config: call.config.to_owned(),
            file_room: CALL_BYTES,
            written_files: Vec::new(),
            logs: Vec::new(),
            log_room: limits.log_bytes,
            last_log: None,
            logs_dropped: 0,
            recorded: call.record,
            host_calls: 0,
            stop_after: None,
            ticks: 0,
            clock,
            table,
            output,
            limits: Arc::clone(limits),
        }
    }

    pub(crate) fn count_host_call(&mut self) -> wasmtime::Result<()> {
        if self.stop_after.is_some_and(|most| self.host_calls >= most) {
            return Err(wasmtime::Error::new(Stop::Recorded));
        }
        self.host_calls += 1;
        if self.host_calls > self.limits.host_calls {
            return Err(wasmtime::Error::new(Stop::Limit(ExceededLimit::HostCalls)));
        }
        Ok(())
    }

    /// Counts the key-values and files that the host holds as memory of the call.
    pub(crate) fn count_held(&mut self) -> wasmtime::Result<()> {
        let files: usize = self.written_files.iter().map(|file| file.bytes.len()).sum();
        self.meter.hold(self.key_values.held_bytes() + files).map_err(wasmtime::Error::new)
    }

    pub(crate) fn count_recorded(&mut self, bytes: usize) -> wasmtime::Result<()> {
        if self.recorded { self.meter.write_down(bytes).map_err(wasmtime::Error::new) } else { Ok(()) }
    }

    pub(crate) fn keep_log(&mut self, level: LogLevel, message: String) {
        match self.log_room.checked_sub(message.len()) {
            Some(room) => {
                self.log_room = room;
                self.logs.push(LogLine { level, message });
            }
            None => {
                self.last_log = Some(LogLine { level, message });
                self.logs_dropped += 1;
            }
        }
    }

    /// The beginning and the end of the last line that did not fit. The end holds the reason of a failure.
    fn last_log(&self) -> Option<(LogLevel, PrintedText)> {
        let LogLine { level, message } = self.last_log.as_ref()?;
        let room = self.log_room.max(self.limits.log_bytes / LAST_LOG_SHARE);
        Some((*level, PrintedText::of(message, room)))
    }

    pub(crate) fn gaps(&self) -> Gaps {
        Gaps { output: self.output.text().gap, last_log: self.last_log().and_then(|(_, last)| last.gap) }
    }

    pub(crate) fn has_flooded(&self) -> bool {
        self.logs_dropped > 0 || self.output.is_cut()
    }

    pub(crate) fn take_logs(&mut self) -> Vec<LogLine> {
        let mut logs = std::mem::take(&mut self.logs);
        if self.logs_dropped > 1 {
            let message = format!("[lines were dropped: a call may log {} bytes]", self.limits.log_bytes);
            logs.push(LogLine { level: LogLevel::Warn, message });
        }
        logs.extend(self.last_log().map(|(level, last)| LogLine { level, message: last.text }));
        logs
    }
}

impl WasiView for GuestState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

/// A WASI context that grants nothing. Clocks and random numbers come from the call.
fn wasi_context(call: &PluginCall<'_>, clock: &GuestClock, output: &OutputSink) -> WasiCtx {
    let mut wasi = WasiCtx::builder();
    wasi.stdout(output.clone());
    wasi.stderr(output.clone());
    wasi.wall_clock(clock.clone());
    wasi.monotonic_clock(clock.clone());
    call.seed.give_numbers(&mut wasi);
    wasi.max_random_size(RANDOM_BYTES);
    wasi.build()
}
