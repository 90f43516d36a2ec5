//! The key-values of a call: what it reads, with the versions that it saw, and what it writes, under the quotas.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use domain::ids::{ClientId, ParticipantId};
use plugin_host::{KeyValueError, KeyValueSnapshot, KeyValueWrite, Scope};
use storage::{
    PgConnection, PgPool,
    chat::chatbot_values::{self, Key},
};

use base::{KeyValueQuota, Result};

/// Reads from the database when the plugin asks, and remembers the version of everything that was read. Reads of
/// different keys may see different moments; that every version is still the same when the answer takes effect makes
/// them one moment after all.
pub struct Snapshot {
    db: PgPool,
    client: ClientId,
    plugin: String,
    participant: ParticipantId,
    reads: Mutex<BTreeMap<Key, Option<i64>>>,
}

impl Snapshot {
    pub fn new(db: PgPool, client: ClientId, plugin: &str, participant: ParticipantId) -> Self {
        Self { db, client, plugin: plugin.to_owned(), participant, reads: Mutex::default() }
    }

    /// What was read: keys with their versions, `None` for those that were not there.
    pub fn reads(&self) -> Reads {
        let reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        reads.iter().map(|(key, version)| (key.clone(), *version)).collect()
    }
}

/// Keys that were read, with their versions; `None` for those that were not there.
pub type Reads = Vec<(Key, Option<i64>)>;

/// A plugin's key as it is stored.
fn stored_key(scope: Scope, participant: ParticipantId, name: &str) -> Key {
    Key { participant: (scope == Scope::Participant).then_some(participant), name: name.to_owned() }
}

#[async_trait]
impl KeyValueSnapshot for Snapshot {
    async fn get(&self, scope: Scope, key: &str) -> std::result::Result<Option<Vec<u8>>, KeyValueError> {
        let key = stored_key(scope, self.participant, key);
        let unreadable = |error: storage::Error| KeyValueError(Box::new(error));
        let mut db = self.db.acquire().await.map_err(|error| unreadable(error.into()))?;
        let value = chatbot_values::read(&mut db, self.client, &self.plugin, &key).await.map_err(unreadable)?;
        let version = value.as_ref().map(|value| value.version);
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).insert(key, version);
        Ok(value.map(|value| value.bytes))
    }
}

/// What became of the writes of a call. Unless they were written, the caller's transaction must be rolled back.
#[derive(Debug, PartialEq, Eq)]
pub enum Writing {
    /// They are part of the transaction.
    Written,
    /// A key that was read has changed meanwhile: the call is to be made again.
    ReadsChanged,
    /// The stores are full; in words for the author.
    TooMuch(String),
}

/// Checks what a call of `plugin` has read and writes what it wrote, in the caller's transaction.
pub async fn write(
    db: &mut PgConnection,
    (client, plugin, participant): (ClientId, &str, ParticipantId),
    (reads, writes): (&Reads, &[KeyValueWrite]),
    quota: KeyValueQuota,
) -> Result<Writing> {
    if reads.is_empty() && writes.is_empty() {
        return Ok(Writing::Written);
    }
    let writes: Vec<(Key, Option<Vec<u8>>)> =
        writes.iter().map(|write| (stored_key(write.scope, participant, &write.key), write.value.clone())).collect();
    let shared = |key: &Key| key.participant.is_none();
    if reads.iter().any(|(key, _)| shared(key)) || writes.iter().any(|(key, _)| shared(key)) {
        chatbot_values::lock_shared(db, client, plugin).await?;
    }
    if !chatbot_values::unchanged(db, client, plugin, reads).await? {
        return Ok(Writing::ReadsChanged);
    }
    if writes.is_empty() {
        return Ok(Writing::Written);
    }
    let grown = chatbot_values::write(db, client, plugin, &writes).await?;
    if let Some(refusal) = too_many_keys(db, (client, plugin, participant), &writes, quota).await? {
        return Ok(Writing::TooMuch(refusal));
    }
    if grown != 0 {
        let held = chatbot_values::grow(db, client, participant, grown).await?;
        let most = i64::try_from(quota.bytes_per_client).unwrap_or(i64::MAX);
        if grown > 0 && held > most {
            return Ok(Writing::TooMuch(format!(
                "the key-values of this client would take {held} bytes, and {most} are allowed; delete some of them"
            )));
        }
    }
    Ok(Writing::Written)
}

/// Keys of the participant beyond the quota. Those that only changed or went are never refused.
async fn too_many_keys(
    db: &mut PgConnection,
    (client, plugin, participant): (ClientId, &str, ParticipantId),
    writes: &[(Key, Option<Vec<u8>>)],
    quota: KeyValueQuota,
) -> Result<Option<String>> {
    let sets_own = writes.iter().any(|(key, value)| key.participant.is_some() && value.is_some());
    if !sets_own {
        return Ok(None);
    }
    let keys = chatbot_values::keys_of(db, client, plugin, participant).await?;
    let most = quota.keys_per_participant;
    Ok((keys > i64::from(most)).then(|| {
        format!(
            "plugin `{plugin}` would keep {keys} keys of one participant, and {most} are allowed; delete some of them"
        )
    }))
}
