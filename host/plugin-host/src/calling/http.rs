//! Outgoing HTTP of plugins: the edge that the program wires to its guarded client, and that a tape stands in for when a
//! recorded call is made again.

use std::time::Duration;

use async_trait::async_trait;
use domain::ids::ClientId;
use serde::{Deserialize, Serialize};

use crate::replaying::recording::base64_bytes;

/// A request that a plugin wants sent. The host has judged it: the address was granted, sizes are within the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// `GET`, `POST`, `PUT`, `PATCH`, `DELETE` or `HEAD`.
    pub method: String,
    /// An absolute `http` or `https` address.
    pub url: String,
    /// Headers in order, names in lower case; the last is the host's `idempotency-key`.
    pub headers: Vec<(String, String)>,
    /// Body, if any.
    pub body: Option<Vec<u8>>,
    /// How long to wait for the whole response.
    pub timeout: Duration,
    /// Bytes of body that are read at most.
    pub most_bytes: usize,
}

/// What came back, whatever its status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpResponse {
    /// Status code.
    pub status: u16,
    /// Headers, in order.
    pub headers: Vec<(String, String)>,
    /// Body.
    #[serde(with = "base64_bytes")]
    pub body: Vec<u8>,
}

/// Why nothing came back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum HttpFault {
    /// Not in time.
    #[error("no response in time")]
    TimedOut,
    /// The body is larger than [`HttpRequest::most_bytes`].
    #[error("the response is too large")]
    TooLarge,
    /// The address may not be reached whatever the plugin was given, such as one inside the own network; in words.
    #[error("{0}")]
    Refused(String),
    /// The connection failed, in words.
    #[error("{0}")]
    Failed(String),
}

/// Sends the requests of plugins. An implementation judges where the name leads (private networks), reads no more than
/// [`HttpRequest::most_bytes`], sends the headers as they are, and does **not** follow redirects: the host that a
/// redirect names was not granted.
#[async_trait]
pub trait OutgoingHttp: Send + Sync {
    /// Sends one request and waits for the response, whatever its status.
    ///
    /// # Errors
    /// See [`HttpFault`].
    async fn send(&self, client: ClientId, request: HttpRequest) -> Result<HttpResponse, HttpFault>;
}
