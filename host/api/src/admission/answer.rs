//! An answer counts until it has been sent: a caller that does not read what it asked for must not fill the memory.

use axum::{
    body::{Body, Bytes, HttpBody, to_bytes},
    response::Response,
};

use super::Held;

/// Bytes of an answer, with the place that the request keeps until they are gone.
struct CountedBytes {
    bytes: Bytes,
    _held: Held,
}

impl AsRef<[u8]> for CountedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The same answer. One whose length is known lies in memory as a whole and is counted; one that is made while it is sent
/// (files, live events) holds no more than a piece.
pub(super) async fn hold(response: Response, held: Held) -> Response {
    let length = response.body().size_hint().exact();
    let Some(length) = length.filter(|length| *length > 0) else { return response };
    let (parts, body) = response.into_parts();
    // All of it is there, so this neither waits nor copies.
    let Ok(bytes) = to_bytes(body, usize::MAX).await else { return Response::from_parts(parts, Body::empty()) };
    held.exchange_for(length);
    let counted = Bytes::from_owner(CountedBytes { bytes, _held: held });
    Response::from_parts(parts, Body::from(counted))
}
