//! For operators of the service (ADR 0068). A key of an operator opens these routes and no others; a key of a client opens
//! none of them.

mod authorization;
mod status;

use std::sync::Arc;

use api_core::state::{ApiState, StateWith};
use operators::status::StatusReader;
use utoipa_axum::{router::OpenApiRouter, routes};

pub use authorization::OPERATOR_KEY;

pub fn routes(state: &ApiState, reader: Arc<StatusReader>) -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(status::read)).with_state(StateWith::new(state, reader))
}
