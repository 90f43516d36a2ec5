//! `server.lite_host`: the same API under a host name on which only Lite numbers send (CONTRACT 2).

use std::convert::Infallible;

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, Uri, header, request::Parts},
};
use outbound::accept::Senders;

use crate::state::ApiState;

/// The numbers that may send through the host name of a request.
pub(crate) struct Asked(pub(crate) Senders);

impl FromRequestParts<ApiState> for Asked {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Infallible> {
        let lite = state.settings.lite_host.as_str();
        let host = host_of(&parts.headers, &parts.uri);
        let on_lite_host = !lite.is_empty() && host.eq_ignore_ascii_case(lite);
        Ok(Self(if on_lite_host { Senders::Lite } else { Senders::All }))
    }
}

/// The host name of a request, without its port.
pub(crate) fn host_of<'a>(headers: &'a HeaderMap, uri: &'a Uri) -> &'a str {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    uri.host().or_else(|| host.map(without_port)).unwrap_or_default()
}

/// `lite.example:8080` is `lite.example`.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_no_part_of_a_name() {
        assert_eq!(without_port("lite.example:8080"), "lite.example");
        assert_eq!(without_port("lite.example"), "lite.example");
    }
}
