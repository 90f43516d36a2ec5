//! Removes a client with all its data.

use std::{collections::BTreeMap, time::Duration};

use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
};
use channels::media_store::{MediaStore, MediaStoreError};
use domain::ids::{ClientId, MediaId};
use storage::{
    Db, Queue,
    tenancy::{
        clients::{self, Client},
        removal::{self, ClientTable},
        sandboxes,
    },
};
use uuid::Uuid;

use crate::disabling;

/// Limit for one statement.
const PATIENCE: Duration = Duration::from_secs(3600);
const PAGE: i64 = 2000;
/// Time in which processes store rows that they gather in memory, such as the log of requests.
const GATHERED: Duration = Duration::from_secs(2);
/// Rounds until rows that requests in flight stored are removed too.
const ROUNDS: u32 = 5;

/// Tables whose rows are named before a removal.
const NAMED: [(&str, &str); 7] = [
    ("client_user", "users"),
    ("inbox", "numbers, pages, bots, sites and SMS sources"),
    ("customer", "customers"),
    ("chat_message", "messages of chats"),
    ("outbound_message", "sent messages"),
    ("media", "files"),
    ("plugin", "plugins"),
];

#[derive(Debug, thiserror::Error)]
pub enum RemoveError {
    #[error("there is no client `{0}`; `patchbay client list` lists all clients")]
    Unknown(String),
    #[error("client `{0}` has subclients: {1}. Remove them first")]
    HasSubclients(String, String),
    /// Nothing was changed.
    #[error("this would be lost: {0}. Wait until it is done, or add --force")]
    Waiting(String),
    #[error("{0} lanes are still worked on. The client is disabled; repeat the command in a minute")]
    Working(i64),
    #[error("new rows of the client arrive; repeat the command")]
    Unfinished,
    #[error("a file of the client could not be deleted; repeat the command")]
    File(#[from] MediaStoreError),
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(RemoveError: storage::Error);

#[derive(Debug, Default)]
pub struct RemovedClient {
    pub files: u64,
    pub rows: BTreeMap<String, u64>,
}

/// Returns the data that a removal erases, in words.
pub async fn describe(db: &Db, client_ref: &str) -> Result<String, RemoveError> {
    let client = checked(db, client_ref).await?;
    let mut db = db.with_patience(PATIENCE).acquire().await?;
    let (mut total, mut named) = (0, BTreeMap::new());
    for table in removal::tables(&mut db).await? {
        let rows = removal::count(&mut db, client.id, &table).await?;
        total += rows;
        named.insert(table.name, rows);
    }
    let listed = NAMED.iter().map(|(table, words)| format!("{} {words}", named.get(*table).copied().unwrap_or(0)));
    let listed: Vec<String> = listed.collect();
    let mut said = format!(
        "client `{client_ref}` ({}): {}, and all other rows ({total} in total)",
        client.display_name,
        listed.join(", ")
    );
    if sandboxes::of(&mut db, client.id).await?.is_some() {
        said.push_str(", and its sandbox with all test messages");
    }
    let waiting = removal::waiting(&mut db, client.id).await?;
    if !waiting.is_empty() {
        said = format!("{said}. Waiting work, which is lost: {}", in_words(&waiting));
    }
    Ok(said)
}

/// Disables the client, waits until running work has ended, and erases its files and rows while other clients are served.
/// Its sandbox goes first. An interrupted removal is continued by the next one.
pub async fn remove(
    admin: &Administration<'_>,
    media: &dyn MediaStore,
    client_ref: &str,
    force: bool,
    actor: Actor,
) -> Result<RemovedClient, RemoveError> {
    let client = checked(admin.db, client_ref).await?;
    let db = admin.db.with_patience(PATIENCE);
    let mut tx = db.begin().await?;
    if !force {
        let waiting = removal::waiting(&mut tx, client.id).await?;
        if !waiting.is_empty() {
            return Err(RemoveError::Waiting(in_words(&waiting)));
        }
    }
    removal::begin(&mut tx, client.id, admin.now()).await?;
    let sandbox = match sandboxes::of(&mut tx, client.id).await? {
        Some(sandbox) => clients::get(&mut tx, sandbox).await?,
        None => None,
    };
    tx.commit().await?;
    tokio::time::sleep(GATHERED).await;
    let tables = removal::tables(&mut *db.acquire().await?).await?;
    let mut removed = RemovedClient::default();
    for removable in sandbox.iter().chain([&client]) {
        erase(&db, media, removable.id, &tables, &mut removed).await?;
        finish(admin, &db, removable, actor).await?;
        // Rows of requests that had begun before.
        delete_rows(&db, removable.id, &tables, &mut removed).await?;
    }
    Ok(removed)
}

async fn erase(
    db: &Db,
    media: &dyn MediaStore,
    client: ClientId,
    tables: &[ClientTable],
    removed: &mut RemovedClient,
) -> Result<(), RemoveError> {
    let queues: Vec<&str> = Queue::ALL.into_iter().map(Queue::name).collect();
    let working = disabling::until_free(db, client, &queues, None).await?;
    if working > 0 {
        return Err(RemoveError::Working(working));
    }
    delete_files(db, media, client, removed).await?;
    for _ in 0..ROUNDS {
        let before: u64 = removed.rows.values().sum();
        delete_rows(db, client, tables, removed).await?;
        if removed.rows.values().sum::<u64>() == before {
            return Ok(());
        }
    }
    Err(RemoveError::Unfinished)
}

async fn checked(db: &Db, client_ref: &str) -> Result<Client, RemoveError> {
    let mut db = db.acquire().await?;
    let found = clients::find_by_ref(&mut db, client_ref).await?;
    let id = found.ok_or_else(|| RemoveError::Unknown(client_ref.to_owned()))?;
    let mut below = clients::with_descendants(&mut db, Some(id)).await?;
    let own = below.iter().position(|one| one.id == id).map(|at| below.remove(at));
    let own = own.ok_or_else(|| RemoveError::Unknown(client_ref.to_owned()))?;
    if below.is_empty() {
        return Ok(own);
    }
    let names: Vec<&str> = below.iter().map(|one| one.client_ref.as_str()).collect();
    Err(RemoveError::HasSubclients(client_ref.to_owned(), names.join(", ")))
}

fn in_words(waiting: &[(&str, i64)]) -> String {
    let words: Vec<String> = waiting.iter().map(|(queue, rows)| format!("{rows} in `{queue}`")).collect();
    words.join(", ")
}

/// Files go before their rows, which name them.
async fn delete_files(
    db: &Db,
    media: &dyn MediaStore,
    client: ClientId,
    removed: &mut RemovedClient,
) -> Result<(), RemoveError> {
    let mut after = MediaId(Uuid::nil());
    loop {
        let files = removal::files(&mut *db.acquire().await?, client, after, PAGE).await?;
        let Some(last) = files.last() else { return Ok(()) };
        after = *last;
        for file in files {
            removed.files += u64::from(media.delete(client, file).await?);
        }
    }
}

async fn delete_rows(
    db: &Db,
    client: ClientId,
    tables: &[ClientTable],
    removed: &mut RemovedClient,
) -> Result<(), RemoveError> {
    let mut connection = db.acquire().await?;
    // It names no client, so it is found by the inboxes, which go later.
    let received = removal::delete_inbound_sms(&mut connection, client).await?;
    add(removed, "sms_inbound", received);
    while removal::release_tickets(&mut connection, client, PAGE).await? == PAGE.unsigned_abs() {}
    for table in tables {
        for relation in &table.relations {
            loop {
                let rows = removal::delete_page(&mut connection, client, relation, PAGE).await?;
                add(removed, &table.name, rows);
                if rows < PAGE.unsigned_abs() {
                    break;
                }
            }
        }
    }
    Ok(())
}

fn add(removed: &mut RemovedClient, table: &str, rows: u64) {
    if rows > 0 {
        *removed.rows.entry(table.to_owned()).or_default() += rows;
    }
}

/// The audit trail of the client is gone, so the entry is in that of its parent.
async fn finish(admin: &Administration<'_>, db: &Db, client: &Client, actor: Actor) -> Result<(), RemoveError> {
    let mut tx = db.begin().await?;
    removal::delete_client(&mut tx, client.id).await?;
    if let Some(parent) = client.parent {
        audit(admin, &mut tx, parent, actor, "remove", AuditObject::new("client", &client.client_ref)).await?;
    }
    tx.commit().await?;
    tracing::warn!(client.id = %client.id, "a client was removed with all its data");
    Ok(())
}
