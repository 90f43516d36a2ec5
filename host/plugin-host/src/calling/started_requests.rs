//! Requests that a call starts and that are sent after it.

use std::time::Duration;

use serde::Serialize;

use super::http::HttpRequest;

/// Shortest and longest time from the start of a request to its end.
pub(crate) const DEADLINES: std::ops::RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(120);
/// Start of a header with a name and a password in base64.
const BASIC: &str = "basic ";
/// The time of a request that names none.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// A request of `http.start`. The caller sends it after it has applied the answer, within [`HttpRequest::timeout`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartedRequest {
    /// The id that the plugin got, which is the idempotency key of the request.
    pub job: String,
    pub request: HttpRequest,
}

/// A started request in the result of a recording.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestRecord<'a> {
    job: &'a str,
    method: &'a str,
    url: &'a str,
    headers: Vec<(&'a str, &'a str)>,
    #[serde(serialize_with = "text")]
    body: Option<&'a [u8]>,
    deadline_ms: u128,
}

fn text<S: serde::Serializer>(body: &Option<&[u8]>, to: S) -> Result<S::Ok, S::Error> {
    match body {
        Some(body) => to.serialize_some(&String::from_utf8_lossy(body)),
        None => to.serialize_none(),
    }
}

pub(crate) fn records(started: &[StartedRequest]) -> Vec<RequestRecord<'_>> {
    started.iter().map(record).collect()
}

fn record(StartedRequest { job, request }: &StartedRequest) -> RequestRecord<'_> {
    RequestRecord {
        job,
        method: &request.method,
        url: &request.url,
        headers: request.headers.iter().map(|(name, value)| (name.as_str(), shown(value))).collect(),
        body: request.body.as_deref(),
        deadline_ms: request.timeout.as_millis(),
    }
}

/// A name and a password in base64 hide a secret from its removal, so they are not recorded.
fn shown(value: &str) -> &str {
    let is_basic = value.split_at_checked(BASIC.len()).is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case(BASIC));
    if is_basic { "Basic (not recorded)" } else { value }
}
