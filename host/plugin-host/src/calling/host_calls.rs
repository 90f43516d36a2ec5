//! The services that a call can reach: the key-value store and outgoing HTTP.

use std::sync::Arc;

use async_trait::async_trait;
use domain::ids::ClientId;
use tokio::time::timeout;

use super::http::{HttpFault, HttpRequest, HttpResponse, OutgoingHttp};
use super::key_values::KeyValueSnapshot;

#[derive(Clone)]
pub(crate) struct HostCalls {
    pub(crate) key_values: Option<Arc<dyn KeyValueSnapshot>>,
    pub(crate) http: Arc<dyn OutgoingHttp>,
}

impl HostCalls {
    pub(crate) fn none() -> Self {
        Self { key_values: None, http: Arc::new(HttpWithTimeout(None)) }
    }
}

/// Enforces the timeout of each request, independent of the sender.
pub(crate) struct HttpWithTimeout(pub(crate) Option<Arc<dyn OutgoingHttp>>);

#[async_trait]
impl OutgoingHttp for HttpWithTimeout {
    async fn send(&self, client: ClientId, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        let Some(sender) = &self.0 else {
            return Err(HttpFault::Refused("no requests are sent from here: this host has no way out".into()));
        };
        let patience = request.timeout;
        timeout(patience, sender.send(client, request)).await.unwrap_or(Err(HttpFault::TimedOut))
    }
}
