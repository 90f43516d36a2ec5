//! Webhooks of clients: addresses, deliveries and attempts, and the listener.

mod closed_sets;
mod webhook_attempts;
mod webhook_config;
mod webhook_listener;

use api_core::state::ApiState;
use utoipa_axum::router::OpenApiRouter;

pub fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .merge(webhook_config::routes())
        .merge(webhook_attempts::routes())
        .merge(webhook_listener::routes())
}
