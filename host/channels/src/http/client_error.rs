//! The error of an HTTP client that cannot be built.

use reqwest::header::InvalidHeaderValue;

/// The HTTP client could not be built: the TLS backend or the user agent is unusable.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client could not be set up: {0}")]
pub struct ClientBuildError(#[source] Box<dyn std::error::Error + Send + Sync>);

impl From<reqwest::Error> for ClientBuildError {
    fn from(error: reqwest::Error) -> Self {
        Self(Box::new(error))
    }
}

impl From<rustls::Error> for ClientBuildError {
    fn from(error: rustls::Error) -> Self {
        Self(Box::new(error))
    }
}

impl From<InvalidHeaderValue> for ClientBuildError {
    fn from(error: InvalidHeaderValue) -> Self {
        Self(Box::new(error))
    }
}
