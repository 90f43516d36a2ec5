mod attachments;
mod events;
mod files;
mod page_token;
mod people;
mod person_actions;
mod send;
pub(crate) mod state;

use std::sync::Arc;

use axum::{Router, response::Redirect, routing::get};

use crate::world::SimulatedWorld;
pub(crate) use attachments::upload;
pub(crate) use people::profile;
pub(crate) use send::{answer, is_page};

pub(crate) fn routes() -> Router<Arc<SimulatedWorld>> {
    Router::new()
        .route("/messenger", get(|| async { Redirect::to("/#messenger") }))
        .merge(people::routes())
        .merge(person_actions::routes())
        .merge(files::routes())
}
