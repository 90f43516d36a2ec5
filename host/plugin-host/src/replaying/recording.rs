//! A recorded call: everything that is needed to make it again, without anything of the outside.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::recorded_limits::RecordedLimits;
use crate::{CallError, HttpFault, HttpResponse, KeyValueWrite, KeysWanted, Limit, LogLine, Scope, World};

/// A call as it was: what went in, what the host answered meanwhile, what came out. Timing is not part of it. As JSON it
/// holds whatever the plugin was told and said: personal data, and secrets from the configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recording {
    /// The world of the question.
    pub world: World,
    /// Name of the plugin.
    pub plugin: String,
    /// Version of an uploaded plugin.
    pub version: Option<u32>,
    /// Hash of the component, in hexadecimal.
    pub sha256: String,
    /// The moment that the plugin's clocks showed.
    pub now: DateTime<Utc>,
    /// Where the plugin's randomness began.
    pub seed: u64,
    /// The plugin's configuration, a JSON text.
    pub config: String,
    /// What the call was about: the beginning of the idempotency keys.
    pub turn: String,
    /// Hosts that the plugin was given.
    pub allowed_hosts: Vec<String>,
    /// Limits that were in force.
    pub limits: RecordedLimits,
    /// The question, the JSON text of the types in `wit/`.
    pub question: String,
    /// What the plugin asked of the outside, in order, and the answers.
    pub host_calls: Vec<HostCall>,
    /// What came out, a JSON text: the outcome, the answer or the failure in words, the writes and the log lines.
    pub result: String,
    /// Set when the host stopped the call for lack of time: how many host functions the plugin had called by then.
    /// Replayed on the same bytes, the call is stopped there again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_after: Option<u32>,
}

/// Something that a plugin asked of the outside, and what it was told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum HostCall {
    /// It read a key that it had not written itself.
    KvGet {
        /// Whose value.
        scope: Scope,
        /// The key.
        key: String,
        /// What the store said.
        answer: KvAnswer,
    },
    /// It asked for names of keys.
    KvList {
        /// Whose.
        scope: Scope,
        /// Which.
        wanted: KeysWanted,
        /// What the store said; `None` = the call ended before that.
        keys: Option<Vec<String>>,
    },
    /// It sent a request.
    Http {
        /// Method, in capitals.
        method: String,
        /// Address.
        url: String,
        /// Headers as they were sent, the idempotency key among them.
        headers: Vec<(String, String)>,
        /// Body, if any, in base64.
        #[serde(with = "base64_option")]
        body: Option<Vec<u8>>,
        /// What came back.
        answer: HttpAnswer,
    },
}

/// What the key-value store said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KvAnswer {
    /// A value, in base64.
    Value(#[serde(with = "base64_bytes")] Vec<u8>),
    /// There is no such key.
    Absent,
    /// The store could not be read.
    Unavailable(String),
    /// The call ended before it said anything.
    Unanswered,
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HttpAnswer {
    /// A response, whatever its status.
    Response(HttpResponse),
    /// None, for this reason.
    Fault(HttpFault),
    /// The call ended while the plugin waited.
    Unanswered,
}

/// What came out of a call, in the form in which two calls are compared.
#[derive(Debug, Serialize)]
pub(crate) struct CallResult<'a, A> {
    pub(crate) outcome: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<&'a A>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) writes: Vec<Write<'a>>,
    #[serde(skip_serializing_if = "<[LogLine]>::is_empty")]
    pub(crate) logs: &'a [LogLine],
}

/// A write as it is recorded.
#[derive(Debug, Serialize)]
pub(crate) struct Write<'a> {
    scope: Scope,
    key: &'a str,
    #[serde(with = "base64_option")]
    value: Option<&'a [u8]>,
    #[serde(rename = "afterSeconds", skip_serializing_if = "Option::is_none")]
    after_seconds: Option<u32>,
}

impl<A: Serialize> CallResult<'_, A> {
    /// The JSON text. What is written here has no maps and no floating-point numbers that JSON lacks.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The writes of a call as they are recorded.
pub(crate) fn writes(writes: &[KeyValueWrite]) -> Vec<Write<'_>> {
    writes
        .iter()
        .map(|write| Write {
            scope: write.scope,
            key: &write.key,
            value: write.value.as_deref(),
            after_seconds: write.after_seconds,
        })
        .collect()
}

/// The failure of a call in words that are the same every time it fails that way: without times.
pub(crate) fn failure(error: &CallError) -> String {
    match error {
        CallError::TimedOut { .. } => "the plugin did not answer in time".into(),
        // An error that asks for a retry is another one than the same error that does not.
        refused @ CallError::Refused { error, .. } if error.retry => format!("{refused} (worth a retry)"),
        other => other.to_string(),
    }
}

/// Whether the host stopped the call for lack of time, which nothing on the tape decides.
pub(crate) fn stopped_for_time(error: &CallError) -> bool {
    matches!(error, CallError::TimedOut { .. } | CallError::LimitExceeded { which: Limit::Cpu, .. })
}

pub(crate) mod base64_bytes {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(bytes))
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(from)?;
        STANDARD.decode(text).map_err(|fault| D::Error::custom(format!("not base64: {fault}")))
    }
}

mod base64_option {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    pub(crate) fn serialize<B: AsRef<[u8]>, S: Serializer>(bytes: &Option<B>, to: S) -> Result<S::Ok, S::Error> {
        match bytes {
            Some(bytes) => to.serialize_some(&STANDARD.encode(bytes)),
            None => to.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Option<Vec<u8>>, D::Error> {
        let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
        STANDARD.decode(text).map(Some).map_err(|fault| D::Error::custom(format!("not base64: {fault}")))
    }
}
