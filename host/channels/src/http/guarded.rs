//! The guarded client: every call to an address that somebody else chose goes through here.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::{Bytes, BytesMut};
use domain::ids::ClientId;
use reqwest::{
    Client, Method, Request, RequestBuilder, Response,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
use url::Url;

use super::{
    address_policy::AddressPolicy,
    lookups::{Lookups, on_behalf_of},
    operator::{ClientNotBuilt, common_builder},
    post_error::PostError,
    resolver::{JudgingResolver, NameResolver},
    retry_after::retry_after,
    system_resolver::SystemResolver,
    webhook::{WebhookAddress, WebhookPost},
};

/// How outgoing calls introduce themselves.
pub(super) const USER_AGENT: &str = concat!("Patchbay/", env!("CARGO_PKG_VERSION"));
/// How much of a webhook's answer is kept.
const WEBHOOK_KEPT: usize = 1024;
/// How long the body of a webhook's answer may take; its status has decided already.
const WEBHOOK_BODY_TIME: Duration = Duration::from_secs(2);

/// Settings of a [`GuardedClient`].
#[derive(Clone)]
pub struct GuardedSettings {
    /// Time for name, TCP and TLS together (5 s).
    pub connect_timeout: Duration,
    /// Time for the whole call, body included (15 s). Leases of work items must outlive it.
    pub total_timeout: Duration,
    /// How much of a webhook's answer is read from the wire (16 KiB).
    pub webhook_read_bytes: usize,
    /// The `User-Agent` header.
    pub user_agent: String,
    /// Where names are looked up.
    pub resolver: Arc<dyn NameResolver>,
}

impl Default for GuardedSettings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            total_timeout: Duration::from_secs(15),
            webhook_read_bytes: 16 * 1024,
            user_agent: USER_AGENT.to_owned(),
            resolver: Arc::new(SystemResolver::default()),
        }
    }
}

/// An HTTP client that judges every address, follows no redirect, uses no proxy and caps bodies and times (DESIGN ground
/// rule 8). Cloning is cheap.
#[derive(Clone)]
pub struct GuardedClient {
    // A resolver belongs to a client, and pooled connections must not leak from one policy into the other.
    public_only: Client,
    with_private: Client,
    webhook_read_bytes: usize,
    caller: Option<ClientId>,
}

/// What a webhook receiver answered. Any status is an answer, redirects included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostAnswer {
    /// HTTP status.
    pub status: u16,
    /// `Retry-After`, when present and sensible.
    pub retry_after: Option<Duration>,
    /// The beginning of the body, at most 1 KiB, for people.
    pub body_start: String,
    /// From the first byte of the attempt to the end of the answer.
    pub duration: Duration,
}

/// A fetched file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// HTTP status.
    pub status: u16,
    /// `Content-Type`, when present.
    pub content_type: Option<String>,
    /// The whole body.
    pub body: Bytes,
}

/// Any HTTP call, for the plugins' `http` import.
#[derive(Debug, Clone)]
pub struct GuardedRequest {
    /// `GET`, `POST`, ...
    pub method: String,
    /// Where to.
    pub url: String,
    /// Headers; `host`, `content-length` and hop-by-hop headers are refused.
    pub headers: Vec<(String, String)>,
    /// Body, possibly empty.
    pub body: Bytes,
    /// Largest body to accept, in bytes.
    pub max_response_bytes: usize,
    /// Shorter limit for the whole call, when set.
    pub timeout: Option<Duration>,
    /// Whether loopback and private addresses may be reached.
    pub allow_private: bool,
}

/// Answer to a [`GuardedRequest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardedAnswer {
    /// HTTP status.
    pub status: u16,
    /// Headers whose values are text.
    pub headers: Vec<(String, String)>,
    /// The whole body.
    pub body: Bytes,
}

impl GuardedClient {
    /// Sets up the client.
    pub fn new(settings: GuardedSettings) -> Result<Self, ClientNotBuilt> {
        let lookups = Arc::new(Lookups::default());
        let build = |allow_private| {
            common_builder(settings.connect_timeout, settings.total_timeout, &settings.user_agent)
                .dns_resolver(Arc::new(JudgingResolver {
                    policy: AddressPolicy { allow_private },
                    inner: Arc::clone(&settings.resolver),
                    lookups: Arc::clone(&lookups),
                }))
                .build()
        };
        let webhook_read_bytes = settings.webhook_read_bytes;
        Ok(Self { public_only: build(false)?, with_private: build(true)?, webhook_read_bytes, caller: None })
    }

    /// The same client for calls that this client of ours asked for. Names that wait for a silent name server take up the
    /// room of one client only, and what is called on nobody's behalf has one share between it.
    pub fn on_behalf_of(&self, client: ClientId) -> Self {
        Self { caller: Some(client), ..self.clone() }
    }

    /// Delivers a webhook. Only the beginning of the answer is read; a body that is longer, breaks off or stalls does not change
    /// the verdict, which the status has given.
    pub async fn post(&self, post: WebhookPost) -> Result<PostAnswer, PostError> {
        let started = Instant::now();
        let WebhookPost { to, headers, body } = post;
        let mut request = Request::new(Method::POST, to.url);
        *request.headers_mut() = headers;
        *request.body_mut() = Some(body.into());
        let call = self.client(to.allow_private).execute(request);
        let response = on_behalf_of(self.caller, call).await.map_err(PostError::from_client)?;
        let status = response.status().as_u16();
        let retry_after = retry_after(response.headers());
        let body_start = body_start(response, self.webhook_read_bytes).await;
        Ok(PostAnswer { status, retry_after, body_start, duration: started.elapsed() })
    }

    /// Fetches a file of at most `max_bytes`. Other statuses than 2xx are answers too: look at `status`.
    pub async fn fetch(&self, url: &str, max_bytes: usize, allow_private: bool) -> Result<Fetched, PostError> {
        let (client, url) = self.judged(url, allow_private)?;
        let response = self.send(client.get(url)).await?;
        let status = response.status().as_u16();
        let content_type =
            response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let body = whole_body(response, max_bytes).await?;
        Ok(Fetched { status, content_type, body })
    }

    /// Makes any call, for plugins.
    pub async fn request(&self, request: GuardedRequest) -> Result<GuardedAnswer, PostError> {
        let (client, url) = self.judged(&request.url, request.allow_private)?;
        let method = Method::from_bytes(request.method.to_ascii_uppercase().as_bytes())
            .map_err(|_| PostError::Invalid(format!("`{}` is not an HTTP method", request.method)))?;
        if method == Method::CONNECT || method == Method::TRACE {
            return Err(PostError::Invalid(format!("method {method} is not supported")));
        }
        let headers = header_map(&request.headers)?;
        let mut call = client.request(method, url).headers(headers).body(request.body);
        if let Some(timeout) = request.timeout {
            call = call.timeout(timeout);
        }
        let response = self.send(call).await?;
        let status = response.status().as_u16();
        let headers = response
            .headers()
            .iter()
            .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())))
            .collect();
        let body = whole_body(response, request.max_response_bytes).await?;
        Ok(GuardedAnswer { status, headers, body })
    }

    /// The client for a policy and the URL judged under it. Literal addresses never reach the resolver, so this judgement
    /// belongs to every URL that is called, not only to saving.
    fn judged(&self, url: &str, allow_private: bool) -> Result<(&Client, Url), PostError> {
        Ok((self.client(allow_private), WebhookAddress::judged(url, allow_private)?.url))
    }

    fn client(&self, allow_private: bool) -> &Client {
        if allow_private { &self.with_private } else { &self.public_only }
    }

    async fn send(&self, call: RequestBuilder) -> Result<Response, PostError> {
        on_behalf_of(self.caller, call.send()).await.map_err(PostError::from_client)
    }
}

/// Headers that the client itself is responsible for; setting them could smuggle a second request or another host.
const RESERVED_HEADERS: &[&str] =
    &["host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "keep-alive"];

fn header_map(headers: &[(String, String)]) -> Result<HeaderMap, PostError> {
    let mut map = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        let parsed = HeaderName::try_from(name.as_str())
            .map_err(|_| PostError::Invalid(format!("`{name}` is not a header name")))?;
        if RESERVED_HEADERS.contains(&parsed.as_str()) {
            return Err(PostError::Invalid(format!("header `{name}` is set by the host")));
        }
        let value = HeaderValue::try_from(value.as_str()).map_err(|_| {
            PostError::Invalid(format!("the value of header `{name}` has characters that headers cannot carry"))
        })?;
        map.append(parsed, value);
    }
    Ok(map)
}

async fn body_start(mut response: Response, limit: usize) -> String {
    let mut read = BytesMut::new();
    let reading = async {
        while read.len() < limit {
            match response.chunk().await {
                Ok(Some(chunk)) => read.extend_from_slice(chunk.get(..limit - read.len()).unwrap_or(&chunk)),
                Ok(None) | Err(_) => break,
            }
        }
    };
    // Running out of time leaves what has been read so far.
    let _ = tokio::time::timeout(WEBHOOK_BODY_TIME, reading).await;
    read.truncate(WEBHOOK_KEPT);
    let mut text = String::from_utf8_lossy(&read).replace('\0', "\u{fffd}");
    let mut end = WEBHOOK_KEPT.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

async fn whole_body(mut response: Response, limit: usize) -> Result<Bytes, PostError> {
    let announced = response.content_length().unwrap_or(0);
    if announced > limit as u64 {
        return Err(PostError::BodyTooLarge { limit });
    }
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(PostError::from_client)? {
        if body.len() + chunk.len() > limit {
            return Err(PostError::BodyTooLarge { limit });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}
