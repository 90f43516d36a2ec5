use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::json;

#[derive(Debug, thiserror::Error)]
pub(crate) enum PhoneApiError {
    #[error("\"{0}\" has no digits; write a phone number such as 27820000001")]
    NotANumber(String),
    #[error("the body is wrong: {0}")]
    Body(String),
    #[error("phone {0} is not on WhatsApp; PUT /phones/{0} {{\"onWhatsApp\":true}} changes that")]
    NotOnWhatsApp(String),
    #[error("name the business number in \"to\": there are several, or none is known yet")]
    NoBusiness,
    #[error("phone {0} has no message {1}; GET /phones/{0}/inbox lists them")]
    NoMessage(String, String),
    #[error("the message has no button {0} that answers; its buttons are: {1}")]
    NoButton(String, String),
}

impl IntoResponse for PhoneApiError {
    fn into_response(self) -> Response {
        let status = match self {
            Self::NotANumber(_) | Self::Body(_) | Self::NoBusiness => StatusCode::BAD_REQUEST,
            Self::NotOnWhatsApp(_) => StatusCode::CONFLICT,
            Self::NoMessage(..) | Self::NoButton(..) => StatusCode::NOT_FOUND,
        };
        (status, Json(json!({"error": self.to_string()}))).into_response()
    }
}
