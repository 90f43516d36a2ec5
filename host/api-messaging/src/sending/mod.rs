//! The send endpoints (SPEC 4.1): the parts that belong to HTTP. The acceptor parses requests and applies the rules.

mod call;
mod check;
mod conversation_schema;
mod recipient_schema;
mod schema;
mod sms_schema;
mod unified_schema;

use std::sync::Arc;

use api_core::{
    admission::reservation::AdmittedRequest,
    auth::{AuthorizedCaller, Permission, Sending},
    error::ApiError,
};
use axum::{
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use base::heavy_work::{self, BodyOwner};
use outbound::accept::{AcceptError, Replay, SendAcceptance, SendCall, SendEndpoint};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

use self::call::{Call, refused};
use crate::state::SendState;

/// Marks an answer that is that of an earlier request with the same `Idempotency-Key`.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
const WARNING: HeaderName = HeaderName::from_static("idempotency-warning");
const OTHER_BODY: &str = "the body differs from that of the first request with this key; this request sent nothing";
const IDEMPOTENCY_KEY_MAX: usize = 255;

pub(crate) fn routes() -> OpenApiRouter<SendState> {
    OpenApiRouter::new()
        .routes(routes!(send_unified))
        .routes(routes!(whatsapp))
        .routes(routes!(sms))
        .routes(routes!(conversation))
        .merge(check::routes())
}

/// The header that makes a send safe to repeat.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "describes the parameters")]
struct Idempotency {
    /// A value that is unique for each send, such as a UUID. A request with a known value gets the first answer again
    /// and sends nothing. Its answer has the header `Idempotency-Replayed`. A value is kept for 7 days if at
    /// least one recipient was accepted.
    #[param(rename = "Idempotency-Key", nullable = false, min_length = 1, max_length = 255, pattern = "^[!-~]+$")]
    key: Option<String>,
}

/// Sends a template or a free text. `channel` selects WhatsApp or SMS.
///
/// A 202 means that everything is stored: the messages to accepted recipients go out even if this server stops.
/// Webhooks report the state of each message.
#[utoipa::path(
    post,
    path = "/whatsapp-api-service/v2/messages",
    operation_id = "send",
    tag = "Sending",
    params(Idempotency),
    request_body = unified_schema::UnifiedSend,
    security(("apiKey" = [Sending::ROW.name])),
    responses((status = 202, description = "The send is accepted, even if some or all recipients were rejected.", body = schema::SendAccepted)),
)]
async fn send_unified(
    State(state): State<SendState>,
    allowed: AuthorizedCaller<Sending>,
    call: Call,
) -> Result<Response, ApiError> {
    accept(&state, &allowed, SendEndpoint::Unified, call).await
}

/// Sends a template or a free text over WhatsApp.
///
/// The body has the form of `payload` in `POST /whatsapp-api-service/v2/messages`.
#[utoipa::path(
    post,
    path = "/whatsapp-api-service/v2/channels/whatsapp",
    operation_id = "sendByWhatsApp",
    tag = "Sending",
    params(Idempotency),
    request_body = schema::Send,
    security(("apiKey" = [Sending::ROW.name])),
    responses((status = 202, description = "The send is accepted, even if some or all recipients were rejected.", body = schema::SendAccepted)),
)]
async fn whatsapp(
    State(state): State<SendState>,
    allowed: AuthorizedCaller<Sending>,
    call: Call,
) -> Result<Response, ApiError> {
    accept(&state, &allowed, SendEndpoint::Whatsapp, call).await
}

/// Sends an SMS.
///
/// `sender` is one of the client's SMS source addresses. If it is absent, the client's default source is used. A text
/// of more than one segment goes out in parts that the phone joins. Webhooks report the state of each message, with
/// `channel` `SMS`.
#[utoipa::path(
    post,
    path = "/whatsapp-api-service/v2/channels/sms",
    operation_id = "sendBySms",
    tag = "Sending",
    params(Idempotency),
    request_body = sms_schema::SmsSend,
    security(("apiKey" = [Sending::ROW.name])),
    responses((status = 202, description = "The send is accepted, even if some or all recipients were rejected.", body = schema::SendAccepted)),
)]
async fn sms(
    State(state): State<SendState>,
    allowed: AuthorizedCaller<Sending>,
    call: Call,
) -> Result<Response, ApiError> {
    accept(&state, &allowed, SendEndpoint::Sms, call).await
}

/// Sends free text into long-lived conversations, or a template.
///
/// If the conversation of a text is closed, has expired or belongs to another recipient, that recipient is rejected
/// with the reason. A template belongs to the active conversation with its recipient, if there is one. Field names may
/// also be written in snake_case.
#[utoipa::path(
    post,
    path = "/whatsapp-api-service/v2/json",
    operation_id = "sendInConversation",
    tag = "Sending",
    params(Idempotency),
    request_body = conversation_schema::ConversationSend,
    security(("apiKey" = [Sending::ROW.name])),
    responses((status = 202, description = "The send is accepted, even if some or all recipients were rejected.", body = schema::SendAccepted)),
)]
async fn conversation(
    State(state): State<SendState>,
    allowed: AuthorizedCaller<Sending>,
    call: Call,
) -> Result<Response, ApiError> {
    accept(&state, &allowed, SendEndpoint::Conversation, call).await
}

async fn accept(
    state: &SendState,
    allowed: &AuthorizedCaller<Sending>,
    endpoint: SendEndpoint,
    Call { senders, request_id, headers, body }: Call,
) -> Result<Response, ApiError> {
    let idempotency_key = idempotency_key(&headers)?;
    allowed.held.recipients_left()?;
    let (client, mode) = (allowed.caller.client, allowed.caller.mode);
    let call = SendCall { client, mode, endpoint, senders, body, idempotency_key, request_id };
    let SendAcceptance { response, replay } =
        accept_to_the_end(state, allowed.held.clone(), call).await.map_err(refused)?;
    let answer = response.clone();
    let recipients =
        heavy_work::work(response.len(), BodyOwner::Client(allowed.caller.client), move || recipients(&answer)).await?;
    allowed.held.charge_recipients(recipients);
    let json = HeaderValue::from_static("application/json");
    let mut answer = (StatusCode::ACCEPTED, [(header::CONTENT_TYPE, json)], response).into_response();
    if let Some(replay) = replay {
        let headers = answer.headers_mut();
        headers.insert(REPLAYED, HeaderValue::from_static("true"));
        if replay == Replay::OtherBody {
            headers.insert(WARNING, HeaderValue::from_static(OTHER_BODY));
        }
    }
    Ok(answer)
}

/// If the caller hangs up, the request continues: it waits in a group with others, and its bytes count until that is stored.
async fn accept_to_the_end(
    state: &SendState,
    held: AdmittedRequest,
    call: SendCall,
) -> Result<SendAcceptance, AcceptError> {
    let acceptor = Arc::clone(&state.service);
    let accepting = async move {
        let answer = acceptor.accept(call).await;
        drop(held);
        answer
    };
    base::to_the_end(accepting).await.unwrap_or_else(|stopped| Err(AcceptError::Failed(Arc::new(stopped))))
}

fn recipients(response: &[u8]) -> u32 {
    let counts: Counts = serde_json::from_slice(response).unwrap_or_default();
    counts.accepted_count.saturating_add(counts.rejected_count)
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Counts {
    accepted_count: u32,
    rejected_count: u32,
}

/// Reads the header exactly as sent: 1 to 255 visible ASCII characters, once.
fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut values = headers.get_all("idempotency-key").iter();
    let Some(value) = values.next() else { return Ok(None) };
    let bytes = value.as_bytes();
    let well_formed = (1..=IDEMPOTENCY_KEY_MAX).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic);
    if values.next().is_some() || !well_formed {
        let said = format!("must be one header of 1 to {IDEMPOTENCY_KEY_MAX} visible ASCII characters, such as a UUID");
        return Err(ApiError::fault("Idempotency-Key", said));
    }
    Ok(Some(bytes.iter().map(|byte| char::from(*byte)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(values: &[&str]) -> Result<Option<String>, ApiError> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("idempotency-key", value.parse().unwrap());
        }
        idempotency_key(&headers)
    }

    #[test]
    fn without_the_header_nothing_is_deduplicated() {
        assert_eq!(key(&[]).unwrap(), None);
    }

    #[test]
    fn keys_have_1_to_255_visible_characters() {
        assert!(key(&[""]).is_err());
        assert_eq!(key(&["a"]).unwrap().as_deref(), Some("a"));
        assert!(key(&[&"a".repeat(255)]).is_ok());
        assert!(key(&[&"a".repeat(256)]).is_err());
        assert!(key(&["two words"]).is_err());
    }

    #[test]
    fn two_keys_are_refused() {
        assert!(key(&["a", "b"]).is_err());
    }
}
