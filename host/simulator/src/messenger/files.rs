//! Files that people sent: at addresses that need no token and end after a while, as those of Meta's servers.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;

use crate::world::World;

pub(super) fn routes() -> Router<Arc<World>> {
    Router::new().route("/messenger/files/{id}/{name}", get(download))
}

#[derive(Debug, Deserialize)]
struct Seal {
    ext: i64,
    hash: String,
}

async fn download(
    State(world): State<Arc<World>>,
    Path((id, _)): Path<(String, String)>,
    Query(seal): Query<Seal>,
) -> Response {
    let state = world.state();
    match state.media.get(&id).filter(|_| state.media.download_allowed(&id, seal.ext, &seal.hash)) {
        Some(file) => ([(header::CONTENT_TYPE, file.mime_type.clone())], file.bytes.clone()).into_response(),
        None => (StatusCode::FORBIDDEN, "URL signature expired").into_response(),
    }
}
