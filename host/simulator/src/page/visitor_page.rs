//! `GET /web?site=KEY`: a page of a site with the chat widget, for visitors.

use std::sync::Arc;

use axum::{
    extract::{Query, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use reqwest::Url;
use serde::Deserialize;

use super::{assets, headers::NO_SNIFF};
use crate::world::SimulatedWorld;

/// Place of the script of the widget in the page.
const WIDGET: &str = "<!-- widget -->";

#[derive(Debug, Deserialize)]
pub(super) struct VisitedSite {
    site: String,
}

pub(super) async fn show(State(world): State<Arc<SimulatedWorld>>, Query(visited): Query<VisitedSite>) -> Response {
    let Some(script) = world.state().sites.script(&visited.site) else {
        return (StatusCode::NOT_FOUND, "no site has this key; POST /simulator/sites makes one known").into_response();
    };
    // A URL has neither quotes nor angle brackets.
    let tag = format!("<script src=\"{}\" async></script>", script.as_str().replace('&', "&amp;"));
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
        (header::CONTENT_SECURITY_POLICY, policy(&script)),
        (NO_SNIFF.0, NO_SNIFF.1.to_owned()),
    ];
    (headers, assets::VISITOR_PAGE.replace(WIDGET, &tag)).into_response()
}

fn policy(script: &Url) -> String {
    let host = script.origin().ascii_serialization();
    let socket = host.replacen("http", "ws", 1);
    format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; style-src 'self'; script-src {host}; \
         connect-src {host} {socket}; img-src {host} https: data:; media-src {host}"
    )
}
