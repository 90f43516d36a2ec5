//! The services of a replay: answers the plugin's questions with the recorded answers.

use std::sync::Arc;

use async_trait::async_trait;
use domain::ids::ClientId;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

use super::recording::{HostCall, HttpAnswer, KvAnswer};
use crate::calling::conversation_facts::{ConversationAnswer, ConversationQuestion};
use crate::calling::file_part::{FileAnswer, FilePart};
use crate::calling::host_calls::HostCalls;
use crate::calling::http::{HttpFault, HttpRequest, HttpResponse, OutgoingHttp};
use crate::calling::key_values::{KeyValueError, KeyValueSnapshot, KeysWanted, Scope};

impl HostCalls {
    pub(crate) fn from_tape(tape: &Arc<RecordedAnswers>) -> Self {
        Self { key_values: Some(Arc::clone(tape) as _), http: Arc::clone(tape) as _ }
    }
}

/// Gives recorded answers by position. If the plugin asks in another order, by question.
pub(crate) struct RecordedAnswers {
    calls: Vec<HostCall>,
    used: Mutex<Used>,
    /// Notified when the plugin reaches the point where the recorded call ended without an answer.
    pub(crate) ran_out: Notify,
}

#[derive(Default)]
struct Used {
    calls: Vec<bool>,
    deviation: Option<String>,
}

impl RecordedAnswers {
    pub(crate) fn new(calls: Vec<HostCall>) -> Arc<Self> {
        let used = Used { calls: vec![false; calls.len()], deviation: None };
        Arc::new(Self { calls, used: Mutex::new(used), ran_out: Notify::new() })
    }

    /// The first deviation of the requests from the recorded ones. Reads of keys do not count here.
    pub(crate) fn deviation(&self) -> Option<String> {
        let used = self.lock_used();
        let left = self.calls.iter().zip(&used.calls).find_map(|(call, used)| match call {
            HostCall::Http { .. } if !used => Some(format!("then it sent {}, now it does not", describe(call))),
            _ => None,
        });
        used.deviation.clone().or(left)
    }

    fn lock_used(&self) -> MutexGuard<'_, Used> {
        self.used.lock()
    }

    /// The first unused call of the same kind that `fits`.
    fn find(&self, fits: impl Fn(&HostCall) -> bool) -> Option<&HostCall> {
        let mut used = self.lock_used();
        for (call, used) in self.calls.iter().zip(used.calls.iter_mut()) {
            if !*used && fits(call) {
                *used = true;
                return Some(call);
            }
        }
        None
    }

    /// The bytes of a part that recorded reads of the same file returned in other parts.
    fn recorded_bytes(&self, part: &FilePart) -> Option<Vec<u8>> {
        self.calls.iter().find_map(|call| match call {
            HostCall::File { part: read, answer: Some(FileAnswer::Bytes(bytes)) } => part.within(read, bytes),
            _ => None,
        })
    }

    fn next_request(&self) -> Option<&HostCall> {
        let used = self.lock_used();
        let mut left = self.calls.iter().zip(&used.calls).filter(|(_, used)| !**used).map(|(call, _)| call);
        left.find(|call| matches!(call, HostCall::Http { .. }))
    }

    /// Never returns, because the caller of the replay ends the call.
    async fn end_here<T>(&self) -> T {
        self.ran_out.notify_one();
        std::future::pending().await
    }
}

#[async_trait]
impl KeyValueSnapshot for RecordedAnswers {
    async fn get(&self, scope: Scope, key: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        let asked =
            |call: &HostCall| matches!(call, HostCall::KvGet { scope: s, key: k, .. } if *s == scope && k == key);
        let Some(HostCall::KvGet { answer, .. }) = self.find(asked) else { return Ok(None) };
        match answer {
            KvAnswer::Value(value) => Ok(Some(value.clone())),
            KvAnswer::Absent => Ok(None),
            KvAnswer::Unavailable(reason) => Err(KeyValueError(reason.clone().into())),
            KvAnswer::Unanswered => self.end_here().await,
        }
    }

    async fn list(&self, scope: Scope, wanted: &KeysWanted) -> Result<Vec<String>, KeyValueError> {
        let asked = |call: &HostCall| matches!(call, HostCall::KvList { scope: s, wanted: w, .. } if *s == scope && w == wanted);
        match self.find(asked) {
            Some(HostCall::KvList { keys: Some(keys), .. }) => Ok(keys.clone()),
            Some(_) => self.end_here().await,
            None => Ok(Vec::new()),
        }
    }

    async fn conversation(&self, question: ConversationQuestion) -> Result<ConversationAnswer, KeyValueError> {
        let asked = |call: &HostCall| matches!(call, HostCall::Conversation { question: q, .. } if *q == question);
        match self.find(asked) {
            Some(HostCall::Conversation { answer: Some(answer), .. }) => Ok(answer.clone()),
            Some(_) => self.end_here().await,
            None => Ok(ConversationAnswer::nothing(question)),
        }
    }

    async fn read_file(&self, part: &FilePart) -> Result<FileAnswer, KeyValueError> {
        match self.find(|call| matches!(call, HostCall::File { part: read, .. } if read == part)) {
            Some(HostCall::File { answer: Some(answer), .. }) => Ok(answer.clone()),
            Some(_) => self.end_here().await,
            None => Ok(self.recorded_bytes(part).map_or(FileAnswer::NotFound, FileAnswer::Bytes)),
        }
    }
}

#[async_trait]
impl OutgoingHttp for RecordedAnswers {
    async fn send(&self, _client: ClientId, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        let now = HostCall::Http {
            method: request.method,
            url: request.url,
            headers: request.headers,
            body: request.body,
            answer: HttpAnswer::Unanswered,
        };
        let then = self.next_request();
        if !then.is_some_and(|then| same_request(then, &now)) {
            let then = then.map_or_else(|| "nothing more".to_owned(), describe);
            self.lock_used().deviation.get_or_insert(format!("then it sent {then}, now {}", describe(&now)));
        }
        let found = self.find(|call| same_request(call, &now)).or_else(|| self.find(|call| same_address(call, &now)));
        match found {
            Some(HostCall::Http { answer: HttpAnswer::Response(response), .. }) => Ok(response.clone()),
            Some(HostCall::Http { answer: HttpAnswer::Fault(fault), .. }) => Err(fault.clone()),
            Some(HostCall::Http { answer: HttpAnswer::Unanswered, .. }) => self.end_here().await,
            Some(
                HostCall::KvGet { .. }
                | HostCall::KvList { .. }
                | HostCall::Conversation { .. }
                | HostCall::File { .. },
            )
            | None => Err(HttpFault::Failed(format!("the recording has no answer to {}", describe(&now)))),
        }
    }
}

fn same_request(one: &HostCall, other: &HostCall) -> bool {
    match (one, other) {
        (
            HostCall::Http { method, url, headers, body, .. },
            HostCall::Http { method: other_method, url: other_url, headers: other_headers, body: other_body, .. },
        ) => method == other_method && url == other_url && headers == other_headers && body == other_body,
        _ => false,
    }
}

fn same_address(one: &HostCall, other: &HostCall) -> bool {
    match (one, other) {
        (HostCall::Http { method, url, .. }, HostCall::Http { method: other_method, url: other_url, .. }) => {
            method == other_method && url == other_url
        }
        _ => false,
    }
}

fn describe(call: &HostCall) -> String {
    match call {
        HostCall::KvGet { key, .. } => format!("a question for the key `{key}`"),
        HostCall::KvList { wanted, .. } => format!("a question for the keys that begin with `{}`", wanted.prefix),
        HostCall::Conversation { .. } => "a question about the conversation".to_owned(),
        HostCall::File { part, .. } => format!("a read of the file of the message `{}`", part.message),
        HostCall::Http { method, url, headers, body, .. } => {
            let body = body.as_ref().map_or(0, Vec::len);
            format!("{method} {url} ({} headers, {body} bytes of body)", headers.len())
        }
    }
}
