//! The key-value store as one call sees it: a snapshot, with the call's own writes on top.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use async_trait::async_trait;
use plugin_bindings::chatbot::patchbay::plugin::kv::Error as GuestError;
pub use plugin_bindings::chatbot::patchbay::plugin::kv::Scope;

use super::limits::Limits;

/// Longest key in bytes.
const KEY_BYTES: usize = 128;

/// The stored values that a call may read. The caller knows the client, the plugin and the participant.
#[async_trait]
pub trait KeyValueSnapshot: Send + Sync {
    /// The value of a key. Asked at most once per key and call.
    ///
    /// # Errors
    /// When the store cannot be read; the call then ends with [`crate::CallError::KeyValues`].
    async fn get(&self, scope: Scope, key: &str) -> Result<Option<Vec<u8>>, KeyValueError>;
}

/// The store could not be read.
#[derive(Debug, thiserror::Error)]
#[error("the key-value store could not be read: {0}")]
pub struct KeyValueError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// A snapshot without values, for dry runs.
#[derive(Debug, Clone, Copy)]
pub struct NoKeyValues;

#[async_trait]
impl KeyValueSnapshot for NoKeyValues {
    async fn get(&self, _scope: Scope, _key: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        Ok(None)
    }
}

/// One write of a call, to be applied together with its actions or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyValueWrite {
    /// Whose value.
    pub scope: Scope,
    /// Key, 1 to 128 bytes without NUL.
    pub key: String,
    /// The new value; `None` removes the key.
    pub value: Option<Vec<u8>>,
}

type Key = (bool, String);

/// What one call has read and written.
#[derive(Default)]
pub(crate) struct KeyValues {
    snapshot: Option<Arc<dyn KeyValueSnapshot>>,
    read: HashMap<Key, Option<Vec<u8>>>,
    written: BTreeMap<Key, Option<Vec<u8>>>,
}

impl KeyValues {
    pub(crate) fn new(snapshot: Option<Arc<dyn KeyValueSnapshot>>) -> Self {
        Self { snapshot, ..Self::default() }
    }

    /// The outer error ends the call, the inner one is the guest's to deal with.
    pub(crate) async fn get(
        &mut self,
        scope: Scope,
        key: String,
    ) -> Result<Result<Option<Vec<u8>>, GuestError>, KeyValueError> {
        if !is_key(&key) {
            return Ok(Err(GuestError::InvalidKey));
        }
        let id = (scope == Scope::Client, key);
        if let Some(value) = self.written.get(&id).or_else(|| self.read.get(&id)) {
            return Ok(Ok(value.clone()));
        }
        let value = match &self.snapshot {
            Some(snapshot) => snapshot.get(scope, &id.1).await?,
            None => None,
        };
        self.read.insert(id, value.clone());
        Ok(Ok(value))
    }

    pub(crate) fn write(
        &mut self,
        scope: Scope,
        key: String,
        value: Option<Vec<u8>>,
        limits: &Limits,
    ) -> Result<(), GuestError> {
        if !is_key(&key) {
            return Err(GuestError::InvalidKey);
        }
        if value.as_ref().is_some_and(|value| value.len() > limits.value_bytes) {
            return Err(GuestError::ValueTooLarge(u32::try_from(limits.value_bytes).unwrap_or(u32::MAX)));
        }
        let id = (scope == Scope::Client, key);
        if self.written.len() >= limits.written_keys && !self.written.contains_key(&id) {
            return Err(GuestError::TooManyWrites(u32::try_from(limits.written_keys).unwrap_or(u32::MAX)));
        }
        self.written.insert(id, value);
        Ok(())
    }

    /// The writes in a fixed order: participant before client, then by key.
    pub(crate) fn into_writes(self) -> Vec<KeyValueWrite> {
        let write = |((of_client, key), value)| KeyValueWrite {
            scope: if of_client { Scope::Client } else { Scope::Participant },
            key,
            value,
        };
        self.written.into_iter().map(write).collect()
    }
}

fn is_key(key: &str) -> bool {
    (1..=KEY_BYTES).contains(&key.len()) && !key.contains('\0')
}
