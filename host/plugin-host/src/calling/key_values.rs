//! The key-value store of one call: a snapshot plus the call's own writes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use async_trait::async_trait;
use plugin_bindings::patchbay::plugin::kv::Error as GuestError;
pub use plugin_bindings::patchbay::plugin::kv::Scope;
use serde::{Deserialize, Serialize};

use super::conversation_facts::{ConversationAnswer, ConversationQuestion};
use super::file_part::{FileAnswer, FilePart};
use super::limits::CallLimits;

pub(super) const KEY_BYTES: usize = 128;
const MOST_LISTED: u32 = 100;
/// Longest lifetime of an expiring value: 366 days.
const LONGEST_SECONDS: u32 = 366 * 24 * 3600;

/// The stored values that a call may read: key-values, facts of the conversation and files of the customer. The
/// implementation knows the client, the plugin and the participant.
#[async_trait]
pub trait KeyValueSnapshot: Send + Sync {
    async fn get(&self, scope: Scope, key: &str) -> Result<Option<Vec<u8>>, KeyValueError>;

    /// Names of keys, in byte order.
    async fn list(&self, scope: Scope, wanted: &KeysWanted) -> Result<Vec<String>, KeyValueError>;

    /// Facts of the conversation. Without a conversation there are none.
    async fn conversation(&self, question: ConversationQuestion) -> Result<ConversationAnswer, KeyValueError> {
        Ok(ConversationAnswer::nothing(question))
    }

    /// A part of a file of the customer. Without a conversation there is none.
    async fn read_file(&self, _part: &FilePart) -> Result<FileAnswer, KeyValueError> {
        Ok(FileAnswer::NotFound)
    }

    /// A fault of the host that the plugin heard of as `unavailable`. If the call fails after that, the plugin is not to blame.
    fn fault(&self) -> Option<KeyValueError> {
        None
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeysWanted {
    pub prefix: String,
    /// The names come after this one in byte order.
    pub after: Option<String>,
    pub most: u32,
}

impl KeysWanted {
    pub fn includes(&self, key: &str) -> bool {
        key.starts_with(&self.prefix) && self.after.as_deref().is_none_or(|after| key > after)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the stored values could not be read: {0}")]
pub struct KeyValueError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

#[derive(Debug, Clone, Copy)]
pub struct NoKeyValues;

#[async_trait]
impl KeyValueSnapshot for NoKeyValues {
    async fn get(&self, _scope: Scope, _key: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        Ok(None)
    }

    async fn list(&self, _scope: Scope, _wanted: &KeysWanted) -> Result<Vec<String>, KeyValueError> {
        Ok(Vec::new())
    }
}

/// One write of a call. It is applied together with the call's actions or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyValueWrite {
    pub scope: Scope,
    pub key: String,
    pub value: Option<Vec<u8>>,
    /// Lifetime in seconds; `None` = unlimited.
    pub after_seconds: Option<u32>,
}

type Key = (bool, String);

pub(crate) type WrittenValue = (Option<Vec<u8>>, Option<u32>);

#[derive(Default)]
pub(crate) struct KeyValues {
    snapshot: Option<Arc<dyn KeyValueSnapshot>>,
    read: HashMap<Key, Option<Vec<u8>>>,
    written: BTreeMap<Key, WrittenValue>,
    held: usize,
}

impl KeyValues {
    pub(crate) fn new(snapshot: Option<Arc<dyn KeyValueSnapshot>>) -> Self {
        Self { snapshot, ..Self::default() }
    }

    pub(crate) fn held_bytes(&self) -> usize {
        self.held
    }

    /// The outer error ends the call. The inner error goes to the guest.
    pub(crate) async fn get(
        &mut self,
        scope: Scope,
        key: String,
    ) -> Result<Result<Option<Vec<u8>>, GuestError>, KeyValueError> {
        if !is_key(&key) {
            return Ok(Err(GuestError::InvalidKey));
        }
        let id = (scope == Scope::Client, key);
        if let Some(value) = self.written.get(&id).map(|(value, _)| value).or_else(|| self.read.get(&id)) {
            return Ok(Ok(value.clone()));
        }
        let value = match &self.snapshot {
            Some(snapshot) => snapshot.get(scope, &id.1).await?,
            None => None,
        };
        self.held += bytes(&id.1, value.as_deref());
        self.read.insert(id, value.clone());
        Ok(Ok(value))
    }

    /// Names of keys. The outer error ends the call. The inner error goes to the guest.
    pub(crate) async fn list(
        &mut self,
        scope: Scope,
        wanted: KeysWanted,
    ) -> Result<Result<Vec<String>, GuestError>, KeyValueError> {
        let is_name = |text: &str| text.is_empty() || is_key(text);
        let fits = is_name(&wanted.prefix) && wanted.after.as_deref().is_none_or(is_name);
        if !fits {
            return Ok(Err(GuestError::InvalidKey));
        }
        let most = wanted.most.min(MOST_LISTED);
        let of_scope = |of_client: bool| of_client == (scope == Scope::Client);
        let own: Vec<(&String, bool)> = self
            .written
            .iter()
            .filter(|((of_client, key), _)| of_scope(*of_client) && wanted.includes(key))
            .map(|((_, key), (value, _))| (key, value.is_some()))
            .collect();
        // The call itself may have removed as many of them.
        let asked = KeysWanted { most: most.saturating_add(u32::try_from(own.len()).unwrap_or(u32::MAX)), ..wanted };
        let stored = match &self.snapshot {
            Some(snapshot) => snapshot.list(scope, &asked).await?,
            None => Vec::new(),
        };
        let mut keys: BTreeSet<String> = stored.into_iter().collect();
        for (key, is_set) in own {
            match is_set {
                true => keys.insert(key.clone()),
                false => keys.remove(key),
            };
        }
        Ok(Ok(keys.into_iter().take(usize::try_from(most).unwrap_or(usize::MAX)).collect()))
    }

    pub(crate) async fn conversation(
        &self,
        question: ConversationQuestion,
    ) -> Result<ConversationAnswer, KeyValueError> {
        match &self.snapshot {
            Some(snapshot) => snapshot.conversation(question).await,
            None => Ok(ConversationAnswer::nothing(question)),
        }
    }

    pub(crate) async fn read_file(&self, part: &FilePart) -> Result<FileAnswer, KeyValueError> {
        match &self.snapshot {
            Some(snapshot) => snapshot.read_file(part).await,
            None => Ok(FileAnswer::NotFound),
        }
    }

    pub(crate) fn write(
        &mut self,
        scope: Scope,
        key: String,
        (value, after_seconds): WrittenValue,
        limits: &CallLimits,
    ) -> Result<(), GuestError> {
        if !is_key(&key) {
            return Err(GuestError::InvalidKey);
        }
        if after_seconds.is_some_and(|seconds| !(1..=LONGEST_SECONDS).contains(&seconds)) {
            return Err(GuestError::Other(format!("a value expires after 1 to {LONGEST_SECONDS} seconds")));
        }
        if value.as_ref().is_some_and(|value| value.len() > limits.value_bytes) {
            return Err(GuestError::ValueTooLarge(u32::try_from(limits.value_bytes).unwrap_or(u32::MAX)));
        }
        // The flag distinguishes keys of the client from those of the participant.
        let id = (scope == Scope::Client, key);
        if self.written.len() >= limits.written_keys && !self.written.contains_key(&id) {
            return Err(GuestError::TooManyWrites(u32::try_from(limits.written_keys).unwrap_or(u32::MAX)));
        }
        let key_bytes = id.1.len();
        self.held += bytes(&id.1, value.as_deref());
        if let Some((before, _)) = self.written.insert(id, (value, after_seconds)) {
            self.held -= key_bytes + before.map_or(0, |before| before.len());
        }
        Ok(())
    }

    pub(crate) fn into_writes(self) -> Vec<KeyValueWrite> {
        let write = |((of_client, key), (value, after_seconds))| KeyValueWrite {
            scope: if of_client { Scope::Client } else { Scope::Participant },
            key,
            value,
            after_seconds,
        };
        self.written.into_iter().map(write).collect()
    }
}

fn bytes(key: &str, value: Option<&[u8]>) -> usize {
    key.len() + value.map_or(0, <[u8]>::len)
}

fn is_key(key: &str) -> bool {
    (1..=KEY_BYTES).contains(&key.len()) && !key.contains('\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_sees_its_reads_and_its_last_writes() {
        let (mut values, limits) = (KeyValues::new(Some(Arc::new(NoKeyValues))), CallLimits::default());
        for _ in 0..2 {
            assert_eq!(values.get(Scope::Client, "read".into()).await.unwrap().unwrap(), None);
            assert_eq!(values.held_bytes(), 4, "a key that is not there is held too, once");
        }
        for (value, held) in [(Some(vec![0; 100]), 107), (Some(vec![0; 10]), 17), (None, 7)] {
            values.write(Scope::Client, "key".into(), (value, None), &limits).unwrap();
            assert_eq!(values.held_bytes(), held);
        }
    }
}
