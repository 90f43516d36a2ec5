//! Checks the HTTP requests of plugins and sends the valid ones.

use std::sync::Arc;
use std::time::Duration;

use domain::ids::ClientId;
use plugin_bindings::patchbay::plugin::http::{Error as GuestError, Request, Response};
use tokio::time::Instant;
use url::Url;

use super::grants;
use super::http::{HttpFault, HttpRequest, HttpResponse, OutgoingHttp};
use super::limits::CallLimits;
use super::started_requests::{DEADLINE, DEADLINES, StartedRequest};

const METHODS: [&str; 6] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];
/// Headers about framing or the connection. The HTTP client sets them.
const NOT_THE_PLUGINS: [&str; 11] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "upgrade",
    "expect",
];
const IDEMPOTENCY_KEY: &str = "idempotency-key";
const LONGEST_URL: usize = 8_192;
/// Part of the wall clock that a request cannot use up, so that the plugin can still report the failure.
const TO_ANSWER: Duration = Duration::from_millis(200);

pub(crate) struct OutgoingRequests {
    pub(crate) client: ClientId,
    pub(crate) turn: String,
    pub(crate) allowed: Vec<String>,
    pub(crate) sender: Arc<dyn OutgoingHttp>,
    pub(crate) end: Instant,
    /// Requests of this call, those that are sent later too.
    pub(crate) sent: u32,
    /// Those that are sent after the call.
    pub(crate) started: Vec<StartedRequest>,
}

impl OutgoingRequests {
    /// Checks a request, sends it, and checks the response. Every error names the cure.
    pub(crate) async fn send(&mut self, request: Request, limits: &CallLimits) -> Result<Response, GuestError> {
        let wanted = request.timeout_ms.map_or(limits.http_timeout, |wait| Duration::from_millis(wait.into()));
        let left = self.end.saturating_duration_since(Instant::now()).saturating_sub(TO_ANSWER);
        let wait = wanted.min(limits.http_timeout).min(left).max(Duration::from_millis(1));
        let judged = self.judge(request, wait, limits)?;
        self.sent += 1;
        match self.sender.send(self.client, judged).await {
            Ok(response) => accept(response, limits),
            Err(HttpFault::Refused(reason)) => Err(GuestError::NotGranted(reason)),
            Err(HttpFault::Failed(reason)) => Err(GuestError::Failed(reason)),
            Err(HttpFault::TooLarge) => Err(too_large(limits)),
            Err(HttpFault::TimedOut) => Err(GuestError::TimedOut),
        }
    }

    /// Checks a request that is sent after the call, and returns the id of its job.
    pub(crate) fn start(&mut self, request: Request, limits: &CallLimits) -> Result<String, GuestError> {
        let deadline = request.timeout_ms.map_or(DEADLINE, |wait| Duration::from_millis(wait.into()));
        if !DEADLINES.contains(&deadline) {
            let (least, most) = (DEADLINES.start().as_millis(), DEADLINES.end().as_millis());
            return invalid(format!("`timeout-ms` is {}; {least} to {most} are allowed", deadline.as_millis()));
        }
        let request = self.judge(request, deadline, limits)?;
        self.sent += 1;
        let job = self.key(self.sent);
        self.started.push(StartedRequest { job: job.clone(), request });
        Ok(job)
    }

    /// The idempotency key of a request of this call, counted from 1.
    fn key(&self, number: u32) -> String {
        format!("{}-{number}", self.turn)
    }

    fn judge(&self, request: Request, wait: Duration, limits: &CallLimits) -> Result<HttpRequest, GuestError> {
        let method = request.method.to_ascii_uppercase();
        if !METHODS.contains(&method.as_str()) {
            return invalid(format!("the method `{}` is not one of {}", request.method, METHODS.join(", ")));
        }
        let url = address(&request.url)?;
        grants::judge(&url, &self.allowed).map_err(GuestError::NotGranted)?;
        let body_bytes = request.body.as_ref().map_or(0, Vec::len);
        if body_bytes > limits.http_request_bytes {
            let most = limits.http_request_bytes;
            return invalid(format!("the body has {body_bytes} bytes; {most} are allowed: send less, or in parts"));
        }
        if self.sent >= limits.http_requests {
            let most = limits.http_requests;
            return invalid(format!("a call may send {most} requests; do the rest later, when a timer has run out"));
        }
        let mut headers = headers(request.headers, limits)?;
        headers.push((IDEMPOTENCY_KEY.into(), self.key(self.sent + 1)));
        Ok(HttpRequest {
            method,
            url: url.into(),
            headers,
            body: request.body,
            timeout: wait,
            most_bytes: limits.http_response_bytes,
        })
    }
}

/// Sends a started request. Its hosts were judged in the call.
pub(crate) async fn send_started(
    sender: &dyn OutgoingHttp,
    client: ClientId,
    request: HttpRequest,
    limits: &CallLimits,
) -> Result<HttpResponse, HttpFault> {
    let Response { status, headers, body } =
        accept(sender.send(client, request).await?, limits).map_err(|error| match error {
            GuestError::TooLarge(_) => HttpFault::TooLarge,
            GuestError::Failed(reason) | GuestError::NotGranted(reason) | GuestError::InvalidRequest(reason) => {
                HttpFault::Failed(reason)
            }
            GuestError::TimedOut => HttpFault::TimedOut,
        })?;
    Ok(HttpResponse { status, headers, body })
}

fn address(text: &str) -> Result<Url, GuestError> {
    if text.len() > LONGEST_URL {
        return invalid(format!("the url has {} bytes; {LONGEST_URL} are allowed", text.len()));
    }
    let mut url = match Url::parse(text) {
        Ok(url) => url,
        Err(fault) => return invalid(format!("the url is not absolute (`https://host/path`): {fault}")),
    };
    if !matches!(url.scheme(), "http" | "https") {
        return invalid(format!("the url begins with `{}:`; only https and http are sent", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return invalid("the url holds a user name or a password; send them in an `authorization` header".into());
    }
    url.set_fragment(None);
    Ok(url)
}

fn headers(given: Vec<(String, String)>, limits: &CallLimits) -> Result<Vec<(String, String)>, GuestError> {
    let (count, bytes) = size(&given);
    if count > limits.http_headers || bytes > limits.http_header_bytes {
        let (most, most_bytes) = (limits.http_headers, limits.http_header_bytes);
        return invalid(format!(
            "there are {count} headers of {bytes} bytes; {most} headers of {most_bytes} bytes in all are allowed"
        ));
    }
    let mut headers = Vec::with_capacity(given.len() + 1);
    for (name, value) in given {
        let name = name.to_ascii_lowercase();
        if name.is_empty() || !name.bytes().all(is_token) {
            return invalid(format!("`{}` is not the name of a header", name.escape_default()));
        }
        if value.bytes().any(|byte| (byte < b' ' && byte != b'\t') || byte == 0x7f) {
            return invalid(format!("the value of the header `{name}` has a line break or a control character"));
        }
        if NOT_THE_PLUGINS.contains(&name.as_str()) {
            return invalid(format!("the header `{name}` is set by the host; leave it out"));
        }
        // The host's own key replaces that of the plugin. It is the same if the call is repeated.
        if name != IDEMPOTENCY_KEY {
            headers.push((name, value));
        }
    }
    Ok(headers)
}

fn accept(response: HttpResponse, limits: &CallLimits) -> Result<Response, GuestError> {
    if response.body.len() > limits.http_response_bytes {
        return Err(too_large(limits));
    }
    let (count, bytes) = size(&response.headers);
    if count > limits.http_headers || bytes > limits.http_header_bytes {
        return Err(GuestError::Failed(format!(
            "the response has {count} headers of {bytes} bytes, which is too much"
        )));
    }
    let headers = response.headers.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect();
    Ok(Response { status: response.status, headers, body: response.body })
}

pub(super) fn size(headers: &[(String, String)]) -> (usize, usize) {
    (headers.len(), headers.iter().map(|(name, value)| name.len() + value.len()).sum())
}

fn too_large(limits: &CallLimits) -> GuestError {
    GuestError::TooLarge(u32::try_from(limits.http_response_bytes).unwrap_or(u32::MAX))
}

fn invalid<T>(reason: String) -> Result<T, GuestError> {
    Err(GuestError::InvalidRequest(reason))
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
