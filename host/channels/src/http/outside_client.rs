//! The guarded client, for all calls to addresses that clients or other outsiders chose.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use domain::ids::ClientId;
use http_body_util::Full;
use hyper::{
    Method, Request, Response, Uri,
    body::Incoming,
    header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, RANGE},
};
use tokio::time::timeout;
use url::Url;

use super::{
    address_policy::AddressPolicy,
    answer::{FetchedFile, FileDescription, GuardedAnswer, PostAnswer, body_start, whole_body},
    client_error::ClientBuildError,
    client_settings::USER_AGENT,
    lookups::{Lookups, on_behalf_of},
    post_error::PostError,
    resolver::{NameResolver, PolicyResolver},
    retry_after::retry_after,
    system_resolver::SystemResolver,
    transport::Transport,
    webhook::{WebhookAddress, WebhookPost},
};

/// Redirects that are followed to learn the type of a file.
const REDIRECTS: usize = 3;

#[derive(Clone)]
pub struct GuardedSettings {
    /// Time for name, TCP and TLS together (5 s).
    pub connect_timeout: Duration,
    /// Time for the whole call, body included (15 s). Leases of work items must outlive it.
    pub total_timeout: Duration,
    /// Bytes of a webhook's answer that are read (16 KiB).
    pub webhook_read_bytes: usize,
    pub user_agent: String,
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

#[derive(Clone)]
pub struct GuardedClient {
    // A resolver belongs to a client, and pooled connections must not be shared between two policies.
    public_only: Transport,
    with_private: Transport,
    webhook_read_bytes: usize,
    total_timeout: Duration,
    caller: Option<ClientId>,
}

#[derive(Debug, Clone)]
pub struct GuardedRequest {
    pub method: String,
    pub url: String,
    /// Headers; `host`, `content-length` and hop-by-hop headers are refused.
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
    pub max_response_bytes: usize,
    pub timeout: Option<Duration>,
    pub allow_private: bool,
}

impl GuardedClient {
    pub fn new(settings: GuardedSettings) -> Result<Self, ClientBuildError> {
        let lookups = Arc::new(Lookups::default());
        let build = |allow_private| {
            let resolver = PolicyResolver {
                policy: Some(AddressPolicy { allow_private }),
                inner: Arc::clone(&settings.resolver),
                lookups: Arc::clone(&lookups),
            };
            Transport::new(resolver, settings.connect_timeout, &settings.user_agent)
        };
        Ok(Self {
            public_only: build(false)?,
            with_private: build(true)?,
            webhook_read_bytes: settings.webhook_read_bytes,
            total_timeout: settings.total_timeout,
            caller: None,
        })
    }

    /// Names with a silent name server use the places of this client only. Calls without a client share one part.
    pub fn on_behalf_of(&self, client: ClientId) -> Self {
        Self { caller: Some(client), ..self.clone() }
    }

    /// Only the beginning of the answer is read. A body that is longer, breaks off or stalls does not change the verdict.
    pub async fn post(&self, post: WebhookPost) -> Result<PostAnswer, PostError> {
        let started = Instant::now();
        let WebhookPost { to, headers, body } = post;
        let mut request = request(Method::POST, &to.url, body)?;
        *request.headers_mut() = headers;
        // Receivers know an event by its id, so a second try may come although the first one arrived.
        let call = self.call(self.transport(to.allow_private), request, true);
        let response = timeout(self.total_timeout, call).await.map_err(|_| PostError::Timeout)??;
        let status = response.status().as_u16();
        let retry_after = retry_after(response.headers());
        let left = self.total_timeout.saturating_sub(started.elapsed());
        let body_start = timeout(left, body_start(response, self.webhook_read_bytes)).await.unwrap_or_default();
        Ok(PostAnswer { status, retry_after, body_start, duration: started.elapsed() })
    }

    /// Downloads a file of at most `max_bytes`. Other statuses than 2xx are answers too: check `status`.
    pub async fn fetch(&self, url: &str, max_bytes: usize, allow_private: bool) -> Result<FetchedFile, PostError> {
        let (transport, url) = self.check_url(url, allow_private)?;
        let request = request(Method::GET, &url, Bytes::new())?;
        let fetch = async {
            let (head, body) = self.call(transport, request, true).await?.into_parts();
            let content_type = text(&head.headers, &CONTENT_TYPE);
            Ok(FetchedFile { status: head.status.as_u16(), content_type, body: whole_body(body, max_bytes).await? })
        };
        timeout(self.total_timeout, fetch).await.map_err(|_| PostError::Timeout)?
    }

    /// Asks the server of a link about the file within `time`, and follows a few checked redirects. `None`: no answer.
    pub async fn describe(
        &self,
        link: &str,
        allow_private: bool,
        time: Duration,
    ) -> Result<Option<FileDescription>, PostError> {
        let ask = async {
            // Some servers do not know HEAD. The body of their answer to GET is not read.
            match self.describe_file(Method::HEAD, link, allow_private).await? {
                Some(described) if described.content_type.is_some() => Ok(Some(described)),
                _ => self.describe_file(Method::GET, link, allow_private).await,
            }
        };
        timeout(time, ask).await.map_err(|_| PostError::Timeout)?
    }

    async fn describe_file(
        &self,
        method: Method,
        link: &str,
        allow_private: bool,
    ) -> Result<Option<FileDescription>, PostError> {
        let mut link = link.to_owned();
        for _ in 0..=REDIRECTS {
            let (transport, url) = self.check_url(&link, allow_private)?;
            let mut request = request(method.clone(), &url, Bytes::new())?;
            if method == Method::GET {
                request.headers_mut().insert(RANGE, HeaderValue::from_static("bytes=0-0"));
            }
            let response = self.call(transport, request, true).await?;
            let (status, headers) = (response.status(), response.headers());
            if let (true, Some(next)) = (status.is_redirection(), text(headers, &LOCATION)) {
                let next = url
                    .join(&next)
                    .map_err(|error| PostError::Invalid(format!("a redirect leads nowhere: {error}")))?;
                link = next.into();
                continue;
            }
            let described = FileDescription {
                content_type: text(headers, &CONTENT_TYPE),
                disposition: text(headers, &CONTENT_DISPOSITION),
            };
            return Ok(status.is_success().then_some(described));
        }
        Ok(None)
    }

    pub async fn request(&self, asked: GuardedRequest) -> Result<GuardedAnswer, PostError> {
        let (transport, url) = self.check_url(&asked.url, asked.allow_private)?;
        let method = Method::from_bytes(asked.method.to_ascii_uppercase().as_bytes())
            .map_err(|_| PostError::Invalid(format!("`{}` is not an HTTP method", asked.method)))?;
        if method == Method::CONNECT || method == Method::TRACE {
            return Err(PostError::Invalid(format!("method {method} is not supported")));
        }
        let may_be_repeated = method.is_idempotent();
        let mut request = request(method, &url, asked.body)?;
        *request.headers_mut() = header_map(&asked.headers)?;
        let call = async {
            let (head, body) = self.call(transport, request, may_be_repeated).await?.into_parts();
            let text = |(name, value): (&HeaderName, &HeaderValue)| {
                Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
            };
            let headers = head.headers.iter().filter_map(text).collect();
            let body = whole_body(body, asked.max_response_bytes).await?;
            Ok(GuardedAnswer { status: head.status.as_u16(), headers, body })
        };
        let time = asked.timeout.map_or(self.total_timeout, |time| time.min(self.total_timeout));
        timeout(time, call).await.map_err(|_| PostError::Timeout)?
    }

    /// Literal addresses never reach the resolver, so every called URL is checked here, not only saved ones.
    fn check_url(&self, url: &str, allow_private: bool) -> Result<(&Transport, Url), PostError> {
        Ok((self.transport(allow_private), WebhookAddress::checked(url, allow_private)?.url))
    }

    fn transport(&self, allow_private: bool) -> &Transport {
        if allow_private { &self.with_private } else { &self.public_only }
    }

    async fn call(
        &self,
        transport: &Transport,
        request: Request<Full<Bytes>>,
        may_be_repeated: bool,
    ) -> Result<Response<Incoming>, PostError> {
        on_behalf_of(self.caller, transport.call(request, may_be_repeated)).await
    }
}

fn request(method: Method, url: &Url, body: Bytes) -> Result<Request<Full<Bytes>>, PostError> {
    let uri = Uri::try_from(url.as_str()).map_err(|error| PostError::Invalid(error.to_string()))?;
    let mut request = Request::new(Full::new(body));
    (*request.method_mut(), *request.uri_mut()) = (method, uri);
    Ok(request)
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// Headers that the client itself sets. A caller could use them for a second request or another host.
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
