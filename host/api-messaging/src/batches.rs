//! Batches: the progress of a send, and how to stop it (`/whatsapp-api-service/v2/batches`).

use api_core::{
    auth::{AuthorizedCaller, Following, Permission, Sending},
    closed_set::ChannelName,
    error::{ApiError, ErrorKind},
    page::{ListQuery, Page},
    path::Segments,
    query::QueryParameters,
    state::ApiState,
};
use axum::{Json, extract::State, http::request::Parts};
use domain::iso_time::iso_time;
use domain::{body::Faults, delivery::DeliveryState, ids::BatchId};
use outbound::batches::{self, Batch, BatchError, BatchProgress, Hold};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use crate::closed_sets::MessageTypeName;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(one))
        .routes(routes!(pause))
        .routes(routes!(resume))
        .routes(routes!(cancel))
}

/// Filters of the list of batches.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
struct BatchFilterParameters {
    /// Only batches that were accepted at or after this time (ISO 8601; UTC if there is no offset).
    #[param(nullable = false)]
    from: Option<String>,
    /// Only batches that were accepted before this time.
    #[param(nullable = false)]
    to: Option<String>,
}

/// The state of a batch. `OPEN`: messages wait to be sent. `DONE`: none waits.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
enum BatchState {
    Open,
    Done,
    Paused,
    Cancelled,
}

impl BatchState {
    fn of(batch: &Batch) -> Self {
        match batch.hold {
            None if batch.waits => Self::Open,
            None => Self::Done,
            Some(Hold::Paused) => Self::Paused,
            Some(Hold::Cancelled) => Self::Cancelled,
        }
    }
}

/// The messages of one send request.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Batch)]
struct BatchBody {
    /// The `batchId` of its 202.
    batch_id: Uuid,
    /// The HTTP request of the send.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<Uuid>,
    /// Its state.
    state: BatchState,
    /// The business number or source address.
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<String>,
    /// The channel.
    #[schema(value_type = ChannelName)]
    channel: String,
    /// The kind of its messages.
    #[schema(value_type = MessageTypeName)]
    message_type: String,
    /// Name of its template.
    #[serde(skip_serializing_if = "Option::is_none")]
    template_name: Option<String>,
    /// The billing category of its messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    /// Number of accepted recipients.
    accepted_count: u32,
    /// Number of rejected recipients.
    rejected_count: u32,
    /// Time of acceptance.
    #[schema(format = DateTime)]
    created_time: String,
}

impl From<Batch> for BatchBody {
    fn from(batch: Batch) -> Self {
        Self {
            batch_id: batch.id.0,
            request_id: batch.request,
            state: BatchState::of(&batch),
            created_time: iso_time(batch.accepted_at()),
            sender: batch.sender,
            channel: batch.channel,
            message_type: batch.message_type,
            template_name: batch.template_name,
            category: batch.category,
            accepted_count: batch.accepted.unsigned_abs(),
            rejected_count: batch.rejected.unsigned_abs(),
        }
    }
}

/// A batch and its progress.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = BatchProgress)]
struct ProgressBody {
    /// The batch.
    #[serde(flatten)]
    batch: BatchBody,
    /// Its messages by state.
    progress: Counts,
}

/// Numbers of messages by state.
#[derive(Serialize, ToSchema, Default)]
#[serde(rename_all = "camelCase")]
#[schema(as = BatchCounts)]
struct Counts {
    /// Not sent yet.
    queued: u64,
    /// Taken by the provider.
    accepted: u64,
    /// On its way.
    sent: u64,
    /// Delivered to the device.
    delivered: u64,
    /// Read.
    read: u64,
    /// Voice note played.
    played: u64,
    /// Failed permanently.
    failed: u64,
}

impl From<BatchProgress> for ProgressBody {
    fn from(told: BatchProgress) -> Self {
        let mut progress = Counts::default();
        for (state, count) in told.counts {
            let place = match state {
                DeliveryState::Queued => &mut progress.queued,
                DeliveryState::Accepted => &mut progress.accepted,
                DeliveryState::Sent => &mut progress.sent,
                DeliveryState::Delivered => &mut progress.delivered,
                DeliveryState::Read => &mut progress.read,
                DeliveryState::Played => &mut progress.played,
                DeliveryState::Failed => &mut progress.failed,
            };
            *place = count;
        }
        Self { batch: BatchBody::from(told.batch), progress }
    }
}

fn api_error(error: BatchError) -> ApiError {
    match error {
        BatchError::NotFound => ApiError::not_found(),
        BatchError::Cancelled => ApiError::new(ErrorKind::Conflict, "the batch is cancelled, which cannot be undone"),
        BatchError::Failed(error) => error.into(),
    }
}

/// Lists the client's batches, newest first.
///
/// If there are more than 10,000, `totalElements` is a lower bound. `last` is always exact.
#[utoipa::path(
    get,
    path = "/whatsapp-api-service/v2/batches",
    operation_id = "listBatches",
    tag = "Batches",
    params(ListQuery, BatchFilterParameters),
    security(("apiKey" = [Following::ROW.name])),
    responses((status = 200, description = "A page of batches.", body = Page<BatchBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Following>,
    query: ListQuery,
    parts: Parts,
) -> Result<Page<BatchBody>, ApiError> {
    let given = QueryParameters::of(&parts.uri)?;
    let mut faults = Faults::default();
    let [from, to] = given.moments(["from", "to"], &mut faults);
    if !faults.is_empty() {
        return Err(ApiError::faults(faults));
    }
    let page = batches::list(&state.context.db, allowed.caller.client, (from, to), query.page).await?;
    Ok(Page::new(query.page, page, BatchBody::from))
}

/// Returns a batch and its progress.
///
/// The progress is the number of messages in each state.
#[utoipa::path(
    get,
    path = "/whatsapp-api-service/v2/batches/{batchId}",
    operation_id = "batchProgress",
    tag = "Batches",
    params(("batchId" = Uuid, Path, description = "The `batchId` of the 202.")),
    security(("apiKey" = [Following::ROW.name])),
    responses((status = 200, description = "The batch with its progress.", body = ProgressBody)),
)]
async fn one(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Following>,
    Segments(batch): Segments<BatchId>,
) -> Result<Json<ProgressBody>, ApiError> {
    let progress = batches::progress(&state.context.db, allowed.caller.client, batch).await?;
    progress.map(|told| Json(told.into())).ok_or_else(ApiError::not_found)
}

/// Pauses a batch.
///
/// Messages that have left are not changed. A repeated request changes nothing.
#[utoipa::path(
    post,
    path = "/whatsapp-api-service/v2/batches/{batchId}/pause",
    operation_id = "pauseBatch",
    tag = "Batches",
    params(("batchId" = Uuid, Path, description = "The `batchId` of the 202.")),
    security(("apiKey" = [Sending::ROW.name])),
    responses(
        (status = 200, description = "The batch is paused.", body = ProgressBody),
        (status = 409, description = "The batch is cancelled."),
    ),
)]
async fn pause(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Sending>,
    Segments(batch): Segments<BatchId>,
) -> Result<Json<ProgressBody>, ApiError> {
    Ok(Json(batches::pause(&state.context, allowed.caller.client, batch).await.map_err(api_error)?.into()))
}

/// Resumes a paused batch.
///
/// A batch that is not paused does not change.
#[utoipa::path(
    post,
    path = "/whatsapp-api-service/v2/batches/{batchId}/resume",
    operation_id = "resumeBatch",
    tag = "Batches",
    params(("batchId" = Uuid, Path, description = "The `batchId` of the 202.")),
    security(("apiKey" = [Sending::ROW.name])),
    responses(
        (status = 200, description = "The batch is resumed.", body = ProgressBody),
        (status = 409, description = "The batch is cancelled."),
    ),
)]
async fn resume(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Sending>,
    Segments(batch): Segments<BatchId>,
) -> Result<Json<ProgressBody>, ApiError> {
    Ok(Json(batches::resume(&state.context, allowed.caller.client, batch).await.map_err(api_error)?.into()))
}

/// Cancels the messages of a batch that have not left.
///
/// They are reported as `FAILED` with the code 900410. Messages that have left are not changed. A repeated request
/// changes nothing.
#[utoipa::path(
    post,
    path = "/whatsapp-api-service/v2/batches/{batchId}/cancel",
    operation_id = "cancelBatch",
    tag = "Batches",
    params(("batchId" = Uuid, Path, description = "The `batchId` of the 202.")),
    security(("apiKey" = [Sending::ROW.name])),
    responses((status = 200, description = "The batch is cancelled.", body = ProgressBody)),
)]
async fn cancel(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Sending>,
    Segments(batch): Segments<BatchId>,
) -> Result<Json<ProgressBody>, ApiError> {
    Ok(Json(batches::cancel(&state.context, allowed.caller.client, batch).await.map_err(api_error)?.into()))
}
