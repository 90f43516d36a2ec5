//! Outgoing HTTP of plugins, implemented by the guarded client, or by a recording in a replay.

use std::time::Duration;

use async_trait::async_trait;
use domain::ids::ClientId;
use serde::{Deserialize, Serialize};

use crate::replaying::base64_bytes;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<Vec<u8>>,
    /// Time limit for the whole response.
    pub timeout: Duration,
    pub most_bytes: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpResponse {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    #[serde(with = "base64_bytes")]
    pub body: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum HttpFault {
    #[error("no response in time")]
    TimedOut,
    /// The body is larger than [`HttpRequest::most_bytes`].
    #[error("the response is too large")]
    TooLarge,
    /// The address is forbidden for all plugins, for example a private one. Holds the reason.
    #[error("{0}")]
    Refused(String),
    /// The connection failed. Holds the reason.
    #[error("{0}")]
    Failed(String),
}

/// Sends the requests of plugins: checks the resolved addresses, reads at most [`HttpRequest::most_bytes`], and does
/// **not** follow redirects.
#[async_trait]
pub trait OutgoingHttp: Send + Sync {
    async fn send(&self, client: ClientId, request: HttpRequest) -> Result<HttpResponse, HttpFault>;
}
