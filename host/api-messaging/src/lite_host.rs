//! `server.lite_host`: the same API under a host name on which only Lite numbers send (CONTRACT 2).

use std::convert::Infallible;

use api_core::host_name::host_of;
use axum::{extract::FromRequestParts, http::request::Parts};
use outbound::accept::Senders;

use crate::state::SendState;

/// The numbers that may send through the host name of a request.
pub(crate) struct HostNumbers(pub(crate) Senders);

impl FromRequestParts<SendState> for HostNumbers {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &SendState) -> Result<Self, Infallible> {
        let lite = state.settings.lite_host.as_str();
        let host = host_of(&parts.headers, &parts.uri);
        let on_lite_host = !lite.is_empty() && host.eq_ignore_ascii_case(lite);
        Ok(Self(if on_lite_host { Senders::Lite } else { Senders::All }))
    }
}
