//! Plugins (CONTRACT 6): upload, activation, trial calls, and the history of calls.

mod activate;
mod history_bodies;
mod invoke;
mod lists;
mod pending;
mod plugin_bodies;
mod recorded_page;
mod recordings;
mod request;
mod upload;
mod values;
mod verify;

use axum::extract::DefaultBodyLimit;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::state::ApiState;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(lists::list, upload::upload))
        // No plugin can have this name.
        .routes(routes!(upload::check))
        .layer(DefaultBodyLimit::disable())
        .routes(routes!(pending::upload))
        .routes(routes!(lists::one, activate::delete))
        .routes(routes!(activate::activate))
        .routes(routes!(activate::rollback))
        .routes(routes!(activate::deactivate))
        .routes(routes!(invoke::invoke))
        .routes(routes!(verify::verify))
        .routes(routes!(lists::invocations))
        .routes(routes!(lists::events))
        .routes(routes!(lists::differences))
        .routes(routes!(recordings::start, recordings::stop))
        .routes(routes!(recordings::list))
        .routes(routes!(recordings::replay))
        .routes(routes!(values::list, values::erase))
}
