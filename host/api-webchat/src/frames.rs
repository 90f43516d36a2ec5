//! The frames that widgets send on the socket, and the answers to them.

use std::collections::BTreeMap;

use api_core::error::ApiError;
use axum::extract::ws::Message;
use domain::{
    body::{self, FieldFault},
    web_chat::{FormAnswer, PostKey},
};
use inbound::web_chat::{VisitorPost, VisitorProgress};
use serde::Deserialize;
use serde_json::{Value, json};

use super::limits::HISTORY_COST;

#[derive(Debug)]
pub(super) enum WidgetFrame {
    /// The first frame: the visitor, and the last message that the widget has.
    Hello { token: String, chat: Option<String>, after: Option<i64> },
    /// A text message.
    Text { key: String, text: String },
    /// A file that was uploaded.
    File { key: String, file: uuid::Uuid, caption: Option<String> },
    /// A tap on a choice of a message.
    Tap { key: String, message: uuid::Uuid, choice: String },
    /// A location.
    Place { key: String, latitude: f64, longitude: f64 },
    /// Answers to the form before the chat.
    Form { key: String, answers: BTreeMap<String, FormAnswer> },
    /// The last messages that were shown and read.
    Progress { delivered: i64, read: i64 },
    /// A request for older messages.
    History { before: i64 },
    /// The visitor is typing.
    Typing,
    /// A sign of life.
    Ping,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Kind {
    Hello,
    Text,
    File,
    Tap,
    Place,
    Form,
    Progress,
    History,
    Typing,
    Ping,
}

#[derive(Debug, Deserialize)]
struct Written {
    #[serde(rename = "type", deserialize_with = "body::word")]
    kind: Kind,
    key: Option<String>,
    token: Option<String>,
    chat: Option<String>,
    after: Option<i64>,
    text: Option<String>,
    file: Option<String>,
    caption: Option<String>,
    message: Option<String>,
    choice: Option<String>,
    latitude: Option<f64>,
    longitude: Option<f64>,
    answers: Option<BTreeMap<String, FormAnswer>>,
    delivered: Option<i64>,
    read: Option<i64>,
    before: Option<i64>,
}

pub(super) enum WidgetAction {
    /// Store it under this key.
    Post(PostKey, VisitorPost),
    Progress(VisitorProgress),
    History(i64),
    Ping,
    Typing,
}

pub(super) enum SocketMessage {
    Closed,
    NotText,
    Probe,
    /// The other end has read everything up to the probe with this mark.
    Mark(Vec<u8>),
    /// A frame, or its fault. Answers name its key, if it has one.
    Frame(Option<String>, Result<WidgetAction, FieldFault>),
}

impl SocketMessage {
    pub(super) fn of(message: Message) -> Self {
        match message {
            Message::Text(text) => {
                let key = serde_json::from_str::<Keyed>(&text).ok().and_then(|keyed| keyed.key);
                Self::Frame(key, read(&text).and_then(WidgetFrame::into_action))
            }
            Message::Ping(_) => Self::Probe,
            Message::Pong(mark) => Self::Mark(mark.to_vec()),
            Message::Close(_) => Self::Closed,
            Message::Binary(_) => Self::NotText,
        }
    }

    pub(super) fn cost(&self) -> u32 {
        match self {
            // Marks are answers to our own probes.
            Self::Closed | Self::NotText | Self::Mark(_) => 0,
            Self::Frame(_, Ok(WidgetAction::History(_))) => HISTORY_COST,
            Self::Frame(..) | Self::Probe => 1,
        }
    }
}

#[derive(Deserialize)]
struct Keyed {
    key: Option<String>,
}

pub(super) fn read(text: &str) -> Result<WidgetFrame, FieldFault> {
    let written: Written = body::parse(text.as_bytes())?;
    let key = || require("key", written.key.clone());
    Ok(match written.kind {
        Kind::Hello => {
            WidgetFrame::Hello { token: require("token", written.token)?, chat: written.chat, after: written.after }
        }
        Kind::Text => WidgetFrame::Text { key: key()?, text: require("text", written.text)? },
        Kind::File => WidgetFrame::File { key: key()?, file: id("file", written.file)?, caption: written.caption },
        Kind::Tap => WidgetFrame::Tap {
            key: key()?,
            message: id("message", written.message)?,
            choice: require("choice", written.choice)?,
        },
        Kind::Place => WidgetFrame::Place {
            key: key()?,
            latitude: require("latitude", written.latitude)?,
            longitude: require("longitude", written.longitude)?,
        },
        Kind::Form => WidgetFrame::Form { key: key()?, answers: require("answers", written.answers)? },
        Kind::Progress => WidgetFrame::Progress {
            delivered: require("delivered", written.delivered)?,
            read: require("read", written.read)?,
        },
        Kind::History => WidgetFrame::History { before: require("before", written.before)? },
        Kind::Typing => WidgetFrame::Typing,
        Kind::Ping => WidgetFrame::Ping,
    })
}

fn require<T>(field: &str, given: Option<T>) -> Result<T, FieldFault> {
    given.ok_or_else(|| FieldFault::new(field, "is required"))
}

fn id(field: &str, given: Option<String>) -> Result<uuid::Uuid, FieldFault> {
    require(field, given)?.parse().map_err(|_| FieldFault::new(field, "is no id"))
}

impl WidgetFrame {
    /// Returns the effect of a frame. A fault names its field.
    pub(super) fn into_action(self) -> Result<WidgetAction, FieldFault> {
        let (key, post) = match self {
            Self::Text { key, text } => (key, VisitorPost::Text(text)),
            Self::File { key, file, caption } => {
                (key, VisitorPost::File { file: file.into(), caption: caption.filter(|text| !text.trim().is_empty()) })
            }
            Self::Tap { key, message, choice } => (key, VisitorPost::Tap { message: message.into(), choice }),
            Self::Place { key, latitude, longitude } => (key, VisitorPost::Place { latitude, longitude }),
            Self::Form { key, answers } => (key, VisitorPost::Form(answers)),
            Self::Progress { delivered, read } => {
                return Ok(WidgetAction::Progress(VisitorProgress { delivered_up_to: delivered, read_up_to: read }));
            }
            Self::History { before } => return Ok(WidgetAction::History(before)),
            Self::Typing => return Ok(WidgetAction::Typing),
            Self::Ping => return Ok(WidgetAction::Ping),
            Self::Hello { .. } => {
                return Err(FieldFault::new("type", "hello must be the first frame, and is sent only once"));
            }
        };
        let wrong = || FieldFault::new("key", "must be 8 to 64 letters, digits, `-` and `_`");
        Ok(WidgetAction::Post(PostKey::parse(&key).ok_or_else(wrong)?, post))
    }
}

pub(super) fn accepted_frame(key: &PostKey, posted: inbound::web_chat::PostedMessage) -> Value {
    json!({ "type": "taken", "key": key.as_str(), "id": posted.id, "sequence": posted.sequence })
}

pub(super) fn refusal_frame(key: Option<&str>, error: &ApiError) -> Value {
    let (status, message, details, wait) = error.parts();
    json!({
        "type": "refused",
        "key": key,
        "status": status.as_u16(),
        "message": message,
        "details": details,
        "retryAfter": wait.map(|wait| wait.as_secs_f64().ceil()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_an_object_with_a_type_that_is_known() {
        assert!(matches!(
            read(r#"{"type":"hello","token":"t","after":3}"#),
            Ok(WidgetFrame::Hello { after: Some(3), .. })
        ));
        assert!(matches!(read(r#"{"type":"ping"}"#).unwrap().into_action(), Ok(WidgetAction::Ping)));
        for odd in [
            "",
            "[]",
            "{}",
            r#"{"type":"launch"}"#,
            r#"{"type":"text","key":"12345678"}"#,
            "{\"type\":\"text\",\"key\":\"12345678\",\"text\":\"\\u0000\"}",
        ] {
            assert!(read(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn a_fault_of_a_frame_names_its_field() {
        for (frame, field, said) in [
            (r#"{"type":"launch"}"#, "type", "`launch` is not an allowed value"),
            (r#"{"type":"text","key":"12345678"}"#, "text", "is required"),
            (r#"{"type":"text","text":"a"}"#, "key", "is required"),
            (r#"{"type":"tap","key":"12345678","message":"x","choice":"y"}"#, "message", "is no id"),
            (r#"{"type":"file","key":"12345678","file":"x"}"#, "file", "is no id"),
            (r#"{"type":"history","before":"x"}"#, "before", "expected a whole number"),
            (r#"{"type":"place","key":"12345678","latitude":"n","longitude":1}"#, "latitude", "expected a number"),
            (r#"{"type":"form","key":"12345678","answers":{"a":1}}"#, "answers.a", "expected a string"),
        ] {
            let fault = read(frame).unwrap_err();
            assert_eq!(fault.field, field, "{frame}");
            assert!(fault.message.contains(said), "{frame}: {}", fault.message);
        }
    }

    #[test]
    fn a_message_needs_a_key_that_can_be_one() {
        let said =
            |key: &str| read(&json!({ "type": "text", "key": key, "text": "hi" }).to_string()).unwrap().into_action();
        assert!(matches!(said("0190c7a2-7b1e"), Ok(WidgetAction::Post(..))));
        assert!(matches!(said("no key"), Err(fault) if fault.field == "key"));
    }
}
