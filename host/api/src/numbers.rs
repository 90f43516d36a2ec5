//! Business numbers of the caller (SPEC 4.7).

use axum::{Json, Router, extract::State, routing::get};
use domain::ids::InboxId;
use serde::Serialize;
use tenancy::inboxes;
use uuid::Uuid;

use crate::{
    auth::{Allowed, Looking},
    error::ApiError,
    page::{ListQuery, PageBody},
    state::ApiState,
};

pub(crate) fn routes() -> Router<ApiState> {
    Router::new().route("/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser", get(list))
}

/// The link between client and number, and the number itself.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NumberRow {
    id: Uuid,
    whats_app_number: WhatsAppNumber,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WhatsAppNumber {
    id: InboxId,
    number: String,
    whats_app_provider: &'static str,
}

impl From<inboxes::WhatsAppNumber> for NumberRow {
    fn from(number: inboxes::WhatsAppNumber) -> Self {
        Self {
            id: number.link_id,
            whats_app_number: WhatsAppNumber {
                id: number.id,
                number: number.msisdn.into(),
                whats_app_provider: number.kind.as_str(),
            },
        }
    }
}

async fn list(
    State(state): State<ApiState>,
    allowed: Allowed<Looking>,
    query: ListQuery,
) -> Result<Json<PageBody<NumberRow>>, ApiError> {
    // Numbers are stored without `+`, and people search with it.
    let search = query.search.strip_prefix('+').unwrap_or(&query.search);
    let page = inboxes::list_numbers(&state.context.db, allowed.caller.client, search, query.page).await?;
    Ok(Json(PageBody::new(query.page, page, NumberRow::from)))
}
