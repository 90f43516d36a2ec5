//! Files of people and pages. Their addresses need no token and expire, like those of Meta's servers.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use serde::Deserialize;

use crate::world::{SimulatedWorld, WorldState as Facts};

pub(super) fn routes() -> Router<Arc<SimulatedWorld>> {
    Router::new().route("/messenger/files/{id}/{name}", get(download))
}

pub(super) fn keep(state: &mut Facts, mime_type: &str, name: &str, bytes: Bytes) -> (String, String) {
    let stored = state.media.store(mime_type, bytes);
    let path = state.media.download_path(&stored.id);
    let seal = path.split_once('?').map(|(_, seal)| seal).unwrap_or_default();
    let url = format!("{}/messenger/files/{}/{}?{seal}", state.origin, stored.id, name.replace(' ', "%20"));
    (stored.id, url)
}

#[derive(Debug, Deserialize)]
struct Seal {
    ext: i64,
    hash: String,
}

async fn download(
    State(world): State<Arc<SimulatedWorld>>,
    Path((id, _)): Path<(String, String)>,
    Query(seal): Query<Seal>,
) -> Response {
    let state = world.state();
    match state.media.get(&id).filter(|_| state.media.download_allowed(&id, seal.ext, &seal.hash)) {
        Some(file) => ([(header::CONTENT_TYPE, file.mime_type.clone())], file.bytes.clone()).into_response(),
        None => (StatusCode::FORBIDDEN, "URL signature expired").into_response(),
    }
}
