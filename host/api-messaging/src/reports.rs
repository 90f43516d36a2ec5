//! Reports of messages, streamed as CSV or as one JSON object per line.

use api_core::{
    auth::{AuthorizedCaller, Following, Permission},
    error::ApiError,
    path::Segments,
    report_form::{ReportFormat, ReportParameters, ReportRow, write_line},
    state::ApiState,
};
use axum::{extract::State, http::request::Parts, response::Response};
use domain::iso_time::iso_time;
use domain::{clock::minted_at, dates, ids::BatchId};
use outbound::reports::{ReportQuery, ReportedMessage};
use serde::Serialize;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(of_batch)).routes(routes!(of_day))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    gst_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ct_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    channel: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recipient_user_id: Option<String>,
    status: String,
    created_time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    send_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code_string: Option<String>,
}

impl From<ReportedMessage> for Line {
    fn from(message: ReportedMessage) -> Self {
        Self {
            gst_id: message.gst_id,
            ct_id: message.ct_id,
            batch_id: message.batch_id,
            message_type: message.message_type,
            category: message.category,
            channel: message.channel,
            sender: message.sender,
            receiver: message.receiver,
            recipient_user_id: message.recipient_user_id,
            status: message.state,
            created_time: iso_time(minted_at(message.id)),
            send_time: message.sent_at.map(iso_time),
            delivery_time: message.delivered_at.map(iso_time),
            read_time: message.read_at.map(iso_time),
            error_code: message.error_code,
            error_code_string: message.error_text,
        }
    }
}

impl Line {
    fn columns<'a>(&'a self, batch_id: Option<&'a str>) -> [Option<&'a str>; 16] {
        [
            Some(&self.gst_id),
            self.ct_id.as_deref(),
            batch_id,
            self.message_type.as_deref(),
            self.category.as_deref(),
            Some(&self.channel),
            self.sender.as_deref(),
            self.receiver.as_deref(),
            self.recipient_user_id.as_deref(),
            Some(&self.status),
            Some(&self.created_time),
            self.send_time.as_deref(),
            self.delivery_time.as_deref(),
            self.read_time.as_deref(),
            self.error_code.as_deref(),
            self.error_code_string.as_deref(),
        ]
    }
}

impl ReportRow for Line {
    const HEADINGS: &'static str = "gstId,ctId,batchId,messageType,category,channel,sender,receiver,recipientUserId,status,createdTime,\
         sendTime,deliveryTime,readTime,errorCode,errorCodeString\r\n";

    fn write_csv(&self, text: &mut String) {
        let batch = self.batch_id.map(|id| id.to_string());
        write_line(self.columns(batch.as_deref()).map(Option::unwrap_or_default), text);
    }
}

fn stream_report(report: ReportQuery, format: ReportFormat, name: &str) -> Result<Response, ApiError> {
    format.stream::<Line, _, _, _>(name, report, |mut report| async move {
        let page = report.next().await;
        (report, page)
    })
}

/// Reports the messages of a batch, one per line.
///
/// They are streamed in the order of acceptance. Rejected recipients are not included.
#[utoipa::path(
    get,
    path = "/whatsapp-api-service/v2/batches/{batchId}/report",
    operation_id = "reportBatch",
    tag = "Batches",
    params(("batchId" = Uuid, Path, description = "The `batchId` of the 202."), ReportParameters),
    security(("apiKey" = [Following::ROW.name])),
    responses((
        status = 200,
        description = "One line per message.",
        content((String = "text/csv"), (String = "application/x-ndjson")),
    )),
)]
async fn of_batch(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Following>,
    Segments(batch): Segments<BatchId>,
    parts: Parts,
) -> Result<Response, ApiError> {
    let format = ReportFormat::of(&parts)?;
    let report = ReportQuery::of_batch(&state.context.db, allowed.caller.client, batch).await?;
    stream_report(report.ok_or_else(ApiError::not_found)?, format, &format!("batch-{batch}"))
}

/// Reports the messages that were accepted on a day (UTC), one per line.
///
/// They are streamed in the order of acceptance.
#[utoipa::path(
    get,
    path = "/whatsapp-api-service/v2/reports/{date}",
    operation_id = "reportDay",
    tag = "Batches",
    params(("date" = String, Path, description = "A day, such as 2026-01-31."), ReportParameters),
    security(("apiKey" = [Following::ROW.name])),
    responses((
        status = 200,
        description = "One line per message.",
        content((String = "text/csv"), (String = "application/x-ndjson")),
    )),
)]
async fn of_day(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Following>,
    Segments(day): Segments<String>,
    parts: Parts,
) -> Result<Response, ApiError> {
    let day = dates::day(&day).ok_or_else(ApiError::not_found)?;
    let format = ReportFormat::of(&parts)?;
    let report = ReportQuery::of_day(&state.context.db, allowed.caller.client, day);
    stream_report(report, format, &format!("messages-{day}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headings_name_every_column() {
        assert_eq!(Line::HEADINGS.trim_end().split(',').count(), 16);
    }
}
