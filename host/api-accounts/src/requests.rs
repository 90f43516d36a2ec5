//! `GET /api/v1/requests`: the log of the client's requests, for its developers.

use std::time::Duration;

use api_core::{
    auth::{AuthorizedCaller, Permission, Requests},
    error::ApiError,
    page::{ListQuery, Page},
    query::QueryParameters,
    state::ApiState,
};
use axum::{extract::State, http::request::Parts};
use domain::iso_time::iso_time;
use domain::{
    body::{Faults, FieldFault},
    clock::minted_at,
    sandbox::KeyMode,
};
use serde::Serialize;
use tenancy::request_log::{self, RequestFilter, RequestRow, kept_since};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list))
}

/// Filters of the log. A request is listed if it has all of them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the parameters")]
struct RequestFilterParameters {
    /// The `X-Request-Id` of one request.
    #[param(nullable = false)]
    request_id: Option<Uuid>,
    /// The first time. ISO 8601.
    #[param(nullable = false, format = DateTime)]
    from: Option<String>,
    /// The time before which requests are listed. ISO 8601.
    #[param(nullable = false, format = DateTime)]
    to: Option<String>,
    /// A status such as `404`, or a class: `2xx`, `3xx`, `4xx`, `5xx`, `failed` (400 and above).
    #[param(nullable = false, example = "failed")]
    status: Option<String>,
    /// The beginning of the path.
    #[param(nullable = false, example = "/whatsapp-api-service")]
    path: Option<String>,
    /// The HTTP method.
    #[param(nullable = false, example = "POST")]
    method: Option<String>,
}

/// A request.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LoggedRequest)]
struct RequestLogBody {
    /// The `X-Request-Id` of the answer.
    request_id: Uuid,
    /// The time when the request came.
    #[schema(format = DateTime)]
    time: String,
    #[schema(example = "POST")]
    method: String,
    /// The path without the query. Phone numbers and addresses in it are `***`.
    #[schema(example = "/whatsapp-api-service/v2/messages")]
    path: String,
    #[schema(example = 400)]
    status: i16,
    /// Time from the head of the request to the answer, in milliseconds.
    #[schema(example = 12.5)]
    duration_millis: f64,
    /// The owner of the key.
    user_id: Uuid,
    /// The first four characters of the key.
    #[schema(example = "b8b8")]
    key_start: String,
    /// `true` in the sandbox of test keys. Absent elsewhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    test: bool,
    /// The body of a failed request, at most 16 KiB. Texts are masked: `*** (11 characters)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "{\"messageType\":\"CHAT\",\"sender\":\"*** (11 characters)\"}")]
    body: Option<String>,
}

impl RequestLogBody {
    fn new(row: RequestRow, mode: KeyMode) -> Self {
        let duration = Duration::from_micros(row.duration_micros.unsigned_abs());
        Self {
            request_id: row.id,
            time: iso_time(minted_at(row.id)),
            method: row.method,
            path: row.path,
            status: row.status,
            duration_millis: duration.as_secs_f64() * 1000.0,
            user_id: row.user_id,
            key_start: row.key_start,
            test: mode.is_test(),
            body: row.body,
        }
    }
}

/// Lists the requests of the client.
///
/// They are listed newest first, for the last seven days (`retention.request_log_days`), at most 10,000. Only requests
/// with a known key are logged, about a second after their answer. If the server is overloaded, some are left out.
#[utoipa::path(
    get,
    path = "/api/v1/requests",
    operation_id = "listRequests",
    tag = "Account keys",
    params(ListQuery, RequestFilterParameters),
    security(("apiKey" = [Requests::ROW.name])),
    responses((status = 200, description = "A page of requests.", body = Page<RequestLogBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Requests>,
    query: ListQuery,
    parts: Parts,
) -> Result<Page<RequestLogBody>, ApiError> {
    let ctx = &state.context;
    let mut filter = RequestFilter::period(kept_since(ctx.now(), ctx.settings.retention.request_log_days), None);
    narrow(&mut filter, &QueryParameters::of(&parts.uri)?)?;
    let page = request_log::list(&ctx.db, allowed.caller.client, &filter, query.page).await?;
    let mode = allowed.caller.mode;
    Ok(Page::new(query.page, page, |row| RequestLogBody::new(row, mode)))
}

/// Reports all faults of the filters at once.
fn narrow(filter: &mut RequestFilter, given: &QueryParameters) -> Result<(), ApiError> {
    let mut faults = Faults::default();
    let [from, to] = given.moments(["from", "to"], &mut faults);
    let period = RequestFilter::period(from.unwrap_or_default(), to);
    filter.ids = (filter.ids.0.max(period.ids.0), period.ids.1);
    match given.value("requestId").map(str::parse::<Uuid>) {
        None => {}
        Some(Ok(id)) => filter.ids = (filter.ids.0.max(id), filter.ids.1.min(id)),
        Some(Err(_)) => faults.push(FieldFault::new("requestId", "must be the X-Request-Id of an answer, a UUID")),
    }
    match given.value("status").map(statuses) {
        None => {}
        Some(Some(range)) => filter.statuses = range,
        Some(None) => {
            let said = "must be a status such as 404, or one of 2xx, 3xx, 4xx, 5xx, failed";
            faults.push(FieldFault::new("status", said));
        }
    }
    given.value("path").unwrap_or_default().clone_into(&mut filter.path);
    filter.method = given.value("method").map(str::to_ascii_uppercase);
    if faults.is_empty() { Ok(()) } else { Err(ApiError::faults(faults)) }
}

fn statuses(text: &str) -> Option<(i16, i16)> {
    match text.to_ascii_lowercase().as_str() {
        "failed" => Some((400, 599)),
        "2xx" => Some((200, 299)),
        "3xx" => Some((300, 399)),
        "4xx" => Some((400, 499)),
        "5xx" => Some((500, 599)),
        number => {
            let status: i16 = number.parse().ok().filter(|status| (100..=599).contains(status))?;
            Some((status, status))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_a_number_or_a_class() {
        for (text, range) in [("404", (404, 404)), ("4XX", (400, 499)), ("failed", (400, 599)), ("100", (100, 100))] {
            assert_eq!(statuses(text), Some(range), "{text}");
        }
        for wrong in ["99", "600", "6xx", "-1", "ok", ""] {
            assert_eq!(statuses(wrong), None, "{wrong}");
        }
    }
}
