//! `/chat-service/api/v2/chats/{id}/template`: a template in a chat.

use api_core::{
    auth::{AuthorizedCaller, LiveChat, Permission},
    body::JsonBody,
    error::ApiError,
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State};
use chat::desk::{self, TemplateRequest};
use domain::send::RequestComponent;
use serde::Deserialize;
use utoipa::{
    ToSchema,
    openapi::schema::{Array, ArrayBuilder, Ref},
};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    chats::chat_id,
    desk::{acting, api_error},
    message_bodies::MessageResponse,
};

pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(send))
}

/// A template to send in a chat.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SendChatTemplate, examples(json!({
    "templateId": "1234567890", "templateName": "order_update", "tempId": "t-2",
    "components": [{ "type": "body", "parameters": ["Thandi", "A-17"] }],
})))]
struct TemplateBody {
    /// Id of the template.
    #[schema(required, nullable = false)]
    template_id: Option<String>,
    /// Name of the template.
    #[schema(required, nullable = false)]
    template_name: Option<String>,
    #[serde(default, deserialize_with = "domain::body::few_objects")]
    #[schema(schema_with = send_components, required = false)]
    components: Option<Vec<RequestComponent>>,
    /// A name that the sender gives to the message. If it is used again, the answer is the existing message and nothing
    /// is sent.
    #[schema(max_length = 255)]
    temp_id: Option<String>,
    /// The client's tracking id.
    #[schema(max_length = 255)]
    ct_id: Option<String>,
}

/// The schema is that of the send endpoints.
fn send_components() -> Array {
    let said = "Values for the placeholders, as in a send request.";
    ArrayBuilder::new().description(Some(said)).items(Ref::from_schema_name("SendComponent")).build()
}

impl From<TemplateBody> for TemplateRequest {
    fn from(body: TemplateBody) -> Self {
        Self {
            template_id: body.template_id,
            template_name: body.template_name,
            components: body.components,
            temp_id: body.temp_id,
            ct_id: body.ct_id,
        }
    }
}

/// Sends an approved template in a chat, in or out of the 24-hour window.
///
/// It needs no permission to send messages. The rules of a send request apply: the blocklist, stops of marketing, the
/// tier of the number. The message is in the history of the chat, with its receipts.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/chats/{id}/template",
    operation_id = "sendChatTemplate",
    tag = "Live chat",
    params(("id" = Uuid, Path, description = "The live-chat participant.")),
    request_body = TemplateBody,
    security(("apiKey" = [LiveChat::ROW.name])),
    responses(
        (status = 200, description = "The stored message.", body = MessageResponse),
        (status = 409, description = "The chat is closed, another agent has it, it is not on WhatsApp, or the customer may not get the template. `message` says why."),
    ),
)]
async fn send(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    Segments(id): Segments<String>,
    JsonBody(body): JsonBody<TemplateBody>,
) -> Result<Json<MessageResponse>, ApiError> {
    let said = TemplateRequest::from(body).read(chat_id(&id)?).map_err(ApiError::faults)?;
    allowed.held.recipients_left()?;
    let sent = desk::send_message(&state.context, acting(&allowed), said).await.map_err(api_error)?;
    allowed.held.charge_recipients(1);
    Ok(Json(sent.into()))
}
