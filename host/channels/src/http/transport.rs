//! HTTP/1.1 of the guarded client: strict in requests, lenient with odd headers of answers.

use std::{error::Error, io, time::Duration};

use bytes::Bytes;
use http_body_util::Full;
use hyper::{
    Request, Response,
    body::Incoming,
    header::{ACCEPT, ACCEPT_ENCODING, HeaderValue, USER_AGENT},
    http::Extensions,
};
use hyper_util::{
    client::legacy::{
        self, Builder, Client,
        connect::{CaptureConnection, capture_connection},
    },
    rt::TokioTimer,
};

use super::{
    client_error::ClientBuildError,
    client_settings::{IDLE_FOR, IDLE_PER_HOST},
    connector::{Connector, Usage},
    excess::MOST_HEAD_BYTES,
    paced_executor::PacedExecutor,
    post_error::PostError,
    resolver::PolicyResolver,
};

/// Headers of an answer at most. Their bytes are counted by [`HeadScan`](super::excess::HeadScan).
const MOST_HEADERS: usize = 1_024;
/// Bytes that are read ahead, and that wait to be written. Heads that are too long are found before they fill it.
const BUFFER: usize = 2 * MOST_HEAD_BYTES;

#[derive(Clone)]
pub(super) struct Transport {
    kept: Client<Connector, Full<Bytes>>,
    /// Keeps no connection: for the second try of a call whose connection was closed.
    fresh: Client<Connector, Full<Bytes>>,
    user_agent: HeaderValue,
}

impl Transport {
    pub(super) fn new(
        resolver: PolicyResolver,
        connect_timeout: Duration,
        user_agent: &str,
    ) -> Result<Self, ClientBuildError> {
        let connector = Connector::new(resolver, connect_timeout)?;
        let user_agent = HeaderValue::from_str(user_agent)?;
        let kept = builder().pool_max_idle_per_host(IDLE_PER_HOST).build(connector.clone());
        let fresh = builder().pool_max_idle_per_host(0).build(connector);
        Ok(Self { kept, fresh, user_agent })
    }

    /// Makes a call and returns the head of its answer. If the peer had closed a kept connection, a call that
    /// `may_be_repeated` gets one second try.
    pub(super) async fn call(
        &self,
        mut request: Request<Full<Bytes>>,
        may_be_repeated: bool,
    ) -> Result<Response<Incoming>, PostError> {
        let headers = request.headers_mut();
        headers.entry(USER_AGENT).or_insert_with(|| self.user_agent.clone());
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static("*/*"));
        // Answers are shown to people unchanged.
        headers.entry(ACCEPT_ENCODING).or_insert(HeaderValue::from_static("identity"));
        let again = may_be_repeated.then(|| request.clone());
        let connection = capture_connection(&mut request);
        let error = match self.kept.request(request).await {
            Ok(response) => return Ok(response),
            Err(error) => error,
        };
        match again.filter(|_| was_closed(&error) && was_kept_in_vain(&connection)) {
            Some(again) => self.fresh.request(again).await.map_err(|error| PostError::from_transport(&error)),
            None => Err(PostError::from_transport(&error)),
        }
    }
}

fn builder() -> Builder {
    let mut builder = plain_builder();
    builder
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http1_ignore_invalid_headers_in_responses(true);
    builder
}

pub(super) fn plain_builder() -> Builder {
    let mut builder = Client::builder(PacedExecutor);
    builder
        .pool_idle_timeout(IDLE_FOR)
        .pool_timer(TokioTimer::new())
        .timer(TokioTimer::new())
        .http1_max_buf_size(BUFFER)
        .http1_max_headers(MOST_HEADERS);
    builder
}

fn was_closed(error: &legacy::Error) -> bool {
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(cause) = next {
        if let Some(http) = cause.downcast_ref::<hyper::Error>()
            && (http.is_incomplete_message() || http.is_canceled() || http.is_closed())
        {
            return true;
        }
        if let Some(io) = cause.downcast_ref::<io::Error>() {
            use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected, UnexpectedEof};
            return matches!(
                io.kind(),
                BrokenPipe | ConnectionAborted | ConnectionReset | NotConnected | UnexpectedEof
            );
        }
        next = cause.source();
    }
    false
}

fn was_kept_in_vain(connection: &CaptureConnection) -> bool {
    let mut known = Extensions::new();
    if let Some(connected) = connection.connection_metadata().as_ref() {
        connected.get_extras(&mut known);
    }
    known.get::<Usage>().is_some_and(Usage::was_kept_in_vain)
}
