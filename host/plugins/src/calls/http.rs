//! Sends requests of plugins through the guarded client (DESIGN 3, rule 8).

use async_trait::async_trait;
use bytes::Bytes;
use channels::http::{GuardedClient, GuardedRequest, PostError};
use domain::ids::ClientId;
use plugin_host::{HttpFault, HttpRequest, HttpResponse, OutgoingHttp};
use storage::{Db, tenancy::clients};

/// Sends the requests of plugins. The plugin host has already checked allowed hosts, sizes and headers.
pub struct GuardedOutgoing {
    http: GuardedClient,
    db: Db,
    /// Whether every client may reach loopback and private addresses.
    allow_private: bool,
}

impl GuardedOutgoing {
    /// Sends through `http`. The clients that may reach private addresses with webhooks may reach them here too.
    pub fn new(http: GuardedClient, db: Db, allow_private: bool) -> Self {
        Self { http, db, allow_private }
    }

    async fn may_reach_private(&self, client: ClientId) -> Result<bool, HttpFault> {
        if self.allow_private {
            return Ok(true);
        }
        let unreadable = |_| HttpFault::Failed("the host could not look up what this client may reach".to_owned());
        let mut db = self.db.acquire().await.map_err(unreadable)?;
        let known = clients::get(&mut db, client).await.map_err(unreadable)?;
        Ok(known.is_some_and(|client| client.allow_private_targets))
    }
}

#[async_trait]
impl OutgoingHttp for GuardedOutgoing {
    async fn send(&self, client: ClientId, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        let request = GuardedRequest {
            method: request.method,
            url: request.url,
            headers: request.headers,
            body: request.body.map(Bytes::from).unwrap_or_default(),
            max_response_bytes: request.most_bytes,
            timeout: Some(request.timeout),
            allow_private: self.may_reach_private(client).await?,
        };
        let answer = self.http.on_behalf_of(client).request(request).await.map_err(fault)?;
        metrics::counter!("patchbay_plugin_http_requests_total", "result" => "answered").increment(1);
        Ok(HttpResponse { status: answer.status, headers: answer.headers, body: answer.body.to_vec() })
    }
}

fn fault(error: PostError) -> HttpFault {
    metrics::counter!("patchbay_plugin_http_requests_total", "result" => "failed").increment(1);
    match error {
        PostError::Timeout => HttpFault::TimedOut,
        PostError::BodyTooLarge { .. } => HttpFault::TooLarge,
        other => HttpFault::Failed(other.to_string()),
    }
}
