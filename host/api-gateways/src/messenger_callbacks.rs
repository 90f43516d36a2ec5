//! Callbacks of Meta about Facebook pages (CONTRACT 4). A 200 means that the callback is stored.

use api_core::error::ApiError;
use axum::{
    extract::{Query, Request, State, rejection::QueryRejection},
    http::StatusCode,
};
use inbound::callbacks::{Handshake, messenger_handshake, open_messenger_callback};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    providers::{check_handshake, keep, read_signed},
    state::CallbackState,
};

pub(crate) fn routes() -> OpenApiRouter<CallbackState> {
    OpenApiRouter::new().routes(routes!(handshake, callback))
}

/// Answers Meta's handshake for pages.
///
/// The answer is the challenge as text, if the token is `messenger.verify_token`.
#[utoipa::path(
    get,
    path = "/providers/messenger/webhook",
    operation_id = "messengerHandshake",
    tag = "Provider callbacks",
    params(
        ("hub.mode" = Option<String>, Query, description = "`subscribe`.", example = "subscribe"),
        ("hub.verify_token" = Option<String>, Query, description = "The token that Meta and this server share."),
        ("hub.challenge" = Option<String>, Query, description = "Any text."),
    ),
    responses(
        (status = 200, description = "The challenge.", body = String, content_type = "text/plain"),
        (status = 403, description = "The token is wrong, or a parameter is missing. Or the request did not come over HTTPS."),
    ),
)]
async fn handshake(
    State(state): State<CallbackState>,
    query: Result<Query<Handshake>, QueryRejection>,
) -> Result<String, ApiError> {
    check_handshake("messenger.verify_token", query, |query| messenger_handshake(&state.context, query))
}

/// Takes messages, reports and echoes of Messenger.
///
/// The signature covers the raw bytes. A 200 means that the callback is stored. A callback may be repeated.
#[utoipa::path(
    post,
    path = "/providers/messenger/webhook",
    operation_id = "messengerCallback",
    tag = "Provider callbacks",
    params((
        "X-Hub-Signature-256" = Option<String>,
        Header,
        description = "`sha256=` and the HMAC-SHA256 of the body under the app secret.",
    )),
    request_body(content = Object, content_type = "application/json", description = "The callback in Meta's form, at most 3 MiB."),
    responses(
        (status = 200, description = "The callback is stored."),
        (status = 401, description = "The signature is missing or wrong."),
    ),
)]
async fn callback(State(state): State<CallbackState>, request: Request) -> Result<StatusCode, ApiError> {
    let (raw, signature) = read_signed(&state, request, false).await?;
    let opened = open_messenger_callback(&state.context, &raw, &signature.unwrap_or_default()).await;
    keep(&state, &raw, opened).await
}
