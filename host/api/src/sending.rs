//! Sending (SPEC 4.1). Parsing and rules are the acceptor's; here is what HTTP adds.

use axum::{
    Extension, Router,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use bytes::Bytes;
use domain::ids::RequestId;
use outbound::accept::{AcceptError, SendCall, SendEndpoint};

use crate::{
    auth::{Allowed, Sending},
    body::JsonBytes,
    error::ApiError,
    state::ApiState,
};

/// Longest `Idempotency-Key`, in bytes.
const IDEMPOTENCY_KEY_MAX: usize = 255;

pub(crate) fn routes() -> Router<ApiState> {
    Router::new()
        .route("/whatsapp-api-service/v2/messages", post(unified))
        .route("/whatsapp-api-service/v2/channels/whatsapp", post(whatsapp))
}

async fn unified(
    State(state): State<ApiState>,
    allowed: Allowed<Sending>,
    Extension(request_id): Extension<RequestId>,
    headers: HeaderMap,
    JsonBytes(body): JsonBytes,
) -> Result<Response, ApiError> {
    accept(&state, &allowed, SendEndpoint::Unified, request_id, &headers, body).await
}

async fn whatsapp(
    State(state): State<ApiState>,
    allowed: Allowed<Sending>,
    Extension(request_id): Extension<RequestId>,
    headers: HeaderMap,
    JsonBytes(body): JsonBytes,
) -> Result<Response, ApiError> {
    accept(&state, &allowed, SendEndpoint::Whatsapp, request_id, &headers, body).await
}

async fn accept(
    state: &ApiState,
    allowed: &Allowed<Sending>,
    endpoint: SendEndpoint,
    request_id: RequestId,
    headers: &HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    let idempotency_key = idempotency_key(headers)?;
    let call = SendCall { client: allowed.caller.client, endpoint, body, idempotency_key, request_id };
    let response = state.acceptor.accept(call).await.map_err(|error| match error {
        AcceptError::Faults(faults) => ApiError::faults(faults),
        AcceptError::Failed(cause) => ApiError::from_shared(cause),
    })?;
    let json = HeaderValue::from_static("application/json");
    Ok((StatusCode::ACCEPTED, [(header::CONTENT_TYPE, json)], response).into_response())
}

/// The header, exactly as sent: 1 to 255 visible ASCII characters, once.
fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut values = headers.get_all("idempotency-key").iter();
    let Some(value) = values.next() else { return Ok(None) };
    let bytes = value.as_bytes();
    let well_formed = (1..=IDEMPOTENCY_KEY_MAX).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic);
    if values.next().is_some() || !well_formed {
        let said = format!("must be one header of 1 to {IDEMPOTENCY_KEY_MAX} visible ASCII characters, such as a UUID");
        return Err(ApiError::fault("Idempotency-Key", said));
    }
    Ok(Some(bytes.iter().map(|byte| char::from(*byte)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(values: &[&str]) -> Result<Option<String>, ApiError> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("idempotency-key", value.parse().unwrap());
        }
        idempotency_key(&headers)
    }

    #[test]
    fn without_the_header_nothing_is_deduplicated() {
        assert_eq!(key(&[]).unwrap(), None);
    }

    #[test]
    fn keys_have_1_to_255_visible_characters() {
        assert!(key(&[""]).is_err());
        assert_eq!(key(&["a"]).unwrap().as_deref(), Some("a"));
        assert!(key(&[&"a".repeat(255)]).is_ok());
        assert!(key(&[&"a".repeat(256)]).is_err());
        assert!(key(&["two words"]).is_err());
    }

    #[test]
    fn two_keys_are_none() {
        assert!(key(&["a", "b"]).is_err());
    }
}
