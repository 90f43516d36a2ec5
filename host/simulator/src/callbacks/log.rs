//! The newest attempts to post callbacks, for the page.

use std::collections::VecDeque;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::event::{MESSENGER_FIELD, SimulatedChange};
use crate::clock;

const KEPT: usize = 40;

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallbackAttempt {
    time: DateTime<Utc>,
    /// `message`, `status delivered` and the like, one per event of the body.
    events: Vec<String>,
    /// HTTP status of the answer. Without an answer it is absent.
    status: Option<u16>,
}

#[derive(Debug, Default)]
pub(crate) struct CallbackLog {
    newest_first: VecDeque<CallbackAttempt>,
}

impl CallbackLog {
    pub(super) fn add(&mut self, events: &[SimulatedChange], status: Option<u16>) {
        let events = events.iter().map(label).collect();
        self.newest_first.push_front(CallbackAttempt { time: clock::now(), events, status });
        self.newest_first.truncate(KEPT);
    }

    pub(crate) fn newest(&self) -> Vec<CallbackAttempt> {
        self.newest_first.iter().cloned().collect()
    }
}

fn label(event: &SimulatedChange) -> String {
    let has = |name: &str| event.value.get(name).is_some();
    if event.field == MESSENGER_FIELD {
        let kinds = ["message", "delivery", "read", "postback", "reaction"];
        return kinds.into_iter().find(|kind| has(kind)).unwrap_or("event").to_owned();
    }
    let status = event.value.pointer("/statuses/0/status").and_then(serde_json::Value::as_str);
    match status {
        Some(status) => format!("status {status}"),
        None if has("messages") => "message".to_owned(),
        None => event.field.clone(),
    }
}
