//! Lists of plugins and of their history.

use api_core::{
    auth::{AuthorizedCaller, Permission, Plugins},
    error::ApiError,
    page::{ListQuery, Page, SearchStringParameter},
    path::Segments,
    query::QueryParameters,
    state::ApiState,
};
use axum::{Json, extract::State, http::request::Parts};
use domain::page::PageRequest;
use plugins::{self, InvocationFilter, calls::trace, slots::Mode};
use utoipa::IntoParams;
use uuid::Uuid;

use super::{
    closed_sets::{ModeName, OutcomeName},
    history_bodies::{DifferenceBody, DifferencesBody, EventBody, InvocationBody, SkippedBody},
    plugin_bodies::{DetailBody, PluginBody, VersionBody},
    request::PluginPath,
};

/// Versions of a plugin in one answer if the caller gives no size. Usually these are all.
const VERSIONS: u32 = 500;

/// Lists the client's plugins and the built-in ones, by name.
///
/// Each has its world, its newest version and its present activations. `searchString` is a part of the name, in any case.
#[utoipa::path(
    get,
    path = "/plugin-service/api/v1/plugins",
    operation_id = "listPlugins",
    tag = "Plugins",
    params(ListQuery, SearchStringParameter),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "A page of plugins, each with its newest version.", body = Page<PluginBody>),
    ),
)]
pub(super) async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    query: ListQuery,
) -> Result<Page<PluginBody>, ApiError> {
    let page = plugins::list(&state.context, allowed.caller.client, &query.search, query.page).await?;
    Ok(Page::new(query.page, page, PluginBody::from))
}

/// Returns a plugin with its versions and activations.
///
/// Each version has its SHA-256.
#[utoipa::path(
    get,
    path = "/plugin-service/api/v1/plugins/{name}",
    operation_id = "getPlugin",
    tag = "Plugins",
    params(PluginPath, ListQuery<VERSIONS>),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "The plugin. `page` and `size` select its versions.", body = DetailBody),
    ),
)]
pub(super) async fn one(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
    query: ListQuery<VERSIONS>,
) -> Result<Json<DetailBody>, ApiError> {
    let found = plugins::one(&state.context, allowed.caller.client, &name, query.page).await?;
    let detail = found.ok_or_else(ApiError::not_found)?;
    Ok(Json(DetailBody {
        plugin: detail.plugin.into(),
        versions: detail.versions.items.into_iter().map(VersionBody::from).collect(),
        total_versions: detail.versions.total,
    }))
}

/// Reads a query parameter. An empty one counts as absent.
pub(super) fn parameter(parts: &Parts, wanted: &str) -> Result<Option<String>, ApiError> {
    Ok(QueryParameters::of(&parts.uri)?.value(wanted).map(str::to_owned))
}

/// Returns 404 unless the client has a plugin of this name or it is a built-in one. Histories exist for those only.
pub(super) async fn require_plugin(
    state: &ApiState,
    allowed: &AuthorizedCaller<Plugins>,
    name: &str,
) -> Result<(), ApiError> {
    let newest = PageRequest { page: 0, size: 1 };
    match plugins::one(&state.context, allowed.caller.client, name, newest).await? {
        Some(_) => Ok(()),
        None => Err(ApiError::not_found()),
    }
}

pub(super) fn id(parts: &Parts, name: &str, fault: &str) -> Result<Option<Uuid>, ApiError> {
    let id = parameter(parts, name)?.map(|text| text.parse()).transpose();
    id.map_err(|_| ApiError::fault(name, fault))
}

/// The fault of `subjectId`.
pub(super) const NO_SUBJECT: &str = "must be the id of a participant, a message or a delivery";

/// Filters of the list of calls.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
pub(super) struct WantedCalls {
    /// Only calls with this outcome.
    #[param(value_type = Option<OutcomeName>, nullable = false, inline)]
    outcome: Option<String>,
    /// Only calls in this mode.
    #[param(value_type = Option<ModeName>, nullable = false, inline)]
    mode: Option<String>,
    /// Only calls after the call with this id.
    #[param(nullable = false)]
    after: Option<Uuid>,
    /// Only calls about this chat participant, message or delivery.
    #[param(nullable = false, rename = "subjectId")]
    subject: Option<Uuid>,
    /// Only calls of a chatbot for this event, such as `message` or `timer`.
    #[param(nullable = false)]
    event: Option<String>,
}

/// Lists the calls of a plugin, newest first.
///
/// Each call has its outcome, its duration, its log lines and its HTTP requests.
#[utoipa::path(
    get,
    path = "/plugin-service/api/v1/plugins/{name}/invocations",
    operation_id = "listInvocations",
    tag = "Plugins",
    params(PluginPath, ListQuery, WantedCalls),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "A page of calls.", body = Page<InvocationBody>),
    ),
)]
pub(super) async fn invocations(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
    query: ListQuery,
    parts: Parts,
) -> Result<Page<InvocationBody>, ApiError> {
    require_plugin(&state, &allowed, &name).await?;
    let given = QueryParameters::of(&parts.uri)?;
    let word = |word: &'static str| word;
    let mode = given.choice("mode", Mode::ALL, Mode::as_str).map_err(ApiError::faults)?;
    let wanted = InvocationFilter {
        outcome: given.choice("outcome", trace::outcomes(), word).map_err(ApiError::faults)?,
        mode: mode.map(Mode::as_str),
        after: id(&parts, "after", "must be the id of a call")?,
        subject: id(&parts, "subjectId", NO_SUBJECT)?,
        event: given.choice("event", trace::EVENTS, word).map_err(ApiError::faults)?,
    };
    let page = plugins::invocations(&state.context.db, allowed.caller.client, &name, wanted, query.page).await?;
    Ok(Page::new(query.page, page, InvocationBody::from))
}

/// Lists the events of a plugin (activated, suspended, rolled back), newest first.
///
/// Each event has its time, the version and the reason.
#[utoipa::path(
    get,
    path = "/plugin-service/api/v1/plugins/{name}/events",
    operation_id = "listPluginEvents",
    tag = "Plugins",
    params(PluginPath, ListQuery),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "A page of events.", body = Page<EventBody>),
    ),
)]
pub(super) async fn events(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
    query: ListQuery,
) -> Result<Page<EventBody>, ApiError> {
    require_plugin(&state, &allowed, &name).await?;
    let page = plugins::plugin_events(&state.context.db, allowed.caller.client, &name, query.page).await?;
    Ok(Page::new(query.page, page, EventBody::from))
}

/// Lists the calls in which shadows of a plugin decided differently from the live plugin, newest first.
///
/// Each difference has both answers.
#[utoipa::path(
    get,
    path = "/plugin-service/api/v1/plugins/{name}/differences",
    operation_id = "listDifferences",
    tag = "Plugins",
    params(PluginPath, ListQuery),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "A page of differences.", body = DifferencesBody),
    ),
)]
pub(super) async fn differences(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
    query: ListQuery,
) -> Result<Json<DifferencesBody>, ApiError> {
    require_plugin(&state, &allowed, &name).await?;
    let (db, client) = (&state.context.db, allowed.caller.client);
    let page = plugins::differences(db, client, &name, query.page).await?;
    let skipped = plugins::list_skipped(db, client, &name).await?;
    Ok(Json(DifferencesBody {
        page: Page::new(query.page, page, DifferenceBody::from),
        skipped: skipped.into_iter().map(SkippedBody::from).collect(),
    }))
}
