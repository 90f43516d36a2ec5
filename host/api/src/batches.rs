//! Batches: what became of a send as a whole, and how it is stopped (`/whatsapp-api-service/v2/batches`).

use axum::{Json, extract::State, http::request::Parts};
use chrono::SecondsFormat;
use domain::{delivery::DeliveryState, ids::BatchId};
use outbound::batches::{self, Batch, BatchError, Progress};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use crate::{
    auth::{Allowed, Following, Permission, Sending},
    error::{ApiError, ErrorKind},
    page::{ListQuery, Page},
    path::Segments,
    query::Parameters,
    state::ApiState,
};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(one))
        .routes(routes!(pause))
        .routes(routes!(resume))
        .routes(routes!(cancel))
}

/// Which batches are wanted.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "says what the handler looks for")]
struct Between {
    /// Only those accepted at this time or later: ISO 8601, UTC where it names no offset.
    #[param(nullable = false)]
    from: Option<String>,
    /// Only those accepted before this time.
    #[param(nullable = false)]
    to: Option<String>,
}

/// What one send request brought.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Batch)]
struct BatchBody {
    /// The `batchId` of its 202.
    batch_id: Uuid,
    /// The HTTP request that it came with.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<Uuid>,
    /// `OPEN`, `PAUSED` or `CANCELLED`.
    #[schema(examples("OPEN"))]
    state: &'static str,
    /// What it is sent from.
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<String>,
    /// Which way it goes.
    #[schema(examples("WHATSAPP"))]
    channel: String,
    /// `NOTIFICATION`, `CHAT`, `SMS`.
    message_type: String,
    /// Name of its template.
    #[serde(skip_serializing_if = "Option::is_none")]
    template_name: Option<String>,
    /// What its messages are billed as.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    /// Recipients that are sent to.
    accepted_count: u32,
    /// Recipients that are not.
    rejected_count: u32,
    /// When it was accepted.
    #[schema(format = DateTime)]
    created_time: String,
}

impl From<Batch> for BatchBody {
    fn from(batch: Batch) -> Self {
        Self {
            batch_id: batch.id.0,
            request_id: batch.request,
            state: batch.hold.map_or("OPEN", |hold| hold.as_str()),
            created_time: batch.accepted_at().to_rfc3339_opts(SecondsFormat::Millis, true),
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

/// A batch, and how far it is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = BatchProgress)]
struct ProgressBody {
    /// The batch.
    #[serde(flatten)]
    batch: BatchBody,
    /// How many of its messages stand where.
    progress: Counts,
}

/// How many messages stand where.
#[derive(Serialize, ToSchema, Default)]
#[serde(rename_all = "camelCase")]
#[schema(as = BatchCounts)]
struct Counts {
    /// Not sent yet.
    queued: u64,
    /// The provider has it.
    accepted: u64,
    /// On its way.
    sent: u64,
    /// On the device.
    delivered: u64,
    /// Read.
    read: u64,
    /// Voice note played.
    played: u64,
    /// Will not arrive.
    failed: u64,
}

impl From<Progress> for ProgressBody {
    fn from(told: Progress) -> Self {
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

impl From<BatchError> for ApiError {
    fn from(error: BatchError) -> Self {
        match error {
            BatchError::NotFound => Self::not_found(),
            BatchError::Cancelled => Self::new(ErrorKind::Conflict, "the batch is cancelled, and stays so"),
            BatchError::Failed(error) => error.into(),
        }
    }
}

/// The client's batches, the newest first.
///
/// Of more than 10,000 that are asked for, `totalElements` says at least how many there are; `last` is always exact.
#[utoipa::path(
    get,
    path = "/whatsapp-api-service/v2/batches",
    operation_id = "listBatches",
    tag = "Batches",
    params(ListQuery, Between),
    security(("apiKey" = [Following::ROW.name])),
    responses((status = 200, description = "A page of batches.", body = Page<BatchBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: Allowed<Following>,
    query: ListQuery,
    parts: Parts,
) -> Result<Json<Page<BatchBody>>, ApiError> {
    let given = Parameters::of(&parts.uri)?;
    let wanted = |name: &str| given.moment(name).map_err(ApiError::faults);
    let between = (wanted("from")?, wanted("to")?);
    let page = batches::list(&state.context.db, allowed.caller.client, between, query.page).await?;
    Ok(Json(Page::new(query.page, page, BatchBody::from)))
}

/// A batch, and how far it is.
#[utoipa::path(
    get,
    path = "/whatsapp-api-service/v2/batches/{batchId}",
    operation_id = "batchProgress",
    tag = "Batches",
    params(("batchId" = Uuid, Path, description = "The `batchId` of its 202.")),
    security(("apiKey" = [Following::ROW.name])),
    responses((status = 200, description = "How far it is.", body = ProgressBody)),
)]
async fn one(
    State(state): State<ApiState>,
    allowed: Allowed<Following>,
    Segments(batch): Segments<BatchId>,
) -> Result<Json<ProgressBody>, ApiError> {
    let progress = batches::progress(&state.context.db, allowed.caller.client, batch).await?;
    progress.map(|told| Json(told.into())).ok_or_else(ApiError::not_found)
}

/// Holds back what of a batch has not been sent.
///
/// What has been sent goes its way. Asking again changes nothing.
#[utoipa::path(
    post,
    path = "/whatsapp-api-service/v2/batches/{batchId}/pause",
    operation_id = "pauseBatch",
    tag = "Batches",
    params(("batchId" = Uuid, Path, description = "The `batchId` of its 202.")),
    security(("apiKey" = [Sending::ROW.name])),
    responses(
        (status = 200, description = "It is paused.", body = ProgressBody),
        (status = 409, description = "It is cancelled."),
    ),
)]
async fn pause(
    State(state): State<ApiState>,
    allowed: Allowed<Sending>,
    Segments(batch): Segments<BatchId>,
) -> Result<Json<ProgressBody>, ApiError> {
    Ok(Json(batches::pause(&state.context, allowed.caller.client, batch).await?.into()))
}

/// Lets a paused batch go on.
///
/// One that is not paused goes on as it does.
#[utoipa::path(
    post,
    path = "/whatsapp-api-service/v2/batches/{batchId}/resume",
    operation_id = "resumeBatch",
    tag = "Batches",
    params(("batchId" = Uuid, Path, description = "The `batchId` of its 202.")),
    security(("apiKey" = [Sending::ROW.name])),
    responses(
        (status = 200, description = "It goes on.", body = ProgressBody),
        (status = 409, description = "It is cancelled."),
    ),
)]
async fn resume(
    State(state): State<ApiState>,
    allowed: Allowed<Sending>,
    Segments(batch): Segments<BatchId>,
) -> Result<Json<ProgressBody>, ApiError> {
    Ok(Json(batches::resume(&state.context, allowed.caller.client, batch).await?.into()))
}

/// Gives up what of a batch has not been sent.
///
/// Its messages are reported as `FAILED` with the code 900410; what has been sent goes its way. Asking again changes nothing.
#[utoipa::path(
    post,
    path = "/whatsapp-api-service/v2/batches/{batchId}/cancel",
    operation_id = "cancelBatch",
    tag = "Batches",
    params(("batchId" = Uuid, Path, description = "The `batchId` of its 202.")),
    security(("apiKey" = [Sending::ROW.name])),
    responses((status = 200, description = "It is cancelled.", body = ProgressBody)),
)]
async fn cancel(
    State(state): State<ApiState>,
    allowed: Allowed<Sending>,
    Segments(batch): Segments<BatchId>,
) -> Result<Json<ProgressBody>, ApiError> {
    Ok(Json(batches::cancel(&state.context, allowed.caller.client, batch).await?.into()))
}
