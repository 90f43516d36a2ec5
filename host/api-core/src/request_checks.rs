//! The checks of a request before its handler, in one layer: each layer of the router costs every request about ten
//! allocations, more than most of these checks.

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{admission, early_answers::HeadFault, https, privacy, product_hosts, state::ApiState};

/// The middleware: checks the host and TLS of the request, its room in the ledger, and masks the answer.
pub async fn pass(State(state): State<ApiState>, request: Request, next: Next) -> Response {
    if let Some(wrong) = request.extensions().get::<HeadFault>() {
        return wrong.refusal().into_response();
    }
    let settings = &state.settings;
    let came_right = https::require(settings, &request).and_then(|()| product_hosts::check_host(settings, &request));
    if let Err(refused) = came_right {
        return refused.into_response();
    }
    admission::admit(&state, request, |request| privacy::mask(request, next)).await
}
