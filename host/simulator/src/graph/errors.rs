//! Meta's error bodies (PROVIDERS A.4) and the codes that the simulator uses (PROVIDERS A.11).

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::identity;

const REASONS: [(u32, u16, &str, &str); 39] = [
    (1, 400, "API Unknown", "Invalid request or possible server error."),
    (2, 503, "API Service", "Temporary due to downtime or due to being overloaded."),
    (4, 429, "API Too Many Calls", "The app has reached its API call rate limit."),
    (10, 403, "Permission Denied", "Permission is either not granted or has been removed."),
    (33, 400, "Parameter value is not valid", "The business phone number has been deleted."),
    (100, 400, "Invalid parameter", "One or more parameters are unsupported or misspelled."),
    (190, 401, "Access token has expired", "Get a new access token."),
    (368, 403, "Temporarily blocked for policies violations", "The account violated a policy."),
    (80007, 429, "Rate limit issues", "The WhatsApp Business Account has reached its rate limit."),
    (130429, 429, "Rate limit hit", "Cloud API message throughput has been reached."),
    (130472, 400, "User's number is part of an experiment", "Message was not sent as part of an experiment."),
    (130497, 403, "Business account is restricted from messaging users in this country.", "Country restricted."),
    (131000, 500, "Something went wrong", "Message failed to send due to an unknown error."),
    (131005, 403, "Access denied", "Permission is either not granted or has been removed."),
    (131008, 400, "Required parameter is missing", "The request is missing a required parameter."),
    (131009, 400, "Parameter value is not valid", "One or more parameter values are invalid."),
    (131016, 500, "Service unavailable", "A service is temporarily unavailable."),
    (131021, 400, "Recipient cannot be sender", "Sender and recipient phone number is the same."),
    (131026, 400, "Message undeliverable", "Message Undeliverable."),
    (131031, 403, "Account has been locked", "The account was locked for violating a policy."),
    (131042, 400, "Business eligibility payment issue", "There is a problem with the payment method."),
    (131045, 500, "Incorrect certificate", "Message failed to send due to a registration error."),
    (
        131047,
        400,
        "Re-engagement message",
        "Message failed to send because more than 24 hours have passed since the customer last replied to this number.",
    ),
    (
        131048,
        429,
        "Spam rate limit hit",
        "Message failed to send because of restrictions on how many messages can be sent.",
    ),
    (
        131049,
        400,
        "This message was not delivered to maintain healthy ecosystem engagement.",
        "In order to maintain a healthy ecosystem engagement, the message failed to be delivered.",
    ),
    (
        131050,
        400,
        "User has stopped marketing messages",
        "The recipient has chosen to stop marketing messages from this business.",
    ),
    (131051, 400, "Unsupported message type", "Message type is not currently supported."),
    (131052, 400, "Media download error", "Unable to download the media sent by the user."),
    (131053, 400, "Media upload error", "Unable to upload the media used in the message."),
    (
        131056,
        429,
        "(Business Account, Consumer Account) pair rate limit hit",
        "Too many messages sent from the sender to the same recipient in a short period of time.",
    ),
    (131057, 500, "Account in maintenance mode", "The business account is in maintenance mode."),
    (131062, 400, "Recipient cannot be a business-scoped user id", "This message can only be sent to a phone number."),
    (
        132000,
        400,
        "Number of parameters does not match the expected number of params",
        "Parameter count differs from the template.",
    ),
    (
        132001,
        404,
        "Template name does not exist in the translation",
        "The template does not exist in the language or is not approved.",
    ),
    (132005, 400, "Translated text too long", "The translated text is too long."),
    (
        132012,
        400,
        "Parameter format does not match format in the created template",
        "Variable parameter values are formatted incorrectly.",
    ),
    (132015, 400, "Template is Paused", "Template is paused due to low quality."),
    (132016, 400, "Template is Disabled", "Template was paused too many times and is disabled."),
    (
        132018,
        400,
        "There's an issue with the parameters in your template",
        "The template parameters do not fit the template.",
    ),
];

pub(crate) fn reason_of(code: u32) -> (u16, &'static str, &'static str) {
    REASONS
        .iter()
        .find(|(known, ..)| *known == code)
        .map_or((400, "Unknown error", "Unknown error."), |(_, status, title, details)| (*status, title, details))
}

#[derive(Debug, Clone)]
pub(crate) struct SimulatedGraphError {
    pub(crate) status: u16,
    pub(crate) code: u32,
    subcode: Option<u32>,
    message: String,
    details: Option<String>,
}

impl SimulatedGraphError {
    pub(crate) fn new(code: u32, details: impl Into<String>) -> Self {
        let (status, title, _) = reason_of(code);
        Self { status, code, subcode: None, message: format!("(#{code}) {title}"), details: Some(details.into()) }
    }

    pub(crate) fn plain(status: u16, code: u32) -> Self {
        let (_, _, details) = reason_of(code);
        Self { status, ..Self::new(code, details) }
    }

    pub(crate) fn missing(field: &str) -> Self {
        Self::new(131_008, format!("{field} is required"))
    }

    pub(crate) fn invalid(field: &str, rule: &str) -> Self {
        Self::new(131_009, format!("{field}: {rule}"))
    }

    /// 100 with its own message, as Meta writes it for the outer fields.
    pub(crate) fn parameter(message: impl std::fmt::Display) -> Self {
        Self {
            status: 400,
            code: 100,
            subcode: None,
            message: format!("(#100) {message}"),
            details: Some(message.to_string()),
        }
    }

    pub(crate) fn no_token() -> Self {
        Self {
            status: 401,
            code: 190,
            subcode: None,
            message: "Invalid OAuth access token - Cannot parse access token".to_owned(),
            details: None,
        }
    }

    /// 100 with subcode 33: no object has this id, or the call does not fit it.
    pub(crate) fn no_object(method: &str, id: &str) -> Self {
        Self {
            status: 400,
            code: 100,
            subcode: Some(33),
            message: format!(
                "Unsupported {method} request. Object with ID '{id}' does not exist, cannot be loaded \
                 due to missing permissions, or does not support this operation"
            ),
            details: None,
        }
    }

    pub(crate) fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    pub(crate) fn with_subcode(self, subcode: u32) -> Self {
        Self { subcode: Some(subcode), ..self }
    }
}

impl IntoResponse for SimulatedGraphError {
    fn into_response(self) -> Response {
        let mut error = json!({
            "message": self.message,
            "type": if self.subcode == Some(33) { "GraphMethodException" } else { "OAuthException" },
            "code": self.code,
            "fbtrace_id": identity::trace_id(),
        });
        if let Some(fields) = error.as_object_mut() {
            if let Some(subcode) = self.subcode {
                fields.insert("error_subcode".to_owned(), json!(subcode));
            }
            if let Some(details) = &self.details {
                fields.insert("error_data".to_owned(), json!({"messaging_product": "whatsapp", "details": details}));
            }
        }
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_REQUEST);
        (status, Json(json!({"error": error}))).into_response()
    }
}
