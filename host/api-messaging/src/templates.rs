//! The template catalogue (DESIGN 6): listed from the cache, and fetched from the provider on request.

use api_core::{
    auth::{AuthorizedCaller, Looking, Permission, Templates},
    error::{ApiError, ErrorKind},
    page::{ListQuery, Page, SearchStringParameter},
    state::ApiState,
};
use axum::{Json, extract::State};
use domain::iso_time::iso_time;
use serde::Serialize;
use serde_json::Value;
use tenancy::inboxes::{SyncError, TemplateRow, list_templates, sync_templates};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(sync))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "id": "594425479261596",
    "name": "order_ready",
    "language": "en",
    "status": "APPROVED",
    "category": "UTILITY",
    "parameterFormat": "POSITIONAL",
    "components": [{"type": "BODY", "text": "Hello {{1}}, your order {{2}} is ready."}],
    "wabaId": "102290129340398",
    "syncedTime": "2026-01-31T08:15:30.123Z",
})))]
struct Template {
    /// The `templateId` of sends.
    id: String,
    /// The `templateName` of sends.
    name: String,
    /// Its language code.
    language: String,
    /// `APPROVED`, `REJECTED`, `PAUSED`, `DISABLED` or another status of the provider. Only approved templates can be
    /// sent.
    status: String,
    /// The category, such as `MARKETING`.
    category: String,
    /// `POSITIONAL` or `NAMED`.
    parameter_format: String,
    /// The components in the form of the provider.
    #[schema(value_type = Vec<Object>)]
    components: Value,
    /// The provider's business account (WABA) of the template.
    waba_id: String,
    /// Time of the last fetch.
    #[schema(format = DateTime)]
    synced_time: String,
}

impl From<TemplateRow> for Template {
    fn from(row: TemplateRow) -> Self {
        let record = row.record;
        Self {
            id: record.id,
            name: record.name,
            language: record.language,
            status: record.status,
            category: record.category,
            parameter_format: record.parameter_format,
            components: record.components.0,
            waba_id: record.waba_id,
            synced_time: iso_time(row.synced_at),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = SyncedTemplates)]
struct Synced {
    /// Number of templates.
    synced: usize,
}

/// Lists the templates that the client's numbers can send, as of the last fetch.
///
/// The list has the approval status of each template. Templates that are not approved cannot be sent. `searchString` is a
/// part of the name, in any case.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/templates",
    operation_id = "listTemplates",
    tag = "Templates",
    params(ListQuery, SearchStringParameter),
    security(("apiKey" = [Looking::ROW.name])),
    responses((status = 200, description = "A page of templates.", body = Page<Template>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Looking>,
    query: ListQuery,
) -> Result<Page<Template>, ApiError> {
    let page = list_templates(&state.context.db, allowed.caller.client, &query.search, query.page).await?;
    Ok(Page::new(query.page, page, Template::from))
}

/// Fetches the templates from the provider.
///
/// Templates are fetched regularly, too. Use this call after a change that is needed at once.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/templates/sync",
    operation_id = "syncTemplates",
    tag = "Templates",
    security(("apiKey" = [Templates::ROW.name])),
    responses(
        (status = 200, description = "The templates are fetched.", body = Synced),
        (status = 502, description = "The provider did not return the templates."),
    ),
)]
async fn sync(State(state): State<ApiState>, allowed: AuthorizedCaller<Templates>) -> Result<Json<Synced>, ApiError> {
    let admin = state.administration();
    let cloud = &state.context.cloud;
    match sync_templates(&admin, cloud, allowed.caller.client, Some(allowed.actor())).await {
        Ok(synced) => Ok(Json(Synced { synced })),
        Err(SyncError::Failed(error)) => Err(error.into()),
        Err(SyncError::Provider { waba, reason }) => {
            let said = format!("the templates of business account {waba} could not be fetched: {reason}");
            Err(ApiError::new(ErrorKind::ProviderError, said))
        }
    }
}
