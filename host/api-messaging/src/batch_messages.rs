//! `GET /whatsapp-api-service/v2/batches/{batchId}/messages`: the messages of a batch, page by page. The report has the
//! same facts as a file.

use api_core::{
    auth::{AuthorizedCaller, Following, Permission},
    closed_set::DeliveryStateName,
    error::ApiError,
    page::{ListQuery, Page},
    path::Segments,
    query::QueryParameters,
    state::ApiState,
};
use axum::{extract::State, http::request::Parts};
use domain::iso_time::iso_time;
use domain::{clock::minted_at, delivery::DeliveryState, ids::BatchId};
use outbound::reports::{self, ReportedMessage};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::listed_message::ListedMessageBody;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list))
}

/// The filter of the messages of a batch.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
struct BatchMessageFilterParameters {
    /// Only messages in this state.
    #[param(nullable = false)]
    status: Option<DeliveryStateName>,
}

/// A message of a batch.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = BatchMessage)]
struct MessageBody {
    #[serde(flatten)]
    message: ListedMessageBody,
    /// The time when it was sent.
    #[schema(format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    send_time: Option<String>,
    /// The time of its delivery.
    #[schema(format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery_time: Option<String>,
    /// The time when it was read.
    #[schema(format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    read_time: Option<String>,
    /// The code of the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<String>,
    /// The failure as a text for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code_string: Option<String>,
}

impl From<ReportedMessage> for MessageBody {
    fn from(message: ReportedMessage) -> Self {
        let listed = ListedMessageBody {
            created_time: iso_time(minted_at(message.id)),
            gst_id: message.gst_id,
            ct_id: message.ct_id,
            status: message.state,
            channel: message.channel,
            receiver: message.receiver,
            recipient_user_id: message.recipient_user_id,
        };
        Self {
            message: listed,
            send_time: message.sent_at.map(iso_time),
            delivery_time: message.delivered_at.map(iso_time),
            read_time: message.read_at.map(iso_time),
            error_code: message.error_code,
            error_code_string: message.error_text,
        }
    }
}

/// Lists the messages of a batch.
///
/// They are in the order of acceptance. Rejected recipients are not included. With `status`, the list has only the
/// messages in that state, such as `FAILED`.
#[utoipa::path(
    get,
    path = "/whatsapp-api-service/v2/batches/{batchId}/messages",
    operation_id = "listBatchMessages",
    tag = "Batches",
    params(("batchId" = Uuid, Path, description = "The `batchId` of the 202."), ListQuery, BatchMessageFilterParameters),
    security(("apiKey" = [Following::ROW.name])),
    responses((status = 200, description = "A page of messages.", body = Page<MessageBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Following>,
    Segments(batch): Segments<BatchId>,
    query: ListQuery,
    parts: Parts,
) -> Result<Page<MessageBody>, ApiError> {
    let given = QueryParameters::of(&parts.uri)?;
    let wanted = given.choice("status", DeliveryState::ALL, DeliveryState::as_str).map_err(ApiError::faults)?;
    let db = &state.context.db;
    let page = reports::messages_of_batch(db, allowed.caller.client, batch, wanted, query.page).await?;
    Ok(Page::new(query.page, page.ok_or_else(ApiError::not_found)?, MessageBody::from))
}
