//! Removes secrets from the records of a call.

use std::{borrow::Cow, collections::HashMap};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

use super::{
    OpenedConfig,
    search::{Edges, TextCut, in_order, replace},
    with_placeholders,
};
use crate::{
    HttpFault,
    calling::{
        conclude::printed_text,
        conversation_facts::ConversationAnswer,
        end::CheckedAnswer,
        file_part::FileAnswer,
        output::{Gap, Gaps},
    },
    error::CallError,
    replaying::recording::{HostCall, HttpAnswer, KvAnswer, Recording},
};

/// Start of a header with a name and a password in base64.
const BASIC: &str = "basic ";

impl OpenedConfig {
    /// Removes the secrets from logs, printed output and failure texts. `gaps`: where output was already dropped.
    pub(crate) fn leave_out_of_outcome<A>(&self, outcome: &mut Result<CheckedAnswer<A>, CallError>, gaps: Gaps) {
        let trace = match outcome {
            Ok(answered) => Some(&mut answered.trace),
            Err(error) => error.trace_mut(),
        };
        let Some(trace) = trace else { return };
        let said = printed_text(&trace.stderr);
        self.of_cut_text(&mut trace.stderr, gaps.output);
        let (last, lines) =
            trace.logs.split_last_mut().map_or((None, &mut [][..]), |(last, lines)| (Some(last), lines));
        lines.iter_mut().for_each(|line| self.of_text(&mut line.message));
        if let Some(last) = last {
            self.of_cut_text(&mut last.message, gaps.last_log);
        }
        let says_now = printed_text(&trace.stderr);
        match outcome {
            Err(CallError::Trap { reason, .. }) => {
                // The reason holds joined lines of the output. A secret of several lines can only be found in the
                // output itself.
                if let Some(trap) = reason.strip_suffix(&said) {
                    *reason = format!("{trap}{says_now}");
                }
                self.of_text(reason);
            }
            Err(CallError::Refused { error, .. }) => {
                self.of_text(&mut error.code);
                self.of_text(&mut error.message);
            }
            Err(CallError::BadAnswer { reason, .. }) => self.of_text(reason),
            Ok(_) | Err(_) => {}
        }
    }

    pub(crate) fn leave_out_of_text(&self, text: &mut String) {
        self.of_text(text);
    }

    pub(crate) fn leave_out_of_texts(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.of_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.leave_out_of_texts(item)),
            Value::Object(members) => members.values_mut().for_each(|item| self.leave_out_of_texts(item)),
            _ => {}
        }
    }

    pub(crate) fn leave_out_of_recording(&self, recording: &mut Recording) {
        recording.config = with_placeholders(&self.kept);
        self.of_response(&mut recording.question);
        self.of_text(&mut recording.question);
        self.of_result(&mut recording.result);
        for call in &mut recording.host_calls {
            match call {
                HostCall::KvGet { key, answer, .. } => {
                    self.of_text(key);
                    match answer {
                        KvAnswer::Value(value) => self.of_bytes(value),
                        KvAnswer::Unavailable(reason) => self.of_text(reason),
                        KvAnswer::Absent | KvAnswer::Unanswered => {}
                    }
                }
                HostCall::KvList { wanted, keys, .. } => {
                    self.of_text(&mut wanted.prefix);
                    wanted.after.iter_mut().for_each(|after| self.of_text(after));
                    keys.iter_mut().flatten().for_each(|key| self.of_text(key));
                }
                HostCall::Conversation { answer, .. } => answer.iter_mut().for_each(|answer| self.of_facts(answer)),
                HostCall::File { part, answer } => {
                    self.of_text(&mut part.message);
                    if let Some(FileAnswer::Bytes(bytes)) = answer {
                        self.of_bytes(bytes);
                    }
                }
                HostCall::Http { url, headers, body, answer, .. } => {
                    self.of_text(url);
                    self.of_headers(headers);
                    body.iter_mut().for_each(|body| self.of_bytes(body));
                    self.of_answer(answer);
                }
            }
        }
    }

    /// The body of a response in an event `http-finished` is a list of numbers.
    fn of_response(&self, question: &mut String) {
        if !question.contains("\"HttpFinished\"") {
            return;
        }
        let Ok(mut parsed) = serde_json::from_str::<Value>(question) else { return };
        let Some(body) = parsed.pointer_mut("/event/kind/HttpFinished/outcome/Response/body") else { return };
        let Ok(mut bytes) = serde_json::from_value::<Vec<u8>>(body.clone()) else { return };
        if self.secrets.leave_out_of_bytes(&mut bytes) {
            *body = bytes.into();
            *question = parsed.to_string();
        }
    }

    fn of_facts(&self, answer: &mut ConversationAnswer) {
        match answer {
            ConversationAnswer::Tags(tags) => tags.iter_mut().for_each(|tag| self.of_text(tag)),
            ConversationAnswer::History(messages) => {
                messages.iter_mut().for_each(|message| self.of_text(&mut message.text));
            }
            ConversationAnswer::Timers(timers) => timers.iter_mut().for_each(|timer| self.of_text(&mut timer.name)),
        }
    }

    fn of_answer(&self, answer: &mut HttpAnswer) {
        match answer {
            HttpAnswer::Response(response) => {
                self.of_headers(&mut response.headers);
                self.of_bytes(&mut response.body);
            }
            HttpAnswer::Fault(HttpFault::Refused(reason) | HttpFault::Failed(reason)) => self.of_text(reason),
            HttpAnswer::Fault(HttpFault::TimedOut | HttpFault::TooLarge) | HttpAnswer::Unanswered => {}
        }
    }

    fn of_headers(&self, headers: &mut [(String, String)]) {
        for (name, value) in headers {
            self.of_text(name);
            let scheme = value.split_at_checked(BASIC.len()).filter(|(scheme, _)| scheme.eq_ignore_ascii_case(BASIC));
            match scheme.and_then(|(scheme, pair)| Some((scheme, STANDARD.decode(pair.trim()).ok()?))) {
                Some((scheme, mut pair)) => {
                    if self.secrets.leave_out_of_bytes(&mut pair) {
                        *value = format!("{scheme}{}", STANDARD.encode(pair));
                    }
                }
                None => self.of_text(value),
            }
        }
    }

    /// The result holds the values that a call writes in base64.
    fn of_result(&self, result: &mut String) {
        let parsed: Value = serde_json::from_str(result).unwrap_or_default();
        let mut others: HashMap<&str, String> = HashMap::new();
        for write in parsed.get("writes").and_then(Value::as_array).into_iter().flatten() {
            let Some(value) = write.get("value").and_then(Value::as_str) else { continue };
            let Ok(mut bytes) = STANDARD.decode(value) else { continue };
            if self.secrets.leave_out_of_bytes(&mut bytes) {
                others.insert(value, STANDARD.encode(bytes));
            }
        }
        let mut cuts = self.secrets.cuts(result.as_bytes(), Edges::Whole);
        let mut from = 0;
        for piece in result.split('"') {
            if let Some(other) = others.get(piece) {
                cuts.push(TextCut { at: from..from + piece.len(), with: Cow::Borrowed(other) });
            }
            from += piece.len() + 1;
        }
        *result = String::from_utf8_lossy(&replace(result.as_bytes(), &in_order(cuts))).into_owned();
    }

    /// Removes secrets from a text with a gap. The gap may have cut a secret.
    fn of_cut_text(&self, text: &mut String, gap: Option<Gap>) {
        let Some(gap) = gap else { return self.of_text(text) };
        let between = text.get(gap.first_ends..gap.last_begins).unwrap_or_default();
        let first = text.get(..gap.first_ends).unwrap_or_default();
        let mut first = first.trim_end_matches(char::REPLACEMENT_CHARACTER).to_owned();
        self.secrets.leave_out(&mut first, Edges::EndCut);
        // If the end starts within a line, an escape may be cut too, and the form of a secret there is unknown.
        let mut last = if gap.within_line { "" } else { text.get(gap.last_begins..).unwrap_or_default() }.to_owned();
        self.secrets.leave_out(&mut last, Edges::BeginningCut);
        *text = format!("{first}{between}{last}");
    }

    fn of_text(&self, text: &mut String) {
        self.secrets.leave_out(text, Edges::Whole);
    }

    fn of_bytes(&self, bytes: &mut Vec<u8>) {
        self.secrets.leave_out_of_bytes(bytes);
    }
}
