//! The key-values of a call: its reads with the versions that it saw, and its writes under the quotas.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::{ClientId, ParticipantId};
use parking_lot::Mutex;
use plugin_host::{
    ConversationAnswer, ConversationQuestion, FileAnswer, FilePart, KeyValueError, KeyValueSnapshot, KeyValueWrite,
    KeysWanted, Scope,
};
use storage::{
    Db, PgConnection,
    chat::{
        chatbot_value_lists::{self, KeyQuery},
        chatbot_values::{self, NewChatbotValue, ValueKey},
    },
};

use base::{Context, Result};
use settings::Settings;

use super::{conversation, files::ChatFiles};

/// Reads from the database on each request of the plugin, and remembers the version of every read value. Different
/// reads may see different times. Before the answer takes effect, every version is checked to be unchanged, so that all
/// reads are consistent.
pub struct ValueSnapshot {
    db: Db,
    client: ClientId,
    plugin: String,
    participant: ParticipantId,
    /// Values that expire before this time are absent.
    now: DateTime<Utc>,
    reads: Mutex<BTreeMap<ValueKey, Option<i64>>>,
    lists: Mutex<BTreeMap<KeyQuery, Vec<String>>>,
    files: Option<ChatFiles>,
}

impl ValueSnapshot {
    pub fn new(db: Db, client: ClientId, plugin: &str, participant: ParticipantId, now: DateTime<Utc>) -> Self {
        let (reads, lists) = (Mutex::default(), Mutex::default());
        Self { db, client, plugin: plugin.to_owned(), participant, now, reads, lists, files: None }
    }

    /// The same for a chatbot, which may read the files of its chat. Create it when the call begins.
    pub fn with_files(self, ctx: &Context) -> Self {
        let time = ctx.plugins.limits().wall_clock;
        let files = ChatFiles::new(self.db.clone(), Arc::clone(&ctx.media), self.client, self.participant, time);
        Self { files: Some(files), ..self }
    }

    pub fn reads(&self) -> Reads {
        let keys = self.reads.lock();
        let lists = self.lists.lock();
        Reads {
            keys: keys.iter().map(|(key, version)| (key.clone(), *version)).collect(),
            lists: lists.iter().map(|(wanted, names)| (wanted.clone(), names.clone())).collect(),
            now: self.now,
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reads {
    /// Keys with their versions; `None` for absent keys.
    keys: Vec<(ValueKey, Option<i64>)>,
    lists: Vec<(KeyQuery, Vec<String>)>,
    now: DateTime<Utc>,
}

impl Reads {
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.lists.is_empty()
    }

    /// Whether the call read the store that all participants share.
    fn of_shared(&self) -> bool {
        let keys = self.keys.iter().any(|(key, _)| key.participant.is_none());
        keys || self.lists.iter().any(|(wanted, _)| wanted.participant.is_none())
    }

    async fn hold(&self, db: &mut PgConnection, client: ClientId, plugin: &str) -> Result<bool> {
        if !chatbot_values::are_unchanged(db, client, plugin, &self.keys, self.now).await? {
            return Ok(false);
        }
        for (wanted, names) in &self.lists {
            if chatbot_value_lists::names(db, client, plugin, wanted, self.now).await? != *names {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn stored_key(scope: Scope, participant: ParticipantId, name: &str) -> ValueKey {
    ValueKey { participant: (scope == Scope::Participant).then_some(participant), name: name.to_owned() }
}

#[async_trait]
impl KeyValueSnapshot for ValueSnapshot {
    async fn get(&self, scope: Scope, key: &str) -> std::result::Result<Option<Vec<u8>>, KeyValueError> {
        let key = stored_key(scope, self.participant, key);
        let unreadable = |error: storage::Error| KeyValueError(Box::new(error));
        let mut db = self.db.acquire().await.map_err(unreadable)?;
        let value =
            chatbot_values::read(&mut db, self.client, &self.plugin, &key, self.now).await.map_err(unreadable)?;
        let version = value.as_ref().map(|value| value.version);
        self.reads.lock().insert(key, version);
        Ok(value.map(|value| value.bytes))
    }

    async fn list(&self, scope: Scope, wanted: &KeysWanted) -> std::result::Result<Vec<String>, KeyValueError> {
        let wanted = KeyQuery {
            participant: (scope == Scope::Participant).then_some(self.participant),
            prefix: wanted.prefix.clone(),
            after: wanted.after.clone(),
            most: i64::from(wanted.most),
        };
        let unreadable = |error: storage::Error| KeyValueError(Box::new(error));
        let mut db = self.db.acquire().await.map_err(unreadable)?;
        let names = chatbot_value_lists::names(&mut db, self.client, &self.plugin, &wanted, self.now).await;
        let names = names.map_err(unreadable)?;
        self.lists.lock().insert(wanted, names.clone());
        Ok(names)
    }

    async fn conversation(
        &self,
        question: ConversationQuestion,
    ) -> std::result::Result<ConversationAnswer, KeyValueError> {
        let unreadable = |error: storage::Error| KeyValueError(Box::new(error));
        let mut db = self.db.acquire().await.map_err(unreadable)?;
        conversation::read(&mut db, self.client, self.participant, &self.plugin, question).await.map_err(unreadable)
    }

    async fn read_file(&self, part: &FilePart) -> std::result::Result<FileAnswer, KeyValueError> {
        match &self.files {
            Some(files) => files.read(part).await.map_err(|error| KeyValueError(Box::new(error))),
            None => Ok(FileAnswer::NotFound),
        }
    }

    fn fault(&self) -> Option<KeyValueError> {
        let failed = self.files.as_ref()?.failure()?;
        Some(KeyValueError(Box::new(failed)))
    }
}

/// The result of a call's writes. Except after `Written`, the caller must roll its transaction back.
#[derive(Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    Written,
    /// A read key has changed since. The call must be repeated.
    ReadsChanged,
    /// A store is full. Holds the text for the author.
    TooMuch(String),
}

/// The owner of the values that a call reads and writes, in addition to the shared values of the plugin.
#[derive(Debug, Clone, Copy)]
pub struct ValueOwner<'a> {
    pub client: ClientId,
    pub plugin: &'a str,
    /// Of an `sms-fallback`, the id of the customer.
    pub participant: ParticipantId,
}

/// Checks the reads of a call of a plugin and stores its writes, in the caller's transaction.
pub async fn write(
    db: &mut PgConnection,
    owner: ValueOwner<'_>,
    reads: &Reads,
    writes: &[KeyValueWrite],
    settings: &Settings,
) -> Result<WriteOutcome> {
    let ValueOwner { client, plugin, participant } = owner;
    if reads.is_empty() && writes.is_empty() {
        return Ok(WriteOutcome::Written);
    }
    let kept = |write: &KeyValueWrite| {
        let expires_at = write.after_seconds.map(|seconds| reads.now + TimeDelta::seconds(i64::from(seconds)));
        Some(NewChatbotValue { bytes: write.value.clone()?, expires_at })
    };
    let writes: Vec<(ValueKey, Option<NewChatbotValue>)> =
        writes.iter().map(|write| (stored_key(write.scope, participant, &write.key), kept(write))).collect();
    if reads.of_shared() || writes.iter().any(|(key, _)| key.participant.is_none()) {
        chatbot_values::lock_shared(db, client, plugin).await?;
    }
    if !reads.hold(db, client, plugin).await? {
        return Ok(WriteOutcome::ReadsChanged);
    }
    if writes.is_empty() {
        return Ok(WriteOutcome::Written);
    }
    let grown = chatbot_values::write(db, client, plugin, &writes).await?;
    if let Some(refusal) = too_many_keys(db, owner, &writes, settings, reads.now).await? {
        return Ok(WriteOutcome::TooMuch(refusal));
    }
    if grown != 0 {
        let held = chatbot_values::grow(db, client, participant, grown).await?;
        let most = i64::try_from(settings.limits.kv_bytes_per_client).unwrap_or(i64::MAX);
        if grown > 0 && held > most {
            return Ok(WriteOutcome::TooMuch(format!(
                "the key-values of this client would take {held} bytes, and {most} are allowed; delete some of them"
            )));
        }
    }
    Ok(WriteOutcome::Written)
}

/// Keys of the participant beyond the quota. Changes and removals of existing keys are never refused.
async fn too_many_keys(
    db: &mut PgConnection,
    ValueOwner { client, plugin, participant }: ValueOwner<'_>,
    writes: &[(ValueKey, Option<NewChatbotValue>)],
    settings: &Settings,
    now: DateTime<Utc>,
) -> Result<Option<String>> {
    let sets_own = writes.iter().any(|(key, value)| key.participant.is_some() && value.is_some());
    if !sets_own {
        return Ok(None);
    }
    let keys = chatbot_values::keys_of(db, client, plugin, participant, now).await?;
    let most = settings.limits.kv_keys_per_participant;
    Ok((keys > i64::from(most)).then(|| {
        format!(
            "plugin `{plugin}` would keep {keys} keys of one participant, and {most} are allowed; delete some of them"
        )
    }))
}
