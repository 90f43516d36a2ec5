//! What a call reaches beside its question: the key-value store and the way out to the network.

use std::sync::Arc;

use async_trait::async_trait;
use domain::ids::ClientId;
use tokio::time::timeout;

use super::http::{HttpFault, HttpRequest, HttpResponse, OutgoingHttp};
use super::key_values::KeyValueSnapshot;

/// What answers a plugin's questions about the outside.
#[derive(Clone)]
pub(crate) struct Outside {
    pub(crate) key_values: Option<Arc<dyn KeyValueSnapshot>>,
    pub(crate) http: Arc<dyn OutgoingHttp>,
}

impl Outside {
    /// Nothing stored, and no way out.
    pub(crate) fn none() -> Self {
        Self { key_values: None, http: Arc::new(HttpWithTimeout(None)) }
    }
}

/// Keeps to the time of each request, whatever the sender does.
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
