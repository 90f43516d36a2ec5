//! Calls to the Graph API and the form of its errors (PROVIDERS A.4).

use std::time::Duration;

use bytes::Bytes;
use domain::inbound::ProviderFailure;
use reqwest::{Method, RequestBuilder, Response, header::HeaderMap};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::CloudApi;
use crate::{
    http::{body_within, retry_after},
    provider_json,
};

/// The largest JSON answer that we read: a page of 100 templates stays far below.
const MAX_ANSWER: usize = 8 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    #[error("the Graph API answered {status}: ({}) {}", failure.code, failure.text)]
    Answer { status: u16, failure: ProviderFailure },
    /// No answer: no connection, a broken one, or a time-out.
    #[error("the Graph API is unreachable: {0}")]
    Unreachable(String),
    #[error("the Graph API gave an answer that cannot be read: {0}")]
    Unreadable(String),
}

pub(crate) struct ErrorAnswer {
    pub status: u16,
    /// Meta's subcode, for codes that need it.
    pub subcode: Option<i64>,
    pub failure: Option<ProviderFailure>,
    pub wait: Option<Duration>,
}

pub(crate) enum NoAnswer {
    Error(ErrorAnswer),
    /// Broken or unreadable, after the request was written.
    Lost(String),
}

impl CloudApi {
    /// Ids come from outside, so each segment of the path is escaped and cannot name another path.
    pub(crate) fn call(&self, method: Method, segments: &[&str], token: &str) -> RequestBuilder {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        self.client.request(method, url).bearer_auth(token).timeout(self.timeout)
    }

    pub(crate) async fn read<T: DeserializeOwned>(&self, call: RequestBuilder) -> Result<T, GraphError> {
        let response = self.client.send(call).await.map_err(|error| GraphError::Unreachable(error.to_string()))?;
        let value = match answer(response).await {
            Ok(value) => value,
            Err(NoAnswer::Lost(reason)) => return Err(GraphError::Unreadable(reason)),
            Err(NoAnswer::Error(error)) => {
                let status = error.status;
                let failure = error.failure.unwrap_or_else(|| status_failure(status));
                return Err(GraphError::Answer { status, failure });
            }
        };
        serde_json::from_value(value).map_err(|error| GraphError::Unreadable(error.to_string()))
    }
}

pub(crate) async fn answer(response: Response) -> Result<Value, NoAnswer> {
    let status = response.status();
    let wait = wait_of(response.headers());
    let body = match body_within(response, MAX_ANSWER).await {
        Ok(body) => body,
        Err(error) if status.is_success() => return Err(NoAnswer::Lost(error.to_string())),
        Err(_) => Bytes::new(),
    };
    let parsed = provider_json::read(&body);
    if status.is_success() {
        return match parsed {
            // Meta sometimes answers 200 with an error object, which counts as the error.
            Ok(value) => match failure_of(&value) {
                Some(failure) => {
                    let (status, subcode) = (status.as_u16(), subcode_of(&value));
                    Err(NoAnswer::Error(ErrorAnswer { status, subcode, failure: Some(failure), wait }))
                }
                None => Ok(value),
            },
            Err(error) => Err(NoAnswer::Lost(format!("not JSON: {error}"))),
        };
    }
    let parsed = parsed.ok();
    let failure = parsed.as_ref().and_then(failure_of);
    let subcode = parsed.as_ref().and_then(subcode_of);
    Err(NoAnswer::Error(ErrorAnswer { status: status.as_u16(), subcode, failure, wait }))
}

fn subcode_of(body: &Value) -> Option<i64> {
    integer(body.get("error")?.get("error_subcode")?)
}

/// The failure of an error body. The details say more than the message, which repeats the code.
pub(super) fn failure_of(body: &Value) -> Option<ProviderFailure> {
    let error = body.get("error")?.as_object()?;
    let code = error.get("code").and_then(integer)?;
    let details = error.get("error_data").and_then(|data| data.get("details")).and_then(Value::as_str);
    let message = error.get("message").and_then(Value::as_str);
    let text = details.filter(|text| !text.is_empty()).or(message).unwrap_or("no description").to_owned();
    if let Some(trace) = error.get("fbtrace_id").and_then(Value::as_str) {
        tracing::info!(code, fbtrace_id = trace, "the Graph API refused a call");
    }
    Some(ProviderFailure { code, text })
}

/// The failure if the body has none: the status replaces the code.
pub(super) fn status_failure(status: u16) -> ProviderFailure {
    ProviderFailure { code: i64::from(status), text: format!("HTTP status {status} without a Graph error") }
}

pub(super) fn integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// `Retry-After`, otherwise the longest `estimated_time_to_regain_access` (minutes) of `x-business-use-case-usage`.
fn wait_of(headers: &HeaderMap) -> Option<Duration> {
    if let Some(wait) = retry_after(headers) {
        return Some(wait);
    }
    let usage: Value = serde_json::from_str(headers.get("x-business-use-case-usage")?.to_str().ok()?).ok()?;
    let minutes = usage
        .as_object()?
        .values()
        .filter_map(Value::as_array)
        .flatten()
        .filter_map(|limit| limit.get("estimated_time_to_regain_access")?.as_u64())
        .max()?;
    (minutes > 0).then(|| Duration::from_secs(minutes.saturating_mul(60)))
}
