//! One call: a fresh instance, the question, the limits, the verdict.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::timeout;
use wasmtime::component::ResourceTableError;
use wasmtime::{Engine, PoolConcurrencyLimitError, Store, Trap, UpdateDeadline};
use wasmtime_wasi::I32Exit;

use crate::answer::Fault;
use crate::call::{Call, CallTrace, Outcome};
use crate::error::CallError;
use crate::guest::{Guest, Stop};
use crate::key_values::{KeyValueWrite, KeyValues};
use crate::limits::{Limit, Limits};
use crate::registry::Loaded;
use crate::worlds::{Given, Question};

/// The engine's words when `Limits::transfer_bytes` is used up. It has no type of its own.
const TRANSFER_USED_UP: &str = "fuel allocated for hostcalls has been exhausted";

/// An answer that has passed every check.
pub(crate) struct Answered<A> {
    pub(crate) answer: A,
    pub(crate) writes: Vec<KeyValueWrite>,
    pub(crate) trace: CallTrace,
}

/// How the call ended, seen from the outside of the instance.
enum End<A> {
    InTime(Given<A>),
    TooLate,
}

/// Puts a question to a fresh instance of a plugin.
pub(crate) async fn run<Q: Question>(
    engine: &Engine,
    limits: &Arc<Limits>,
    plugin: &Loaded,
    call: &Call<'_>,
    key_values: KeyValues,
    question: &Q,
) -> Result<Answered<Q::Answer>, CallError> {
    let started = Instant::now();
    let mut store = prepare(engine, Guest::new(call, limits, key_values));
    let end = match timeout(limits.wall_clock, question.ask(&plugin.program.linked, &mut store)).await {
        Ok(Some(given)) => End::InTime(given),
        Ok(None) => {
            let (expected, found) = (Q::WORLD, plugin.program.linked.world());
            return Err(CallError::WrongWorld { plugin: call.plugin.to_owned(), expected, found });
        }
        Err(_) => End::TooLate,
    };
    let duration = started.elapsed();
    let result = conclude(store.into_data(), plugin, end, duration, question);
    let outcome = match &result {
        Ok(_) => Outcome::Answered.as_str(),
        Err(error) => error.trace().map_or("too-busy", |trace| trace.outcome.as_str()),
    };
    metrics::counter!("patchbay_plugin_calls_total", "world" => Q::WORLD.as_str(), "outcome" => outcome).increment(1);
    metrics::histogram!("patchbay_plugin_call_seconds", "world" => Q::WORLD.as_str()).record(duration.as_secs_f64());
    result
}

fn prepare(engine: &Engine, guest: Guest) -> Store<Guest> {
    let (transfer_bytes, most_ticks) = (guest.limits.transfer_bytes, guest.limits.cpu_ticks());
    let mut store = Store::new(engine, guest);
    store.limiter(|guest| &mut guest.meter);
    store.set_hostcall_fuel(transfer_bytes);
    // Yields at every tick: other tasks get their turn, and the timeout around the call gets a chance to fire.
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(move |mut store| {
        let guest = store.data_mut();
        guest.ticks += 1;
        if guest.ticks > most_ticks {
            return Err(wasmtime::Error::new(Stop::Limit(Limit::Cpu)));
        }
        Ok(UpdateDeadline::Yield(1))
    });
    store
}

fn conclude<Q: Question>(
    mut guest: Guest,
    plugin: &Loaded,
    end: End<Q::Answer>,
    duration: Duration,
    question: &Q,
) -> Result<Answered<Q::Answer>, CallError> {
    let stderr = guest.output.text();
    let mut trace = CallTrace {
        plugin: plugin.name.clone(),
        version: plugin.version,
        sha256: plugin.program.sha256.clone(),
        duration,
        peak_memory_bytes: guest.meter.peak_memory_bytes(),
        logs: guest.take_logs(),
        stderr,
        outcome: Outcome::Answered,
    };
    let mut ended = |outcome| {
        trace.outcome = outcome;
        Box::new(trace.clone())
    };
    let answer = match end {
        End::TooLate => return Err(CallError::TimedOut { after: duration, trace: ended(Outcome::TimedOut) }),
        End::InTime(Ok(Ok(answer))) => answer,
        End::InTime(Ok(Err(error))) => return Err(CallError::Refused { error, trace: ended(Outcome::Refused) }),
        End::InTime(Err(fault)) => return Err(diagnose(fault, &guest, plugin, ended)),
    };
    match question.judge(&answer, &guest.limits) {
        Ok(()) => Ok(Answered { answer, writes: guest.key_values.into_writes(), trace }),
        Err(Fault::Limit(which)) => Err(CallError::LimitExceeded { which, trace: ended(Outcome::LimitExceeded) }),
        Err(Fault::Rule(reason)) => Err(CallError::BadAnswer { reason, trace: ended(Outcome::BadAnswer) }),
    }
}

/// What made an instance stop.
fn diagnose(
    fault: wasmtime::Error,
    guest: &Guest,
    plugin: &Loaded,
    mut ended: impl FnMut(Outcome) -> Box<CallTrace>,
) -> CallError {
    if fault.is::<PoolConcurrencyLimitError>() {
        return CallError::TooBusy { plugin: plugin.name.clone() };
    }
    let fault = match fault.downcast::<Stop>() {
        Ok(Stop::Limit(which)) => {
            return CallError::LimitExceeded { which, trace: ended(Outcome::LimitExceeded) };
        }
        Ok(Stop::KeyValues(source)) => {
            return CallError::KeyValues { source, trace: ended(Outcome::KeyValuesUnavailable) };
        }
        Err(fault) => fault,
    };
    let run_into = if format!("{fault:#}").contains(TRANSFER_USED_UP) {
        Some(Limit::Transfer)
    } else if matches!(fault.downcast_ref(), Some(ResourceTableError::Full)) {
        Some(Limit::Handles)
    } else {
        // A guest that gets no more memory gives up with a trap of its own.
        guest.meter.refused()
    };
    if let Some(which) = run_into {
        return CallError::LimitExceeded { which, trace: ended(Outcome::LimitExceeded) };
    }
    CallError::Trap { reason: reason(&fault, guest), trace: ended(Outcome::Trapped) }
}

fn reason(fault: &wasmtime::Error, guest: &Guest) -> String {
    if let Some(exit) = fault.downcast_ref::<I32Exit>() {
        return format!("it called exit({})", exit.0);
    }
    let said = guest.output.text();
    let said = said.lines().map(str::trim).filter(|line| !line.is_empty()).take(2).collect::<Vec<_>>().join(" ");
    let trap = match fault.downcast_ref::<Trap>() {
        Some(trap) => trap.to_string(),
        None => fault.root_cause().to_string(),
    };
    if said.is_empty() { trap } else { format!("{trap}; it printed: {said}") }
}
