//! Sends one message, and sorts failures by their remedy (PROVIDERS A.2, A.4, A.11).

use std::time::Duration;

use domain::{
    address::{Address, AddressKind},
    carriage::{SendFailure, Taken},
    content::OutboundContent,
    inbound::ProviderFailure,
};
use reqwest::Method;
use serde_json::Value;

use super::{
    CloudApi, CloudNumber, GraphError,
    error_codes::{CodeAction, action_for},
    files::MediaIds,
    graph::{ErrorAnswer, NoAnswer, answer, status_failure},
    message_body::{message_body, read_receipt_body},
};
use crate::http::PostError;

/// One message to one recipient.
#[derive(Debug, Clone, Copy)]
pub struct CloudSend<'a> {
    /// Phone number in digits; has priority if both are given.
    pub phone: Option<&'a str>,
    /// Business-scoped user id.
    pub bsuid: Option<&'a str>,
    /// The content.
    pub content: &'a OutboundContent,
    /// Its files that we uploaded.
    pub uploaded: &'a MediaIds,
    /// `wamid` of the quoted message.
    pub quoted: Option<&'a str>,
    /// Returned with every status (`biz_opaque_callback_data`, at most 512 characters): our message id.
    pub opaque: &'a str,
}

impl CloudApi {
    /// Sends one message. Never sends twice by itself.
    pub async fn send(&self, number: &CloudNumber, send: &CloudSend<'_>) -> Result<Taken, SendFailure> {
        let Some(body) = message_body(send) else {
            let text = "the message has neither a phone number nor a user id".to_owned();
            return Err(SendFailure::Rejected(ProviderFailure { code: 100, text }));
        };
        let call = self.call(Method::POST, &[&number.phone_number_id, "messages"], &number.access_token).json(&body);
        let response = self.client.send(call).await.map_err(before_an_answer)?;
        match answer(response).await {
            Ok(value) => taken(&value),
            Err(NoAnswer::Lost(reason)) => Err(SendFailure::Unknown { reason }),
            Err(NoAnswer::Error(error)) => Err(refused(error)),
        }
    }

    /// Marks an inbound message and all earlier ones as read; with `typing` also shows the typing indicator for at most
    /// 25 s (PROVIDERS A.5: it cannot be shown without the read mark).
    pub async fn mark_read(&self, number: &CloudNumber, wamid: &str, typing: bool) -> Result<(), GraphError> {
        let call = self
            .call(Method::POST, &[&number.phone_number_id, "messages"], &number.access_token)
            .json(&read_receipt_body(wamid, typing));
        self.read::<Value>(call).await.map(|_| ())
    }
}

/// Errors before a status line: only a failed connection proves that nothing was written.
pub(crate) fn before_an_answer(error: PostError) -> SendFailure {
    let reason = error.to_string();
    if error.is_not_written() { SendFailure::NotSent { reason, after: None } } else { SendFailure::Unknown { reason } }
}

/// The canonical number may differ from the given one (Brazil, Argentina, Mexico). A BSUID is returned for sends to a
/// BSUID.
fn taken(value: &Value) -> Result<Taken, SendFailure> {
    let text = |list: &str, field: &str| {
        value.get(list)?.get(0)?.get(field)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let Some(provider_id) = text("messages", "id") else {
        let reason = "the answer names no message id".to_owned();
        return Err(SendFailure::Unknown { reason });
    };
    let held = text("messages", "message_status").is_some_and(|status| status != "accepted");
    let named = [(AddressKind::Phone, "wa_id"), (AddressKind::Bsuid, "user_id")];
    let learned =
        named.into_iter().filter_map(|(kind, field)| Address::of_kind(kind, &text("contacts", field)?)).collect();
    Ok(Taken { provider_id: Some(provider_id), learned, held, sent: false })
}

pub(super) fn refused(error: ErrorAnswer) -> SendFailure {
    let ErrorAnswer { status, failure, wait, subcode: _ } = error;
    let Some(failure) = failure else {
        return refused_without_a_code(status, wait);
    };
    match action_for(failure.code) {
        CodeAction::NotOnWhatsApp => SendFailure::Unreachable(failure),
        CodeAction::Retry => SendFailure::Retry { failure, after: wait },
        CodeAction::SlowDown => SendFailure::SlowDown { failure, after: wait },
        CodeAction::PairLimited => SendFailure::RecipientLimited(failure),
        CodeAction::StopAccount => SendFailure::AccountStopped(failure),
        CodeAction::Reject if status == 429 => SendFailure::SlowDown { failure, after: wait },
        CodeAction::Reject | CodeAction::NeedsNumber => SendFailure::Rejected(failure),
    }
}

/// The body has no Graph error, so another server answered. A gateway after a time-out (500, 502, 504) may have passed
/// the request on; 429 and 503 mean that it was not accepted.
pub(crate) fn refused_without_a_code(status: u16, after: Option<Duration>) -> SendFailure {
    let failure = status_failure(status);
    match status {
        401 => SendFailure::AccountStopped(failure),
        429 | 503 => SendFailure::SlowDown { failure, after },
        400..=499 => SendFailure::Rejected(failure),
        _ => SendFailure::Unknown { reason: failure.text },
    }
}
