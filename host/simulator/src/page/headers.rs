use axum::http::{HeaderName, header};

/// Browsers take a file for what its type says.
pub(super) const NO_SNIFF: (HeaderName, &str) = (header::X_CONTENT_TYPE_OPTIONS, "nosniff");
