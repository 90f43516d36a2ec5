//! All rows of a client, for its removal. The tables come from the catalogue of PostgreSQL, so that a new table needs no
//! change here.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, MediaId};
use uuid::Uuid;

use crate::{PgConnection, Queue, Result};

/// Queues whose rows would be lost. The others have timers and sessions.
const LOST: [Queue; 7] =
    [Queue::Outbound, Queue::Callback, Queue::Fallback, Queue::Media, Queue::Webhook, Queue::SmsCallback, Queue::Email];

/// A table with rows of clients. A partitioned one has several relations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientTable {
    pub name: String,
    pub relations: Vec<String>,
}

/// Marks a client and its sandbox as disabled and as being removed. No queue works for them then.
pub async fn begin(db: &mut PgConnection, client: ClientId, now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "UPDATE client SET disabled_at = COALESCE(disabled_at, $2), removal_begun_at = COALESCE(removal_begun_at, $2)
         WHERE id = $1 OR sandbox_of = $1",
    )
    .bind(client.0)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Returns the work that a removal would lose, by queue, and the wanted Lite sessions.
pub async fn waiting(db: &mut PgConnection, client: ClientId) -> Result<Vec<(&'static str, i64)>> {
    let mut waiting = Vec::new();
    for queue in LOST {
        let count = sqlx::query_scalar(&queue.count_statement()).bind(client.0).fetch_one(&mut *db).await?;
        waiting.push((queue.name(), count));
    }
    let sessions =
        sqlx::query_scalar("SELECT count(*) FROM lite_session WHERE client_id = $1 AND wanted = 'CONNECTED'")
            .bind(client.0)
            .fetch_one(db)
            .await?;
    waiting.push(("lite_session", sessions));
    Ok(waiting.into_iter().filter(|(_, count)| *count > 0).collect())
}

/// Returns all tables with rows of clients except `client`, each before those that its foreign keys name.
pub async fn tables(db: &mut PgConnection) -> Result<Vec<ClientTable>> {
    let relations: Vec<(String, String)> = sqlx::query_as(
        "SELECT whole.relname::text, COALESCE(part.relname, whole.relname)::text
         FROM pg_class whole
         JOIN pg_attribute a ON a.attrelid = whole.oid AND a.attname = 'client_id' AND NOT a.attisdropped
         LEFT JOIN pg_inherits ON inhparent = whole.oid
         LEFT JOIN pg_class part ON part.oid = inhrelid
         WHERE whole.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
           AND whole.relkind IN ('r', 'p') AND NOT whole.relispartition
         ORDER BY 1, 2",
    )
    .fetch_all(&mut *db)
    .await?;
    let keys: Vec<(String, String)> = sqlx::query_as(
        "SELECT DISTINCT child.relname::text, parent.relname::text
         FROM pg_constraint JOIN pg_class child ON child.oid = conrelid JOIN pg_class parent ON parent.oid = confrelid
         WHERE contype = 'f' AND conparentid = 0 AND conrelid <> confrelid
           AND connamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())",
    )
    .fetch_all(db)
    .await?;
    let mut by_table: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (table, relation) in relations {
        by_table.entry(table).or_default().push(relation);
    }
    Ok(ordered(by_table, keys))
}

/// `keys`: child and parent. Chats and tickets name each other; [`release_tickets`] comes first.
fn ordered(mut tables: BTreeMap<String, Vec<String>>, keys: Vec<(String, String)>) -> Vec<ClientTable> {
    let mut keys: BTreeSet<_> = keys.into_iter().collect();
    keys.remove(&("participant".to_owned(), "ticket".to_owned()));
    let mut ordered = Vec::with_capacity(tables.len());
    while !tables.is_empty() {
        let is_named =
            |table: &String| keys.iter().any(|(child, parent)| parent == table && tables.contains_key(child));
        let free: Vec<String> = tables.keys().filter(|table| !is_named(table)).cloned().collect();
        // In a circle there is no order: its deletion fails with the name of the key.
        let next = if free.is_empty() { tables.keys().cloned().collect() } else { free };
        for name in next {
            let relations = tables.remove(&name).unwrap_or_default();
            ordered.push(ClientTable { name, relations });
        }
    }
    ordered
}

pub async fn count(db: &mut PgConnection, client: ClientId, table: &ClientTable) -> Result<i64> {
    let statement = format!("SELECT count(*) FROM {} WHERE client_id = $1", table.name);
    Ok(sqlx::query_scalar(&statement).bind(client.0).fetch_one(db).await?)
}

/// Deletes at most `limit` rows of a relation. Fewer than `limit`: these were the last.
pub async fn delete_page(db: &mut PgConnection, client: ClientId, relation: &str, limit: i64) -> Result<u64> {
    let statement = format!(
        "DELETE FROM {relation} WHERE ctid = ANY (ARRAY(
             SELECT ctid FROM {relation} WHERE client_id = $1 LIMIT $2 FOR UPDATE))"
    );
    Ok(sqlx::query(&statement).bind(client.0).bind(limit).execute(db).await?.rows_affected())
}

/// Takes the ticket from chats of the client. Returns how many.
pub async fn release_tickets(db: &mut PgConnection, client: ClientId, limit: i64) -> Result<u64> {
    let done = sqlx::query(
        "UPDATE participant SET ticket_id = NULL WHERE client_id = $1 AND ticket_id IS NOT NULL AND ctid = ANY (ARRAY(
             SELECT ctid FROM participant WHERE client_id = $1 AND ticket_id IS NOT NULL LIMIT $2 FOR UPDATE))",
    )
    .bind(client.0)
    .bind(limit)
    .execute(db)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes SMS of subscribers to sources that only this client has. These rows name no client.
pub async fn delete_inbound_sms(db: &mut PgConnection, client: ClientId) -> Result<u64> {
    let done = sqlx::query(
        "DELETE FROM sms_inbound WHERE receiver IN (
             SELECT own.address FROM inbox own
             WHERE own.client_id = $1 AND own.channel = 'SMS'
               AND NOT EXISTS (SELECT 1 FROM inbox other
                               WHERE other.channel = 'SMS' AND other.address = own.address AND other.client_id <> $1))",
    )
    .bind(client.0)
    .execute(db)
    .await?;
    Ok(done.rows_affected())
}

/// Returns files of the client after an id.
pub async fn files(db: &mut PgConnection, client: ClientId, after: MediaId, limit: i64) -> Result<Vec<MediaId>> {
    let files: Vec<Uuid> =
        sqlx::query_scalar("SELECT id FROM media WHERE client_id = $1 AND id > $2 ORDER BY id LIMIT $3")
            .bind(client.0)
            .bind(after.0)
            .bind(limit)
            .fetch_all(db)
            .await?;
    Ok(files.into_iter().map(MediaId).collect())
}

pub async fn delete_client(db: &mut PgConnection, client: ClientId) -> Result<bool> {
    Ok(sqlx::query("DELETE FROM client WHERE id = $1").bind(client.0).execute(db).await?.rows_affected() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_comes_before_those_that_its_foreign_keys_name() {
        let tables = ["a", "b", "c", "d"].map(|name| (name.to_owned(), vec![name.to_owned()]));
        let keys =
            [("a", "b"), ("c", "a"), ("d", "client")].map(|(child, parent)| (child.to_owned(), parent.to_owned()));
        let ordered = ordered(tables.into_iter().collect(), keys.into_iter().collect());
        let names: Vec<&str> = ordered.iter().map(|table| table.name.as_str()).collect();
        assert_eq!(names, ["c", "d", "a", "b"]);
    }
}
