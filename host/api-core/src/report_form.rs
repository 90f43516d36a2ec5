//! Reports that are streamed as CSV or as one JSON object per line.

use axum::{
    body::Body,
    http::{HeaderValue, header, request::Parts},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::{StreamExt, stream};
use serde::Serialize;
use utoipa::IntoParams;

use crate::{closed_set, csv::write_field, error::ApiError, query::QueryParameters};

/// A line of a report.
pub trait ReportRow: Serialize {
    /// The first line of CSV, with its line end.
    const HEADINGS: &'static str;

    /// Appends the line as CSV.
    fn write_csv(&self, text: &mut String);
}

/// The form of a report.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
pub struct ReportParameters {
    /// The form of the report. If absent, `csv`.
    #[param(value_type = Option<ReportForm>, nullable = false, inline)]
    format: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportFormat {
    Csv,
    Ndjson,
}

closed_set! {
    /// The form of a report.
    ReportForm as "ReportForm" = ReportFormat::ALL.map(ReportFormat::as_str);
}

impl ReportFormat {
    const ALL: [Self; 2] = [Self::Csv, Self::Ndjson];

    fn as_str(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
        }
    }

    pub fn of(parts: &Parts) -> Result<Self, ApiError> {
        let given = QueryParameters::of(&parts.uri)?;
        let format = given.choice("format", Self::ALL, Self::as_str).map_err(ApiError::faults)?;
        Ok(format.unwrap_or(Self::Csv))
    }

    fn write(self, row: &impl ReportRow, text: &mut String) {
        match self {
            Self::Ndjson => {
                text.push_str(&serde_json::to_string(row).unwrap_or_default());
                text.push('\n');
            }
            Self::Csv => row.write_csv(text),
        }
    }

    fn content_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::Ndjson => "application/x-ndjson",
        }
    }

    /// Answers with a file of this name. `next` reads the next items of `report`; an empty page ends it. A page is read
    /// when the page before it has been sent, so the whole report is never in memory. If a read fails, the connection
    /// ends before the answer does, so that the caller knows that the rest is missing.
    pub fn stream<Row, Report, Item, Page>(
        self,
        name: &str,
        report: Report,
        next: impl Fn(Report) -> Page + Send + 'static,
    ) -> Result<Response, ApiError>
    where
        Row: ReportRow + From<Item>,
        Report: Send + 'static,
        Page: Future<Output = (Report, base::Result<Vec<Item>>)> + Send + 'static,
    {
        let pages = stream::unfold(report, move |report| {
            let page = next(report);
            async move {
                let (report, page) = page.await;
                match page {
                    Ok(items) if items.is_empty() => None,
                    Ok(items) => {
                        let mut text = String::new();
                        items.into_iter().for_each(|item| self.write(&Row::from(item), &mut text));
                        Some((Ok(text), report))
                    }
                    Err(error) => Some((Err(error), report)),
                }
            }
        });
        let first = (self == Self::Csv).then(|| Ok(Bytes::from_static(Row::HEADINGS.as_bytes())));
        let pages = stream::iter(first).chain(pages.map(|page| page.map(Bytes::from)));
        let disposition = format!("attachment; filename=\"{name}.{}\"", self.as_str());
        let disposition = HeaderValue::from_str(&disposition).map_err(|_| ApiError::not_found())?;
        let content_type = HeaderValue::from_static(self.content_type());
        let headers = [(header::CONTENT_TYPE, content_type), (header::CONTENT_DISPOSITION, disposition)];
        Ok((headers, Body::from_stream(pages)).into_response())
    }
}

/// Appends a line of CSV.
pub fn write_line<'a>(columns: impl IntoIterator<Item = &'a str>, text: &mut String) {
    for (at, column) in columns.into_iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        write_field(column, text);
    }
    text.push_str("\r\n");
}
