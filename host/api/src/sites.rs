//! Sites with the chat widget: their keys, origins, look and team (`docs/web-chat.md`).

use axum::{Json, extract::State, http::StatusCode};
use chrono::SecondsFormat;
use domain::{body, ids::InboxId, web_chat::SiteForm};
use serde::Serialize;
use serde_json::Value;
use tenancy::sites::{self, Site, SiteError};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    auth::{Allowed, Permission, SiteReading, Sites},
    body::JsonBytes,
    error::{ApiError, ErrorKind},
    page::{ListQuery, Page},
    path::Segments,
    state::ApiState,
};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(add, list))
        .routes(routes!(find, update, delete))
        .routes(routes!(new_key))
        .routes(routes!(secret))
        .routes(routes!(rotate_secret))
}

/// What a site is to be. Absent fields of an update stay as they are.
#[derive(ToSchema)]
#[schema(as = WebSiteRequest, examples(json!({"name": "Shop", "origins": ["https://shop.example"], "look": {"color": "#0a6c58"}})))]
#[allow(dead_code, reason = "it describes what domain::web_chat::SiteForm reads")]
struct SiteRequest {
    /// The name that people read.
    #[schema(min_length = 1, max_length = 100)]
    name: Option<String>,
    /// Origins whose pages may show the widget.
    #[schema(min_items = 1, max_items = 50)]
    origins: Option<Vec<String>>,
    /// Name of the team that its chats wait for; null = no team.
    team: Option<String>,
    /// `color`, `textColor`, `side` (END, START), `scheme` (AUTO, LIGHT, DARK), `direction` (AUTO, LTR, RTL), `language`.
    #[schema(value_type = Option<Object>)]
    look: Option<Value>,
    /// Words of the widget by key, such as `title`, `greeting`, `afterHours`.
    #[schema(value_type = Option<Object>)]
    texts: Option<Value>,
    /// What is asked before a chat: `fields`, each with `key`, `label`, `type` (TEXT, EMAIL, PHONE, CHOICE, CONSENT), `required`,
    /// `options`; null = nothing.
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
    /// What pages name it by; no secret.
    site_key: String,
    /// The tag that shows the widget on a page.
    script: String,
    /// The name that people read.
    name: String,
    /// Origins whose pages may show the widget.
    origins: Vec<String>,
    /// The team that its chats wait for.
    team: Option<String>,
    /// How it looks.
    #[schema(value_type = Object)]
    look: Value,
    /// Words that are not the usual ones.
    #[schema(value_type = Object)]
    texts: Value,
    /// What is asked before a chat.
    #[schema(value_type = Option<Object>)]
    form: Value,
    /// Since when.
    #[schema(format = DateTime)]
    created_time: String,
}

/// The secret of a site.
#[derive(Serialize, ToSchema)]
#[schema(as = WebSiteSecret)]
struct SecretBody {
    /// Key of the HMAC-SHA256 that proves who a user of the site is.
    secret: String,
}

/// The tag that shows the widget of a site.
pub fn script(public_url: &str, key: &str) -> String {
    format!("<script src=\"{}/web-chat/widget.js?site={key}\" async></script>", public_url.trim_end_matches('/'))
}

fn shown(state: &ApiState, site: &Site) -> SiteBody {
    let json = |value: Result<Value, serde_json::Error>| value.unwrap_or(Value::Null);
    SiteBody {
        id: site.id.to_string(),
        site_key: site.key.clone(),
        script: script(&state.context.settings.public_url, &site.key),
        name: site.name.clone(),
        origins: site.origins.iter().map(ToString::to_string).collect(),
        team: site.team.as_ref().map(|team| team.name.clone()),
        look: json(serde_json::to_value(&site.settings.look)),
        texts: json(serde_json::to_value(&site.settings.texts)),
        form: json(serde_json::to_value(&site.settings.form)),
        created_time: site.created_at.to_rfc3339_opts(SecondsFormat::Millis, true),
    }
}

fn refused(error: SiteError) -> ApiError {
    match error {
        SiteError::Faults(faults) => ApiError::faults(faults),
        SiteError::NotFound | SiteError::UnknownClient(_) => ApiError::not_found(),
        SiteError::TooMany => ApiError::new(ErrorKind::Conflict, error.to_string()),
        SiteError::Failed(cause) => cause.into(),
    }
}

/// Adds a site.
///
/// The answer has its key and the script tag that shows the widget.
#[utoipa::path(
    post,
    path = "/messaging-service/web/sites",
    operation_id = "addWebSite",
    tag = "Web chat",
    request_body = SiteRequest,
    security(("apiKey" = [Sites::ROW.name])),
    responses(
        (status = 201, description = "Added.", body = SiteBody),
        (status = 409, description = "The client has as many sites as it may have."),
    ),
)]
async fn add(
    State(state): State<ApiState>,
    allowed: Allowed<Sites>,
    JsonBytes(bytes): JsonBytes,
) -> Result<(StatusCode, Json<SiteBody>), ApiError> {
    let asked: SiteForm = body::parse(&bytes).map_err(ApiError::faults)?;
    let added = sites::add(&state.administration(), allowed.caller.client, &asked, allowed.actor()).await;
    Ok((StatusCode::CREATED, Json(shown(&state, &added.map_err(refused)?))))
}

/// The client's sites, oldest first.
#[utoipa::path(
    get,
    path = "/messaging-service/web/sites",
    operation_id = "listWebSites",
    tag = "Web chat",
    params(ListQuery),
    security(("apiKey" = [SiteReading::ROW.name])),
    responses((status = 200, description = "A page of them.", body = Page<SiteBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: Allowed<SiteReading>,
    query: ListQuery,
) -> Result<Json<Page<SiteBody>>, ApiError> {
    let page = sites::list(&state.context.db, allowed.caller.client, query.page).await?;
    Ok(Json(Page::new(query.page, page, |site| shown(&state, &site))))
}

/// One site.
#[utoipa::path(
    get,
    path = "/messaging-service/web/sites/{id}",
    operation_id = "getWebSite",
    tag = "Web chat",
    params(("id" = Uuid, Path, description = "Of the site.")),
    security(("apiKey" = [SiteReading::ROW.name])),
    responses((status = 200, description = "The site.", body = SiteBody)),
)]
async fn find(
    State(state): State<ApiState>,
    allowed: Allowed<SiteReading>,
    Segments(id): Segments<InboxId>,
) -> Result<Json<SiteBody>, ApiError> {
    let site = sites::find(&state.context.db, allowed.caller.client, id).await.map_err(refused)?;
    Ok(Json(shown(&state, &site)))
}

/// Changes a site.
///
/// A field that is left out stays as it is; `look`, `texts` and `form` are replaced as a whole. Widgets take it up with the next
/// page that is loaded.
#[utoipa::path(
    put,
    path = "/messaging-service/web/sites/{id}",
    operation_id = "updateWebSite",
    tag = "Web chat",
    params(("id" = Uuid, Path, description = "Of the site.")),
    request_body = SiteRequest,
    security(("apiKey" = [Sites::ROW.name])),
    responses((status = 200, description = "Changed.", body = SiteBody)),
)]
async fn update(
    State(state): State<ApiState>,
    allowed: Allowed<Sites>,
    Segments(id): Segments<InboxId>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<SiteBody>, ApiError> {
    let asked: SiteForm = body::parse(&bytes).map_err(ApiError::faults)?;
    let object = (allowed.caller.client, id);
    let site = sites::update(&state.administration(), object, &asked, allowed.actor()).await.map_err(refused)?;
    Ok(Json(shown(&state, &site)))
}

/// Deletes a site.
///
/// Its key is not known any more. Chats that were begun on it stay.
#[utoipa::path(
    delete,
    path = "/messaging-service/web/sites/{id}",
    operation_id = "deleteWebSite",
    tag = "Web chat",
    params(("id" = Uuid, Path, description = "Of the site.")),
    security(("apiKey" = [Sites::ROW.name])),
    responses((status = 204, description = "Deleted.")),
)]
async fn delete(
    State(state): State<ApiState>,
    allowed: Allowed<Sites>,
    Segments(id): Segments<InboxId>,
) -> Result<StatusCode, ApiError> {
    let object = (allowed.caller.client, id);
    sites::delete(&state.administration(), object, allowed.actor()).await.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Gives a site another key.
///
/// Pages that name the one before show no widget any more, and open widgets lose their connection.
#[utoipa::path(
    post,
    path = "/messaging-service/web/sites/{id}/key",
    operation_id = "renewWebSiteKey",
    tag = "Web chat",
    params(("id" = Uuid, Path, description = "Of the site.")),
    security(("apiKey" = [Sites::ROW.name])),
    responses((status = 200, description = "The site with its new key.", body = SiteBody)),
)]
async fn new_key(
    State(state): State<ApiState>,
    allowed: Allowed<Sites>,
    Segments(id): Segments<InboxId>,
) -> Result<Json<SiteBody>, ApiError> {
    let object = (allowed.caller.client, id);
    let site = sites::new_key(&state.administration(), object, allowed.actor()).await.map_err(refused)?;
    Ok(Json(shown(&state, &site)))
}

/// The secret that proves who a user of the site is.
#[utoipa::path(
    get,
    path = "/messaging-service/web/sites/{id}/secret",
    operation_id = "getWebSiteSecret",
    tag = "Web chat",
    params(("id" = Uuid, Path, description = "Of the site.")),
    security(("apiKey" = [Sites::ROW.name])),
    responses((status = 200, description = "The secret.", body = SecretBody)),
)]
async fn secret(
    State(state): State<ApiState>,
    allowed: Allowed<Sites>,
    Segments(id): Segments<InboxId>,
) -> Result<Json<SecretBody>, ApiError> {
    let found = sites::identity_secret(&state.administration(), allowed.caller.client, id).await;
    Ok(Json(SecretBody { secret: found.map_err(refused)? }))
}

/// Gives a site another secret.
///
/// What the one before signed is refused from now on.
#[utoipa::path(
    post,
    path = "/messaging-service/web/sites/{id}/secret/rotate",
    operation_id = "rotateWebSiteSecret",
    tag = "Web chat",
    params(("id" = Uuid, Path, description = "Of the site.")),
    security(("apiKey" = [Sites::ROW.name])),
    responses((status = 200, description = "The new secret.", body = SecretBody)),
)]
async fn rotate_secret(
    State(state): State<ApiState>,
    allowed: Allowed<Sites>,
    Segments(id): Segments<InboxId>,
) -> Result<Json<SecretBody>, ApiError> {
    let object = (allowed.caller.client, id);
    let secret = sites::rotate_identity_secret(&state.administration(), object, allowed.actor()).await;
    Ok(Json(SecretBody { secret: secret.map_err(refused)? }))
}
