use reqwest::header::InvalidHeaderValue;

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
