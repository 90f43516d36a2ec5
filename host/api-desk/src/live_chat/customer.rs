//! `/chat-service/api/v2/chats/{id}/customer`: the customer of a chat.

use api_core::{
    auth::{AuthorizedCaller, LiveChat, Permission},
    error::ApiError,
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State};
use chat::desk::{self, CustomerPanel};
use domain::{ids::ContactId, privacy::CustomerVisibility};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    chat_bodies::ChatParticipantResponse,
    chats::chat_id,
    desk::{acting, api_error},
};
use crate::attribute_values::shown;

pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(customer))
}

/// The customer of a chat.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatCustomer)]
struct CustomerBody {
    /// Its contact, if it has one.
    #[schema(value_type = Option<Uuid>)]
    contact_id: Option<ContactId>,
    /// The name of the contact.
    full_name: Option<String>,
    /// The tags of the contact, set by users. Those that chatbots set are in `chats[].tags`.
    tags: Vec<String>,
    /// The values of its attributes, by name. A caller who sees customers masked gets null for texts, numbers and dates.
    #[schema(value_type = Object)]
    attributes: Map<String, Value>,
    /// The chats of the customer on all inboxes, at most 50, the one with the newest message first.
    chats: Vec<ChatParticipantResponse>,
}

impl CustomerBody {
    fn of(view: CustomerPanel, sight: CustomerVisibility) -> Self {
        let (contact_id, full_name, tags) = match view.contact {
            Some(contact) => (Some(contact.id), Some(contact.name), contact.tags),
            None => (None, None, Vec::new()),
        };
        let chats = view.chats.into_iter().map(ChatParticipantResponse::from).collect();
        Self { contact_id, full_name, tags, attributes: shown(view.attributes, sight), chats }
    }
}

/// Returns the customer of a chat: the contact, and all chats of the customer.
///
/// Notes about the customer are at `/messaging-service/WhatsApp/contacts/{id}/notes`.
#[utoipa::path(
    get,
    path = "/chat-service/api/v2/chats/{id}/customer",
    operation_id = "getChatCustomer",
    tag = "Live chat",
    params(("id" = Uuid, Path, description = "The live-chat participant.")),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "The customer.", body = CustomerBody)),
)]
async fn customer(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(id): Segments<String>,
) -> Result<Json<CustomerBody>, ApiError> {
    let found = desk::customer(&state.context.db, acting(&allowed), chat_id(&id)?).await.map_err(api_error)?;
    Ok(Json(CustomerBody::of(found, allowed.sight())))
}
