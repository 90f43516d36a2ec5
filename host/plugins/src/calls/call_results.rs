//! The results of a finished call.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use base::traces::{self, SpanKind};
use chrono::{DateTime, Utc};
use plugin_host::{CallError, Recording};
use storage::plugins::invocations::Invocation;
use uuid::Uuid;

use super::{AnsweringVersion, TraceSource, subject::CallSubject, trace};

#[derive(Debug)]
pub struct FinishedCall {
    pub(super) answering: Arc<AnsweringVersion>,
    pub(super) invocation: Invocation,
    pub(super) recording: Option<Arc<Recording>>,
    /// Whether the client asked for the recording, not only the shadow.
    pub(super) is_recorded: bool,
    pub(super) failed: bool,
    /// The call was not made, and later calls will not be made for a while either.
    pub(super) hopeless: bool,
    /// The plugin is suspended. The suspension itself is recorded elsewhere.
    suspended: bool,
}

/// Reports the span of a call that has just ended. It is below the turn that made it, if there is one, otherwise in the
/// trace of its subject.
fn report(answering: &AnsweringVersion, about: &CallSubject, took: Option<Duration>, error: Option<&CallError>) {
    let Some(span) = traces::below_current(about.subject, SpanKind::Internal) else { return };
    let began = took.and_then(|took| Instant::now().checked_sub(took));
    let span = match began {
        Some(began) => span.since(began),
        None => span,
    };
    span.with("patchbay.plugin", answering.name().to_owned())
        .with("patchbay.plugin.version", answering.version().map_or(0, i64::from))
        .with("patchbay.world", answering.world.as_str())
        .with("patchbay.subject.id", about.subject)
        .with("patchbay.outcome", error.map_or("ok", trace::kind_of))
        .failed(error.is_some())
        .end("plugin call");
}

impl FinishedCall {
    /// The result of an ended call. `now` is the time of the call.
    pub fn of<Answer: TraceSource>(
        answering: &Arc<AnsweringVersion>,
        about: &CallSubject,
        outcome: &Result<Answer, CallError>,
        now: DateTime<Utc>,
    ) -> Self {
        let traced = match outcome {
            Ok(answer) => Some(answer.trace()),
            Err(error) => error.trace(),
        };
        let error = outcome.as_ref().err();
        report(answering, about, traced.map(|trace| trace.duration), error);
        Self {
            // The id is assigned when the call is stored.
            invocation: trace::invocation(Uuid::nil(), answering, traced, error, about.subject),
            recording: traced.and_then(|trace| trace.recording.as_deref()).cloned().map(Arc::new),
            is_recorded: answering.recording.as_ref().is_some_and(|terms| terms.take(now, about.chance)),
            failed: error.is_some_and(trace::is_the_plugins_fault),
            hopeless: error.is_some_and(trace::is_uncallable),
            suspended: matches!(error, Some(CallError::Suspended { .. })),
            answering: Arc::clone(answering),
        }
    }

    /// Marks the answer as unusable, for this reason.
    pub fn mark_unusable(mut self, reason: &str) -> Self {
        "bad-answer".clone_into(&mut self.invocation.outcome);
        self.invocation.error = Some(trace::storable(reason, trace::ERROR_LENGTH));
        self.failed = true;
        self
    }

    /// Adds a line to the log of the call, for the author of the plugin.
    pub fn add_log_line(&mut self, line: &str) {
        let logs = &mut self.invocation.logs;
        if !logs.is_empty() && !logs.ends_with('\n') {
            logs.push('\n');
        }
        let line = line.replace(['\n', '\r'], " ");
        logs.push_str(&trace::storable(&format!("warn: {line}\n"), usize::MAX));
    }

    /// Names the event of the call, one of [`trace::EVENTS`], so that lists can be filtered by it.
    pub fn name_event(&mut self, event: &str) {
        self.invocation.event = Some(event.to_owned());
    }

    /// States the consequence of a failed call for its chat, in words.
    pub fn state_consequence(&mut self, words: &str) {
        let line = words.replace(['\n', '\r'], " ");
        self.invocation.consequence = Some(trace::storable(&line, usize::MAX));
    }

    pub fn micros(&self) -> u64 {
        self.invocation.duration_micros.unsigned_abs()
    }

    pub fn outcome(&self) -> &str {
        &self.invocation.outcome
    }

    pub fn invocation(&self) -> &Invocation {
        &self.invocation
    }

    /// A successful call that was never made, for tests of callers.
    #[doc(hidden)]
    pub fn sample(plugin: &str) -> Self {
        let answering = Arc::new(AnsweringVersion::built_in(plugin_host::World::Chatbot, plugin));
        Self {
            invocation: trace::invocation(Uuid::nil(), &answering, None, None, Uuid::nil()),
            recording: None,
            is_recorded: false,
            failed: false,
            hopeless: false,
            suspended: false,
            answering,
        }
    }

    /// Whether there is something to store or to do. False for successful calls of built-in plugins, which are many,
    /// and for calls that were not made because the plugin is suspended.
    pub fn matters(&self) -> bool {
        let answering = &self.answering;
        let of_client = answering.activation.is_some() || answering.shadow.is_some();
        if self.suspended { answering.is_canary() } else { of_client || self.failed || self.invocation.error.is_some() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_the_host_adds_to_a_log_is_one_line() {
        let mut call = FinishedCall::sample("bot");
        call.add_log_line("left out\nerror: forged\r");
        assert_eq!(call.invocation().logs, "warn: left out error: forged \n");
    }
}
