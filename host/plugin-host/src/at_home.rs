//! What the host does for a call, done where the call came from, wherever the call itself runs: connections belong to the
//! threads that opened them, and others use them too.

use std::sync::Arc;

use async_trait::async_trait;
use domain::ids::ClientId;
use tokio::runtime::Handle;

use crate::http::{HttpFault, HttpRequest, HttpResponse, OutgoingHttp};
use crate::key_values::{KeyValueError, KeyValueSnapshot, Scope};
use crate::lanes::is_apart;
use crate::tape::Outside;

/// The outside of a call that may go on on another thread.
pub(crate) fn at_home(outside: Outside) -> Outside {
    let home = Handle::current();
    let http = Arc::new(AtHome { home: home.clone(), inner: outside.http }) as _;
    let key_values = outside.key_values.map(|inner| Arc::new(AtHome { home, inner }) as _);
    Outside { key_values, http }
}

struct AtHome<Inner: ?Sized> {
    home: Handle,
    inner: Arc<Inner>,
}

#[async_trait]
impl KeyValueSnapshot for AtHome<dyn KeyValueSnapshot> {
    async fn get(&self, scope: Scope, key: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        if !is_apart() {
            return self.inner.get(scope, key).await;
        }
        let (inner, key) = (Arc::clone(&self.inner), key.to_owned());
        let read = self.home.spawn(async move { inner.get(scope, &key).await }).await;
        read.unwrap_or_else(|fault| Err(KeyValueError(Box::new(fault))))
    }
}

#[async_trait]
impl OutgoingHttp for AtHome<dyn OutgoingHttp> {
    async fn send(&self, client: ClientId, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        if !is_apart() {
            return self.inner.send(client, request).await;
        }
        let inner = Arc::clone(&self.inner);
        let sent = self.home.spawn(async move { inner.send(client, request).await }).await;
        sent.unwrap_or_else(|_| Err(HttpFault::Failed("the host is stopping".to_owned())))
    }
}
