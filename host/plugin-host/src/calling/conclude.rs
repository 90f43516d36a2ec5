//! The end of a call: checks the answer or finds the cause of failure, and builds the trace.

use std::{collections::HashMap, time::Duration};

use wasmtime::{PoolConcurrencyLimitError, Trap, WasmBacktrace, component::ResourceTableError};
use wasmtime_wasi::I32Exit;

use super::{
    call::{CallTrace, PluginOutcome},
    end::{CallEnd, CheckedAnswer},
    guest::GuestState,
    hints::remove_hints,
    limits::ExceededLimit,
    stop::Stop,
    written_file,
};
use crate::{
    error::CallError,
    loading::loader::LoadedPlugin,
    worlds::{Question, answer::AnswerFault},
};

/// The engine's message if `CallLimits::transfer_bytes` is used up. This error has no type of its own.
const TRANSFER_USED_UP: &str = "fuel allocated for hostcalls has been exhausted";

/// Begins the quote of an output in the reason of a trap.
const PRINTED: &str = "; it printed: ";
/// Lines that it quotes.
const QUOTED: usize = 2;

const TRACEBACK: &str = "Traceback (most recent call last):";

/// A function that stands this often among the innermost twenty calls counts as endless recursion.
const CALLS_IN_A_ROW: usize = 5;

/// The time that a call took.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallTime {
    pub(super) duration: Duration,
    /// That of the instance and of the host's work for it.
    pub(super) processor_time: Duration,
}

pub(super) fn conclude<Q: Question>(
    mut guest: GuestState,
    plugin: &LoadedPlugin,
    end: CallEnd<Q::Answer>,
    CallTime { duration, processor_time }: CallTime,
    question: &Q,
) -> Result<CheckedAnswer<Q::Answer>, CallError> {
    let mut trace = CallTrace {
        plugin: plugin.name.clone(),
        version: plugin.version,
        sha256: plugin.program.sha256.clone(),
        duration,
        processor_time,
        peak_memory_bytes: guest.meter.peak_memory_bytes(),
        logs: guest.take_logs(),
        stderr: guest.output.text().text,
        outcome: PluginOutcome::Answered,
        http_requests: guest.outgoing.sent,
        recording: None,
    };
    let mut ended = |outcome| {
        trace.outcome = outcome;
        Box::new(trace.clone())
    };
    let answer = match end {
        CallEnd::TooLate | CallEnd::Recorded => {
            return Err(CallError::TimedOut { after: duration, trace: ended(PluginOutcome::TimedOut) });
        }
        CallEnd::InTime(Ok(Ok(answer))) => answer,
        CallEnd::InTime(Ok(Err(error))) => {
            return Err(CallError::Refused { error, trace: ended(PluginOutcome::Refused) });
        }
        CallEnd::InTime(Err(fault)) => return Err(call_error(fault, &guest, plugin, duration, ended)),
    };
    match question.judge(&answer, &guest.limits) {
        Ok(()) => {
            let files = written_file::set_aside(guest.written_files, &guest.meter);
            let (writes, requests) = (guest.key_values.into_writes(), guest.outgoing.started);
            Ok(CheckedAnswer { answer, writes, requests, files, trace })
        }
        Err(AnswerFault::Limit(which)) => {
            Err(CallError::LimitExceeded { which, trace: ended(PluginOutcome::LimitExceeded) })
        }
        Err(AnswerFault::Rule(reason)) => Err(CallError::BadAnswer { reason, trace: ended(PluginOutcome::BadAnswer) }),
    }
}

fn call_error(
    fault: wasmtime::Error,
    guest: &GuestState,
    plugin: &LoadedPlugin,
    duration: Duration,
    mut ended: impl FnMut(PluginOutcome) -> Box<CallTrace>,
) -> CallError {
    if fault.is::<PoolConcurrencyLimitError>() {
        return CallError::TooBusy { plugin: plugin.name.clone() };
    }
    let fault = match fault.downcast::<Stop>() {
        Ok(Stop::Limit(which)) => {
            return CallError::LimitExceeded { which, trace: ended(PluginOutcome::LimitExceeded) };
        }
        Ok(Stop::Recorded) => return CallError::TimedOut { after: duration, trace: ended(PluginOutcome::TimedOut) },
        Ok(Stop::NoRoom) => return CallError::TooBusy { plugin: plugin.name.clone() },
        Ok(Stop::KeyValues(source)) => {
            return CallError::KeyValues { source, trace: ended(PluginOutcome::KeyValuesUnavailable) };
        }
        Err(fault) => fault,
    };
    let run_into = if format!("{fault:#}").contains(TRANSFER_USED_UP) {
        Some(ExceededLimit::Transfer)
    } else if matches!(fault.downcast_ref(), Some(ResourceTableError::Full)) {
        Some(ExceededLimit::Handles)
    } else {
        // A guest without memory gives up with a trap of its own.
        guest.meter.refusal()
    };
    if let Some(which) = run_into {
        return CallError::LimitExceeded { which, trace: ended(PluginOutcome::LimitExceeded) };
    }
    CallError::Trap { reason: reason(&fault, guest), trace: ended(PluginOutcome::Trapped) }
}

/// Whether a trap comes from a stack overflow: one of the engine's stack, or an access out of bounds with repeated
/// calls of one function, because the second stack is in the component's memory.
fn overflowed_its_stack(fault: &wasmtime::Error, trap: Trap) -> bool {
    match trap {
        Trap::StackOverflow => true,
        Trap::MemoryOutOfBounds => fault.downcast_ref::<WasmBacktrace>().is_some_and(|trace| {
            let mut calls: HashMap<(u32, Option<&str>), usize> = HashMap::new();
            for frame in trace.frames() {
                *calls.entry((frame.func_index(), frame.func_name())).or_default() += 1;
            }
            calls.values().any(|calls| *calls >= CALLS_IN_A_ROW)
        }),
        _ => false,
    }
}

fn reason(fault: &wasmtime::Error, guest: &GuestState) -> String {
    if let Some(exit) = fault.downcast_ref::<I32Exit>() {
        return format!("it called exit({})", exit.0);
    }
    let trap = match fault.downcast_ref::<Trap>() {
        Some(trap) if overflowed_its_stack(fault, *trap) => {
            format!("its stack overflowed: a function calls itself too deeply (the engine says: {trap})")
        }
        Some(trap) => trap.to_string(),
        None => fault.root_cause().to_string(),
    };
    format!("{trap}{}", printed_text(&guest.output.text().text))
}

/// The quoted output of a trap: its first two lines, or a Python exception with its innermost line of code.
pub(super) fn printed_text(output: &str) -> String {
    let output = remove_hints(output);
    if let Some((exception, place)) = exception(&output) {
        let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
        return format!("; it raised {exception}{place}");
    }
    let said: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).take(QUOTED).collect();
    if said.is_empty() { String::new() } else { format!("{PRINTED}{}", said.join(" ")) }
}

/// The lines of an output that the reason of a failed call does not quote. A Python traceback is kept whole, because it
/// says more than its quote.
pub fn unquoted_output(output: &str, reason: &str) -> String {
    let quote = printed_text(output);
    if !quote.starts_with(PRINTED) || !reason.contains(&quote) {
        return output.to_owned();
    }
    let mut quoted = 0;
    let rest = output.lines().filter(|line| {
        let is_quoted = quoted < QUOTED && !line.trim().is_empty();
        quoted += usize::from(is_quoted);
        !is_quoted
    });
    rest.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// The exception of the last Python traceback, and the place where it was raised.
fn exception(output: &str) -> Option<(&str, Option<&str>)> {
    let (_, traceback) = output.rsplit_once(TRACEBACK)?;
    let unindented = |line: &str| !line.is_empty() && !line.starts_with(char::is_whitespace) && !line.starts_with('[');
    let mut place = None;
    for line in traceback.lines().skip(1) {
        if unindented(line) {
            return Some((line.trim(), place));
        }
        let line = line.trim();
        if line.starts_with("File ") {
            place = Some(line);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{printed_text, unquoted_output};

    #[test]
    fn a_trap_repeats_the_first_two_lines_of_the_output() {
        assert_eq!(printed_text(" one \n\ntwo\nthree"), "; it printed: one two");
        assert_eq!(printed_text("\n \n"), "");
    }

    #[test]
    fn lines_that_the_reason_quotes_are_left_out_of_the_output() {
        let output = "\nthread 'main' panicked at src/lib.rs:5:9:\nno order\nafter\n";
        let reason = format!("unreachable{}", printed_text(output));
        assert_eq!(unquoted_output(output, &reason), "after");
        assert_eq!(unquoted_output(output, "it timed out"), output);
        assert_eq!(unquoted_output("one\ntwo\n", "unreachable; it printed: one two"), "");
        assert_eq!(unquoted_output("", "unreachable"), "");
        let traceback = format!("{}\n  File \"main.py\", line 7, in handle\nKeyError: 'order'\n", super::TRACEBACK);
        assert_eq!(unquoted_output(&traceback, &printed_text(&traceback)), traceback);
    }

    #[test]
    fn a_trap_names_the_exception_of_a_python_traceback_and_its_place() {
        let header = "Traceback (most recent call last):";
        let frame = "  File \"main.py\", line 7, in handle\n    total(order)\n";
        let place = " (File \"main.py\", line 7, in handle)";
        let one = format!("{header}\n  File \"bot.py\", line 1, in call\n{frame}KeyError: 'order'\n");
        assert_eq!(printed_text(&one), format!("; it raised KeyError: 'order'{place}"));
        let cut = format!("{header}\n{frame}\n[900 bytes are left out here]\n{frame}ValueError: no\nfurther line\n");
        assert_eq!(printed_text(&cut), format!("; it raised ValueError: no{place}"));
        let chained = format!(
            "{one}\nDuring handling of the above exception, another exception occurred:\n\n{header}\n{frame}OSError: x"
        );
        assert_eq!(printed_text(&chained), format!("; it raised OSError: x{place}"));
        assert_eq!(
            printed_text(&format!("{header}\nSyntaxError: x")),
            "; it raised SyntaxError: x",
            "one without a frame"
        );
        assert_eq!(printed_text(header), format!("; it printed: {header}"), "one without an end");
    }

    #[test]
    fn a_trap_repeats_no_hint_to_set_a_variable() {
        let hint = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n";
        assert_eq!(printed_text(&format!("panicked\n{hint}")), "; it printed: panicked");
    }
}
