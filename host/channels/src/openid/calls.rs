//! The HTTP calls of `openidconnect`, through the client for the operator's addresses: no redirects, bounded times and bodies.

use std::pin::Pin;

use openidconnect::{AsyncHttpClient, HttpRequest, HttpResponse};

use crate::http::{OperatorClient, PostError, body_within};

/// Bytes of a discovery document, key set or token answer.
const MOST_BYTES: usize = 512 * 1024;

#[derive(Debug, Clone)]
pub(super) struct OpenidCalls(OperatorClient);

impl OpenidCalls {
    pub(super) fn new(client: OperatorClient) -> Self {
        Self(client)
    }

    async fn make(&self, request: HttpRequest) -> Result<HttpResponse, PostError> {
        let request = reqwest::Request::try_from(request).map_err(|_| PostError::Invalid("no URL".to_owned()))?;
        let answer = self.0.execute(request).await?;
        let (status, headers) = (answer.status(), answer.headers().clone());
        let mut whole = HttpResponse::new(body_within(answer, MOST_BYTES).await?.to_vec());
        *whole.status_mut() = status;
        *whole.headers_mut() = headers;
        Ok(whole)
    }
}

impl<'c> AsyncHttpClient<'c> for OpenidCalls {
    type Error = PostError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, PostError>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.make(request))
    }
}
