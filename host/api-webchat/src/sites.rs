//! Sites with the web chat widget: their keys, origins, look and team (`docs/web-chat.md`).

use api_core::{
    auth::{AuthorizedCaller, Permission, SiteReading, Sites},
    body::JsonBytes,
    error::{ApiError, ErrorKind},
    page::{ListQuery, Page},
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::iso_time::iso_time;
use domain::{body, ids::InboxId, web_chat::SiteForm};
use serde::Serialize;
use serde_json::Value;
use tenancy::sites::{self, Site, SiteError};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(add, list))
        .routes(routes!(find, update, delete))
        .routes(routes!(new_key))
        .routes(routes!(secret))
        .routes(routes!(rotate_secret))
}

/// A new or changed site. In an update, absent fields stay as they are.
#[derive(ToSchema)]
#[schema(as = WebSiteRequest, examples(json!({"name": "Shop", "origins": ["https://shop.example"], "look": {"color": "#0a6c58"}})))]
#[allow(dead_code, reason = "it describes what domain::web_chat::SiteForm reads")]
struct SiteRequest {
    /// The name for people.
    #[schema(min_length = 1, max_length = 100)]
    name: Option<String>,
    /// Origins whose pages may show the widget.
    #[schema(min_items = 1, max_items = 50)]
    origins: Option<Vec<String>>,
    /// Name of the team that gets its chats. If null, no team.
    team: Option<String>,
    /// `color`, `textColor`, `side` (END, START), `scheme` (AUTO, LIGHT, DARK), `direction` (AUTO, LTR, RTL), `language`.
    #[schema(value_type = Option<Object>)]
    look: Option<Value>,
    /// Texts of the widget by key, such as `title`, `greeting`, `afterHours`.
    #[schema(value_type = Option<Object>)]
    texts: Option<Value>,
    /// The form before a chat: `fields`, each with `key`, `label`, `type` (TEXT, EMAIL, PHONE, CHOICE, CONSENT),
    /// `required`, `options`. If null, no form.
    #[schema(value_type = Option<Object>)]
    form: Option<Value>,
}

/// A site.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebSite)]
struct SiteBody {
    /// Its id.
    #[schema(format = Uuid)]
    id: String,
    /// The key in the script tag of a page. It is not a secret.
    site_key: String,
    /// The tag that shows the widget on a page.
    script: String,
    /// The name for people.
    name: String,
    /// Origins whose pages may show the widget.
    origins: Vec<String>,
    /// The team that gets its chats.
    team: Option<String>,
    /// The look of the widget.
    #[schema(value_type = Object)]
    look: Value,
    /// Texts that differ from the default ones.
    #[schema(value_type = Object)]
    texts: Value,
    /// The form before a chat.
    #[schema(value_type = Option<Object>)]
    form: Value,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_time: String,
}

/// The secret of a site.
#[derive(Serialize, ToSchema)]
#[schema(as = WebSiteSecret)]
struct SecretBody {
    /// Key of the HMAC-SHA256 that proves the identity of a user of the site.
    secret: String,
}

pub fn script(public_url: &str, key: &str) -> String {
    format!("<script src=\"{}\" async></script>", script_url(public_url, key))
}

/// The address of the widget for a site.
pub fn script_url(public_url: &str, key: &str) -> String {
    format!("{}/web-chat/widget.js?site={key}", public_url.trim_end_matches('/'))
}

fn site_body(state: &ApiState, site: &Site) -> SiteBody {
    let json = |value: Result<Value, serde_json::Error>| value.unwrap_or(Value::Null);
    SiteBody {
        id: site.id.to_string(),
        site_key: site.key.clone(),
        script: script(state.context.settings.server.public_base(), &site.key),
        name: site.name.clone(),
        origins: site.origins.iter().map(ToString::to_string).collect(),
        team: site.team.as_ref().map(|team| team.name.clone()),
        look: json(serde_json::to_value(&site.settings.look)),
        texts: json(serde_json::to_value(&site.settings.texts)),
        form: json(serde_json::to_value(&site.settings.form)),
        created_time: iso_time(site.created_at),
    }
}

fn api_error(error: SiteError) -> ApiError {
    match error {
        SiteError::Faults(faults) => ApiError::faults(faults),
        SiteError::NotFound | SiteError::UnknownClient(_) => ApiError::not_found(),
        SiteError::TooMany => ApiError::new(ErrorKind::Conflict, error.to_string()),
        SiteError::Failed(cause) => cause.into(),
    }
}

/// Adds a site.
///
/// The answer has its key and the script tag of the widget.
#[utoipa::path(
    post,
    path = "/messaging-service/web/sites",
    operation_id = "addWebSite",
    tag = "Web chat",
    request_body = SiteRequest,
    security(("apiKey" = [Sites::ROW.name])),
    responses(
        (status = 201, description = "The new site.", body = SiteBody),
        (status = 409, description = "The client has the most sites that are allowed."),
    ),
)]
async fn add(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Sites>,
    JsonBytes(bytes): JsonBytes,
) -> Result<(StatusCode, Json<SiteBody>), ApiError> {
    let asked: SiteForm = body::parse(&bytes).map_err(ApiError::faults)?;
    let added = sites::add(&state.administration(), allowed.caller.client, &asked, allowed.actor()).await;
    Ok((StatusCode::CREATED, Json(site_body(&state, &added.map_err(api_error)?))))
}

/// Lists the client's sites, oldest first.
///
/// A site is a place of the chat widget.
#[utoipa::path(
    get,
    path = "/messaging-service/web/sites",
    operation_id = "listWebSites",
    tag = "Web chat",
    params(ListQuery),
    security(("apiKey" = [SiteReading::ROW.name])),
    responses((status = 200, description = "A page of sites.", body = Page<SiteBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<SiteReading>,
    query: ListQuery,
) -> Result<Page<SiteBody>, ApiError> {
    let page = sites::list(&state.context.db, allowed.caller.client, query.page).await?;
    Ok(Page::new(query.page, page, |site| site_body(&state, &site)))
}

/// Returns a site.
///
/// Its key is in the page of the site and is public. Its secret is not part of the answer.
#[utoipa::path(
    get,
    path = "/messaging-service/web/sites/{id}",
    operation_id = "getWebSite",
    tag = "Web chat",
    params(("id" = Uuid, Path, description = "Id of the site.")),
    security(("apiKey" = [SiteReading::ROW.name])),
    responses((status = 200, description = "The site.", body = SiteBody)),
)]
async fn find(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<SiteReading>,
    Segments(id): Segments<InboxId>,
) -> Result<Json<SiteBody>, ApiError> {
    let site = sites::find(&state.context.db, allowed.caller.client, id).await.map_err(api_error)?;
    Ok(Json(site_body(&state, &site)))
}

/// Changes a site.
///
/// Absent fields stay as they are. `look`, `texts` and `form` are replaced as a whole. Widgets use the change when
/// their page is loaded again.
#[utoipa::path(
    put,
    path = "/messaging-service/web/sites/{id}",
    operation_id = "updateWebSite",
    tag = "Web chat",
    params(("id" = Uuid, Path, description = "Id of the site.")),
    request_body = SiteRequest,
    security(("apiKey" = [Sites::ROW.name])),
    responses((status = 200, description = "The changed site.", body = SiteBody)),
)]
async fn update(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Sites>,
    Segments(id): Segments<InboxId>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<SiteBody>, ApiError> {
    let asked: SiteForm = body::parse(&bytes).map_err(ApiError::faults)?;
    let site = sites::update(&state.administration(), allowed.caller.client, id, &asked, allowed.actor())
        .await
        .map_err(api_error)?;
    Ok(Json(site_body(&state, &site)))
}

/// Deletes a site.
///
/// Its key is no longer valid. Its chats stay.
#[utoipa::path(
    delete,
    path = "/messaging-service/web/sites/{id}",
    operation_id = "deleteWebSite",
    tag = "Web chat",
    params(("id" = Uuid, Path, description = "Id of the site.")),
    security(("apiKey" = [Sites::ROW.name])),
    responses((status = 204, description = "Deleted.")),
)]
async fn delete(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Sites>,
    Segments(id): Segments<InboxId>,
) -> Result<StatusCode, ApiError> {
    sites::delete(&state.administration(), allowed.caller.client, id, allowed.actor()).await.map_err(api_error)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Replaces the key of a site.
///
/// Pages with the old key no longer show the widget, and open widgets lose their connection.
#[utoipa::path(
    post,
    path = "/messaging-service/web/sites/{id}/key",
    operation_id = "renewWebSiteKey",
    tag = "Web chat",
    params(("id" = Uuid, Path, description = "Id of the site.")),
    security(("apiKey" = [Sites::ROW.name])),
    responses((status = 200, description = "The site with its new key.", body = SiteBody)),
)]
async fn new_key(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Sites>,
    Segments(id): Segments<InboxId>,
) -> Result<Json<SiteBody>, ApiError> {
    let site =
        sites::new_key(&state.administration(), allowed.caller.client, id, allowed.actor()).await.map_err(api_error)?;
    Ok(Json(site_body(&state, &site)))
}

/// Returns the secret that proves the identity of users of the site.
///
/// The server of the site signs the id of a user with it. Never put it into a page.
#[utoipa::path(
    get,
    path = "/messaging-service/web/sites/{id}/secret",
    operation_id = "getWebSiteSecret",
    tag = "Web chat",
    params(("id" = Uuid, Path, description = "Id of the site.")),
    security(("apiKey" = [Sites::ROW.name])),
    responses((status = 200, description = "The secret.", body = SecretBody)),
)]
async fn secret(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Sites>,
    Segments(id): Segments<InboxId>,
) -> Result<Json<SecretBody>, ApiError> {
    let found = sites::identity_secret(&state.administration(), allowed.caller.client, id).await;
    Ok(Json(SecretBody { secret: found.map_err(api_error)? }))
}

/// Replaces the secret of a site.
///
/// Signatures with the old one are refused at once.
#[utoipa::path(
    post,
    path = "/messaging-service/web/sites/{id}/secret/rotate",
    operation_id = "rotateWebSiteSecret",
    tag = "Web chat",
    params(("id" = Uuid, Path, description = "Id of the site.")),
    security(("apiKey" = [Sites::ROW.name])),
    responses((status = 200, description = "The new secret.", body = SecretBody)),
)]
async fn rotate_secret(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Sites>,
    Segments(id): Segments<InboxId>,
) -> Result<Json<SecretBody>, ApiError> {
    let secret =
        sites::rotate_identity_secret(&state.administration(), allowed.caller.client, id, allowed.actor()).await;
    Ok(Json(SecretBody { secret: secret.map_err(api_error)? }))
}
