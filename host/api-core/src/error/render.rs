//! The forms of errors: JSON for most products, XML for the batch gateway.

use std::borrow::Cow;

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::body::FieldFault;
use serde::Serialize;
use utoipa::ToSchema;

use super::{ApiError, ErrorKind, format::ErrorFormat};

/// The facts about a failed request.
pub struct FailureFacts<'a> {
    /// Time of the answer, ISO 8601.
    pub timestamp: String,
    pub path: &'a str,
    pub request_id: String,
    /// XML namespace of the batch gateway's answers.
    pub namespace: &'a str,
}

impl ErrorFormat {
    /// Renders the whole answer.
    pub fn render(self, error: &ApiError, failed: FailureFacts<'_>) -> Response {
        let (status, _) = error.kind.status_and_text();
        let mut response = match self {
            Self::Json => (status, Json(ErrorBody::of(error, failed))).into_response(),
            Self::Xml => {
                let kind = [(header::CONTENT_TYPE, "application/xml; charset=utf-8")];
                (status, kind, xml(error, &failed)).into_response()
            }
        };
        if let Some(delay) = error.retry_after {
            let seconds = delay.as_secs() + u64::from(delay.subsec_nanos() > 0);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
        }
        response
    }
}

/// The body of every answer with status 400 or above.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Error)]
pub struct ErrorBody {
    /// Time of the answer.
    #[schema(format = DateTime)]
    timestamp: String,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// A stable text. Branch on it, or on the status.
    error: &'static str,
    /// A text for people with the cure. It may change.
    message: String,
    /// The requested path.
    path: String,
    /// Also in the header `X-Request-Id`. Give it to the operator of the server.
    #[schema(value_type = uuid::Uuid)]
    request_id: String,
    /// The fields at fault. Empty if no field is at fault.
    details: Vec<FieldFault>,
}

impl ErrorBody {
    pub fn of(error: &ApiError, failed: FailureFacts<'_>) -> Self {
        let (status, text) = error.kind.status_and_text();
        Self {
            timestamp: failed.timestamp,
            status: status.as_u16(),
            error: text,
            message: error.message.clone(),
            path: failed.path.to_owned(),
            request_id: failed.request_id,
            details: error.details.clone(),
        }
    }

    /// The error as an example of the documentation.
    pub fn example(error: &ApiError, path: &str) -> Self {
        let request_id = "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f40".to_owned();
        Self::of(
            error,
            FailureFacts { timestamp: "2026-01-31T08:15:30.123Z".to_owned(), path, request_id, namespace: "" },
        )
    }
}

/// Renders the XML of the batch gateway. The request id is in the header.
fn xml(error: &ApiError, failed: &FailureFacts<'_>) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <response xmlns=\"{}\"><result><status code=\"{}\">{}</status><completiontime>{}</completiontime></result></response>",
        escaped(failed.namespace),
        batch_code(error.kind),
        escaped(&error.message),
        escaped(&failed.timestamp),
    )
}

/// The status code of the batch gateway (SPEC 7): 1000 to 1999 for faults of the caller, from 2000 for actions that are
/// not allowed, from 3000 for faults of the service.
fn batch_code(kind: ErrorKind) -> u16 {
    match kind.status_and_text().0 {
        StatusCode::UNAUTHORIZED => 1010,
        StatusCode::FORBIDDEN | StatusCode::CONFLICT | StatusCode::TOO_MANY_REQUESTS => 2000,
        status if status.is_server_error() => 3000,
        _ => 1000,
    }
}

/// Escapes text for an element or an attribute. Characters that XML 1.0 does not allow are left out.
fn escaped(text: &str) -> Cow<'_, str> {
    let plain =
        |c: char| !matches!(c, '&' | '<' | '>' | '"' | '\'' | '\u{FFFE}' | '\u{FFFF}') && (c >= ' ' || c == '\n');
    if text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            c if plain(c) || matches!(c, '\t' | '\r') => escaped.push(c),
            _ => {}
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::body::to_bytes;

    use super::*;

    async fn rendered(format: ErrorFormat, error: &ApiError) -> (Response<()>, String) {
        let failed = FailureFacts {
            timestamp: "2026-01-31T08:15:30.123Z".to_owned(),
            path: "/smsbatch/sms",
            request_id: "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f40".to_owned(),
            namespace: "urn:patchbay:batch-sms",
        };
        let (parts, body) = format.render(error, failed).into_parts();
        let text = to_bytes(body, usize::MAX).await.unwrap();
        (Response::from_parts(parts, ()), String::from_utf8(text.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn the_batch_gateway_gets_a_result_with_its_code() {
        let error = ApiError::new(ErrorKind::Unauthorized, "authentication failed");
        let (head, text) = rendered(ErrorFormat::Xml, &error).await;
        assert_eq!(
            (head.status(), &head.headers()["content-type"]),
            (StatusCode::UNAUTHORIZED, &HeaderValue::from_static("application/xml; charset=utf-8"))
        );
        assert_eq!(
            text,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<response xmlns=\"urn:patchbay:batch-sms\"><result>\
             <status code=\"1010\">authentication failed</status>\
             <completiontime>2026-01-31T08:15:30.123Z</completiontime></result></response>"
        );
    }

    #[tokio::test]
    async fn text_of_a_caller_cannot_end_the_element() {
        let error = ApiError::fault("cell", "is \"27<82>\" & 'more'\u{0}\u{1b}\u{FFFE}, é, 🦀");
        let (_, text) = rendered(ErrorFormat::Xml, &error).await;
        assert!(text.contains("is &quot;27&lt;82&gt;&quot; &amp; &apos;more&apos;, é, 🦀</status>"), "{text}");
    }

    #[tokio::test]
    async fn the_time_to_wait_is_given_in_both_forms() {
        let error = ApiError::new(ErrorKind::TooManyRequests, "wait").retry_after(Duration::from_millis(1_200));
        for (format, code) in [(ErrorFormat::Json, "\"status\":429"), (ErrorFormat::Xml, "code=\"2000\"")] {
            let (head, text) = rendered(format, &error).await;
            assert_eq!(head.headers()["retry-after"], "2");
            assert!(text.contains(code), "{text}");
        }
    }

    #[test]
    fn every_error_has_a_code_of_the_range_of_its_kind() {
        for kind in ErrorKind::ALL {
            let range = match kind.status_and_text().0.as_u16() {
                500.. => 3000..4000,
                403 | 409 | 429 => 2000..3000,
                _ => 1000..2000,
            };
            assert!(range.contains(&batch_code(kind)), "{kind:?}");
        }
    }
}
