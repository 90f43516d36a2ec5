//! Errors of requests to a server, with their cures.

use std::fmt::Write as _;

use channels::http::{ClientBuildError, PostError};
use serde::Deserialize;

use super::request_path::RequestPath;

#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error(
        "PATCHBAY_API_KEY is not set: set it to the key of an ADMIN or DEVELOPER user, which `patchbay client create` and \
         `patchbay user create` print; a server with demo data printed one at its first start"
    )]
    NoKey,
    #[error("PATCHBAY_API_KEY has characters that no key has; copy it again, without spaces or quotes")]
    BadKey,
    #[error(
        "PATCHBAY_URL is `{0}`, which is not an address; write it like https://patchbay.example or http://127.0.0.1:8080"
    )]
    NoAddress(String),
    #[error("{0}")]
    Name(String),
    #[error("`{typed}` is not one of your numbers; {}", numbers(known))]
    UnknownNumber { typed: String, known: Vec<String> },
    #[error(transparent)]
    Client(#[from] ClientBuildError),
    #[error(
        "no server answers at {address} ({source}); is it running? PATCHBAY_URL is its address, `patchbay serve` starts one"
    )]
    NoAnswer {
        address: String,
        #[source]
        source: PostError,
    },
    /// 401.
    #[error(
        "the server at {0} does not know this API key; set PATCHBAY_API_KEY to a present key of a user of this server"
    )]
    UnknownKey(String),
    /// 403.
    #[error(
        "this API key has no permission for this; use the key of an ADMIN or DEVELOPER user (`patchbay user create --role DEVELOPER`)"
    )]
    NotAllowed,
    /// 404, if only the plugin can be missing.
    #[error(
        "there is no plugin `{plugin}` at {address}; `patchbay plugin list` has the names, `patchbay plugin push` uploads a plugin, and each key sees only those of its own client"
    )]
    NoPlugin { plugin: String, address: String },
    /// 404.
    #[error(
        "the server at {address} does not have that{}; `patchbay plugin push` uploads a plugin, and each key sees only those of its own client",
        detail(message)
    )]
    NotThere { address: String, message: String },
    /// 400, 409 and similar, with the server's own message.
    #[error("{0}")]
    Refused(String),
    /// 413.
    #[error(
        "the component is too large for this server ({0}); leave out debug information, or ask its operator to raise `limits.plugin_bytes`"
    )]
    TooLarge(String),
    /// 429, with the server's own message, which says when to try again.
    #[error("the server does not accept it now: {0}")]
    NotNow(String),
    #[error("the server is busy ({0}); try again in a few seconds")]
    Busy(String),
    /// 5xx.
    #[error(
        "the server failed with status {status}{}; its operator finds the reason in its log under that request",
        request(request_id)
    )]
    Failed { status: u16, request_id: String },
    #[error("the answer of the server cannot be read ({0}); is PATCHBAY_URL a Patchbay server of this version?")]
    Strange(String),
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable {
        path: std::path::PathBuf,
        #[source]
        source: std::io::Error,
    },
}

fn numbers(known: &[String]) -> String {
    match known {
        [] => "your client has no number yet".to_owned(),
        known => format!("there are: {}", known.join(", ")),
    }
}

fn detail(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(" ({message})") }
}

fn request(id: &str) -> String {
    if id.is_empty() { String::new() } else { format!(" (request {id})") }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Body {
    error: String,
    message: Option<String>,
    request_id: Option<String>,
    details: Option<Vec<Detail>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Detail {
    field: Option<String>,
    message: String,
}

impl ServerError {
    pub(super) fn of_answer(status: u16, body: &[u8], address: &str, path: RequestPath<'_>) -> Self {
        let Ok(body) = serde_json::from_slice::<Body>(body) else {
            return Self::Strange(format!("status {status}, and no error of the API"));
        };
        match path.missing_plugin() {
            Some(plugin) if status == 404 => Self::NoPlugin { plugin: plugin.to_owned(), address: address.to_owned() },
            _ => Self::of_body(status, body, address, path),
        }
    }

    /// From an answer that contains an earlier error answer.
    pub(super) fn of_refusal(status: u16, body: &serde_json::Value, address: &str) -> Self {
        Self::of_body(status, Body::deserialize(body).unwrap_or_default(), address, RequestPath::of(""))
    }

    fn of_body(status: u16, body: Body, address: &str, path: RequestPath<'_>) -> Self {
        let message = body.message.clone().filter(|message| !message.is_empty()).unwrap_or(body.error);
        match status {
            401 => Self::UnknownKey(address.to_owned()),
            403 => Self::NotAllowed,
            404 => Self::NotThere { address: address.to_owned(), message },
            413 => Self::TooLarge(message),
            429 => Self::NotNow(message),
            503 => Self::Busy(message),
            500..=599 => Self::Failed { status, request_id: body.request_id.unwrap_or_default() },
            _ => Self::Refused(refusal(&message, &body.details.unwrap_or_default(), path)),
        }
    }
}

/// The message, unless it only repeats the first detail, and the details.
fn refusal(message: &str, details: &[Detail], path: RequestPath<'_>) -> String {
    let is_repeated = details.first().is_some_and(|first| message.contains(&first.message));
    let mut text = match is_repeated {
        true => "the server refused it:".to_owned(),
        false => format!("the server refused it: {message}"),
    };
    for Detail { field, message } in details {
        let message = message.replace("`\"mode\": \"canary\"`", "`--mode canary`");
        let _ = match field.as_deref().filter(|field| !field.is_empty()) {
            Some(field) => write!(text, "\n  - {}: {message}", path.option(field)),
            None => write!(text, "\n  - {message}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(status: u16, body: &str) -> String {
        said_of("/other", status, body)
    }

    fn said_of(path: &str, status: u16, body: &str) -> String {
        ServerError::of_answer(status, body.as_bytes(), "http://127.0.0.1:8080", RequestPath::of(path)).to_string()
    }

    #[test]
    fn a_fault_is_told_once_and_with_the_option_of_the_command() {
        let body = r#"{"error":"Bad Request","message":"`percent` applies only to a canary: add `\"mode\": \"canary\"`",
            "details":[{"field":"percent","message":"applies only to a canary: add `\"mode\": \"canary\"`"}]}"#;
        assert_eq!(
            said_of("/plugin-service/api/v1/plugins/bot/activate", 400, body),
            "the server refused it:\n  - --percent: applies only to a canary: add `--mode canary`"
        );
        let missing = said_of("/plugin-service/api/v1/plugins/bot/invocations?page=0", 404, body);
        assert!(missing.starts_with("there is no plugin `bot` at http://127.0.0.1:8080"), "{missing}");
        assert!(missing.contains("patchbay plugin list") && missing.contains("patchbay plugin push"), "{missing}");
    }

    #[test]
    fn each_refusal_names_its_cure() {
        let body = r#"{"error":"Bad Request","message":"The plugin cannot be used","requestId":"r1",
            "details":[{"field":"component","message":"import `wasi:http/types` is not granted"}]}"#;
        let refused = said(400, body);
        assert_eq!(
            refused,
            "the server refused it: The plugin cannot be used\n  - component: import `wasi:http/types` is not granted"
        );
        assert!(said(401, body).contains("PATCHBAY_API_KEY"));
        assert!(said(403, body).contains("DEVELOPER"));
        assert!(said(404, body).contains("patchbay plugin push"));
        assert!(said(413, body).contains("too large"));
        let later = said(429, r#"{"error":"Too many requests","message":"try again in 300 s"}"#);
        assert_eq!(later, "the server does not accept it now: try again in 300 s");
        assert!(said(503, body).contains("in a few seconds"));
        assert!(said(500, body).contains("request r1"));
        assert!(said(404, "<html>").contains("is PATCHBAY_URL a Patchbay server"));
    }
}
