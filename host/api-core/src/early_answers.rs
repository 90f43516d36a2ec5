//! Answers to requests that are refused before routing. They have the same body and request id as every other error.

use std::sync::Arc;

use axum::http::{StatusCode, header};
use base::Context;
use chrono::{DateTime, Utc};
use domain::ids::RequestId;
use domain::iso_time::iso_time;

use crate::{
    error::{ApiError, ErrorBody, ErrorKind, FailureFacts},
    observe::REQUEST_ID,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlyFault {
    /// The head, or the framing of the body, is not HTTP.
    NotHttp,
    /// The head is too large.
    HeadTooLarge,
    /// A request without TLS came to a port that needs TLS.
    PlainHttp,
}

impl EarlyFault {
    fn error(self) -> ApiError {
        let (kind, said) = match self {
            Self::NotHttp => (
                ErrorKind::BadRequest,
                "the request cannot be read as HTTP: check its first line, its headers and the framing of its body",
            ),
            Self::HeadTooLarge => {
                (ErrorKind::HeadTooLarge, "the head of a request may have 65536 bytes and 100 headers")
            }
            Self::PlainHttp => (ErrorKind::BadRequest, "this port speaks HTTPS only: write https:// before its name"),
        };
        ApiError::new(kind, said)
    }
}

/// Makes these answers.
#[derive(Clone)]
pub struct EarlyAnswers(Arc<dyn Fn() -> (RequestId, DateTime<Utc>) + Send + Sync>);

impl EarlyAnswers {
    /// Uses the ids and the clock of this context.
    pub fn new(context: Arc<Context>) -> Self {
        Self::with(move || (context.mint(), context.now()))
    }

    /// Uses ids and times from elsewhere.
    pub fn with(next: impl Fn() -> (RequestId, DateTime<Utc>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(next))
    }

    /// Returns the whole answer, after which the connection ends.
    pub fn answer(&self, fault: EarlyFault) -> Vec<u8> {
        let (id, now) = (self.0)();
        let error = fault.error();
        let (status, ..) = error.parts();
        let failed = FailureFacts {
            timestamp: iso_time(now),
            // The path may be the part that cannot be read.
            path: "",
            request_id: id.to_string(),
            namespace: "",
        };
        let body = serde_json::to_vec(&ErrorBody::of(&error, failed)).unwrap_or_default();
        tracing::info!(request.id = %id, ?fault, status = status.as_u16(), "a request was refused before routing");
        count(status);
        let mut answer = format!(
            "HTTP/1.1 {} {}\r\n{}: application/json\r\n{}: {}\r\n{}: {id}\r\n{}: nosniff\r\n{}: close\r\n{}: {}\r\n\r\n",
            status.as_str(),
            status.canonical_reason().unwrap_or_default(),
            header::CONTENT_TYPE,
            header::CONTENT_LENGTH,
            body.len(),
            REQUEST_ID,
            header::X_CONTENT_TYPE_OPTIONS,
            header::CONNECTION,
            header::DATE,
            httpdate::fmt_http_date(now.into()),
        )
        .into_bytes();
        answer.extend(body);
        answer
    }
}

fn count(status: StatusCode) {
    let labels =
        [("method", "OTHER".to_owned()), ("route", "unmatched".to_owned()), ("status", status.as_u16().to_string())];
    metrics::counter!("patchbay_http_requests_total", &labels).increment(1);
}

/// A fault in the head of a request that was routed all the same. It is in the extensions of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadFault {
    /// The header at fault.
    pub header: &'static str,
    pub said: &'static str,
}

impl HeadFault {
    pub fn refusal(self) -> ApiError {
        ApiError::fault(self.header, self.said)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn an_early_refusal_is_a_whole_answer_with_the_error_body_and_its_id() {
        let now = DateTime::from_timestamp(1_760_000_000, 0).unwrap();
        let answers = EarlyAnswers::with(move || (RequestId(Uuid::from_u128(7)), now));
        for (fault, status) in
            [(EarlyFault::NotHttp, 400), (EarlyFault::HeadTooLarge, 431), (EarlyFault::PlainHttp, 400)]
        {
            let answer = String::from_utf8(answers.answer(fault)).unwrap();
            let (head, body) = answer.split_once("\r\n\r\n").unwrap();
            assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
            assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{head}");
            let id = Uuid::from_u128(7).to_string();
            assert!(head.contains(&format!("x-request-id: {id}\r\n")) && head.contains("connection: close"), "{head}");
            let body: Value = serde_json::from_str(body).unwrap();
            assert_eq!((&body["status"], &body["requestId"]), (&Value::from(status), &Value::from(id)));
            assert!(body["message"].as_str().is_some_and(|said| !said.is_empty()), "{body}");
        }
    }
}
