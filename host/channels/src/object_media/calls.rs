//! Our HTTP client as the client of the S3 library.

use async_trait::async_trait;
use http_body_util::BodyExt;
use object_store::{
    ClientOptions,
    client::{
        HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
    },
};
use url::Url;

use crate::http::{OperatorClient, PostError};

#[derive(Debug, Clone)]
pub(super) struct OurClient(OperatorClient);

impl OurClient {
    pub(super) fn new(client: OperatorClient) -> Self {
        Self(client)
    }
}

impl HttpConnector for OurClient {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

#[async_trait]
impl HttpService for OurClient {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let url = Url::parse(&parts.uri.to_string()).map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        let mut request = reqwest::Request::new(parts.method, url);
        *request.headers_mut() = parts.headers;
        *request.body_mut() = Some(reqwest::Body::wrap(body));
        let response: http::Response<reqwest::Body> = self.0.execute(request).await.map_err(unsent)?.into();
        let (parts, body) = response.into_parts();
        Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(body.map_err(http_error))))
    }
}

fn unsent(error: PostError) -> HttpError {
    let kind = match &error {
        PostError::Timeout => HttpErrorKind::Timeout,
        PostError::Connect(_) => HttpErrorKind::Connect,
        PostError::Refused(_)
        | PostError::Invalid(_)
        | PostError::BodyTooLarge { .. }
        | PostError::Excessive(_)
        | PostError::Other(_) => HttpErrorKind::Request,
    };
    HttpError::new(kind, error)
}

fn http_error(error: reqwest::Error) -> HttpError {
    let kind = match &error {
        error if error.is_timeout() => HttpErrorKind::Timeout,
        error if error.is_body() || error.is_decode() => HttpErrorKind::Interrupted,
        _ => HttpErrorKind::Request,
    };
    HttpError::new(kind, error.without_url())
}
