//! Plugins (CONTRACT 6): upload, activation, trial calls, and the history of calls.

mod activate;
mod background_upload;
mod closed_sets;
mod health;
mod history_bodies;
mod invoke;
mod lists;
mod origin_bodies;
mod plugin_bodies;
mod recorded_page;
mod recordings;
mod request;
mod routing;
mod shared_secrets;
mod state;
mod trust;
mod upload;
mod values;
mod verify;

use std::sync::Arc;

use api_core::state::ApiState;
use axum::extract::DefaultBodyLimit;
use plugins::UploadPlaces;
use utoipa_axum::{router::OpenApiRouter, routes};

use state::PluginState;

pub fn routes(state: &ApiState, uploads: Arc<UploadPlaces>) -> OpenApiRouter<ApiState> {
    plugin_routes().with_state(PluginState::new(state, uploads)).merge(routing::routes())
}

fn plugin_routes() -> OpenApiRouter<PluginState> {
    OpenApiRouter::new()
        .routes(routes!(lists::list, upload::upload))
        // No plugin can have this name.
        .routes(routes!(upload::check))
        .layer(DefaultBodyLimit::disable())
        .routes(routes!(background_upload::upload))
        .routes(routes!(lists::one, activate::delete))
        .routes(routes!(activate::activate))
        .routes(routes!(activate::rollback))
        .routes(routes!(activate::deactivate))
        .routes(routes!(invoke::invoke))
        .routes(routes!(verify::verify))
        .routes(routes!(lists::invocations))
        .routes(routes!(lists::events))
        .routes(routes!(lists::differences))
        .routes(routes!(health::read))
        .routes(routes!(recordings::start, recordings::stop))
        .routes(routes!(recordings::list))
        .routes(routes!(recordings::replay))
        .routes(routes!(values::list, values::erase))
        .routes(routes!(trust::show, trust::change))
        .routes(routes!(trust::add))
        .routes(routes!(trust::remove))
        .routes(routes!(shared_secrets::list))
        .routes(routes!(shared_secrets::put, shared_secrets::remove))
}
