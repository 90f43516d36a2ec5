use std::{sync::Arc, time::Instant};

use base::{Error, traces::SpanPlace};
use bytes::Bytes;
use domain::{
    body::Faults,
    ids::{ClientId, RequestId},
    sandbox::KeyMode,
    send::{SendBody, SendEndpoint},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Senders {
    All,
    /// Its WhatsApp Lite numbers (CONTRACT 2, `server.lite_host`).
    Lite,
}

/// A send request before parsing.
#[derive(Debug, Clone)]
pub struct SendCall {
    pub client: ClientId,
    pub mode: KeyMode,
    pub endpoint: SendEndpoint,
    pub senders: Senders,
    pub body: Bytes,
    pub idempotency_key: Option<String>,
    pub request_id: RequestId,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum AcceptError {
    #[error("the request is not valid")]
    Faults(Faults),
    /// The request could not be stored. The caller may send it again.
    #[error("the request could not be stored")]
    Failed(#[source] Arc<Error>),
}

/// The body of the 202, and whether it is that of an earlier request.
pub(super) type GroupAnswer = std::result::Result<(Bytes, bool), AcceptError>;

pub(super) struct PendingSend {
    pub(super) call: SendCall,
    pub(super) request: SendBody,
    /// The span of the request.
    pub(super) cause: Option<SpanPlace>,
    pub(super) came: Instant,
}
