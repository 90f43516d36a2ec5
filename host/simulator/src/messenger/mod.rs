//! Messenger: pages, the people who write to them with phones of their own, and the Graph API of both (PROVIDERS B). As strict as
//! Meta: what Meta refuses is refused.

mod attachments;
mod events;
mod files;
mod hand;
mod people;
mod send;
mod state;

use std::sync::Arc;

use axum::Router;
use axum::response::Html;
use axum::routing::get;

pub(crate) use attachments::upload;
pub(crate) use events::FIELD;
pub(crate) use people::profile;
pub(crate) use send::{answer, is_page};
pub(crate) use state::Messenger;

use crate::world::World;

/// Phones, pages and files; the Graph API is among its own routes.
pub(crate) fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/messenger", get(|| async { Html(include_str!("page.html")) }))
        .merge(people::routes())
        .merge(hand::routes())
        .merge(files::routes())
}
