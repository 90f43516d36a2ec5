//! Business numbers of the caller (SPEC 4.7).

use axum::{Json, extract::State};
use domain::ids::InboxId;
use serde::Serialize;
use tenancy::inboxes;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use crate::{
    auth::{Allowed, Looking, Permission},
    error::ApiError,
    page::{ListQuery, Page, Searched},
    state::ApiState,
};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list))
}

/// The link between client and number, and the number itself.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NumberRow {
    /// Of the link, not of the number.
    id: Uuid,
    /// The number.
    whats_app_number: WhatsAppNumber,
}

/// A business number.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WhatsAppNumber {
    /// What `whatsAppNumberId` means everywhere.
    #[schema(value_type = Uuid)]
    id: InboxId,
    /// Digits, without `+`.
    #[schema(examples("27820001001"))]
    number: String,
    /// `WHATSAPP_CLOUD` or `WHATSAPP_LITE`.
    #[schema(examples("WHATSAPP_CLOUD"))]
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

/// The client's business numbers.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser",
    operation_id = "listNumbers",
    tag = "Numbers",
    params(ListQuery, Searched),
    security(("apiKey" = [Looking::ROW.name])),
    responses((status = 200, description = "A page of them.", body = Page<NumberRow>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: Allowed<Looking>,
    query: ListQuery,
) -> Result<Json<Page<NumberRow>>, ApiError> {
    // Numbers are stored without `+`, and people search with it.
    let search = query.search.strip_prefix('+').unwrap_or(&query.search);
    let page = inboxes::list_numbers(&state.context.db, allowed.caller.client, search, query.page).await?;
    Ok(Json(Page::new(query.page, page, NumberRow::from)))
}
