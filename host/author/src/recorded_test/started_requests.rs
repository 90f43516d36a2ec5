//! The requests that recorded calls started with `http.start`, as prepared answers of a conversation.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use plugin_host::{
    HttpFault, HttpResponse,
    chatbot::{HttpError, HttpFinished, HttpOutcome},
};
use serde_json::Value;

use super::{
    call_result::{ReadCall, StartedCall},
    environment, moments,
};
use crate::local_run::time::format_span;

/// The ends of the started requests, on the clock of the conversation.
#[derive(Default)]
pub(super) struct StartedRequests {
    /// By job: the moment of the start and the deadline.
    open: BTreeMap<String, (DateTime<Utc>, TimeDelta)>,
    /// By job: the time until the answer, and the answer.
    ended: BTreeMap<String, (TimeDelta, Result<HttpResponse, HttpFault>)>,
}

impl StartedRequests {
    pub(super) fn start(&mut self, job: &str, at: DateTime<Utc>, deadline: TimeDelta) {
        self.open.insert(job.to_owned(), (at, deadline));
    }

    /// `None` if a conversation cannot repeat this end: its start was not recorded, or it came too late on the clock of
    /// the conversation, which moves by whole seconds. `before` is the moment of the step before.
    pub(super) fn end(&mut self, finished: &HttpFinished, before: DateTime<Utc>, at: DateTime<Utc>) -> Option<()> {
        let (began, deadline) = self.open.remove(&finished.job)?;
        let answer = answer(&finished.outcome);
        let after = match answer {
            Err(HttpFault::TimedOut) if before < began + deadline => (at - began).min(deadline),
            Err(HttpFault::TimedOut) => return None,
            _ => at - began,
        };
        if after > deadline {
            return None;
        }
        self.ended.insert(finished.job.clone(), (after, answer));
        Some(())
    }

    /// The prepared answers to the requests that a call started. A request without a recorded end runs out of time.
    pub(super) fn stubs(&self, call: &ReadCall<'_>) -> Vec<Value> {
        let stub = |started: &StartedCall| {
            let unanswered = (started.deadline(), Err(HttpFault::TimedOut));
            let (after, answer) = self.ended.get(&started.job).unwrap_or(&unanswered);
            let mut stub = environment::request(&started.method, &started.url);
            stub.insert("after".into(), format_span(*after).into());
            match answer {
                Ok(response) => environment::insert_response(&mut stub, response),
                Err(fault) => environment::insert_fault(&mut stub, fault),
            }
            Value::Object(stub)
        };
        call.started.iter().map(stub).collect()
    }
}

fn answer(outcome: &HttpOutcome) -> Result<HttpResponse, HttpFault> {
    match outcome {
        HttpOutcome::Response(reply) => {
            Ok(HttpResponse { status: reply.status, headers: reply.headers.clone(), body: reply.body.clone() })
        }
        HttpOutcome::Failed(HttpError::TimedOut) => Err(HttpFault::TimedOut),
        HttpOutcome::Failed(HttpError::TooLarge(_)) => Err(HttpFault::TooLarge),
        HttpOutcome::Failed(
            HttpError::NotGranted(reason) | HttpError::InvalidRequest(reason) | HttpError::Failed(reason),
        ) => Err(HttpFault::Failed(reason.clone())),
    }
}

/// The part of a state that every run has. Ids of jobs and moments differ from run to run, so a test cannot expect
/// them.
pub(super) fn repeatable(state: Value, jobs: &[String], recorded_at: DateTime<Utc>) -> Option<Value> {
    match state {
        Value::String(text) if jobs.iter().any(|job| text.contains(job.as_str())) => None,
        Value::Number(number) => {
            let is_moment =
                |number| moments::is_milliseconds(number, recorded_at) || moments::is_seconds(number, recorded_at);
            (!number.as_u64().is_some_and(is_moment)).then_some(Value::Number(number))
        }
        Value::Array(items) => {
            let items: Option<Vec<Value>> = items.into_iter().map(|item| repeatable(item, jobs, recorded_at)).collect();
            items.map(Value::Array)
        }
        Value::Object(fields) => {
            let was_empty = fields.is_empty();
            let kept: serde_json::Map<String, Value> = fields
                .into_iter()
                .filter_map(|(name, value)| Some((name, repeatable(value, jobs, recorded_at)?)))
                .collect();
            (was_empty || !kept.is_empty()).then_some(Value::Object(kept))
        }
        other => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const RECORDED: i64 = 1_795_983_575;

    fn kept(state: Value) -> Option<Value> {
        repeatable(state, &["turn-1".to_owned()], DateTime::from_timestamp(RECORDED, 0).unwrap())
    }

    #[test]
    fn ids_of_jobs_and_moments_are_left_out_of_a_state() {
        let state = json!({"step": "asked", "job": "turn-1", "since": RECORDED * 1_000, "order": 20_020_017});
        assert_eq!(kept(state), Some(json!({"step": "asked", "order": 20_020_017})));
        assert_eq!(kept(json!("waits for turn-1")), None);
        assert_eq!(kept(json!({"at": RECORDED})), None);
        assert_eq!(kept(json!({"seen": [1, RECORDED], "left": [1, 2]})), Some(json!({"left": [1, 2]})));
        assert_eq!(kept(json!({})), Some(json!({})));
    }
}
