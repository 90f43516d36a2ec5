//! `patchbay plugin test --from-recording`: makes a test file from recorded calls. A chat that was recorded from its
//! start becomes a conversation with steps. Other calls become cases. Personal data is replaced ([`privacy`]).

mod call_result;
mod cases;
mod conversation;
mod environment;
mod error;
mod moments;
mod privacy;
mod started_requests;

use crate::server::RecordedCall;
use call_result::ReadCall;
use privacy::Replacements;

pub use error::RecordedTestError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedTest {
    pub text: String,
    pub calls: usize,
    /// Whether it is a conversation with steps. Otherwise it has cases.
    pub is_conversation: bool,
}

/// `id` is that of the subject, or of one of its calls.
pub fn make(recorded: &[RecordedCall], id: &str) -> Result<RecordedTest, RecordedTestError> {
    let subject = recorded.iter().find(|call| call.id == id || call.subject_id == id).map(|call| &call.subject_id);
    let subject = subject.ok_or_else(|| RecordedTestError::Unknown(id.to_owned()))?;
    let mut calls: Vec<&RecordedCall> = recorded.iter().filter(|call| call.subject_id == *subject).collect();
    calls.sort_by(|a, b| a.id.cmp(&b.id));
    let calls = calls.into_iter().map(ReadCall::read).collect::<Result<Vec<_>, _>>()?;
    let replacements = Replacements::of(&calls);
    let (body, is_conversation) = match conversation::write_conversation(&calls, &replacements) {
        Some(body) => (body, true),
        None => (cases::write_cases(&calls, &replacements).ok_or(RecordedTestError::Nothing(calls.len()))?, false),
    };
    let plugin = calls.first().map(|call| call.recording.plugin.as_str()).unwrap_or_default();
    let text = format!(
        "# Made from {} recorded calls of {plugin}. Numbers, names, addresses, files and places of people are replaced.\n\
         # Read it before you share it: other texts are as they were recorded.\n{body}",
        calls.len()
    );
    Ok(RecordedTest { text, calls: calls.len(), is_conversation })
}
