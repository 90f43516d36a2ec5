//! Items of providers' callbacks that could not be read.

use api_core::{
    auth::{AuthorizedCaller, FailedCallbacks, Permission},
    error::ApiError,
    page::{ListQuery, Page},
    state::ApiState,
};
use axum::extract::State;
use domain::iso_time::iso_time;
use inbound::callbacks::failed_items::{self, FailedCallback};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use crate::closed_sets::{ProviderName, UnreadableKindName};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list))
}

/// An item of a callback that could not be read.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FailedCallback)]
struct FailedBody {
    /// Id of the item.
    id: Uuid,
    /// The provider.
    #[schema(value_type = ProviderName)]
    provider: String,
    /// The part of a callback. An `item` was readable and could not be taken.
    #[schema(value_type = UnreadableKindName)]
    kind: String,
    /// The reason why it could not be read.
    reason: String,
    /// The item as text: its first 64 KiB.
    content: String,
    /// Its size in bytes.
    size_bytes: u64,
    /// Time of its first arrival.
    #[schema(format = DateTime)]
    received_time: String,
}

impl From<FailedCallback> for FailedBody {
    fn from(failed: FailedCallback) -> Self {
        let FailedCallback { id, item, received_at } = failed;
        Self {
            id: id.0,
            provider: item.provider.as_str().to_owned(),
            kind: item.kind,
            reason: item.reason,
            content: item.content,
            size_bytes: item.bytes,
            received_time: iso_time(received_at),
        }
    }
}

/// Lists items of providers' callbacks that could not be read.
///
/// They are listed newest first, at most 1,000. The other items of the same callback were processed. The provider got a
/// 200, because it would only repeat the same bytes.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/failed-callbacks",
    operation_id = "listFailedCallbacks",
    tag = "Provider callbacks",
    params(ListQuery),
    security(("apiKey" = [FailedCallbacks::ROW.name])),
    responses((status = 200, description = "A page of items.", body = Page<FailedBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<FailedCallbacks>,
    query: ListQuery,
) -> Result<Page<FailedBody>, ApiError> {
    allowed.sees_customers("a provider's callback")?;
    let page = failed_items::list(&state.context.db, allowed.caller.client, query.page).await?;
    Ok(Page::new(query.page, page, FailedBody::from))
}
