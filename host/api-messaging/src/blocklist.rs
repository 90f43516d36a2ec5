//! The client's blocklist: recipients that its sends reject on every channel.

use api_core::{
    auth::{AuthorizedCaller, Blocking, Permission},
    body::JsonBytes,
    error::ApiError,
    page::{ListQuery, Page, SearchStringParameter},
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::body;
use domain::iso_time::iso_time;
use outbound::blocklist::{self, Additions, BlockedRecipient};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list, add)).routes(routes!(remove))
}

/// A recipient on the blocklist.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = BlockedRecipient)]
struct BlockedBody {
    /// Phone number in digits, or user id of WhatsApp (BSUID).
    #[schema(examples("27830000001"))]
    recipient: String,
    /// The reason of the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The time when it was added.
    #[schema(format = DateTime)]
    created_time: String,
}

impl From<BlockedRecipient> for BlockedBody {
    fn from(blocked: BlockedRecipient) -> Self {
        Self {
            recipient: blocked.address.value().to_owned(),
            reason: blocked.reason,
            created_time: iso_time(blocked.created_at),
        }
    }
}

/// Recipients to add.
#[derive(Deserialize, ToSchema)]
#[schema(as = BlockRecipients, examples(json!({"recipients": ["+27830000001", "ZA.1234567890"], "reason": "asked us to stop"})))]
struct AddBody {
    /// Phone numbers in international format, or user ids of WhatsApp (BSUID). Required.
    #[schema(min_items = 1, max_items = 1000)]
    recipients: Option<Vec<String>>,
    /// The reason of the client. The list of blocked recipients shows it. Recipients do not see it.
    #[schema(max_length = 255)]
    reason: Option<String>,
}

/// The number of recipients that were added.
#[derive(Serialize, ToSchema)]
#[schema(as = RecipientsBlocked)]
struct AddedBody {
    /// Number of recipients that were not on the list before.
    added: u64,
}

/// Lists the blocked recipients.
///
/// User ids come before numbers, each in order. `searchString` is a part of an address; a number may be written in any
/// spelling.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/blocklist",
    operation_id = "listBlockedRecipients",
    tag = "Blocklist",
    params(ListQuery, SearchStringParameter),
    security(("apiKey" = [Blocking::ROW.name])),
    responses((status = 200, description = "A page of recipients.", body = Page<BlockedBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Blocking>,
    query: ListQuery,
) -> Result<Page<BlockedBody>, ApiError> {
    let page = blocklist::list(&state.context.db, allowed.caller.client, &query.search, query.page).await?;
    Ok(Page::new(query.page, page, BlockedBody::from))
}

/// Adds recipients to the blocklist.
///
/// Later send requests reject these recipients on every channel, and `reason` of the rejection says that the recipient is on
/// the blocklist. Messages that were accepted before are still sent.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/blocklist",
    operation_id = "blockRecipients",
    tag = "Blocklist",
    request_body = AddBody,
    security(("apiKey" = [Blocking::ROW.name])),
    responses((status = 200, description = "The recipients are on the list.", body = AddedBody)),
)]
async fn add(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Blocking>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<AddedBody>, ApiError> {
    let asked: AddBody = body::parse(&bytes).map_err(ApiError::faults)?;
    let additions = Additions::parse(&asked.recipients.unwrap_or_default(), asked.reason).map_err(ApiError::faults)?;
    let added = blocklist::add(&state.context, allowed.caller.client, allowed.actor(), &additions).await?;
    Ok(Json(AddedBody { added }))
}

/// Removes a recipient from the list.
///
/// Later sends reach the recipient again.
#[utoipa::path(
    delete,
    path = "/messaging-service/WhatsApp/blocklist/{recipient}",
    operation_id = "unblockRecipient",
    tag = "Blocklist",
    params(("recipient" = String, Path, description = "Phone number or user id.")),
    security(("apiKey" = [Blocking::ROW.name])),
    responses((status = 204, description = "The recipient is not on the list.")),
)]
async fn remove(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Blocking>,
    Segments(recipient): Segments<String>,
) -> Result<StatusCode, ApiError> {
    let address = blocklist::address_of(&recipient).ok_or_else(ApiError::not_found)?;
    let removed = blocklist::remove(&state.context, allowed.caller.client, allowed.actor(), &address).await?;
    if removed { Ok(StatusCode::NO_CONTENT) } else { Err(ApiError::not_found()) }
}
