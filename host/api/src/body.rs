//! Request bodies: their type, their size, and the time they take.

use std::time::Duration;

use axum::{
    body::{Body, HttpBody},
    extract::{FromRequest, Request},
    http::{HeaderMap, header},
};
use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::{
    error::{ApiError, ErrorKind},
    state::ApiState,
};

/// Of a body that is too large, this many times the limit is read and thrown away, so that a caller who writes before it
/// reads gets the answer and not a broken connection.
const DISCARD_FACTOR: usize = 4;
const DISCARD_TIMEOUT: Duration = Duration::from_secs(10);

/// The bytes of a JSON body: `application/json` (else 415) and within the size limit (else 413). Not parsed yet.
pub(crate) struct JsonBytes(pub Bytes);

impl FromRequest<ApiState> for JsonBytes {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &ApiState) -> Result<Self, ApiError> {
        if !is_json(request.headers()) {
            let said = "the body must be JSON, with the header Content-Type: application/json";
            return Err(ApiError::new(ErrorKind::UnsupportedMediaType, said));
        }
        read(request, state.settings.max_body_bytes, state.settings.body_timeout).await.map(Self)
    }
}

/// A JSON body as a `T`; a fault names its field.
pub(crate) struct JsonBody<T>(pub T);

impl<T: DeserializeOwned> FromRequest<ApiState> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &ApiState) -> Result<Self, ApiError> {
        let JsonBytes(bytes) = JsonBytes::from_request(request, state).await?;
        domain::body::parse(&bytes).map(Self).map_err(|fault| ApiError::faults(vec![fault]))
    }
}

/// A JSON body that may be missing: no bytes count as `T::default()`.
pub(crate) struct OptionalJson<T>(pub T);

impl<T: DeserializeOwned + Default> FromRequest<ApiState> for OptionalJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &ApiState) -> Result<Self, ApiError> {
        if request.body().is_end_stream() {
            return Ok(Self(T::default()));
        }
        JsonBody::from_request(request, state).await.map(|JsonBody(body)| Self(body))
    }
}

/// Parameters such as `charset=utf-8` are fine; more than one header is not.
fn is_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let essence = value.to_str().unwrap_or("").split(';').next().unwrap_or("").trim();
    essence.eq_ignore_ascii_case("application/json")
}

/// The whole body, at most `limit` bytes, within `time`.
pub(crate) async fn read(request: Request, limit: usize, time: Duration) -> Result<Bytes, ApiError> {
    read_saying(request, limit, time, |_| format!("the body may have {limit} bytes at most: send it in parts")).await
}

/// How long the body is, as the caller says.
fn declared(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok())
}

/// Whether the caller says that the body has more than `limit` bytes.
pub(crate) fn declares_more(headers: &HeaderMap, limit: usize) -> bool {
    declared(headers).is_some_and(|length| u64::try_from(limit).is_ok_and(|limit| length > limit))
}

/// The whole body. `said` is what the caller of one that is too large is told; it gets the length that was declared.
pub(crate) async fn read_saying(
    request: Request,
    limit: usize,
    time: Duration,
    said: impl Fn(Option<u64>) -> String,
) -> Result<Bytes, ApiError> {
    let length = declared(request.headers());
    let too_large = || ApiError::new(ErrorKind::PayloadTooLarge, said(length));
    let declared_too_large = declares_more(request.headers(), limit);
    // A caller that waits to be told gets the answer instead of the invitation.
    if declared_too_large && request.headers().contains_key(header::EXPECT) {
        return Err(too_large());
    }
    let body = request.into_body();
    if declared_too_large {
        discard(body, limit).await;
        return Err(too_large());
    }
    match timeout(time, collect(body, limit)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(Unread::TooLarge)) => Err(too_large()),
        Ok(Err(Unread::Broken)) => Err(ApiError::fault("body", "ended before it was complete")),
        Err(_) => {
            let said = format!("the body did not arrive within {} s", time.as_secs());
            Err(ApiError::new(ErrorKind::RequestTimeout, said))
        }
    }
}

enum Unread {
    TooLarge,
    Broken,
}

async fn collect(body: Body, limit: usize) -> Result<Bytes, Unread> {
    let mut chunks = body.into_data_stream();
    let mut whole = BytesMut::new();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| Unread::Broken)?;
        if whole.len() + chunk.len() > limit {
            discard(Body::from_stream(chunks), limit).await;
            return Err(Unread::TooLarge);
        }
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.freeze())
}

async fn discard(body: Body, limit: usize) {
    let read_away = async {
        let mut left = limit.saturating_mul(DISCARD_FACTOR);
        let mut chunks = body.into_data_stream();
        while let Some(Ok(chunk)) = chunks.next().await {
            match left.checked_sub(chunk.len()) {
                Some(rest) => left = rest,
                None => return,
            }
        }
    };
    // Whether the caller gave up or went on too long, the answer is the same.
    drop(timeout(DISCARD_TIMEOUT, read_away).await);
}
