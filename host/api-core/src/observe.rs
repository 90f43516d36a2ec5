//! Around every request: its id, the log line, the metrics, and the body of an error answer.

use std::{
    net::IpAddr,
    time::{Duration, Instant},
};

use axum::{
    extract::{MatchedPath, OriginalUri, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header::X_CONTENT_TYPE_OPTIONS},
    middleware::Next,
    response::Response,
};
use base::traces::{self, CallerTrace, OpenSpan};
use domain::ids::RequestId;
use domain::iso_time::iso_time;
use tracing::{Instrument, Span, field::Empty};

use crate::{
    admission::AnswerSender,
    deprecation::DEPRECATION,
    error::{ApiError, FailureFacts},
    https::{self, RequestSource},
    path_aliases::Successor,
    product::{ApiProduct, is_callback},
    request_facts::RequestFacts,
    state::ApiState,
};

/// On every response. A caller's own value is logged with ours.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// `true` on every response to a test key.
pub const TEST_KEY: HeaderName = HeaderName::from_static("x-test-key");

/// Headers that an error answer keeps.
const KEPT: [HeaderName; 7] = [
    DEPRECATION,
    axum::http::header::ALLOW,
    axum::http::header::ACCEPT_RANGES,
    axum::http::header::CONTENT_RANGE,
    axum::http::header::ACCESS_CONTROL_ALLOW_ORIGIN,
    axum::http::header::ACCESS_CONTROL_EXPOSE_HEADERS,
    axum::http::header::VARY,
];

/// The route in metrics of unknown paths, because a path itself may have any content.
const UNMATCHED: &str = "unmatched";

pub async fn observe(State(state): State<ApiState>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id: RequestId = state.context.mint();
    let method = request.method().clone();
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let path = request.extensions().get::<OriginalUri>().map_or_else(|| request.uri().clone(), |uri| uri.0.clone());
    let route = matched.as_ref().map_or(UNMATCHED, MatchedPath::as_str);
    let span = tracing::info_span!("request", request.id = %id, request.their_id = Empty, client.id = Empty, client.test = Empty);
    let source = https::source_of_request(&state.settings, request.extensions(), request.headers());
    if let Some(theirs) = their_id(request.headers()) {
        span.record("request.their_id", theirs);
    }
    request.extensions_mut().insert(id);
    let facts = RequestFacts::default();
    request.extensions_mut().insert(facts.clone());
    let successor = Successor::of(&request);
    let exit = AnswerSender::of(&request, &state);
    let traced = trace(id, route, request.headers());

    let place = traced.as_ref().map(OpenSpan::place);
    let mut response = traces::within(place, next.run(request).instrument(span.clone())).await;
    if let Some(error) = response.extensions_mut().remove::<ApiError>() {
        let now = state.context.now();
        let timestamp = iso_time(now);
        // Errors keep the headers that tell browsers which pages may read the answer, and the deprecation headers.
        let kept = KEPT.map(|name| (name.clone(), response.headers_mut().remove(&name)));
        let failed = FailureFacts {
            timestamp,
            path: path.path(),
            request_id: id.to_string(),
            namespace: &state.settings.batch_namespace,
        };
        response = (state.outage_answer)(&error, path.path(), now)
            .unwrap_or_else(|| ApiProduct::of(path.path()).error_format().render(&error, failed));
        log_fault(&span, &error, response.status());
        response.headers_mut().extend(kept.into_iter().filter_map(|(name, value)| Some((name, value?))));
    }
    if let Ok(value) = HeaderValue::from_str(&id.to_string()) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    if facts.mode().is_test() {
        response.headers_mut().insert(TEST_KEY, HeaderValue::from_static("true"));
        span.record("client.test", true);
    }
    if let Some(successor) = successor {
        successor.mark(response.headers_mut());
    }
    // Answers contain texts of customers, so no browser may interpret one as a page.
    response.headers_mut().entry(X_CONTENT_TYPE_OPTIONS).or_insert(HeaderValue::from_static("nosniff"));
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        response.extensions_mut().insert(RequestSource(source));
    }
    let took = started.elapsed();
    record(&span, RequestLine { method: &method, route, source }, response.status(), took);
    if let Some(traced) = traced {
        end(traced, &method, route, response.status(), &facts);
    }
    if let Some(answered) = facts.answered(id, &method, path.path(), response.status(), took) {
        state.request_log.add(answered);
    }
    exit.send(response)
}

/// Opens the span of a request. Probes have none, because they come every few seconds.
fn trace(id: RequestId, route: &str, headers: &HeaderMap) -> Option<OpenSpan> {
    if !traces::is_on() || https::is_probe(route) {
        return None;
    }
    let caller = headers.get("traceparent").and_then(|header| CallerTrace::parse(header.to_str().ok()?));
    traces::request(id.0, caller).map(|span| span.with("patchbay.request.id", id.0))
}

fn end(span: OpenSpan, method: &Method, route: &str, status: StatusCode, facts: &RequestFacts) {
    let method = known_method(method);
    let span = match facts.client() {
        Some(client) => span.of(client),
        None => span,
    };
    let span = if facts.mode().is_test() { span.with("patchbay.test", "true") } else { span };
    span.with("http.request.method", method.to_owned())
        .with("http.route", route.to_owned())
        .with("http.response.status_code", i64::from(status.as_u16()))
        .failed(status.is_server_error())
        .end(format!("{method} {route}"));
}

/// Returns the caller's own id, if it is fit for a log line.
fn their_id(headers: &HeaderMap) -> Option<&str> {
    let theirs = headers.get(&REQUEST_ID)?.to_str().ok()?;
    let plain = theirs.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':'));
    (plain && (1..=128).contains(&theirs.len())).then_some(theirs)
}

fn log_fault(span: &Span, error: &ApiError, status: StatusCode) {
    let Some(cause) = error.cause() else { return };
    span.in_scope(|| tracing::error!(error = cause, status = status.as_u16(), "request failed"));
}

/// A request in the log and in metrics.
struct RequestLine<'a> {
    method: &'a Method,
    route: &'a str,
    source: Option<IpAddr>,
}

fn record(span: &Span, request: RequestLine<'_>, status: StatusCode, took: Duration) {
    let RequestLine { method, route, source } = request;
    let (code, duration_ms) = (status.as_u16(), took.as_secs_f64() * 1000.0);
    let source = source.map(tracing::field::display);
    span.in_scope(|| {
        // Providers report every step of every message, and probes come every few seconds: a log line would cost more than
        // the request itself.
        if (is_callback(route) || https::is_probe(route)) && status.is_success() {
            tracing::debug!(%method, route, source, status = code, duration_ms, "request answered");
        } else {
            tracing::info!(%method, route, source, status = code, duration_ms, "request answered");
        }
    });
    let labels = [
        ("method", known_method(method).to_owned()),
        ("route", route.to_owned()),
        ("status", status.as_u16().to_string()),
    ];
    metrics::counter!("patchbay_http_requests_total", &labels).increment(1);
    metrics::histogram!("patchbay_http_request_duration_seconds", "route" => route.to_owned())
        .record(took.as_secs_f64());
}

/// Methods are free text, and the number of metrics must not grow with invented ones.
fn known_method(method: &Method) -> &str {
    match *method {
        Method::GET | Method::POST | Method::PUT | Method::DELETE | Method::PATCH | Method::HEAD | Method::OPTIONS => {
            method.as_str()
        }
        _ => "OTHER",
    }
}
