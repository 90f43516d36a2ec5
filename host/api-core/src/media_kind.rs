//! The type of a body, by its header.

use axum::http::{HeaderMap, header};

/// True if the body is declared as JSON. Parameters such as `charset=utf-8` are allowed; a second header is not.
pub fn is_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let essence = value.to_str().unwrap_or("").split(';').next().unwrap_or("").trim();
    essence.eq_ignore_ascii_case("application/json")
}

/// The declared type in lower case, without parameters. Empty if there is none. Of several headers, the first counts.
pub fn declared_type(headers: &HeaderMap) -> String {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
