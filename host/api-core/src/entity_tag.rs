//! Entity tags of answers that are made once per process. A caller that has the bytes already gets a 304 without them.

use axum::{
    Extension,
    body::Bytes,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};

use crate::admission::answer::SharedBytes;

/// The tag of some bytes.
#[derive(Debug, Clone)]
pub struct EntityTag(HeaderValue);

impl EntityTag {
    pub fn of(bytes: &[u8]) -> Self {
        let text = format!("\"{:016x}\"", fingerprint(bytes));
        // Hexadecimal digits in quotes are always a header value.
        Self(HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("\"0\"")))
    }

    /// The tag without quotes, for addresses that name a version.
    pub fn version(&self) -> &str {
        self.0.to_str().unwrap_or_default().trim_matches('"')
    }

    /// Returns the bytes with their type, or a 304 if the caller has them.
    pub fn answer(&self, asked: &HeaderMap, content_type: &'static str, bytes: Bytes) -> Response {
        let known = asked.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
        let same = known.is_some_and(|known| known.split(',').any(|one| one.trim().trim_start_matches("W/") == self.0));
        let mut response = if same {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            ([(header::CONTENT_TYPE, content_type)], Extension(SharedBytes), bytes).into_response()
        };
        response.headers_mut().insert(header::ETAG, self.0.clone());
        response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }
}

/// FNV-1a. It distinguishes versions of our own files; there is no reason to forge one.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
