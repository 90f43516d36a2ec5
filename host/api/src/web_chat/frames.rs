//! What widgets say on the socket, and what is answered.

use std::collections::BTreeMap;

use domain::{
    body::{self, FieldFault},
    web_chat::PostKey,
};
use inbound::web_chat::{Post, Progress};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::ApiError;

/// A frame of a widget.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum Frame {
    /// The first one: who it is, and how far it has read.
    Hello {
        token: String,
        #[serde(default)]
        chat: Option<String>,
        #[serde(default)]
        after: Option<i64>,
    },
    /// Words.
    Text { key: String, text: String },
    /// A file that was uploaded.
    File {
        key: String,
        file: uuid::Uuid,
        #[serde(default)]
        caption: Option<String>,
    },
    /// A tap on something to choose.
    Tap { key: String, message: uuid::Uuid, choice: String },
    /// A place.
    Place { key: String, latitude: f64, longitude: f64 },
    /// Answers to the form before the chat.
    Form { key: String, answers: BTreeMap<String, String> },
    /// How far it has come.
    Progress { delivered: i64, read: i64 },
    /// Older messages.
    History { before: i64 },
    /// The visitor writes.
    Typing {},
    /// Nothing; it is still there.
    Ping {},
}

/// What is to be done about a frame.
pub(super) enum Said {
    /// Store it under this key.
    Post(PostKey, Post),
    /// Note it.
    Progress(Progress),
    /// Show older messages.
    History(i64),
    /// Nothing is to be answered but that it was heard.
    Ping,
    /// The visitor writes.
    Typing,
}

/// Reads a frame; a fault names its field.
pub(super) fn read(text: &str) -> Result<Frame, FieldFault> {
    body::parse(text.as_bytes())
}

impl Frame {
    /// What is to be done; an error names the key, where there is one.
    pub(super) fn said(self) -> Result<Said, FieldFault> {
        let (key, post) = match self {
            Self::Text { key, text } => (key, Post::Text(text)),
            Self::File { key, file, caption } => {
                (key, Post::File { file: file.into(), caption: caption.filter(|text| !text.trim().is_empty()) })
            }
            Self::Tap { key, message, choice } => (key, Post::Tap { message: message.into(), choice }),
            Self::Place { key, latitude, longitude } => (key, Post::Place { latitude, longitude }),
            Self::Form { key, answers } => (key, Post::Form(answers)),
            Self::Progress { delivered, read } => {
                return Ok(Said::Progress(Progress { delivered_up_to: delivered, read_up_to: read }));
            }
            Self::History { before } => return Ok(Said::History(before)),
            Self::Typing {} => return Ok(Said::Typing),
            Self::Ping {} => return Ok(Said::Ping),
            Self::Hello { .. } => return Err(FieldFault::new("type", "hello is the first frame and comes once")),
        };
        let wrong = || FieldFault::new("key", "must be 8 to 64 letters, digits, `-` and `_`");
        Ok(Said::Post(PostKey::parse(&key).ok_or_else(wrong)?, post))
    }
}

/// Tells that a message is on disk.
pub(super) fn taken(key: &PostKey, posted: inbound::web_chat::Posted) -> Value {
    json!({ "type": "taken", "key": key.as_str(), "id": posted.id, "sequence": posted.sequence })
}

/// Tells that nothing was stored, and why.
pub(super) fn refused(key: Option<&str>, error: &ApiError) -> Value {
    let (status, message, details, wait) = error.told();
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
        assert!(matches!(read(r#"{"type":"hello","token":"t","after":3}"#), Ok(Frame::Hello { after: Some(3), .. })));
        assert!(matches!(read(r#"{"type":"ping"}"#).unwrap().said(), Ok(Said::Ping)));
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
    fn a_message_needs_a_key_that_can_be_one() {
        let said = |key: &str| read(&json!({ "type": "text", "key": key, "text": "hi" }).to_string()).unwrap().said();
        assert!(matches!(said("0190c7a2-7b1e"), Ok(Said::Post(..))));
        assert!(matches!(said("no key"), Err(fault) if fault.field == "key"));
    }
}
