//! What a request passes on its way to its handler, in one layer: each layer of the router costs every request some ten
//! allocations, which is more than what most of these look at.

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{admission, early::WrongHead, https, privacy, product_hosts, state::ApiState};

/// The middleware: where the request came, whether there is room for it, and how much of the answer its caller may see.
pub(crate) async fn pass(State(state): State<ApiState>, request: Request, next: Next) -> Response {
    if let Some(wrong) = request.extensions().get::<WrongHead>() {
        return wrong.refusal().into_response();
    }
    let settings = &state.settings;
    let came_right = https::required(settings, &request).and_then(|()| product_hosts::served(settings, &request));
    if let Err(refused) = came_right {
        return refused.into_response();
    }
    admission::admit(&state, request, |request| privacy::mask(request, next)).await
}
