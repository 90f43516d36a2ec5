//! Files of messages, for the page. They come from strangers, so a browser must not run them as pages of the simulator.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};

use super::headers::NO_SNIFF;
use crate::world::SimulatedWorld;

pub(super) async fn download(State(world): State<Arc<SimulatedWorld>>, Path(id): Path<String>) -> Response {
    let state = world.state();
    let stored = state.media.get(&id).map(|medium| (medium.mime_type.as_str(), medium.bytes.clone()));
    let Some((kind, bytes)) = stored.or_else(|| state.telegram.file(&id)) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    if kind == "text/uri-list" {
        return Redirect::to(&String::from_utf8_lossy(&bytes)).into_response();
    }
    let is_shown = ["image/", "audio/", "video/"].iter().any(|family| kind.starts_with(family));
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'"),
        (header::CONTENT_DISPOSITION, if is_shown { "inline" } else { "attachment" }),
        (header::CACHE_CONTROL, "private, max-age=3600"),
        NO_SNIFF,
    ];
    (headers, bytes).into_response()
}
