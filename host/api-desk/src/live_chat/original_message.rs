//! `/chat-service/api/v2/messages/{id}/original`: the message as the provider sent it.

use api_core::{
    auth::{AuthorizedCaller, LiveChat, Permission},
    error::ApiError,
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State};
use chat::desk::{self, MessageVersion, OriginalContent};
use domain::ids::ChatMessageId;
use domain::iso_time::iso_time;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use super::desk::{acting, api_error};

pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(original))
}

/// A message as the provider sent it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatMessageOriginal)]
struct OriginalBody {
    /// Id of the message.
    message_id: Uuid,
    /// The provider's JSON. Absent if it is larger than 64 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, nullable = false)]
    original: Option<Value>,
    /// The first 64 KiB, if it is larger.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    beginning: Option<String>,
    /// Earlier versions of the message, before its author edited or deleted it, oldest first.
    earlier_versions: Vec<EarlierVersion>,
}

/// An earlier version of a message.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatMessageVersion)]
struct EarlierVersion {
    /// The content type, as in the history.
    content_type: &'static str,
    /// The text, as in the history. Absent if it had none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    text: Option<String>,
    /// Time when this version began.
    written_time: String,
    /// Time when this version ended.
    replaced_time: String,
}

impl From<MessageVersion> for EarlierVersion {
    fn from(version: MessageVersion) -> Self {
        let MessageVersion { wording, written_at, replaced_at } = version;
        Self {
            content_type: wording.content_type.as_str(),
            text: wording.body,
            written_time: iso_time(written_at),
            replaced_time: iso_time(replaced_at),
        }
    }
}

impl From<OriginalContent> for OriginalBody {
    fn from(original: OriginalContent) -> Self {
        let OriginalContent { message, content, versions } = original;
        let (original, beginning) = match content.as_deref().map(serde_json::from_str) {
            Some(Ok(whole)) => (Some(whole), None),
            Some(Err(_)) | None => (None, content),
        };
        let earlier_versions = versions.into_iter().map(EarlierVersion::from).collect();
        Self { message_id: message.0, original, beginning, earlier_versions }
    }
}

/// Returns a message as the provider sent it, with its earlier versions.
///
/// Content that the service does not model, such as an order, is a text in the history; here it is complete. The answer
/// names the customer, so a caller whose view of numbers and names is masked gets 403.
#[utoipa::path(
    get,
    path = "/chat-service/api/v2/messages/{id}/original",
    operation_id = "getOriginalOfChatMessage",
    tag = "Live chat",
    params(("id" = Uuid, Path, description = "Id of the message.")),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "The message in the provider's form.", body = OriginalBody)),
)]
async fn original(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(id): Segments<ChatMessageId>,
) -> Result<Json<OriginalBody>, ApiError> {
    allowed.sees_customers("the provider's JSON")?;
    let original = desk::original(&state.context, acting(&allowed), id).await.map_err(api_error)?;
    Ok(Json(original.into()))
}
