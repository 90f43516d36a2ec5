//! The meaning of each error of the Bot API.

use std::time::Duration;

use domain::{carriage::SendFailure, inbound::ProviderFailure};
use serde_json::Value;

use crate::http::PostError;

/// Refusals of a bad request that say that the bot cannot reach the chat. The Bot API has no codes for them.
const NO_CHAT: [&str; 5] =
    ["chat not found", "user not found", "peer_id_invalid", "user is deactivated", "bots can't send messages to bots"];

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallFailure {
    /// Nothing was sent.
    #[error("the Bot API is unreachable: {0}")]
    NotWritten(String),
    /// The request was sent, and no answer can be read.
    #[error("the Bot API gave no answer: {0}")]
    Lost(String),
    #[error("the Bot API refused: ({code}) {text}")]
    Refused {
        /// `error_code`: an HTTP status.
        code: u16,
        text: String,
        after: Option<Duration>,
    },
}

impl CallFailure {
    pub(super) fn before_an_answer(error: &PostError) -> Self {
        let reason = error.to_string();
        if error.is_not_written() { Self::NotWritten(reason) } else { Self::Lost(reason) }
    }

    /// The refusal in a body, or in the status if the body is not one of the Bot API.
    pub(super) fn from_answer(status: u16, body: Option<&Value>) -> Self {
        let code = body.and_then(|body| body.get("error_code")?.as_u64()).and_then(|code| u16::try_from(code).ok());
        let text = body.and_then(|body| body.get("description")?.as_str()).map(str::to_owned);
        let after = body.and_then(|body| body.pointer("/parameters/retry_after")?.as_u64()).map(Duration::from_secs);
        let text = text.unwrap_or_else(|| format!("HTTP status {status} without a description"));
        Self::Refused { code: code.unwrap_or(status), text, after }
    }
}

impl From<CallFailure> for SendFailure {
    fn from(failure: CallFailure) -> Self {
        let (code, text, after) = match failure {
            CallFailure::NotWritten(reason) => return Self::NotSent { reason, after: None },
            CallFailure::Lost(reason) => return Self::Unknown { reason },
            CallFailure::Refused { code, text, after } => (code, text, after),
        };
        let failure = ProviderFailure { code: i64::from(code), text };
        match code {
            // A token that was never one of a bot is answered like an unknown path.
            401 | 404 => {
                tracing::error!(
                    code,
                    "the token of a bot is not accepted; give it a valid one with `patchbay telegram add`"
                );
                Self::AccountStopped(failure)
            }
            // The customer blocked the bot, deleted the account, or never wrote to the bot.
            403 => Self::Unreachable(failure),
            429 => Self::SlowDown { failure, after },
            // Another process asks for the updates of the same bot, or its webhook was set elsewhere.
            409 => Self::Retry { failure, after },
            400 if is_no_chat(&failure.text) => Self::Unreachable(failure),
            400..=499 => Self::Rejected(failure),
            // The message may have been sent before the server failed.
            _ => Self::Unknown { reason: failure.text },
        }
    }
}

fn is_no_chat(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    NO_CHAT.iter().any(|said| text.contains(said))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(code: u16, description: &str) -> SendFailure {
        let body = json!({ "ok": false, "error_code": code, "description": description });
        CallFailure::from_answer(code, Some(&body)).into()
    }

    #[test]
    fn a_bot_that_was_blocked_or_has_no_chat_does_not_reach_the_customer() {
        for (code, text) in [
            (403, "Forbidden: bot was blocked by the user"),
            (403, "Forbidden: user is deactivated"),
            (400, "Bad Request: chat not found"),
            (400, "Bad Request: PEER_ID_INVALID"),
        ] {
            assert!(matches!(of(code, text), SendFailure::Unreachable(_)), "{text}");
        }
    }

    #[test]
    fn a_bad_request_fails_the_message() {
        for text in ["Bad Request: message is too long", "Bad Request: wrong file identifier/HTTP URL specified"] {
            assert!(matches!(of(400, text), SendFailure::Rejected(_)), "{text}");
        }
        assert!(matches!(of(413, "Request Entity Too Large"), SendFailure::Rejected(_)));
    }

    #[test]
    fn a_refused_token_stops_the_bot() {
        assert!(matches!(of(401, "Unauthorized"), SendFailure::AccountStopped(_)));
        assert!(matches!(of(404, "Not Found"), SendFailure::AccountStopped(_)));
    }

    #[test]
    fn too_many_requests_wait_for_the_time_that_the_answer_names() {
        let body = json!({ "ok": false, "error_code": 429, "description": "Too Many Requests: retry after 7",
            "parameters": { "retry_after": 7 } });
        let failure = SendFailure::from(CallFailure::from_answer(429, Some(&body)));
        assert!(matches!(failure, SendFailure::SlowDown { after: Some(after), .. } if after.as_secs() == 7));
    }

    #[test]
    fn a_failed_server_and_a_lost_answer_leave_the_message_in_doubt() {
        for code in [500, 502, 503, 504] {
            assert!(matches!(of(code, "Bad Gateway"), SendFailure::Unknown { .. }), "{code}");
        }
        assert!(matches!(CallFailure::from_answer(502, None).into(), SendFailure::Unknown { .. }));
        assert!(matches!(CallFailure::Lost(String::new()).into(), SendFailure::Unknown { .. }));
        assert!(matches!(CallFailure::NotWritten(String::new()).into(), SendFailure::NotSent { .. }));
    }
}
