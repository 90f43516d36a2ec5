//! `server.require_https` (requests without TLS are refused), and the source of a request behind proxies.

use std::{
    convert::Infallible,
    net::{IpAddr, SocketAddr},
};

use axum::{
    extract::{ConnectInfo, FromRef, FromRequestParts, Request},
    http::{Extensions, HeaderMap, request::Parts},
};

use ipnet::IpNet;

use crate::{
    error::{ApiError, ErrorKind},
    state::{ApiSettings, ApiState},
};

/// Marks requests of a TLS listener: `router.layer(axum::Extension(OverTls))`.
#[derive(Debug, Clone, Copy)]
pub struct OverTls;

/// Probes come from the machine of the process, not from clients.
pub fn is_probe(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/metrics")
}

/// Returns the refusal of a request that must use TLS and does not.
pub fn require(settings: &ApiSettings, request: &Request) -> Result<(), ApiError> {
    if settings.require_https && !is_probe(request.uri().path()) && !arrived_over_tls(settings, request) {
        let said = "this server takes requests over HTTPS only: the key that was sent may have been read on its way";
        return Err(ApiError::new(ErrorKind::HttpsRequired, said));
    }
    Ok(())
}

fn arrived_over_tls(settings: &ApiSettings, request: &Request) -> bool {
    if request.extensions().get::<OverTls>().is_some() {
        return true;
    }
    let trusted = peer(request.extensions())
        .is_some_and(|peer| settings.trusted_proxies.iter().any(|network| network.contains(&peer)));
    trusted && forwarded_proto(request.headers()) == Some("https")
}

/// Returns the other end of the connection. An IPv4 address on an IPv6 socket counts as IPv4.
pub fn peer(extensions: &Extensions) -> Option<IpAddr> {
    extensions.get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip().to_canonical())
}

/// The source of a request: the peer, or the address that a trusted proxy reports. The response that opens a WebSocket has
/// it as an extension for the listener.
#[derive(Debug, Clone, Copy)]
pub struct RequestSource(pub Option<IpAddr>);

impl<S> FromRequestParts<S> for RequestSource
where
    S: Send + Sync,
    ApiState: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let state = ApiState::from_ref(state);
        Ok(Self(source_of_request(&state.settings, &parts.extensions, &parts.headers)))
    }
}

/// Returns the source of the request with these extensions and headers.
pub fn source_of_request(settings: &ApiSettings, extensions: &Extensions, headers: &HeaderMap) -> Option<IpAddr> {
    peer(extensions).map(|peer| source(&settings.trusted_proxies, peer, headers))
}

/// Returns the address that a request came from. Each proxy appends the address of its caller to `X-Forwarded-For`, so the
/// list is read from its end: a trusted proxy is replaced by the address that it appended. A caller can forge the addresses
/// before the first one that is not trusted, and an entry that is no address ends the search.
fn source(trusted: &[IpNet], peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|network| network.contains(address));
    let values = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    let hops: Vec<&str> = values.flat_map(|value| value.split(',')).map(str::trim).collect();
    let mut source = peer;
    for hop in hops.iter().rev() {
        if !is_trusted(&source) {
            break;
        }
        let Some(caller) = address(hop) else { break };
        source = caller.to_canonical();
    }
    source
}

/// Some proxies add the port (`192.0.2.1:50000`, `[2001:db8::1]:50000`), or only the brackets.
fn address(hop: &str) -> Option<IpAddr> {
    let bare = hop.strip_prefix('[').and_then(|hop| hop.strip_suffix(']')).unwrap_or(hop);
    bare.parse().ok().or_else(|| hop.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// Returns the value that the nearest proxy added at the end. The caller can forge the values before it.
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
    fn a_source_is_the_last_one_that_is_no_proxy_of_ours() {
        let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().unwrap()];
        let source = |peer: &str, forwarded: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in forwarded {
                headers.append("x-forwarded-for", value.parse().unwrap());
            }
            source(&trusted, peer.parse().unwrap(), &headers).to_string()
        };
        assert_eq!(source("192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
        assert_eq!(source("10.0.0.1", &["203.0.113.9, 198.51.100.7"]), "198.51.100.7");
        assert_eq!(source("10.0.0.1", &["203.0.113.9, 198.51.100.7", "10.0.0.2"]), "198.51.100.7");
        assert_eq!(source("10.0.0.1", &["203.0.113.9, 198.51.100.7:50000"]), "198.51.100.7");
        assert_eq!(source("10.0.0.1", &["[2001:db8::7]:50000"]), "2001:db8::7");
        assert_eq!(source("10.0.0.1", &["[2001:db8::7]"]), "2001:db8::7");
        assert_eq!(source("10.0.0.1", &["nonsense"]), "10.0.0.1");
        assert_eq!(source("10.0.0.1", &[]), "10.0.0.1");
    }

    #[test]
    fn only_the_value_of_the_nearest_proxy_counts() {
        assert_eq!(forwarded_proto(&headers(&["https, http"])), Some("http"));
        assert_eq!(forwarded_proto(&headers(&["https", "http"])), Some("http"));
        assert_eq!(forwarded_proto(&headers(&["http, https"])), Some("https"));
        assert_eq!(forwarded_proto(&headers(&[])), None);
    }
}
