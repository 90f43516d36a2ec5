//! A call to the simulated Graph API.

use std::{collections::HashMap, sync::Arc};

use axum::{body::Bytes, extract::Request, http::Method};
use serde_json::Value;

use super::errors::SimulatedGraphError;
use crate::world::SimulatedWorld;

pub(crate) struct GraphCall {
    pub(crate) world: Arc<SimulatedWorld>,
    pub(crate) method: Method,
    pub(crate) version: String,
    pub(crate) node: String,
    pub(crate) query: QueryFields,
    pub(crate) origin: String,
}

pub(super) type QueryFields = HashMap<String, String>;

/// A document may have 100 MB (PROVIDERS A.6).
pub(super) const LARGEST_BODY: usize = 110 * 1024 * 1024;

pub(crate) async fn bytes(request: Request) -> Result<Bytes, SimulatedGraphError> {
    axum::body::to_bytes(request.into_body(), LARGEST_BODY)
        .await
        .map_err(|_| SimulatedGraphError::parameter("The request body is too large or was cut off."))
}

pub(crate) fn parsed(body: &[u8]) -> Result<Value, SimulatedGraphError> {
    if body.is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    match serde_json::from_slice(body) {
        Ok(value @ Value::Object(_)) => Ok(value),
        _ => Err(SimulatedGraphError::parameter("Invalid parameter: the body must be a JSON object.")),
    }
}
