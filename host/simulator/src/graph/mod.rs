//! The Graph API: `/{version}/{node}` and `/{version}/{node}/{edge}` of the Cloud API (PROVIDERS A and F).

pub(crate) mod call;
pub(crate) mod catalogue;
mod content;
pub(crate) mod errors;
mod fields;
mod interactive;
pub(crate) mod limits;
mod media_calls;
mod message_content;
mod nodes;
mod one_time_codes;
mod placeholders;
mod samples;
mod send;
pub(crate) mod stored_template;
mod template_buttons;
mod template_calls;
mod template_part;
mod template_send;
mod template_text;

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Path, Query, Request, State},
    http::{HeaderMap, Method, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{any, get},
};
use serde_json::Value;

use crate::{messenger, world::SimulatedWorld};
pub(crate) use call::GraphCall;
use call::{LARGEST_BODY, QueryFields, bytes};
use errors::SimulatedGraphError;

pub(crate) fn routes() -> Router<Arc<SimulatedWorld>> {
    Router::new()
        .route("/{version}/{node}", any(node))
        .route("/{version}/{node}/{edge}", any(edge))
        .route("/media/{id}", get(media_calls::download))
        .layer(middleware::from_fn(require_token))
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
}

/// Accepts any non-empty token, in the header or the query.
async fn require_token(headers: HeaderMap, Query(query): Query<QueryFields>, request: Request, next: Next) -> Response {
    let bearer = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "));
    let token = bearer.or_else(|| query.get("access_token").map(String::as_str));
    if token.is_some_and(|token| !token.trim().is_empty()) {
        next.run(request).await
    } else {
        SimulatedGraphError::no_token().into_response()
    }
}

fn origin(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    format!("http://{}", host.unwrap_or("localhost"))
}

fn is_version(version: &str) -> bool {
    let number = version.strip_prefix('v').and_then(|number| number.split_once('.'));
    number.is_some_and(|(major, minor)| major.parse::<u32>().is_ok() && minor.parse::<u32>().is_ok())
}

async fn node(
    State(world): State<Arc<SimulatedWorld>>,
    Path((version, node)): Path<(String, String)>,
    Query(query): Query<QueryFields>,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, SimulatedGraphError> {
    if !is_version(&version) {
        return Err(unknown_path(&method, &version));
    }
    if let (true, Some(profile)) = (method == Method::GET, messenger::profile(&world, &node)) {
        return profile.map(json);
    }
    let call = GraphCall { world, method, version, node, query, origin: origin(&headers) };
    nodes::answer(&call, &body).map(|answer| Json(answer).into_response())
}

async fn edge(
    State(world): State<Arc<SimulatedWorld>>,
    Path((version, node, edge)): Path<(String, String, String)>,
    Query(query): Query<QueryFields>,
    request: Request,
) -> Result<Response, SimulatedGraphError> {
    let method = request.method().clone();
    if !is_version(&version) {
        return Err(unknown_path(&method, &version));
    }
    let origin = origin(request.headers());
    let call = GraphCall { world, method, version, node, query, origin };
    let post = call.method == Method::POST;
    match edge.as_str() {
        "messages" if post && messenger::is_page(&call.world, &call.node) => messenger::answer(call, request).await,
        "message_attachments" if post => messenger::upload(call, request).await.map(json),
        "messages" if post => send::answer(call, bytes(request).await?).await,
        "media" if post => media_calls::upload(&call, request).await.map(json),
        "message_templates" => {
            let body = bytes(request).await?;
            template_calls::answer(&call, &body).map(json)
        }
        "subscribed_apps" => {
            let body = bytes(request).await?;
            nodes::subscribed_apps(&call, &body).await.map(json)
        }
        "phone_numbers" if call.method == Method::GET => Ok(json(nodes::phone_numbers(&call))),
        _ => Err(unknown_path(&call.method, &edge)),
    }
}

fn json(answer: Value) -> Response {
    Json(answer).into_response()
}

fn unknown_path(method: &Method, component: &str) -> SimulatedGraphError {
    SimulatedGraphError::no_object(&method.as_str().to_ascii_lowercase(), component)
}
