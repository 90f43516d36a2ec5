//! What there is, and what happened to it.

use axum::{
    Json,
    extract::{Query, State},
    http::request::Parts,
};
use domain::page::PageRequest;
use plugins::{self, Wanted};
use uuid::Uuid;

use super::bodies::{
    DetailBody, DifferenceBody, DifferencesBody, EventBody, InvocationBody, PluginBody, SkippedBody, VersionBody,
};
use crate::{
    auth::{Allowed, Plugins},
    error::ApiError,
    page::{ListQuery, PageBody},
    path::Segments,
    state::ApiState,
};

/// Versions of a plugin in one answer when the caller names no size: all of them, as a rule.
const VERSIONS: u32 = 500;

pub(super) async fn list(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    query: ListQuery,
) -> Result<Json<PageBody<PluginBody>>, ApiError> {
    let page = plugins::list(&state.context, allowed.caller.client, &query.search, query.page).await?;
    Ok(Json(PageBody::new(query.page, page, PluginBody::from)))
}

pub(super) async fn one(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
    query: ListQuery,
    parts: Parts,
) -> Result<Json<DetailBody>, ApiError> {
    let page = match parameter(&parts, "size") {
        Some(_) => query.page,
        None => PageRequest { size: VERSIONS, ..query.page },
    };
    let found = plugins::one(&state.context, allowed.caller.client, &name, page).await?;
    let detail = found.ok_or_else(ApiError::not_found)?;
    Ok(Json(DetailBody {
        plugin: detail.plugin.into(),
        versions: detail.versions.items.into_iter().map(VersionBody::from).collect(),
        total_versions: detail.versions.total,
    }))
}

/// A query parameter; an empty one counts as absent.
fn parameter(parts: &Parts, wanted: &str) -> Option<String> {
    let Query(parameters) = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri).unwrap_or_default();
    parameters.into_iter().find(|(name, value)| name == wanted && !value.is_empty()).map(|(_, value)| value)
}

/// A name that no plugin has and no database text can hold.
fn nameable(name: &str) -> Result<(), ApiError> {
    if name.contains('\0') { Err(ApiError::not_found()) } else { Ok(()) }
}

pub(super) async fn invocations(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
    query: ListQuery,
    parts: Parts,
) -> Result<Json<PageBody<InvocationBody>>, ApiError> {
    nameable(&name)?;
    let (outcome, mode) = (parameter(&parts, "outcome"), parameter(&parts, "mode"));
    for (field, value) in [("outcome", &outcome), ("mode", &mode)] {
        if value.as_ref().is_some_and(|value| value.contains('\0')) {
            return Err(ApiError::fault(field, "contains a NUL character"));
        }
    }
    let after = match parameter(&parts, "after") {
        Some(text) => Some(text.parse::<Uuid>().map_err(|_| ApiError::fault("after", "must be the id of a call"))?),
        None => None,
    };
    let wanted = Wanted { outcome: outcome.as_deref(), mode: mode.as_deref(), after };
    let page = plugins::invocations(&state.context.db, allowed.caller.client, &name, wanted, query.page).await?;
    Ok(Json(PageBody::new(query.page, page, InvocationBody::from)))
}

pub(super) async fn events(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
    query: ListQuery,
) -> Result<Json<PageBody<EventBody>>, ApiError> {
    nameable(&name)?;
    let page = plugins::plugin_events(&state.context.db, allowed.caller.client, &name, query.page).await?;
    Ok(Json(PageBody::new(query.page, page, EventBody::from)))
}

pub(super) async fn differences(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
    query: ListQuery,
) -> Result<Json<DifferencesBody>, ApiError> {
    nameable(&name)?;
    let (db, client) = (&state.context.db, allowed.caller.client);
    let page = plugins::differences(db, client, &name, query.page).await?;
    let skipped = plugins::skipped(db, client, &name).await?;
    Ok(Json(DifferencesBody {
        page: PageBody::new(query.page, page, DifferenceBody::from),
        skipped: skipped.into_iter().map(SkippedBody::from).collect(),
    }))
}
