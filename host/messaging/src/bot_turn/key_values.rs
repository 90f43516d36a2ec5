//! The key-values that one call reads, with the versions that it saw.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use domain::ids::{ClientId, ParticipantId};
use plugin_host::{KeyValueError, KeyValueSnapshot, Scope};
use storage::{PgPool, chatbot_values, chatbot_values::Key};

/// Reads from the database when the plugin asks, and remembers the version of everything that was read. Reads of
/// different keys may see different moments; that every version is still the same when the answer takes effect makes
/// them one moment after all.
pub(super) struct Snapshot {
    db: PgPool,
    client: ClientId,
    plugin: String,
    participant: ParticipantId,
    reads: Mutex<BTreeMap<Key, Option<i64>>>,
}

impl Snapshot {
    pub(super) fn new(db: PgPool, client: ClientId, plugin: &str, participant: ParticipantId) -> Self {
        Self { db, client, plugin: plugin.to_owned(), participant, reads: Mutex::default() }
    }

    /// What was read: keys with their versions, `None` for those that were not there.
    pub(super) fn reads(&self) -> Vec<(Key, Option<i64>)> {
        let reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        reads.iter().map(|(key, version)| (key.clone(), *version)).collect()
    }
}

/// A plugin's key as it is stored.
pub(super) fn stored_key(scope: Scope, participant: ParticipantId, name: &str) -> Key {
    Key { participant: (scope == Scope::Participant).then_some(participant), name: name.to_owned() }
}

#[async_trait]
impl KeyValueSnapshot for Snapshot {
    async fn get(&self, scope: Scope, key: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        let key = stored_key(scope, self.participant, key);
        let unreadable = |error: storage::Error| KeyValueError(Box::new(error));
        let mut db = self.db.acquire().await.map_err(|error| unreadable(error.into()))?;
        let value = chatbot_values::read(&mut db, self.client, &self.plugin, &key).await.map_err(unreadable)?;
        let version = value.as_ref().map(|value| value.version);
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).insert(key, version);
        Ok(value.map(|value| value.bytes))
    }
}
