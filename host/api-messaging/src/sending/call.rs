//! A request to send: its parts and its refusal.

use std::convert::Infallible;

use api_core::{body::JsonBytes, error::ApiError};
use axum::{
    Extension,
    extract::{FromRequest, FromRequestParts, Request},
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use domain::ids::RequestId;
use outbound::accept::{AcceptError, Senders};

use crate::{lite_host::HostNumbers, state::SendState};

/// The parts of a request that every send needs.
pub(super) struct Call {
    pub(super) senders: Senders,
    pub(super) request_id: RequestId,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl FromRequest<SendState> for Call {
    type Rejection = Response;

    async fn from_request(request: Request, state: &SendState) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let never = |never: Infallible| match never {};
        let HostNumbers(senders) = HostNumbers::from_request_parts(&mut parts, state).await.map_err(never)?;
        let Extension(request_id) =
            Extension::from_request_parts(&mut parts, state).await.map_err(IntoResponse::into_response)?;
        let headers = parts.headers.clone();
        let request = Request::from_parts(parts, body);
        let JsonBytes(body) = JsonBytes::from_request(request, state).await.map_err(IntoResponse::into_response)?;
        Ok(Self { senders, request_id, headers, body })
    }
}

pub(super) fn refused(error: AcceptError) -> ApiError {
    match error {
        AcceptError::Faults(faults) => ApiError::faults(faults),
        AcceptError::Failed(cause) => ApiError::from_shared(cause),
    }
}
