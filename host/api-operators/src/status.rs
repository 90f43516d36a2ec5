//! The report that `patchbay status` prints.

use api_core::{error::ApiError, state::StateWith};
use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use domain::status_report::StatusReport;
use operators::status::StatusReader;

use crate::authorization::AuthorizedOperator;

/// Returns the state of the whole service.
///
/// These are the facts of `patchbay status`: problems, processes, queues with their oldest lanes and the reason why each waits,
/// SMPP binds, Lite sessions, providers, refused tokens, plugins, disks, partitions, and clients with their load. It has no
/// texts of messages, and of numbers only the last three digits. A report is at most a second old.
#[utoipa::path(
    get,
    path = "/operator-service/api/v1/status",
    operation_id = "getServiceStatus",
    tag = "Operations",
    security(("operatorKey" = [])),
    responses((status = 200, description = "The report.", body = StatusReport)),
)]
pub(crate) async fn read(
    State(state): State<StateWith<StatusReader>>,
    operator: AuthorizedOperator,
) -> Result<Response, ApiError> {
    let report = state.service.report().await?;
    tracing::debug!(operator = operator.name, "an operator read the status");
    Ok(Json(report.as_ref()).into_response())
}
