//! `server.lite_host`: the same API under another name, on which only Lite numbers send (CONTRACT 2).

use std::convert::Infallible;

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, Uri, header, request::Parts},
};
use domain::{channel::Channel, ids::ClientId, inbox::InboxKind};
use serde_json::Value;
use tenancy::inboxes;

use crate::{error::ApiError, state::ApiState};

/// Under which name a request asked for us.
pub(crate) struct Asked {
    on_lite_host: bool,
}

impl FromRequestParts<ApiState> for Asked {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Infallible> {
        let lite = state.settings.lite_host.as_str();
        let host = host_of(&parts.headers, &parts.uri);
        Ok(Self { on_lite_host: !lite.is_empty() && host.eq_ignore_ascii_case(lite) })
    }
}

/// The name by which a request asked for us, without its port.
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

impl Asked {
    /// On the name of Lite, refuses a send from a number that is none. `field` is where the sender stands. What is no send, or
    /// from nobody's number, is judged by whoever takes it.
    pub(crate) async fn admits(
        &self,
        state: &ApiState,
        client: ClientId,
        body: &[u8],
        field: &str,
    ) -> Result<(), ApiError> {
        if !self.on_lite_host {
            return Ok(());
        }
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let pointer = format!("/{}", field.replace('.', "/"));
        let Some(sender) = body.pointer(&pointer).and_then(Value::as_str) else { return Ok(()) };
        let number = sender.strip_prefix('+').unwrap_or(sender);
        let kind = inboxes::kind_of(&state.context.db, client, Channel::Whatsapp, number).await?;
        if kind.is_none_or(|kind| kind == InboxKind::WhatsappLite) {
            return Ok(());
        }
        let said = format!("is no WhatsApp Lite number, and {} sends from those only", state.settings.lite_host);
        Err(ApiError::fault(field, said))
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
