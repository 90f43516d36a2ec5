//! Runs the host's I/O for a call on the runtime of its caller: a connection belongs to its thread.

use std::sync::Arc;

use async_trait::async_trait;
use domain::ids::ClientId;
use tokio::runtime::Handle;

use super::conversation_facts::{ConversationAnswer, ConversationQuestion};
use super::file_part::{FileAnswer, FilePart};
use super::host_calls::HostCalls;
use super::http::{HttpFault, HttpRequest, HttpResponse, OutgoingHttp};
use super::key_values::{KeyValueError, KeyValueSnapshot, KeysWanted, Scope};
use crate::fairness::threads::is_call_thread;

/// The surroundings of a call that may move to another thread. They answer on the runtime of the caller.
pub(crate) fn on_caller_runtime(outside: HostCalls) -> HostCalls {
    let runtime = Handle::current();
    let http = Arc::new(OnCallerRuntime { runtime: runtime.clone(), inner: outside.http }) as _;
    let key_values = outside.key_values.map(|inner| Arc::new(OnCallerRuntime { runtime, inner }) as _);
    HostCalls { key_values, http }
}

struct OnCallerRuntime<Inner: ?Sized> {
    runtime: Handle,
    inner: Arc<Inner>,
}

#[async_trait]
impl KeyValueSnapshot for OnCallerRuntime<dyn KeyValueSnapshot> {
    async fn get(&self, scope: Scope, key: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        if !is_call_thread() {
            return self.inner.get(scope, key).await;
        }
        let (inner, key) = (Arc::clone(&self.inner), key.to_owned());
        let read = self.runtime.spawn(async move { inner.get(scope, &key).await }).await;
        read.unwrap_or_else(|fault| Err(KeyValueError(Box::new(fault))))
    }

    async fn list(&self, scope: Scope, wanted: &KeysWanted) -> Result<Vec<String>, KeyValueError> {
        if !is_call_thread() {
            return self.inner.list(scope, wanted).await;
        }
        let (inner, wanted) = (Arc::clone(&self.inner), wanted.clone());
        let listed = self.runtime.spawn(async move { inner.list(scope, &wanted).await }).await;
        listed.unwrap_or_else(|fault| Err(KeyValueError(Box::new(fault))))
    }

    async fn conversation(&self, question: ConversationQuestion) -> Result<ConversationAnswer, KeyValueError> {
        if !is_call_thread() {
            return self.inner.conversation(question).await;
        }
        let inner = Arc::clone(&self.inner);
        let read = self.runtime.spawn(async move { inner.conversation(question).await }).await;
        read.unwrap_or_else(|fault| Err(KeyValueError(Box::new(fault))))
    }

    async fn read_file(&self, part: &FilePart) -> Result<FileAnswer, KeyValueError> {
        if !is_call_thread() {
            return self.inner.read_file(part).await;
        }
        let (inner, part) = (Arc::clone(&self.inner), part.clone());
        let read = self.runtime.spawn(async move { inner.read_file(&part).await }).await;
        read.unwrap_or_else(|fault| Err(KeyValueError(Box::new(fault))))
    }
}

#[async_trait]
impl OutgoingHttp for OnCallerRuntime<dyn OutgoingHttp> {
    async fn send(&self, client: ClientId, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        if !is_call_thread() {
            return self.inner.send(client, request).await;
        }
        let inner = Arc::clone(&self.inner);
        let sent = self.runtime.spawn(async move { inner.send(client, request).await }).await;
        sent.unwrap_or_else(|_| Err(HttpFault::Failed("the host is stopping".to_owned())))
    }
}
