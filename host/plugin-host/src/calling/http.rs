//! Outgoing HTTP of plugins. The program implements this interface with its guarded client. In a replay, the recording
//! implements it.

use std::time::Duration;

use async_trait::async_trait;
use domain::ids::ClientId;
use serde::{Deserialize, Serialize};

use crate::replaying::recording::base64_bytes;

/// A request of a plugin, after the host's checks: the address is allowed and the sizes are within the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// `GET`, `POST`, `PUT`, `PATCH`, `DELETE` or `HEAD`.
    pub method: String,
    /// An absolute `http` or `https` address.
    pub url: String,
    /// Headers in order, with names in lower case. The last is the host's `idempotency-key`.
    pub headers: Vec<(String, String)>,
    pub body: Option<Vec<u8>>,
    /// Time limit for the whole response.
    pub timeout: Duration,
    pub most_bytes: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpResponse {
    pub status: u16,
    /// In order.
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
    /// The address is forbidden for all plugins, for example because it is inside the private network. Holds the
    /// reason.
    #[error("{0}")]
    Refused(String),
    /// The connection failed. Holds the reason.
    #[error("{0}")]
    Failed(String),
}

/// Sends the requests of plugins. An implementation checks the addresses that the name resolves to (private networks),
/// reads at most [`HttpRequest::most_bytes`], sends the headers unchanged, and does **not** follow redirects, because
/// the target of a redirect was not allowed.
#[async_trait]
pub trait OutgoingHttp: Send + Sync {
    /// Sends one request and waits for the response. Any status is a response.
    async fn send(&self, client: ClientId, request: HttpRequest) -> Result<HttpResponse, HttpFault>;
}
