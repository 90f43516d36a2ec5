use chrono::TimeDelta;
use plugin_host::{
    DryResult, Recording, World,
    chatbot::{Action, Event, Session},
    json::WorldQuestion,
};
use serde::Deserialize;
use serde_json::Value;

use super::error::RecordedTestError;
use crate::server::RecordedCall;

/// A recorded call with its question and result parsed.
pub(super) struct ReadCall<'a> {
    pub(super) recording: &'a Recording,
    pub(super) question: WorldQuestion,
    /// `None` if the call failed.
    pub(super) answer: Option<DryResult>,
    pub(super) outcome: String,
    pub(super) failure: Option<String>,
    /// Scope and key of each value that the call wrote.
    pub(super) written: Vec<(String, String)>,
    pub(super) started: Vec<StartedCall>,
}

/// A request of `http.start`, without its answer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StartedCall {
    pub(super) job: String,
    pub(super) method: String,
    pub(super) url: String,
    deadline_ms: u64,
}

impl StartedCall {
    pub(super) fn deadline(&self) -> TimeDelta {
        TimeDelta::milliseconds(i64::try_from(self.deadline_ms).unwrap_or(i64::MAX))
    }
}

#[derive(Deserialize)]
struct RecordedResult {
    outcome: String,
    answer: Option<Value>,
    failure: Option<String>,
    #[serde(default)]
    writes: Vec<RecordedWrite>,
    #[serde(default)]
    requests: Vec<StartedCall>,
}

#[derive(Deserialize)]
struct RecordedWrite {
    scope: Value,
    key: String,
}

impl<'a> ReadCall<'a> {
    pub(super) fn read(call: &'a RecordedCall) -> Result<Self, RecordedTestError> {
        let unreadable = |reason: String| RecordedTestError::Unreadable { id: call.id.clone(), reason };
        let recording = &call.recording;
        let world = recording.world;
        let question =
            WorldQuestion::recorded(world, &recording.question).map_err(|fault| unreadable(fault.to_string()))?;
        let result: RecordedResult =
            serde_json::from_str(&recording.result).map_err(|fault| unreadable(fault.to_string()))?;
        // A shaper may answer with nothing, which is recorded as null or left out.
        let given = match (&result.answer, result.outcome.as_str(), world) {
            (None, "answered", World::WebhookShaper) => Some(Value::Null),
            (answer, "answered", _) => answer.clone(),
            _ => None,
        };
        let answer = match given {
            Some(answer) => Some(
                DryResult::recorded(world, &answer)
                    .ok_or_else(|| unreadable("its answer is none of its world".to_owned()))?,
            ),
            None => None,
        };
        let scope = |scope: &Value| scope.as_str().unwrap_or_default().to_ascii_lowercase();
        Ok(Self {
            recording,
            question,
            answer,
            outcome: result.outcome,
            failure: result.failure,
            written: result.writes.iter().map(|write| (scope(&write.scope), write.key.clone())).collect(),
            started: result.requests,
        })
    }

    /// The configuration. A text that is not JSON, which no host writes, counts as empty.
    pub(super) fn config(&self) -> Value {
        serde_json::from_str(&self.recording.config).unwrap_or_else(|_| Value::Object(serde_json::Map::new()))
    }

    pub(super) fn turn(&self) -> Option<(&Event, &Session, &[Action])> {
        match (&self.question, &self.answer) {
            (WorldQuestion::Chatbot { event, session }, Some(DryResult::Actions(actions))) => {
                Some((event, session, actions))
            }
            _ => None,
        }
    }
}
