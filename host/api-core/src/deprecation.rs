//! Headers of deprecated calls.

use axum::http::{HeaderName, HeaderValue};

/// Deprecated since 2026-11-22, in seconds since 1970 (RFC 9745).
pub const DEPRECATED_SINCE: HeaderValue = HeaderValue::from_static("@1795305600");

/// Names the time of deprecation of a call (RFC 9745).
pub const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
