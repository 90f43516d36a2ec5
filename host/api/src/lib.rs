//! The HTTP surface of Patchbay: one module per part of the specification's section 4, and what they share. Handlers
//! extract, parse, call one use case and shape the answer; the rules are in `messaging` and `domain`.

mod account_keys;
mod auth;
mod body;
pub mod error;
mod https;
mod media;
mod numbers;
mod observe;
mod operations;
mod page;
mod path;
mod plugins;
mod providers;
mod routing;
mod sending;
mod state;
mod templates;
mod testing;
mod webhook_config;

use axum::{
    Router,
    extract::Request,
    middleware::{from_fn_with_state, map_request},
    routing::{get, post},
};
use tower::{Layer, ServiceBuilder};
use tower_http::catch_panic::CatchPanicLayer;

pub use auth::{PERMISSIONS, PermissionRow};
pub use https::OverTls;
pub use state::{ApiSettings, ApiState, ClockControl, ClockFailed, Readiness};

/// Everything that is served under one address.
pub fn router(state: ApiState) -> Router {
    let routes = routes(&state)
        .fallback(error::no_such_path)
        .method_not_allowed_fallback(error::method_not_allowed)
        .layer(
            ServiceBuilder::new()
                .layer(from_fn_with_state(state.clone(), observe::observe))
                .layer(CatchPanicLayer::custom(error::panicked))
                .layer(from_fn_with_state(state.clone(), https::require)),
        )
        .with_state(state);
    // Paths are changed before they are routed, so this stands around the router, not in it.
    Router::new().fallback_service(map_request(without_trailing_slash).layer(routes))
}

fn routes(state: &ApiState) -> Router<ApiState> {
    Router::new()
        .merge(sending::routes())
        .merge(account_keys::routes())
        .merge(webhook_config::routes())
        .merge(numbers::routes())
        .merge(templates::routes())
        .merge(plugins::routes())
        .merge(routing::routes())
        .merge(media::routes())
        .route("/providers/whatsapp-cloud/webhook", get(providers::handshake).post(providers::callback))
        .route("/healthz", get(operations::alive))
        .route("/readyz", get(operations::ready))
        .route("/metrics", get(operations::metrics))
        .merge(match &state.settings.testing_clock {
            Some(_) => Router::new().route("/testing/clock/advance", post(testing::advance)),
            None => Router::new(),
        })
}

/// A trailing slash never matters (DESIGN 7).
async fn without_trailing_slash(mut request: Request) -> Request {
    let path = request.uri().path();
    let trimmed = path.trim_end_matches('/');
    if trimmed.len() == path.len() || trimmed.is_empty() {
        return request;
    }
    let target = match request.uri().query() {
        Some(query) => format!("{trimmed}?{query}"),
        None => trimmed.to_owned(),
    };
    let mut parts = request.uri().clone().into_parts();
    if let Ok(target) = target.parse() {
        parts.path_and_query = Some(target);
        if let Ok(uri) = axum::http::Uri::from_parts(parts) {
            *request.uri_mut() = uri;
        }
    }
    request
}
