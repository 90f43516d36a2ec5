//! `server.require_https`: requests that did not arrive over TLS are refused.

use std::net::{IpAddr, SocketAddr};

use axum::{
    extract::{ConnectInfo, Request, State},
    http::{Extensions, HeaderMap},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{
    error::{ApiError, ErrorKind},
    state::{ApiSettings, ApiState},
};

/// Marks requests of a TLS listener: `router.layer(axum::Extension(OverTls))`.
#[derive(Debug, Clone, Copy)]
pub struct OverTls;

/// Probes come from beside the process, not from clients.
pub(crate) fn is_probe(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/metrics")
}

pub(crate) async fn require(State(state): State<ApiState>, request: Request, next: Next) -> Response {
    let settings = &state.settings;
    if settings.require_https && !is_probe(request.uri().path()) && !arrived_over_tls(settings, &request) {
        let said = "this server takes requests over HTTPS only: the key that was sent may have been read on its way";
        return ApiError::new(ErrorKind::HttpsRequired, said).into_response();
    }
    next.run(request).await
}

fn arrived_over_tls(settings: &ApiSettings, request: &Request) -> bool {
    if request.extensions().get::<OverTls>().is_some() {
        return true;
    }
    let trusted = peer(request.extensions())
        .is_some_and(|peer| settings.trusted_proxies.iter().any(|network| network.contains(&peer)));
    trusted && forwarded_proto(request.headers()) == Some("https")
}

/// The other end of the connection. An IPv4 address that came in on an IPv6 socket is an IPv4 address.
pub(crate) fn peer(extensions: &Extensions) -> Option<IpAddr> {
    extensions.get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip().to_canonical())
}

/// What the nearest proxy said: it adds at the end, and what stands before may be the caller's own.
fn forwarded_proto(headers: &HeaderMap) -> Option<&str> {
    let last = headers.get_all("x-forwarded-proto").iter().next_back()?.to_str().ok()?;
    last.rsplit(',').next().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(values: &[&'static str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("x-forwarded-proto", value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn only_what_the_nearest_proxy_said_counts() {
        assert_eq!(forwarded_proto(&headers(&["https, http"])), Some("http"));
        assert_eq!(forwarded_proto(&headers(&["https", "http"])), Some("http"));
        assert_eq!(forwarded_proto(&headers(&["http, https"])), Some("https"));
        assert_eq!(forwarded_proto(&headers(&[])), None);
    }
}
