//! Messenger: pages, people with phones, and the Graph API of both (PROVIDERS B). It refuses the same requests as Meta.

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

/// Phones, pages and files. The Graph API has its own routes.
pub(crate) fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/messenger", get(|| async { Html(include_str!("page.html")) }))
        .merge(people::routes())
        .merge(hand::routes())
        .merge(files::routes())
}
