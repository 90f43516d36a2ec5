//! Reports of messages, streamed as CSV or as one JSON object per line.

use std::fmt::Write;

use api_core::{
    auth::{AuthorizedCaller, Following, Permission},
    closed_set,
    error::ApiError,
    path::Segments,
    query::QueryParameters,
    state::ApiState,
};
use axum::{
    body::Body,
    extract::State,
    http::{HeaderValue, header, request::Parts},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use chrono::{DateTime, SecondsFormat, Utc};
use domain::{clock::minted_at, dates, ids::BatchId};
use futures::stream;
use outbound::reports::{ReportQuery, ReportedMessage};
use serde::Serialize;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use crate::csv::write_field;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(of_batch)).routes(routes!(of_day))
}

/// The form of a report.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "says what the handlers look for")]
struct Written {
    /// The form of the report. Absent: `csv`.
    #[param(value_type = Option<ReportForm>, nullable = false, inline)]
    format: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Csv,
    Ndjson,
}

closed_set! {
    /// The form of a report.
    ReportForm as "ReportForm" = Format::ALL.map(Format::as_str);
}

impl Format {
    const ALL: [Self; 2] = [Self::Csv, Self::Ndjson];

    fn as_str(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
        }
    }

    fn asked(parts: &Parts) -> Result<Self, ApiError> {
        let given = QueryParameters::of(&parts.uri)?;
        let Some(name) = given.value("format") else { return Ok(Self::Csv) };
        let known = Self::ALL.into_iter().find(|format| format.as_str() == name);
        known.ok_or_else(|| ApiError::fault("format", "must be csv or ndjson"))
    }

    fn content_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::Ndjson => "application/x-ndjson",
        }
    }
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

const HEADINGS: &str = "gstId,ctId,batchId,messageType,category,channel,sender,receiver,recipientUserId,status,createdTime,\
                        sendTime,deliveryTime,readTime,errorCode,errorCodeString\r\n";

impl From<ReportedMessage> for Line {
    fn from(message: ReportedMessage) -> Self {
        let shown = |moment: DateTime<Utc>| moment.to_rfc3339_opts(SecondsFormat::Millis, true);
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
            created_time: shown(minted_at(message.id)),
            send_time: message.sent_at.map(shown),
            delivery_time: message.delivered_at.map(shown),
            read_time: message.read_at.map(shown),
            error_code: message.error_code,
            error_code_string: message.error_text,
        }
    }
}

impl Line {
    fn columns(&self) -> [Option<&str>; 15] {
        [
            Some(&self.gst_id),
            self.ct_id.as_deref(),
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

    fn write(&self, format: Format, text: &mut String) {
        match format {
            Format::Ndjson => {
                text.push_str(&serde_json::to_string(self).unwrap_or_default());
                text.push('\n');
            }
            Format::Csv => {
                for (at, column) in self.columns().into_iter().enumerate() {
                    if at > 0 {
                        text.push(',');
                    }
                    write_field(column.unwrap_or_default(), text);
                    if at == 1 {
                        let batch = self.batch_id.map(|id| id.to_string()).unwrap_or_default();
                        // Formatting an id cannot fail.
                        let _ = write!(text, ",{batch}");
                    }
                }
                text.push_str("\r\n");
            }
        }
    }
}

/// Reads a page when the one before it has been sent, so the whole report is never in memory.
fn streamed(report: ReportQuery, format: Format, name: &str) -> Result<Response, ApiError> {
    let first = (format == Format::Csv).then(|| HEADINGS.to_owned());
    let pages = stream::unfold((report, first), move |(mut report, first)| async move {
        if let Some(headings) = first {
            return Some((Ok(Bytes::from(headings)), (report, None)));
        }
        match report.next().await {
            Ok(page) if page.is_empty() => None,
            Ok(page) => {
                let mut text = String::new();
                for message in page {
                    Line::from(message).write(format, &mut text);
                }
                Some((Ok(Bytes::from(text)), (report, None)))
            }
            // The connection ends before the answer does, so the caller knows that the rest is missing.
            Err(error) => Some((Err(error), (report, None))),
        }
    });
    let extension = if format == Format::Csv { "csv" } else { "ndjson" };
    let disposition = format!("attachment; filename=\"{name}.{extension}\"");
    let disposition = HeaderValue::from_str(&disposition).map_err(|_| ApiError::not_found())?;
    let content_type = HeaderValue::from_static(format.content_type());
    let headers = [(header::CONTENT_TYPE, content_type), (header::CONTENT_DISPOSITION, disposition)];
    Ok((headers, Body::from_stream(pages)).into_response())
}

/// Reports the messages of a batch, one per line.
///
/// They are streamed in the order of acceptance. Rejected recipients are not included.
#[utoipa::path(
    get,
    path = "/whatsapp-api-service/v2/batches/{batchId}/report",
    operation_id = "reportBatch",
    tag = "Batches",
    params(("batchId" = Uuid, Path, description = "The `batchId` of the 202."), Written),
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
    let format = Format::asked(&parts)?;
    let report = ReportQuery::of_batch(&state.context.db, allowed.caller.client, batch).await?;
    streamed(report.ok_or_else(ApiError::not_found)?, format, &format!("batch-{batch}"))
}

/// Reports the messages that were accepted on a day (UTC), one per line.
///
/// They are streamed in the order of acceptance.
#[utoipa::path(
    get,
    path = "/whatsapp-api-service/v2/reports/{date}",
    operation_id = "reportDay",
    tag = "Batches",
    params(("date" = String, Path, description = "A day, such as 2026-01-31."), Written),
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
    let format = Format::asked(&parts)?;
    let report = ReportQuery::of_day(&state.context.db, allowed.caller.client, day);
    streamed(report, format, &format!("messages-{day}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headings_name_every_column() {
        assert_eq!(HEADINGS.trim_end().split(',').count(), 16);
    }
}
