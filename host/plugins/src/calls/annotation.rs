//! Facts about a call that have no column: its event, and its consequence for the chat. They are the first and the last
//! line of the stored log. A control character at the beginning distinguishes them from lines of the plugin.

const EVENT: &str = "\u{1e}event ";
const CONSEQUENCE: &str = "\u{1e}then ";

/// The events of a chatbot, by their names in `wit/`.
pub const EVENTS: [&str; 6] = ["message", "conversation-started", "timer", "rating", "agent-released", "custom"];

/// A stored log with its annotations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnnotatedLog {
    /// One of [`EVENTS`]. `None` for other worlds, and for calls of earlier builds.
    pub event: Option<String>,
    /// The consequence for the chat, in words. Only of failed calls.
    pub consequence: Option<String>,
    /// Log lines, then standard error.
    pub lines: Vec<String>,
}

impl AnnotatedLog {
    /// Reads a stored log.
    pub fn read(logs: &str) -> Self {
        let mut read = Self::default();
        for line in logs.lines() {
            if let Some(event) = line.strip_prefix(EVENT) {
                read.event = Some(event.to_owned());
            } else if let Some(consequence) = line.strip_prefix(CONSEQUENCE) {
                read.consequence = Some(consequence.to_owned());
            } else {
                read.lines.push(line.to_owned());
            }
        }
        read
    }
}

/// The first line of the log of a call about this event.
pub fn first_line(event: &str) -> String {
    format!("{EVENT}{event}\n")
}

/// The line of a log for a consequence.
pub(super) fn consequence_line(words: &str) -> String {
    format!("{CONSEQUENCE}{}\n", words.replace(['\n', '\r'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_are_apart_from_the_lines_of_the_plugin() {
        let logs = format!("{}info: event x\nthen y\n{}", first_line("timer"), consequence_line("handed to\npeople"));
        let read = AnnotatedLog::read(&logs);
        assert_eq!((read.event.as_deref(), read.consequence.as_deref()), (Some("timer"), Some("handed to people")));
        assert_eq!(read.lines, ["info: event x", "then y"]);
        assert_eq!(AnnotatedLog::read(""), AnnotatedLog::default());
    }
}
