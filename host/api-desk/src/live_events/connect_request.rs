//! Parses a request for live events: the caller, the first event, and the form.

use api_core::{
    admission::reservation::AdmittedRequest,
    auth::{AuthorizedCaller, LiveEvents},
    error::{ApiError, ErrorKind},
    query::QueryParameters,
    request_facts::RequestFacts,
    state::{ApiState, StateWith, UseGuard},
};
use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, header, request::Parts},
};
use events::live_events::{
    Hub,
    tickets::{self, Holder},
};
use tenancy::accounts::Caller;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Socket,
    Stream,
}

pub(super) struct EventsRequest {
    pub(super) holder: Holder,
    /// The last event that the caller has.
    pub(super) after: Option<i64>,
    pub(super) form: Form,
    pub(super) in_use: Option<UseGuard>,
}

impl FromRequestParts<StateWith<Hub>> for EventsRequest {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &StateWith<Hub>) -> Result<Self, ApiError> {
        let given = QueryParameters::of(&parts.uri)?;
        let asked =
            || -> Result<_, ApiError> { Ok((form(&parts.headers)?, after(&parts.headers, given.value("after"))?)) };
        let in_use = parts.extensions.get::<UseGuard>().cloned();
        match given.value("ticket") {
            Some(ticket) => {
                // A faulty request does not use up a ticket.
                let (form, after) = asked()?;
                let holder = of_ticket(state, &AdmittedRequest::of(&parts.extensions), ticket).await?;
                RequestFacts::of(&parts.extensions).set_mode(holder.mode);
                Ok(Self { holder, after, form, in_use })
            }
            None => {
                let asked = asked();
                let allowed = AuthorizedCaller::<LiveEvents>::from_request_parts(parts, state).await?;
                let (form, after) = asked?;
                Ok(Self { holder: of_key(allowed.caller), after, form, in_use })
            }
        }
    }
}

/// A holder of a ticket may follow live events. Its rights to see events are read when the connection is opened.
async fn of_ticket(state: &ApiState, held: &AdmittedRequest, ticket: &str) -> Result<Holder, ApiError> {
    let holder = tickets::redeem(&state.context, ticket).await?.ok_or_else(|| {
        ApiError::new(ErrorKind::Unauthorized, "the ticket is unknown, used or expired: request another one")
    })?;
    tracing::Span::current().record("client.id", tracing::field::display(holder.client));
    held.belongs_to(holder.client)?;
    Ok(holder)
}

pub(super) fn of_key(caller: Caller) -> Holder {
    let Caller { client, user, role, client_ref, sight, key_hash, mode, .. } = caller;
    Holder { client, user, role, client_ref, sight, key_hash, mode }
}

fn form(headers: &HeaderMap) -> Result<Form, ApiError> {
    let says = |name: header::HeaderName, wanted: &str| {
        headers.get_all(name).iter().any(|value| {
            let value = value.as_bytes().to_ascii_lowercase();
            value.windows(wanted.len()).any(|part| part == wanted.as_bytes())
        })
    };
    if says(header::UPGRADE, "websocket") {
        return Ok(Form::Socket);
    }
    if says(header::ACCEPT, "text/event-stream") {
        return Ok(Form::Stream);
    }
    let said = "ask for a WebSocket (Upgrade: websocket), or for server-sent events (Accept: text/event-stream)";
    Err(ApiError::new(ErrorKind::BadRequest, said))
}

/// A browser that reconnects sends a header and repeats the first query.
fn after(headers: &HeaderMap, query: Option<&str>) -> Result<Option<i64>, ApiError> {
    let (field, text) = match headers.get("last-event-id") {
        Some(value) => ("Last-Event-ID", value.to_str().unwrap_or("?")),
        None => ("after", query.unwrap_or_default()),
    };
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.parse().ok().filter(|number| *number >= 0);
    number
        .map(Some)
        .ok_or_else(|| ApiError::fault(field, "must be the sequence of an event: a whole number, 0 or more"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (header::HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    #[test]
    fn a_request_asks_for_a_socket_or_for_a_stream_or_is_wrong() {
        assert_eq!(form(&headers(&[("upgrade", "WebSocket")])).unwrap(), Form::Socket);
        assert_eq!(form(&headers(&[("accept", "text/html, text/event-stream;q=0.9")])).unwrap(), Form::Stream);
        assert!(form(&headers(&[("accept", "*/*")])).is_err());
        assert!(form(&headers(&[])).is_err());
    }

    #[test]
    fn the_last_event_of_a_browser_takes_precedence_over_its_address() {
        let back = headers(&[("last-event-id", "12")]);
        assert_eq!(after(&back, Some("3")).unwrap(), Some(12));
        assert_eq!(after(&headers(&[]), Some("3")).unwrap(), Some(3));
        assert_eq!(after(&headers(&[]), Some("")).unwrap(), None);
        assert_eq!(after(&headers(&[]), Some("0")).unwrap(), Some(0));
    }

    #[test]
    fn a_value_that_is_not_a_sequence_is_refused() {
        for text in ["-1", "x", "1.5", "9223372036854775808"] {
            assert!(after(&headers(&[]), Some(text)).is_err(), "{text}");
        }
    }
}
