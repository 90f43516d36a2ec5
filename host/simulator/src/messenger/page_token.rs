use axum::http::HeaderMap;

use super::state::SimulatedPage;
use crate::{
    graph::{GraphCall, errors::SimulatedGraphError},
    world::WorldState,
};

pub(super) fn token(headers: &HeaderMap, call: &GraphCall) -> String {
    let bearer = headers.get("authorization").and_then(|value| value.to_str().ok());
    let bearer = bearer.and_then(|value| value.strip_prefix("Bearer "));
    bearer.map(str::to_owned).or_else(|| call.query.get("access_token").cloned()).unwrap_or_default()
}

/// The page of a call, if the token is valid for it.
pub(super) fn page_of(state: &WorldState, node: &str, token: &str) -> Result<SimulatedPage, SimulatedGraphError> {
    let page = match node {
        "me" => state.messenger.page_of_token(token),
        id => state.messenger.page(id),
    };
    let page = page.filter(|page| page.access_token.as_deref().is_none_or(|own| own == token));
    page.cloned().ok_or_else(SimulatedGraphError::no_token)
}
