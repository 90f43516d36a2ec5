//! Outgoing HTTP to the hosts that the activation allows.

use crate::bindings::chatbot::patchbay::plugin::http::{self, Error as Fault};
pub use crate::bindings::chatbot::patchbay::plugin::http::{Request, Response};
use crate::chatbot::Error;

/// Sends a GET request and waits for the response. Any status is a response.
pub fn get(url: impl Into<String>) -> Result<Response, Error> {
    send(&Request { method: "GET".into(), url: url.into(), headers: vec![], body: None, timeout_ms: None })
}

/// Posts a JSON text and waits for the response. Any status is a response.
pub fn post_json(url: impl Into<String>, body: impl Into<String>) -> Result<Response, Error> {
    let headers = vec![("content-type".into(), "application/json".into())];
    let body = Some(body.into().into_bytes());
    send(&Request { method: "POST".into(), url: url.into(), headers, body, timeout_ms: None })
}

/// Sends any request and waits for the response. Any status is a response.
pub fn send(request: &Request) -> Result<Response, Error> {
    Ok(http::send(request)?)
}

/// Sends a GET request after this call. The response comes as an event, within the deadline of 1 to 120 seconds.
/// Returns the id of the job, which the event names.
pub fn start_get(url: impl Into<String>, deadline_seconds: u32) -> Result<String, Error> {
    start(&Request {
        method: "GET".into(),
        url: url.into(),
        headers: vec![],
        body: None,
        timeout_ms: Some(deadline_seconds.saturating_mul(1_000)),
    })
}

/// Posts a JSON text after this call. The response comes as an event, within the deadline of 1 to 120 seconds. Returns the
/// id of the job, which the event names.
pub fn start_json(
    url: impl Into<String>,
    headers: &[(&str, &str)],
    body: impl Into<String>,
    deadline_seconds: u32,
) -> Result<String, Error> {
    let content_type = ("content-type".to_owned(), "application/json".to_owned());
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    start(&Request {
        method: "POST".into(),
        url: url.into(),
        headers: headers.chain([content_type]).collect(),
        body: Some(body.into().into_bytes()),
        timeout_ms: Some(deadline_seconds.saturating_mul(1_000)),
    })
}

/// Sends any request after this call. The response comes as an event. Returns the id of the job.
pub fn start(request: &Request) -> Result<String, Error> {
    Ok(http::start(request)?)
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::NotGranted(reason) => Self::new("http-not-granted", reason),
            Fault::InvalidRequest(reason) => Self::new("http-invalid-request", reason),
            Fault::TimedOut => Self::temporary("http-timed-out", "no response in time"),
            Fault::TooLarge(most) => Self::new("http-too-large", format!("the response is larger than {most} bytes")),
            Fault::Failed(reason) => Self::temporary("http-failed", reason),
        }
    }
}
