//! The template catalogue (DESIGN 6): listed from the cache, fetched from the provider on request.

use axum::{
    Json, Router,
    extract::State,
    routing::{get, post},
};
use chrono::SecondsFormat;
use serde::Serialize;
use serde_json::Value;
use tenancy::inboxes::{SyncError, TemplateRow, list_templates, sync_templates};

use crate::{
    auth::{Allowed, Looking, Templates},
    error::{ApiError, ErrorKind},
    page::{ListQuery, PageBody},
    state::ApiState,
};

pub(crate) fn routes() -> Router<ApiState> {
    Router::new()
        .route("/messaging-service/WhatsApp/templates", get(list))
        .route("/messaging-service/WhatsApp/templates/sync", post(sync))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Template {
    id: String,
    name: String,
    language: String,
    status: String,
    category: String,
    parameter_format: String,
    components: Value,
    waba_id: String,
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
            synced_time: row.synced_at.to_rfc3339_opts(SecondsFormat::Millis, true),
        }
    }
}

#[derive(Serialize)]
struct Synced {
    synced: usize,
}

async fn list(
    State(state): State<ApiState>,
    allowed: Allowed<Looking>,
    query: ListQuery,
) -> Result<Json<PageBody<Template>>, ApiError> {
    let page = list_templates(&state.context.db, allowed.caller.client, &query.search, query.page).await?;
    Ok(Json(PageBody::new(query.page, page, Template::from)))
}

async fn sync(State(state): State<ApiState>, allowed: Allowed<Templates>) -> Result<Json<Synced>, ApiError> {
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
