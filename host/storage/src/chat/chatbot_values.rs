//! Key-value stores of chatbots, per client and plugin and per participant. The version of a key is the transaction
//! that wrote it. An expired value counts as absent.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, ParticipantId};
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatbotValue {
    pub bytes: Vec<u8>,
    /// Differs after each write.
    pub version: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ValueKey {
    /// `None`: shared by all participants of the client.
    pub participant: Option<ParticipantId>,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChatbotValue {
    pub bytes: Vec<u8>,
    pub expires_at: Option<DateTime<Utc>>,
}

impl From<Vec<u8>> for NewChatbotValue {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, expires_at: None }
    }
}

impl ValueKey {
    pub(super) fn owner(&self) -> Uuid {
        self.participant.map_or(Uuid::nil(), |participant| participant.0)
    }
}

pub async fn read(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    key: &ValueKey,
    now: DateTime<Utc>,
) -> Result<Option<ChatbotValue>> {
    let row: Option<(Vec<u8>, i64)> = sqlx::query_as(
        "SELECT value, version FROM chatbot_value
         WHERE client_id = $1 AND plugin = $2 AND participant_id = $3 AND key = $4
           AND (expires_at IS NULL OR expires_at > $5)",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(key.owner())
    .bind(&key.name)
    .bind(now)
    .fetch_optional(db)
    .await?;
    Ok(row.map(|(bytes, version)| ChatbotValue { bytes, version }))
}

/// Locks the shared store of a client. That of a participant needs no lock, because one process works on its lane.
pub async fn lock_shared(db: &mut PgConnection, client: ClientId, plugin: &str) -> Result<()> {
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0))")
        .bind(client.0.to_string())
        .bind(plugin)
        .execute(db)
        .await?;
    Ok(())
}

/// True if every key still has the version that was read at a moment; `None`: it did not exist.
pub async fn are_unchanged(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    reads: &[(ValueKey, Option<i64>)],
    now: DateTime<Utc>,
) -> Result<bool> {
    let same: bool = sqlx::query_scalar(
        "SELECT NOT EXISTS (
             SELECT 1 FROM unnest($3::uuid[], $4::text[], $5::bigint[]) AS seen (participant_id, key, version)
             LEFT JOIN chatbot_value now ON now.client_id = $1 AND now.plugin = $2
                  AND now.participant_id = seen.participant_id AND now.key = seen.key
                  AND (now.expires_at IS NULL OR now.expires_at > $6)
             WHERE now.version IS DISTINCT FROM seen.version)",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(reads.iter().map(|(key, _)| key.owner()).collect::<Vec<_>>())
    .bind(reads.iter().map(|(key, _)| key.name.as_str()).collect::<Vec<_>>())
    .bind(reads.iter().map(|(_, version)| *version).collect::<Vec<_>>())
    .bind(now)
    .fetch_one(db)
    .await?;
    Ok(same)
}

/// Bytes that a key costs in addition to its name and value, so that many small keys are not free.
pub const KEY_OVERHEAD: i64 = 64;
const SHARDS: u128 = 16;

/// `None` removes a key; each key appears once. Returns the growth in bytes with [`KEY_OVERHEAD`], for [`grow`].
pub async fn write(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    writes: &[(ValueKey, Option<NewChatbotValue>)],
) -> Result<i64> {
    let (removed, set): (Vec<_>, Vec<_>) = writes.iter().partition(|(_, value)| value.is_none());
    let freed: i64 = sqlx::query_scalar(
        "WITH removed AS (
             DELETE FROM chatbot_value value USING unnest($3::uuid[], $4::text[]) AS gone (participant_id, key)
             WHERE value.client_id = $1 AND value.plugin = $2 AND value.participant_id = gone.participant_id
               AND value.key = gone.key
             RETURNING octet_length(value.key) + octet_length(value.value) + $5 AS bytes)
         SELECT COALESCE(sum(bytes), 0)::bigint FROM removed",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(removed.iter().map(|(key, _)| key.owner()).collect::<Vec<_>>())
    .bind(removed.iter().map(|(key, _)| key.name.as_str()).collect::<Vec<_>>())
    .bind(KEY_OVERHEAD)
    .fetch_one(&mut *db)
    .await?;
    let grown: i64 = sqlx::query_scalar(
        "WITH given AS (
             SELECT * FROM unnest($3::uuid[], $4::text[], $5::bytea[], $7::timestamptz[])
                 AS given (participant_id, key, value, expires_at)),
         before AS (
             SELECT octet_length(old.key) + octet_length(old.value) + $6 AS bytes FROM given JOIN chatbot_value old
                 ON old.client_id = $1 AND old.plugin = $2 AND old.participant_id = given.participant_id
                AND old.key = given.key),
         written AS (
             INSERT INTO chatbot_value (client_id, plugin, participant_id, key, value, version, expires_at)
             SELECT $1, $2, participant_id, key, value, pg_current_xact_id()::text::bigint, expires_at FROM given
             ON CONFLICT (client_id, plugin, participant_id, key)
             DO UPDATE SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at
             RETURNING octet_length(key) + octet_length(value) + $6 AS bytes)
         SELECT (COALESCE((SELECT sum(bytes) FROM written), 0) - COALESCE((SELECT sum(bytes) FROM before), 0))::bigint",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(set.iter().map(|(key, _)| key.owner()).collect::<Vec<_>>())
    .bind(set.iter().map(|(key, _)| key.name.as_str()).collect::<Vec<_>>())
    .bind(set.iter().filter_map(|(_, value)| Some(value.as_ref()?.bytes.as_slice())).collect::<Vec<_>>())
    .bind(KEY_OVERHEAD)
    .bind(set.iter().map(|(_, value)| value.as_ref().and_then(|value| value.expires_at)).collect::<Vec<_>>())
    .fetch_one(db)
    .await?;
    Ok(grown - freed)
}

/// Adds bytes to the usage of a client and returns the sum, which may miss transactions that commit now.
pub async fn grow(db: &mut PgConnection, client: ClientId, participant: ParticipantId, bytes: i64) -> Result<i64> {
    let shard = i16::try_from(participant.0.as_u128() % SHARDS).unwrap_or(0);
    let total: i64 = sqlx::query_scalar(
        "WITH noted AS (
             INSERT INTO chatbot_value_usage (client_id, shard, bytes) VALUES ($1, $2, $3)
             ON CONFLICT (client_id, shard) DO UPDATE SET bytes = chatbot_value_usage.bytes + excluded.bytes
             RETURNING bytes)
         SELECT (COALESCE((SELECT sum(bytes) FROM chatbot_value_usage WHERE client_id = $1 AND shard <> $2), 0)
                 + (SELECT bytes FROM noted))::bigint",
    )
    .bind(client.0)
    .bind(shard)
    .bind(bytes)
    .fetch_one(db)
    .await?;
    Ok(total)
}

pub async fn keys_of(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    participant: ParticipantId,
    now: DateTime<Utc>,
) -> Result<i64> {
    let keys: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM chatbot_value
         WHERE client_id = $1 AND plugin = $2 AND participant_id = $3 AND (expires_at IS NULL OR expires_at > $4)",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(participant.0)
    .bind(now)
    .fetch_one(db)
    .await?;
    Ok(keys)
}

/// Removes all values of a plugin and returns by how many bytes the stores of the client shrank.
pub async fn forget_plugin(db: &mut PgConnection, client: ClientId, plugin: &str) -> Result<i64> {
    let freed: i64 = sqlx::query_scalar(
        "WITH gone AS (
             DELETE FROM chatbot_value WHERE client_id = $1 AND plugin = $2
             RETURNING octet_length(key) + octet_length(value) + $3 AS bytes)
         SELECT COALESCE(sum(bytes), 0)::bigint FROM gone",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(KEY_OVERHEAD)
    .fetch_one(&mut *db)
    .await?;
    if freed != 0 {
        grow(db, client, ParticipantId(Uuid::nil()), -freed).await?;
    }
    Ok(freed)
}
