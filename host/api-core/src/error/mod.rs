//! Error answers: one body for all of them (DESIGN 6), a closed list of `error` texts (`docs/errors.md`), and answers
//! to failures outside handlers.

pub mod format;
mod render;

use std::{any::Any, error::Error as StdError, sync::Arc, time::Duration};

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use base::readiness::is_passing;
use domain::body::{Faults, FieldFault};

use crate::product::Credential;
pub use render::{ErrorBody, FailureFacts};

/// The stable texts of the field `error`. They are part of the API: add texts, but never change them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The request is wrong; `details` names the fields.
    BadRequest,
    /// No key, or an unknown one.
    Unauthorized,
    /// E-mail address, password and `clientRef` do not match.
    InvalidCredentials,
    /// A provider callback without a valid signature.
    InvalidSignature,
    /// The key is known, but its user may not do this.
    Forbidden,
    /// Plain HTTP where TLS is required.
    HttpsRequired,
    /// The password is right and temporary. Another must be chosen first.
    TemporaryPassword,
    /// The path or object does not exist, or belongs to another client.
    NotFound,
    /// The path exists, but not with this method.
    MethodNotAllowed,
    /// The body did not arrive in time.
    RequestTimeout,
    /// It exists already, or is in use.
    Conflict,
    /// The body is larger than allowed.
    PayloadTooLarge,
    /// The body has a type that is not accepted.
    UnsupportedMediaType,
    /// The requested range is behind the end of the file.
    RangeNotSatisfiable,
    TooManyRequests,
    HeadTooLarge,
    Internal,
    ProviderError,
    /// Overloaded, starting or stopping.
    Unavailable,
}

impl ErrorKind {
    /// All of them, in the order of `docs/errors.md`.
    pub const ALL: [Self; 19] = [
        Self::BadRequest,
        Self::Unauthorized,
        Self::InvalidCredentials,
        Self::InvalidSignature,
        Self::Forbidden,
        Self::HttpsRequired,
        Self::TemporaryPassword,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::RequestTimeout,
        Self::Conflict,
        Self::PayloadTooLarge,
        Self::UnsupportedMediaType,
        Self::RangeNotSatisfiable,
        Self::TooManyRequests,
        Self::HeadTooLarge,
        Self::Internal,
        Self::ProviderError,
        Self::Unavailable,
    ];

    pub fn status_and_text(self) -> (StatusCode, &'static str) {
        match self {
            Self::BadRequest => (StatusCode::BAD_REQUEST, "Bad request"),
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, "Unauthorized user"),
            Self::InvalidCredentials => (StatusCode::UNAUTHORIZED, "Invalid credentials"),
            Self::InvalidSignature => (StatusCode::UNAUTHORIZED, "Invalid signature"),
            Self::Forbidden => (StatusCode::FORBIDDEN, "Forbidden"),
            Self::HttpsRequired => (StatusCode::FORBIDDEN, "HTTPS required"),
            Self::TemporaryPassword => (StatusCode::FORBIDDEN, "Temporary password"),
            Self::NotFound => (StatusCode::NOT_FOUND, "Not found"),
            Self::MethodNotAllowed => (StatusCode::METHOD_NOT_ALLOWED, "Method not allowed"),
            Self::RequestTimeout => (StatusCode::REQUEST_TIMEOUT, "Request timeout"),
            Self::Conflict => (StatusCode::CONFLICT, "Conflict"),
            Self::PayloadTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "Payload too large"),
            Self::UnsupportedMediaType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "Unsupported media type"),
            Self::RangeNotSatisfiable => (StatusCode::RANGE_NOT_SATISFIABLE, "Range not satisfiable"),
            Self::HeadTooLarge => (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "Request header fields too large"),
            Self::TooManyRequests => (StatusCode::TOO_MANY_REQUESTS, "Too many requests"),
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "Internal server error"),
            Self::ProviderError => (StatusCode::BAD_GATEWAY, "Provider error"),
            Self::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "Service unavailable"),
        }
    }
}

/// An error answer. The middleware around all handlers adds time, path and request id.
#[derive(Debug, Clone)]
pub struct ApiError {
    kind: ErrorKind,
    message: String,
    details: Vec<FieldFault>,
    retry_after: Option<Duration>,
    cause: Option<Arc<dyn StdError + Send + Sync>>,
}

impl ApiError {
    /// `message` is a sentence with the cure for the caller.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), details: Vec::new(), retry_after: None, cause: None }
    }

    /// 400 with the faults of the request: as many as `details` may list, and their number.
    pub fn faults(faults: impl Into<Faults>) -> Self {
        let faults: Faults = faults.into();
        let message = match &*faults {
            [] => "the request is not valid".to_owned(),
            [only] => only.to_string(),
            [first, ..] => {
                let which = if faults.count() > faults.len() {
                    format!("the first {}", faults.len())
                } else {
                    "them".to_owned()
                };
                format!("{first}, and {} more: details names {which}", faults.count() - 1)
            }
        };
        Self { details: faults.into_listed(), ..Self::new(ErrorKind::BadRequest, message) }
    }

    /// 400 with one fault.
    pub fn fault(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::faults(vec![FieldFault::new(field, message)])
    }

    /// 401 for a missing or unknown key. The answer does not say which.
    pub fn unauthorized(credential: Credential) -> Self {
        Self::new(ErrorKind::Unauthorized, credential.wanted())
    }

    /// 404 for an object that does not exist or belongs to another client.
    pub fn not_found() -> Self {
        Self::new(ErrorKind::NotFound, "there is no object with this name or id")
    }

    /// 500. The cause is logged and not sent to the caller.
    pub fn internal(cause: impl StdError + Send + Sync + 'static) -> Self {
        let said = "the server could not complete the request: try again, and report the requestId if it persists";
        Self { cause: Some(Arc::new(cause)), ..Self::new(ErrorKind::Internal, said) }
    }

    /// 503 for a request without room.
    pub fn overloaded() -> Self {
        let said = "the server is overloaded: try again with growing delays";
        Self::new(ErrorKind::Unavailable, said).retry_after(Duration::from_secs(1))
    }

    /// 503. The cause is logged.
    pub fn unavailable(cause: impl StdError + Send + Sync + 'static) -> Self {
        let said = "the server cannot take this request right now: try again with growing delays";
        let retry_after = Some(Duration::from_secs(1));
        Self { cause: Some(Arc::new(cause)), retry_after, ..Self::new(ErrorKind::Unavailable, said) }
    }

    /// An error that several requests share.
    pub fn from_shared(cause: Arc<base::Error>) -> Self {
        let passing = is_passing(&cause);
        let shared = SharedFailure(cause);
        if passing { Self::unavailable(shared) } else { Self::internal(shared) }
    }

    /// Adds a `Retry-After` header in whole seconds, at least one.
    pub fn retry_after(mut self, delay: Duration) -> Self {
        self.retry_after = Some(delay);
        self
    }

    /// Status, sentence, faults and delay, for an answer that contains another one.
    pub fn parts(&self) -> (StatusCode, &str, &[FieldFault], Option<Duration>) {
        let (status, _) = self.kind.status_and_text();
        (status, &self.message, &self.details, self.retry_after)
    }

    /// True if a system behind the service is down, and not if the service is overloaded.
    pub fn is_outage(&self) -> bool {
        self.kind == ErrorKind::Unavailable && self.cause.is_some()
    }

    /// The cause of a 5xx for the log.
    pub fn cause(&self) -> Option<&(dyn StdError + 'static)> {
        self.cause.as_deref().map(|cause| cause as &(dyn StdError + 'static))
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, _) = self.kind.status_and_text();
        let mut response = status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// One failure of several requests. Its sources are in the log of each.
#[derive(Debug, thiserror::Error)]
#[error("a use case shared with other requests failed")]
struct SharedFailure(#[source] Arc<base::Error>);

impl From<base::Error> for ApiError {
    fn from(error: base::Error) -> Self {
        if is_passing(&error) { Self::unavailable(error) } else { Self::internal(error) }
    }
}

/// 404 for an unknown path.
pub fn no_such_path() -> ApiError {
    ApiError::new(ErrorKind::NotFound, "this path is not served: /docs lists the served paths")
}

/// 405; the header `Allow` names the methods.
pub async fn method_not_allowed() -> ApiError {
    ApiError::new(
        ErrorKind::MethodNotAllowed,
        "this path is not served with this method: the header Allow names the served methods",
    )
}

/// A panic in a handler. The caller gets the same body as for other faults of the service.
#[derive(Debug, thiserror::Error)]
#[error("a handler panicked: {0}")]
struct Panicked(String);

/// 500 for a panic.
pub fn panicked(payload: Box<dyn Any + Send + 'static>) -> Response {
    let said = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    ApiError::internal(Panicked(said)).into_response()
}
