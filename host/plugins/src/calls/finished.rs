//! What a call leaves behind.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use plugin_host::{CallError, Recording};
use storage::plugins::invocations::Invocation;
use uuid::Uuid;

use super::{Answering, Traced, trace};

/// What calls are about.
#[derive(Debug, Clone)]
pub struct CallSubject {
    /// A participant, a message or a delivery.
    pub subject: Uuid,
    /// Names the event; the same in every repetition.
    pub turn: String,
    /// Where the plugin's randomness begins; the same in every repetition.
    pub seed: u64,
}

impl CallSubject {
    /// Calls about an event of `subject`.
    pub fn event(event: Uuid, subject: Uuid) -> Self {
        Self { subject, turn: event.to_string(), seed: event.as_u64_pair().1 }
    }
}

/// A call that was made, until it is kept.
#[derive(Debug)]
pub struct FinishedCall {
    pub(super) answering: Arc<Answering>,
    pub(super) invocation: Invocation,
    pub(super) recording: Option<Arc<Recording>>,
    /// The recording is wanted by people, not only by the shadow.
    pub(super) is_recorded: bool,
    pub(super) failed: bool,
    /// It was not even asked, and will not be for a while.
    pub(super) hopeless: bool,
    /// That is because it is suspended, which is kept elsewhere.
    suspended: bool,
}

impl FinishedCall {
    /// What is known of a call once it has ended. `now`: the moment that it was made at.
    pub fn of<Answer: Traced>(
        (answering, about): (&Arc<Answering>, &CallSubject),
        outcome: &Result<Answer, CallError>,
        now: DateTime<Utc>,
    ) -> Self {
        let traced = match outcome {
            Ok(answer) => Some(answer.trace()),
            Err(error) => error.trace(),
        };
        let error = outcome.as_ref().err();
        Self {
            // It gets its id when it is kept.
            invocation: trace::invocation(Uuid::nil(), answering, traced, error, about.subject),
            recording: traced.and_then(|trace| trace.recording.as_deref()).cloned().map(Arc::new),
            is_recorded: answering.recording.as_ref().is_some_and(|terms| terms.take(now, about.seed)),
            failed: error.is_some_and(trace::is_the_plugins_fault),
            hopeless: error.is_some_and(trace::is_hopeless),
            suspended: matches!(error, Some(CallError::Suspended { .. })),
            answering: Arc::clone(answering),
        }
    }

    /// The answer turned out to be of no use, for this reason.
    pub fn spoiled(mut self, reason: &str) -> Self {
        "bad-answer".clone_into(&mut self.invocation.outcome);
        self.invocation.error = Some(trace::storable(reason, trace::ERROR_LENGTH));
        self.failed = true;
        self
    }

    /// Adds a line to what the call logged: something that its author should know.
    pub fn remark(&mut self, line: &str) {
        let logs = &mut self.invocation.logs;
        if !logs.is_empty() && !logs.ends_with('\n') {
            logs.push('\n');
        }
        logs.push_str(&trace::storable(&format!("warn: {line}\n"), usize::MAX));
    }

    /// How long the call took, in microseconds.
    pub fn micros(&self) -> u64 {
        self.invocation.duration_micros.unsigned_abs()
    }

    /// How it ended, in one word.
    pub fn outcome(&self) -> &str {
        &self.invocation.outcome
    }

    /// What will be kept of it.
    pub fn invocation(&self) -> &Invocation {
        &self.invocation
    }

    /// A call that went well and never was: for tests of those who make calls.
    #[doc(hidden)]
    pub fn sample(plugin: &str) -> Self {
        let answering = Arc::new(Answering::built_in(plugin_host::World::Chatbot, plugin));
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

    /// Whether there is something to keep or to do: all but the many calls of built-in plugins that went well, and those
    /// that were not even made because the plugin is suspended.
    pub fn matters(&self) -> bool {
        let answering = &self.answering;
        let of_client = answering.activation.is_some() || answering.shadow.is_some();
        if self.suspended { answering.is_canary() } else { of_client || self.failed || self.invocation.error.is_some() }
    }
}
