//! A recorded call: everything needed to replay it without the outside world.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{base64_bytes, recorded_limits::RecordedLimits};
use crate::{
    HttpFault, HttpResponse, KeyValueWrite, KeysWanted, Scope, World,
    calling::{
        conversation_facts::{ConversationAnswer, ConversationQuestion},
        file_part::{FileAnswer, FilePart},
        log_line::LogLine,
        randomness::CallSeed,
        started_requests::RequestRecord,
        written_file::FileRecord,
    },
};

/// A recorded call: input, host answers, output. As JSON it contains personal data, and placeholders for secrets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recording {
    pub world: World,
    pub plugin: String,
    pub version: Option<u32>,
    pub sha256: String,
    pub now: DateTime<Utc>,
    /// Seed of the random numbers in recordings of earlier releases. 0 if there is a `seed_key`.
    pub seed: u64,
    /// Key of the random numbers, in hexadecimal digits.
    #[serde(default, with = "seed_key", skip_serializing_if = "Option::is_none")]
    pub seed_key: Option<[u8; 32]>,
    pub config: String,
    /// Prefix of the idempotency keys.
    pub turn: String,
    pub allowed_hosts: Vec<String>,
    pub limits: RecordedLimits,
    /// The question: JSON text of the types in `wit/`.
    pub question: String,
    /// The plugin's host calls in order, with their answers.
    pub host_calls: Vec<HostCall>,
    /// The result as JSON text: the outcome, the answer or the failure in words, the writes and the log lines.
    pub result: String,
    /// Set if the host stopped the call for lack of time: the number of host calls, where a replay is stopped again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_after: Option<u32>,
}

impl Recording {
    pub(crate) fn call_seed(&self) -> CallSeed {
        self.seed_key.map_or(CallSeed::SplitMix(self.seed), CallSeed::Key)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum HostCall {
    KvGet {
        scope: Scope,
        key: String,
        answer: KvAnswer,
    },
    KvList {
        scope: Scope,
        wanted: KeysWanted,
        /// `None` = the call ended before the answer.
        keys: Option<Vec<String>>,
    },
    /// A read of the stored facts of the conversation.
    Conversation {
        question: ConversationQuestion,
        /// `None` = the call ended before the answer.
        answer: Option<ConversationAnswer>,
    },
    /// A read of a file of the customer.
    File {
        part: FilePart,
        /// `None` = the call ended before the answer.
        answer: Option<FileAnswer>,
    },
    Http {
        method: String,
        url: String,
        /// Headers as sent, with the idempotency key.
        headers: Vec<(String, String)>,
        #[serde(with = "base64_option")]
        body: Option<Vec<u8>>,
        answer: HttpAnswer,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KvAnswer {
    /// A value, in base64.
    Value(#[serde(with = "base64_bytes")] Vec<u8>),
    Absent,
    Unavailable(String),
    Unanswered,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HttpAnswer {
    Response(HttpResponse),
    Fault(HttpFault),
    Unanswered,
}

#[derive(Debug, Serialize)]
pub(crate) struct CallResult<'a, A> {
    pub(crate) outcome: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<&'a A>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) writes: Vec<WriteRecord<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) requests: Vec<RequestRecord<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) files: Vec<FileRecord<'a>>,
    #[serde(skip_serializing_if = "<[LogLine]>::is_empty")]
    pub(crate) logs: &'a [LogLine],
}

#[derive(Debug, Serialize)]
pub(crate) struct WriteRecord<'a> {
    scope: Scope,
    key: &'a str,
    #[serde(with = "base64_option")]
    value: Option<&'a [u8]>,
    #[serde(rename = "afterSeconds", skip_serializing_if = "Option::is_none")]
    after_seconds: Option<u32>,
}

impl<A: Serialize> CallResult<'_, A> {
    /// The JSON text. Serialisation cannot fail: there are no maps and no floating-point numbers that JSON lacks.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

pub(crate) fn writes(writes: &[KeyValueWrite]) -> Vec<WriteRecord<'_>> {
    writes
        .iter()
        .map(|write| WriteRecord {
            scope: write.scope,
            key: &write.key,
            value: write.value.as_deref(),
            after_seconds: write.after_seconds,
        })
        .collect()
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

mod seed_key {
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    pub(crate) fn serialize<S: Serializer>(key: &Option<[u8; 32]>, to: S) -> Result<S::Ok, S::Error> {
        match key {
            Some(key) => to.serialize_some(&hex::encode(key)),
            None => to.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Option<[u8; 32]>, D::Error> {
        let Some(digits) = Option::<String>::deserialize(from)? else { return Ok(None) };
        let mut key = [0; 32];
        hex::decode_to_slice(digits, &mut key).map_err(|fault| D::Error::custom(format!("not a key: {fault}")))?;
        Ok(Some(key))
    }
}
