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
