//! Query parameters of conversations and analytics.

use axum::http::request::Parts;
use base::Result;

use crate::{error::ApiError, query::Parameters};

/// Reads a query parameter. An empty one counts as absent.
pub(super) fn optional_parameter(parts: &Parts, wanted: &str) -> Result<Option<String>, ApiError> {
    Ok(Parameters::of(&parts.uri)?.value(wanted).map(str::to_owned))
}
