//! Webhooks of clients: their addresses, their deliveries and attempts, the listener, and callbacks of providers that could
//! not be read.

mod failed_callbacks;
mod webhook_attempts;
mod webhook_config;
mod webhook_listener;

use api_core::state::ApiState;
use utoipa_axum::router::OpenApiRouter;

/// The routes of this crate.
pub fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .merge(webhook_config::routes())
        .merge(webhook_attempts::routes())
        .merge(webhook_listener::routes())
        .merge(failed_callbacks::routes())
}
