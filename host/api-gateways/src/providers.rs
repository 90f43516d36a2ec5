//! Callbacks of providers (CONTRACT 4). A 200 means that the callback is stored.

use std::net::IpAddr;

use api_core::{
    body,
    error::{ApiError, ErrorKind},
    https::peer,
    path::Segments,
};
use axum::{
    extract::{Query, Request, State, rejection::QueryRejection},
    http::StatusCode,
};
use utoipa_axum::{router::OpenApiRouter, routes};

use bytes::Bytes;
use domain::{
    ids::{ClientId, InboxId},
    inbound::CallbackItem,
};
use inbound::{
    callbacks::{
        CallbackRefused, Handshake, HandshakeAnswer, IntakeRefused, handshake as answer_handshake, is_signature,
        open_callback,
    },
    lite::LiteCallbackRefused,
};

use crate::state::CallbackState;

/// Largest callback: Meta sends up to 3 MB (PROVIDERS A.7).
pub(crate) const MAX_CALLBACK_BYTES: usize = 3 * 1024 * 1024;

pub(crate) fn routes() -> OpenApiRouter<CallbackState> {
    OpenApiRouter::new().routes(routes!(handshake, callback)).routes(routes!(lite_callback))
}

/// Answers Meta's handshake.
///
/// The answer is the challenge as text, if the token is `whatsapp_cloud.verify_token`.
#[utoipa::path(
    get,
    path = "/providers/whatsapp-cloud/webhook",
    operation_id = "whatsAppCloudHandshake",
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
    check_handshake("whatsapp_cloud.verify_token", query, |query| answer_handshake(&state.context, query))
}

/// `setting` names the setting of the token; `answer` is the result for that token.
pub(crate) fn check_handshake(
    setting: &str,
    query: Result<Query<Handshake>, QueryRejection>,
    answer: impl FnOnce(&Handshake) -> Option<HandshakeAnswer>,
) -> Result<String, ApiError> {
    let answer = query.ok().and_then(|Query(query)| answer(&query));
    answer.map(|challenge| challenge.0).ok_or_else(|| {
        let said = format!("hub.mode must be subscribe and hub.verify_token the token in {setting}");
        ApiError::new(ErrorKind::Forbidden, said)
    })
}

/// Takes messages, statuses and account events of WhatsApp Cloud.
///
/// The signature covers the raw bytes. A 200 means that the callback is stored. A callback may be repeated.
#[utoipa::path(
    post,
    path = "/providers/whatsapp-cloud/webhook",
    operation_id = "whatsAppCloudCallback",
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
    let from_this_machine = peer(request.extensions()).is_some_and(|peer: IpAddr| peer.is_loopback());
    let unsigned_is_fine = state.settings.simulator_allows_unsigned && from_this_machine;
    let (raw, signature) = read_signed(&state, request, unsigned_is_fine).await?;
    let opened = open_callback(&state.context, &raw, signature.as_deref(), unsigned_is_fine).await;
    keep(&state, &raw, opened).await
}

/// Reads a callback of Meta with its signature. If it cannot be taken, the body is not read.
pub(crate) async fn read_signed(
    state: &CallbackState,
    request: Request,
    unsigned_is_fine: bool,
) -> Result<(Bytes, Option<String>), ApiError> {
    let signature = signature(&request)?;
    if signature.is_none() && !unsigned_is_fine {
        return Err(api_error(CallbackRefused::BadSignature));
    }
    Ok((body::read(request, MAX_CALLBACK_BYTES, state.settings.body_timeout).await?, signature))
}

pub(crate) async fn keep(
    state: &CallbackState,
    raw: &Bytes,
    opened: Result<Vec<CallbackItem>, CallbackRefused>,
) -> Result<StatusCode, ApiError> {
    let items = opened.map_err(api_error)?;
    state.service.take(raw.len(), items).await.map_err(|IntakeRefused(cause)| ApiError::from_shared(cause))?;
    Ok(StatusCode::OK)
}

/// Takes messages and receipts of a WhatsApp Lite bridge.
///
/// The signature covers the raw bytes. A 200 means that the callback is stored. A callback may be repeated.
#[utoipa::path(
    post,
    path = "/providers/whatsapp-lite/webhook/{client}/{number}",
    operation_id = "whatsAppLiteCallback",
    tag = "Provider callbacks",
    params(
        ("client" = Uuid, Path, description = "Id of the client of the number."),
        ("number" = Uuid, Path, description = "The number of the session."),
        ("X-Webhook-Hmac" = Option<String>, Header, description = "The HMAC-SHA512 of the body under `whatsapp_lite.webhook_secret`."),
    ),
    request_body(content = Object, content_type = "application/json", description = "The event in the form of WAHA, at most 3 MiB."),
    responses(
        (status = 200, description = "The event is stored, or it has nothing to store."),
        (status = 401, description = "The signature is missing or wrong."),
    ),
)]
async fn lite_callback(
    State(state): State<CallbackState>,
    Segments((client, number)): Segments<(ClientId, InboxId)>,
    request: Request,
) -> Result<StatusCode, ApiError> {
    let signature = request.headers().get("x-webhook-hmac").and_then(|value| value.to_str().ok()).map(str::to_owned);
    // If it cannot be taken, the body is not read.
    let Some(signature) = signature.filter(|text| inbound::lite::is_signature(text)) else {
        return Err(lite_refused(LiteCallbackRefused::BadSignature));
    };
    let raw = body::read(request, MAX_CALLBACK_BYTES, state.settings.body_timeout).await?;
    let taken = inbound::lite::take_callback(&state.context, client, number, &raw, &signature).await;
    taken.map_err(lite_refused)?;
    Ok(StatusCode::OK)
}

fn lite_refused(error: LiteCallbackRefused) -> ApiError {
    match error {
        LiteCallbackRefused::BadSignature => {
            let said = "X-Webhook-Hmac must be the HMAC-SHA512 of the raw body under whatsapp_lite.webhook_secret";
            ApiError::new(ErrorKind::InvalidSignature, said)
        }
        LiteCallbackRefused::Unreadable(reason) => {
            ApiError::fault("body", format!("is not an event of a bridge: {reason}"))
        }
        LiteCallbackRefused::UnknownNumber => ApiError::not_found(),
        LiteCallbackRefused::Failed(error) => error.into(),
    }
}

/// A second header, or a text that cannot be a signature, counts as a wrong signature.
fn signature(request: &Request) -> Result<Option<String>, ApiError> {
    let mut values = request.headers().get_all("x-hub-signature-256").iter();
    let Some(value) = values.next() else { return Ok(None) };
    match (value.to_str(), values.next()) {
        (Ok(text), None) if is_signature(text) => Ok(Some(text.to_owned())),
        _ => Err(api_error(CallbackRefused::BadSignature)),
    }
}

fn api_error(error: CallbackRefused) -> ApiError {
    match error {
        CallbackRefused::BadSignature => {
            metrics::counter!("patchbay_callbacks_refused_total", "reason" => "signature").increment(1);
            let said = "X-Hub-Signature-256 must be the HMAC-SHA256 of the raw body under the app secret";
            ApiError::new(ErrorKind::InvalidSignature, said)
        }
        CallbackRefused::Unreadable(reason) => {
            metrics::counter!("patchbay_callbacks_refused_total", "reason" => "unreadable").increment(1);
            ApiError::fault("body", format!("is not a callback of this provider: {reason}"))
        }
        CallbackRefused::TooMany => {
            metrics::counter!("patchbay_callbacks_refused_total", "reason" => "too_many").increment(1);
            ApiError::new(ErrorKind::PayloadTooLarge, format!("{error}: send it in parts"))
        }
        CallbackRefused::Failed(error) => error.into(),
    }
}
