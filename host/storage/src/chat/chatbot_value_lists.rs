//! Key-values of chatbots by key: lists for a plugin and for its client, erasure, and removal of expired values.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, ParticipantId},
    page::PageRequest,
};
use uuid::Uuid;

use super::chatbot_values::{KEY_OVERHEAD, ValueKey, grow};
use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyQuery {
    /// Owner of the store; `None`: shared by all participants of the client.
    pub participant: Option<ParticipantId>,
    pub prefix: String,
    pub after: Option<String>,
    pub most: i64,
}

/// An upper bound of all keys with this prefix. Keys have at most 128 bytes, and this is the last character of Unicode.
fn end_of(prefix: &str) -> String {
    format!("{prefix}{}", "\u{10ffff}".repeat(32))
}

/// Returns keys of a store in the order of their bytes.
pub async fn names(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    wanted: &KeyQuery,
    now: DateTime<Utc>,
) -> Result<Vec<String>> {
    let of = ValueKey { participant: wanted.participant, name: String::new() };
    Ok(sqlx::query_scalar(
        r#"SELECT key FROM chatbot_value
           WHERE client_id = $1 AND plugin = $2 AND participant_id = $3
             AND key COLLATE "C" >= $4 AND key COLLATE "C" <= $5 AND ($6::text IS NULL OR key COLLATE "C" > $6)
             AND (expires_at IS NULL OR expires_at > $7)
           ORDER BY key COLLATE "C" LIMIT $8"#,
    )
    .bind(client.0)
    .bind(plugin)
    .bind(of.owner())
    .bind(&wanted.prefix)
    .bind(end_of(&wanted.prefix))
    .bind(wanted.after.as_deref())
    .bind(now)
    .bind(wanted.most)
    .fetch_all(db)
    .await?)
}

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ValueView {
    pub key: String,
    pub value: Vec<u8>,
    pub expires_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Copy)]
pub struct StorePart<'a> {
    pub participant: Option<ParticipantId>,
    pub prefix: &'a str,
}

pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    part: StorePart<'_>,
    page: PageRequest,
    now: DateTime<Utc>,
) -> Result<(Vec<ValueView>, i64)> {
    let StorePart { participant, prefix } = part;
    let owner = ValueKey { participant, name: String::new() }.owner();
    let rows = sqlx::query_as(
        r#"SELECT key, value, expires_at FROM chatbot_value
           WHERE client_id = $1 AND plugin = $2 AND participant_id = $3
             AND key COLLATE "C" >= $4 AND key COLLATE "C" <= $5 AND (expires_at IS NULL OR expires_at > $6)
           ORDER BY key COLLATE "C" OFFSET $7 LIMIT $8"#,
    )
    .bind(client.0)
    .bind(plugin)
    .bind(owner)
    .bind(prefix)
    .bind(end_of(prefix))
    .bind(now)
    .bind(page.offset())
    .bind(page.limit())
    .fetch_all(&mut *db)
    .await?;
    let total = sqlx::query_scalar(
        r#"SELECT count(*) FROM chatbot_value
           WHERE client_id = $1 AND plugin = $2 AND participant_id = $3
             AND key COLLATE "C" >= $4 AND key COLLATE "C" <= $5 AND (expires_at IS NULL OR expires_at > $6)"#,
    )
    .bind(client.0)
    .bind(plugin)
    .bind(owner)
    .bind(prefix)
    .bind(end_of(prefix))
    .bind(now)
    .fetch_one(db)
    .await?;
    Ok((rows, total))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erase<'a> {
    Key(&'a str),
    Prefix(&'a str),
}

/// Returns the number of erased values. For a shared store call [`super::chatbot_values::lock_shared`] first.
pub async fn erase(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    participant: Option<ParticipantId>,
    which: Erase<'_>,
) -> Result<i64> {
    let (from, to) = match which {
        Erase::Key(key) => (key.to_owned(), key.to_owned()),
        Erase::Prefix(prefix) => (prefix.to_owned(), end_of(prefix)),
    };
    let (erased, freed): (i64, i64) = sqlx::query_as(
        r#"WITH gone AS (
               DELETE FROM chatbot_value
               WHERE client_id = $1 AND plugin = $2 AND participant_id = $3
                 AND key COLLATE "C" >= $4 AND key COLLATE "C" <= $5
               RETURNING octet_length(key) + octet_length(value) + $6 AS bytes)
           SELECT count(*), COALESCE(sum(bytes), 0)::bigint FROM gone"#,
    )
    .bind(client.0)
    .bind(plugin)
    .bind(ValueKey { participant, name: String::new() }.owner())
    .bind(from)
    .bind(to)
    .bind(KEY_OVERHEAD)
    .fetch_one(&mut *db)
    .await?;
    if freed != 0 {
        grow(db, client, participant.unwrap_or(ParticipantId(Uuid::nil())), -freed).await?;
    }
    Ok(erased)
}

/// Removes at most `limit` expired values, without locked ones. Fewer than `limit`: this was the last page.
pub async fn forget_expired(db: &mut PgConnection, now: DateTime<Utc>, limit: i64) -> Result<u64> {
    let freed: Vec<(Uuid, i64, i64)> = sqlx::query_as(
        "WITH expired AS (
             SELECT client_id, plugin, participant_id, key FROM chatbot_value WHERE expires_at <= $1
             ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED),
         gone AS (
             DELETE FROM chatbot_value value USING expired
             WHERE value.client_id = expired.client_id AND value.plugin = expired.plugin
               AND value.participant_id = expired.participant_id AND value.key = expired.key
             RETURNING value.client_id, octet_length(value.key) + octet_length(value.value) + $3 AS bytes)
         SELECT client_id, count(*), sum(bytes)::bigint FROM gone GROUP BY client_id",
    )
    .bind(now)
    .bind(limit)
    .bind(KEY_OVERHEAD)
    .fetch_all(&mut *db)
    .await?;
    let mut removed = 0;
    for (client, values, bytes) in freed {
        grow(db, ClientId(client), ParticipantId(Uuid::nil()), -bytes).await?;
        removed += values.unsigned_abs();
    }
    Ok(removed)
}
