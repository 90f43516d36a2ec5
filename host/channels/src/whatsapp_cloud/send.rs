//! Sending one message, and sorting what can go wrong by what may be done about it (PROVIDERS A.2, A.4, A.11).

use std::time::Duration;

use domain::{content::OutboundContent, inbound::ProviderFailure};
use reqwest::Method;
use serde_json::Value;

use super::{
    CloudApi, CloudNumber, GraphError,
    error_codes::{CodeAction, action_for},
    graph::{ErrorAnswer, NoAnswer, answer, status_failure},
    message_body::{message_body, read_receipt_body},
};
use crate::http::describe;

/// One message to one recipient.
#[derive(Debug, Clone, Copy)]
pub struct CloudSend<'a> {
    /// Phone number in digits; wins when both are given.
    pub phone: Option<&'a str>,
    /// Business-scoped user id.
    pub bsuid: Option<&'a str>,
    /// What to send.
    pub content: &'a OutboundContent,
    /// `wamid` of the message that is quoted.
    pub quoted: Option<&'a str>,
    /// Comes back with every status (`biz_opaque_callback_data`, at most 512 characters): our message id.
    pub opaque: &'a str,
}

/// The provider has the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// `wamid`.
    pub provider_id: String,
    /// The canonical number, which may differ from the one that was given (Brazil, Argentina, Mexico).
    pub wa_id: Option<String>,
    /// BSUID, for sends to one.
    pub user_id: Option<String>,
    /// Held back by Meta (`held_for_quality_assessment`, `paused`): sent or failed later.
    pub held: bool,
}

/// The provider does not have the message, or nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendFailure {
    /// Refused for good.
    #[error("refused: ({}) {}", .0.code, .0.text)]
    Rejected(ProviderFailure),
    /// Refused at once with 131026.
    #[error("undeliverable: ({}) {}", .0.code, .0.text)]
    NotOnWhatsApp(ProviderFailure),
    /// Refused for now; sending again is safe.
    #[error("refused for now: ({}) {}", failure.code, failure.text)]
    Retry {
        /// Code and text.
        failure: ProviderFailure,
        /// How long the provider asks to wait.
        after: Option<Duration>,
    },
    /// Too fast for the number, account or app; sending again is safe.
    #[error("too fast: ({}) {}", failure.code, failure.text)]
    SlowDown {
        /// Code and text.
        failure: ProviderFailure,
        /// How long the provider asks to wait.
        after: Option<Duration>,
    },
    /// Too fast for this recipient; sending again is safe.
    #[error("too fast for this recipient: ({}) {}", .0.code, .0.text)]
    PairLimited(ProviderFailure),
    /// Token or registration unusable; the operator must act.
    #[error("the account cannot send: ({}) {}", .0.code, .0.text)]
    AccountStopped(ProviderFailure),
    /// Nothing was written: sending again is safe.
    #[error("not sent: {reason}")]
    NotSent {
        /// Why, for people.
        reason: String,
    },
    /// Written, but what became of it is not known. Wait for a status that carries our id (DESIGN ground rule 2).
    #[error("outcome unknown: {reason}")]
    Unknown {
        /// Why, for people.
        reason: String,
    },
}

impl SendFailure {
    /// Code and text, where the provider gave them.
    pub fn failure(&self) -> Option<&ProviderFailure> {
        match self {
            Self::Rejected(failure)
            | Self::NotOnWhatsApp(failure)
            | Self::PairLimited(failure)
            | Self::AccountStopped(failure)
            | Self::Retry { failure, .. }
            | Self::SlowDown { failure, .. } => Some(failure),
            Self::NotSent { .. } | Self::Unknown { .. } => None,
        }
    }
}

impl CloudApi {
    /// Sends one message. Never sends twice by itself.
    pub async fn send(&self, number: &CloudNumber, send: &CloudSend<'_>) -> Result<Accepted, SendFailure> {
        let Some(body) = message_body(send) else {
            let text = "the message has neither a phone number nor a user id".to_owned();
            return Err(SendFailure::Rejected(ProviderFailure { code: 100, text }));
        };
        let call = self.call(Method::POST, &[&number.phone_number_id, "messages"], &number.access_token).json(&body);
        let response = call.send().await.map_err(before_an_answer)?;
        match answer(response).await {
            Ok(value) => accepted(&value),
            Err(NoAnswer::Lost(reason)) => Err(SendFailure::Unknown { reason }),
            Err(NoAnswer::Error(error)) => Err(refused(error)),
        }
    }

    /// Marks an inbound message, and all before it, as read; with `typing` also shows the typing indicator for at most 25 s
    /// (PROVIDERS A.5: there is no typing without marking as read).
    pub async fn mark_read(&self, number: &CloudNumber, wamid: &str, typing: bool) -> Result<(), GraphError> {
        let call = self
            .call(Method::POST, &[&number.phone_number_id, "messages"], &number.access_token)
            .json(&read_receipt_body(wamid, typing));
        self.read::<Value>(call).await.map(|_| ())
    }
}

/// Errors before a status line: only a failed connection proves that nothing was written.
fn before_an_answer(error: reqwest::Error) -> SendFailure {
    let not_written = error.is_connect() || error.is_builder();
    let reason = describe(error);
    if not_written { SendFailure::NotSent { reason } } else { SendFailure::Unknown { reason } }
}

fn accepted(value: &Value) -> Result<Accepted, SendFailure> {
    let text = |list: &str, field: &str| {
        value.get(list)?.get(0)?.get(field)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let Some(provider_id) = text("messages", "id") else {
        let reason = "the answer names no message id".to_owned();
        return Err(SendFailure::Unknown { reason });
    };
    let held = text("messages", "message_status").is_some_and(|status| status != "accepted");
    Ok(Accepted { provider_id, wa_id: text("contacts", "wa_id"), user_id: text("contacts", "user_id"), held })
}

fn refused(error: ErrorAnswer) -> SendFailure {
    let ErrorAnswer { status, failure, wait } = error;
    let Some(failure) = failure else {
        return refused_without_a_code(status, wait);
    };
    match action_for(failure.code) {
        CodeAction::NotOnWhatsApp => SendFailure::NotOnWhatsApp(failure),
        CodeAction::Retry => SendFailure::Retry { failure, after: wait },
        CodeAction::SlowDown => SendFailure::SlowDown { failure, after: wait },
        CodeAction::PairLimited => SendFailure::PairLimited(failure),
        CodeAction::StopAccount => SendFailure::AccountStopped(failure),
        CodeAction::Reject if status == 429 => SendFailure::SlowDown { failure, after: wait },
        CodeAction::Reject => SendFailure::Rejected(failure),
    }
}

/// No Graph error in the body, so something in between spoke. A gateway that gave up waiting (500, 502, 504) may have passed
/// the request on; 429 and 503 say that it was not taken.
fn refused_without_a_code(status: u16, after: Option<Duration>) -> SendFailure {
    let failure = status_failure(status);
    match status {
        401 => SendFailure::AccountStopped(failure),
        429 => SendFailure::SlowDown { failure, after },
        503 => SendFailure::Retry { failure, after },
        400..=499 => SendFailure::Rejected(failure),
        _ => SendFailure::Unknown { reason: failure.text },
    }
}
