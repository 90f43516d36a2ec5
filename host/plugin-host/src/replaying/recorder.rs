//! The services of a recorded call. Passes every host call on and keeps questions and answers.

use std::sync::Arc;

use async_trait::async_trait;
use domain::ids::ClientId;
use parking_lot::{Mutex, MutexGuard};

use super::recording::{HostCall, HttpAnswer, KvAnswer};
use crate::calling::conversation_facts::{ConversationAnswer, ConversationQuestion};
use crate::calling::file_part::{FileAnswer, FilePart};
use crate::calling::host_calls::HostCalls;
use crate::calling::http::{HttpFault, HttpRequest, HttpResponse, OutgoingHttp};
use crate::calling::key_values::{KeyValueError, KeyValueSnapshot, KeysWanted, Scope};

impl HostCalls {
    pub(crate) fn record(self) -> (Self, Arc<Recorder>) {
        let has_key_values = self.key_values.is_some();
        let recorder = Arc::new(Recorder { outside: self, calls: Mutex::default() });
        let key_values = has_key_values.then(|| Arc::clone(&recorder) as Arc<dyn KeyValueSnapshot>);
        (Self { key_values, http: Arc::clone(&recorder) as _ }, recorder)
    }
}

pub(crate) struct Recorder {
    outside: HostCalls,
    calls: Mutex<Vec<HostCall>>,
}

impl Recorder {
    /// All host calls so far. A call without an answer yet is recorded as unanswered.
    pub(crate) fn take(&self) -> Vec<HostCall> {
        std::mem::take(&mut self.calls())
    }

    fn calls(&self) -> MutexGuard<'_, Vec<HostCall>> {
        self.calls.lock()
    }

    /// A guest makes one host call at a time, so the answer belongs to the latest question.
    fn add_answer(&self, answer: impl FnOnce(&mut HostCall)) {
        if let Some(latest) = self.calls().last_mut() {
            answer(latest);
        }
    }
}

#[async_trait]
impl KeyValueSnapshot for Recorder {
    async fn get(&self, scope: Scope, key: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        self.calls().push(HostCall::KvGet { scope, key: key.to_owned(), answer: KvAnswer::Unanswered });
        let value = match &self.outside.key_values {
            Some(key_values) => key_values.get(scope, key).await,
            None => Ok(None),
        };
        let told = match &value {
            Ok(Some(value)) => KvAnswer::Value(value.clone()),
            Ok(None) => KvAnswer::Absent,
            Err(fault) => KvAnswer::Unavailable(fault.0.to_string()),
        };
        self.add_answer(|call| {
            if let HostCall::KvGet { answer, .. } = call {
                *answer = told;
            }
        });
        value
    }

    async fn list(&self, scope: Scope, wanted: &KeysWanted) -> Result<Vec<String>, KeyValueError> {
        self.calls().push(HostCall::KvList { scope, wanted: wanted.clone(), keys: None });
        let listed = match &self.outside.key_values {
            Some(key_values) => key_values.list(scope, wanted).await,
            None => Ok(Vec::new()),
        };
        self.add_answer(|call| {
            if let HostCall::KvList { keys, .. } = call {
                *keys = listed.as_ref().ok().cloned();
            }
        });
        listed
    }

    async fn conversation(&self, question: ConversationQuestion) -> Result<ConversationAnswer, KeyValueError> {
        self.calls().push(HostCall::Conversation { question, answer: None });
        let read = match &self.outside.key_values {
            Some(key_values) => key_values.conversation(question).await,
            None => Ok(ConversationAnswer::nothing(question)),
        };
        self.add_answer(|call| {
            if let HostCall::Conversation { answer, .. } = call {
                *answer = read.as_ref().ok().cloned();
            }
        });
        read
    }

    async fn read_file(&self, part: &FilePart) -> Result<FileAnswer, KeyValueError> {
        self.calls().push(HostCall::File { part: part.clone(), answer: None });
        let read = match &self.outside.key_values {
            Some(key_values) => key_values.read_file(part).await,
            None => Ok(FileAnswer::NotFound),
        };
        self.add_answer(|call| {
            if let HostCall::File { answer, .. } = call {
                *answer = read.as_ref().ok().cloned();
            }
        });
        read
    }
}

#[async_trait]
impl OutgoingHttp for Recorder {
    async fn send(&self, client: ClientId, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        self.calls().push(HostCall::Http {
            method: request.method.clone(),
            url: request.url.clone(),
            headers: request.headers.clone(),
            body: request.body.clone(),
            answer: HttpAnswer::Unanswered,
        });
        let answered = self.outside.http.send(client, request).await;
        let told = match &answered {
            Ok(response) => HttpAnswer::Response(response.clone()),
            Err(fault) => HttpAnswer::Fault(fault.clone()),
        };
        self.add_answer(|call| {
            if let HostCall::Http { answer, .. } = call {
                *answer = told;
            }
        });
        answered
    }
}
