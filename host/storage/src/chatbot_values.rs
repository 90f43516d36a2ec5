//! Key-value stores of chatbots: one per client and plugin, and one per participant. A key's version is the transaction
//! that wrote it, so that a key which was removed and written again is never mistaken for the one that was read.

use domain::ids::{ClientId, ParticipantId};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Result;

/// A value with its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Another one for every write.
    pub version: i64,
}

/// A key of one store: of a participant, or of the whole client.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// `None` = shared by all participants of the client.
    pub participant: Option<ParticipantId>,
    /// Its name.
    pub name: String,
}

impl Key {
    fn owner(&self) -> Uuid {
        self.participant.map_or(Uuid::nil(), |participant| participant.0)
    }
}

/// The value of a key.
pub async fn read(db: &mut PgConnection, client: ClientId, plugin: &str, key: &Key) -> Result<Option<Value>> {
    let row: Option<(Vec<u8>, i64)> = sqlx::query_as(
        "SELECT value, version FROM chatbot_value
         WHERE client_id = $1 AND plugin = $2 AND participant_id = $3 AND key = $4",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(key.owner())
    .bind(&key.name)
    .fetch_optional(db)
    .await?;
    Ok(row.map(|(bytes, version)| Value { bytes, version }))
}

/// Lets one transaction at a time decide over the store that all participants of a client share, until it ends. A
/// participant's own store needs no such lock: its lane is worked off by one process.
pub async fn lock_shared(db: &mut PgConnection, client: ClientId, plugin: &str) -> Result<()> {
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0))")
        .bind(client.0.to_string())
        .bind(plugin)
        .execute(db)
        .await?;
    Ok(())
}

/// True when every key still has the version that was read; `None` = it was not there.
pub async fn unchanged(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    reads: &[(Key, Option<i64>)],
) -> Result<bool> {
    let same: bool = sqlx::query_scalar(
        "SELECT NOT EXISTS (
             SELECT 1 FROM unnest($3::uuid[], $4::text[], $5::bigint[]) AS seen (participant_id, key, version)
             LEFT JOIN chatbot_value now ON now.client_id = $1 AND now.plugin = $2
                  AND now.participant_id = seen.participant_id AND now.key = seen.key
             WHERE now.version IS DISTINCT FROM seen.version)",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(reads.iter().map(|(key, _)| key.owner()).collect::<Vec<_>>())
    .bind(reads.iter().map(|(key, _)| key.name.as_str()).collect::<Vec<_>>())
    .bind(reads.iter().map(|(_, version)| *version).collect::<Vec<_>>())
    .fetch_one(db)
    .await?;
    Ok(same)
}

/// Gives keys their values, `None` removes them. Each key may appear once.
pub async fn write(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    writes: &[(Key, Option<Vec<u8>>)],
) -> Result<()> {
    let (removed, set): (Vec<_>, Vec<_>) = writes.iter().partition(|(_, value)| value.is_none());
    sqlx::query(
        "DELETE FROM chatbot_value value USING unnest($3::uuid[], $4::text[]) AS gone (participant_id, key)
         WHERE value.client_id = $1 AND value.plugin = $2 AND value.participant_id = gone.participant_id
           AND value.key = gone.key",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(removed.iter().map(|(key, _)| key.owner()).collect::<Vec<_>>())
    .bind(removed.iter().map(|(key, _)| key.name.as_str()).collect::<Vec<_>>())
    .execute(&mut *db)
    .await?;
    sqlx::query(
        "INSERT INTO chatbot_value (client_id, plugin, participant_id, key, value, version)
         SELECT $1, $2, given.participant_id, given.key, given.value, pg_current_xact_id()::text::bigint
         FROM unnest($3::uuid[], $4::text[], $5::bytea[]) AS given (participant_id, key, value)
         ON CONFLICT (client_id, plugin, participant_id, key)
         DO UPDATE SET value = excluded.value, version = excluded.version",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(set.iter().map(|(key, _)| key.owner()).collect::<Vec<_>>())
    .bind(set.iter().map(|(key, _)| key.name.as_str()).collect::<Vec<_>>())
    .bind(set.iter().filter_map(|(_, value)| value.as_deref()).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}
