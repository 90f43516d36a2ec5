//! Query parameters of conversations and analytics.

use api_core::{error::ApiError, query::QueryParameters};
use axum::http::request::Parts;
use base::Result;

/// Reads a query parameter. An empty one counts as absent.
pub(super) fn optional_parameter(parts: &Parts, wanted: &str) -> Result<Option<String>, ApiError> {
    Ok(QueryParameters::of(&parts.uri)?.value(wanted).map(str::to_owned))
}
