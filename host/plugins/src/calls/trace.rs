//! The trace of every plugin call (DESIGN 4).

use base::FileStoreFailed;
use plugin_host::{
    CallError, CallTrace, ChatbotOutcome, ExceededLimit, FallbackOutcome, KeyValueError, PluginOutcome, RouterOutcome,
};
use storage::plugins::invocations::Invocation;
use uuid::Uuid;

use super::AnsweringVersion;

/// Longest stored error text, in characters.
pub(super) const ERROR_LENGTH: usize = 2_000;

pub const NOT_STARTED: &str = "not-started";

/// The events of a chatbot, by their names in `wit/`.
pub const EVENTS: [&str; 7] =
    ["message", "conversation-started", "timer", "rating", "agent-released", "http-finished", "custom"];

pub fn outcomes() -> impl Iterator<Item = &'static str> + Clone {
    PluginOutcome::ALL.into_iter().map(PluginOutcome::as_str).chain([NOT_STARTED])
}

/// An answer with a trace.
pub trait TraceSource {
    fn trace(&self) -> &CallTrace;
}

impl<Answer> TraceSource for (Answer, CallTrace) {
    fn trace(&self) -> &CallTrace {
        &self.1
    }
}

impl TraceSource for ChatbotOutcome {
    fn trace(&self) -> &CallTrace {
        &self.trace
    }
}

impl TraceSource for FallbackOutcome {
    fn trace(&self) -> &CallTrace {
        &self.trace
    }
}

impl TraceSource for RouterOutcome {
    fn trace(&self) -> &CallTrace {
        &self.trace
    }
}

/// The row of a call. Without a trace the call never began.
pub(super) fn invocation(
    id: Uuid,
    answering: &AnsweringVersion,
    trace: Option<&CallTrace>,
    error: Option<&CallError>,
    subject: Uuid,
) -> Invocation {
    let error = error.map(|error| storable(&error.to_string(), ERROR_LENGTH));
    let version = answering.version().map(|version| version.to_string());
    let world = answering.world.as_str().to_owned();
    let mode = answering.mode().as_str().to_owned();
    let (plugin, activation) = (answering.name().to_owned(), answering.activation);
    let subject = Some(subject);
    let Some(trace) = trace else {
        return Invocation {
            id,
            plugin,
            version: version.unwrap_or_default(),
            world,
            outcome: NOT_STARTED.to_owned(),
            duration_micros: 0,
            peak_memory_bytes: 0,
            logs: String::new(),
            error,
            event: None,
            consequence: None,
            subject,
            activation,
            mode,
        };
    };
    Invocation {
        id,
        plugin,
        version: version.unwrap_or_else(|| trace.version.to_string()),
        world,
        outcome: trace.outcome.as_str().to_owned(),
        duration_micros: i64::try_from(trace.duration.as_micros()).unwrap_or(i64::MAX),
        peak_memory_bytes: i64::try_from(trace.peak_memory_bytes).unwrap_or(i64::MAX),
        logs: logs_of(trace),
        error,
        event: None,
        consequence: None,
        subject,
        activation,
        mode,
    }
}

/// Whether a failure is a fault of the plugin, not of this host.
pub(super) fn is_the_plugins_fault(error: &CallError) -> bool {
    !matches!(error, CallError::KeyValues { .. }) && error.trace().is_some()
}

/// Whether the plugin was not called and will not be for a while: it is suspended, or cannot be called at all.
pub(super) fn is_uncallable(error: &CallError) -> bool {
    matches!(
        error,
        CallError::Suspended { .. }
            | CallError::NotFound { .. }
            | CallError::Unloadable { .. }
            | CallError::WrongWorld { .. }
    )
}

/// Whether the same call would fail in the same way, so that a repetition is useless.
pub fn is_final(error: &CallError) -> bool {
    match error {
        // The plugin itself decides.
        CallError::Refused { error, .. } => !error.retry,
        CallError::BadAnswer { .. }
        | CallError::LimitExceeded { which: ExceededLimit::Actions | ExceededLimit::Body, .. } => true,
        // It has failed too often already.
        CallError::Suspended { .. } => true,
        CallError::NotFound { .. }
        | CallError::Unloadable { .. }
        | CallError::WrongWorld { .. }
        | CallError::BadRecording { .. } => true,
        CallError::Unavailable { .. }
        | CallError::TooBusy { .. }
        | CallError::Trap { .. }
        | CallError::TimedOut { .. }
        | CallError::LimitExceeded { .. }
        | CallError::KeyValues { .. } => false,
    }
}

/// Whether a call failed or could not be made because of this host: it has no room, or its database fails.
pub fn is_of_the_host(error: &CallError) -> bool {
    match error {
        CallError::TooBusy { .. } => true,
        CallError::Unavailable { unread, .. } => *unread,
        CallError::KeyValues { source, .. } => {
            source.0.downcast_ref::<storage::Error>().is_some_and(storage::Error::is_outage)
        }
        _ => false,
    }
}

/// The failure of the store of files that made a call fail. Another error is returned as it is.
pub fn file_store_failure(error: CallError) -> Result<FileStoreFailed, CallError> {
    match error {
        CallError::KeyValues { source, trace } => match source.0.downcast::<FileStoreFailed>() {
            Ok(failed) => Ok(*failed),
            Err(source) => Err(CallError::KeyValues { source: KeyValueError(source), trace }),
        },
        error => Err(error),
    }
}

/// The kind of failure, for logs. The plugin's own text is in its trace, because it may repeat text of a customer.
pub fn kind_of(error: &CallError) -> &'static str {
    error.trace().map_or(NOT_STARTED, |trace| trace.outcome.as_str())
}

/// Log lines, one each, then the standard error output. The host has limited both.
fn logs_of(trace: &CallTrace) -> String {
    let mut text = String::new();
    for line in &trace.logs {
        text.push_str(&format!("{}: {}\n", line.level_name(), line.message));
    }
    text.push_str(&trace.printed());
    storable(&text, usize::MAX)
}

const OMISSION_MARK: &str = "\n[...]\n";

/// A text of at most `most` characters that PostgreSQL can store. A longer text keeps its beginning and its end, which
/// holds the reason of a failure. A guest may print characters that PostgreSQL cannot store.
pub(super) fn storable(text: &str, most: usize) -> String {
    let plain = |character| if character == '\0' { '\u{fffd}' } else { character };
    let length = text.chars().count();
    if length <= most {
        return text.chars().map(plain).collect();
    }
    let last = most.saturating_sub(OMISSION_MARK.len()) / 2;
    let first = most.saturating_sub(OMISSION_MARK.len()).saturating_sub(last);
    let ends = text.chars().skip(length.saturating_sub(last));
    text.chars().take(first).chain(OMISSION_MARK.chars()).chain(ends).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::storable;

    #[test]
    fn a_long_text_keeps_its_beginning_and_its_last_line() {
        let frames = "  File \"main.py\", line 1, in walk\n".repeat(500);
        let kept = storable(&format!("Traceback (most recent call last):\n{frames}KeyError: 'é'"), 2_000);
        assert_eq!(kept.chars().count(), 2_000);
        assert!(kept.starts_with("Traceback (most") && kept.ends_with("\nKeyError: 'é'"), "{kept}");
        assert!(kept.contains("\n[...]\n"));
    }

    #[test]
    fn a_text_that_fits_stays_as_it_is_but_for_nul_characters() {
        assert_eq!(storable("a\0é", 3), "a\u{fffd}é");
        assert_eq!(storable(&"a".repeat(2_000), 2_000), "a".repeat(2_000));
    }
}
