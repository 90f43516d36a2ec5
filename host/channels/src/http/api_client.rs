//! Calls to a Patchbay server, for the command line. The user chose its address, so no policy checks it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use futures::stream;
use reqwest::{
    Body, Method,
    header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE},
};

use super::{
    client_error::ClientBuildError,
    operator::{OperatorClient, operator_client},
    operator_call::body_within,
    post_error::PostError,
};

/// Bytes that are passed to the connection at once, small enough for a progress display.
const PIECE: usize = 64 * 1024;

/// Most bytes of an answer: a recording of a plugin's calls is the largest.
const LARGEST_ANSWER: usize = 256 * 1024 * 1024;

#[derive(Clone)]
pub struct ApiClient {
    client: OperatorClient,
    /// Without a `/` at the end.
    base: String,
    key: String,
}

#[derive(Debug, Clone)]
pub struct ApiCall<'a> {
    pub method: &'a str,
    pub path: String,
    pub headers: &'a [(&'a str, &'a str)],
    pub body: Option<(&'a str, Bytes)>,
    /// Counts the bytes of the body that have been sent.
    pub sent: Option<Arc<AtomicU64>>,
    pub timeout: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiAnswer {
    pub status: u16,
    pub body: Bytes,
}

impl ApiClient {
    /// A client of the server at `base`, such as `https://patchbay.example`, that sends `key` with each call.
    pub fn new(base: &str, key: &str) -> Result<Self, ClientBuildError> {
        let client = operator_client(Duration::from_secs(60))?;
        Ok(Self { client, base: base.trim_end_matches('/').to_owned(), key: key.to_owned() })
    }

    pub fn base(&self) -> &str {
        &self.base
    }

    /// Redirects are not followed, so that the key is sent only to this server. Any status is an answer.
    pub async fn call(&self, call: ApiCall<'_>) -> Result<ApiAnswer, PostError> {
        let method = Method::from_bytes(call.method.as_bytes())
            .map_err(|_| PostError::Invalid(format!("`{}` is not an HTTP method", call.method)))?;
        let url = format!("{}{}", self.base, call.path);
        let mut request = self.client.request(method, url).header(AUTHORIZATION, &self.key).timeout(call.timeout);
        for (name, value) in call.headers {
            request = request.header(*name, *value);
        }
        if let Some((kind, bytes)) = call.body {
            request = request.header(CONTENT_TYPE, kind).header(CONTENT_LENGTH, bytes.len());
            request = request.body(match call.sent {
                Some(sent) => counting_body(bytes, sent),
                None => Body::from(bytes),
            });
        }
        let response = self.client.send(request).await?;
        let status = response.status().as_u16();
        Ok(ApiAnswer { status, body: body_within(response, LARGEST_ANSWER).await? })
    }
}

fn counting_body(bytes: Bytes, sent: Arc<AtomicU64>) -> Body {
    let pieces = stream::unfold((bytes, sent), |(mut rest, sent)| async move {
        if rest.is_empty() {
            return None;
        }
        let piece = rest.split_to(rest.len().min(PIECE));
        sent.fetch_add(piece.len() as u64, Ordering::Relaxed);
        Some((Ok::<_, std::io::Error>(piece), (rest, sent)))
    });
    Body::wrap_stream(pieces)
}
