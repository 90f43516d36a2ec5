//! `client|user|key list` (CONTRACT 9), and the lists of channels. Each prints all objects at once, and no secret.

use std::collections::HashMap;

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use domain::iso_time::iso_time;
use domain::{
    channel::Channel,
    ids::{ClientId, UserId},
    page::PageRequest,
};
use serde_json::{Value, json};
use storage::{
    Db, PgConnection,
    inboxes::{self, Inbox},
    tenancy::{
        api_keys, clients, disablement,
        profiles::{self, Profile},
        sandboxes,
    },
};

/// Rows of one query.
pub(super) const PAGE: PageRequest = PageRequest { page: 0, size: 500 };

/// Returns the JSON object with one more field.
pub(super) fn with_field(mut object: Value, name: &str, value: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
    object
}

/// A time in the form of the API.
pub(super) fn time(at: impl Into<Option<DateTime<Utc>>>) -> Value {
    at.into().map(iso_time).into()
}

pub(super) async fn client(db: &mut PgConnection, client_ref: &str) -> anyhow::Result<ClientId> {
    clients::find_by_ref(db, client_ref)
        .await?
        .with_context(|| format!("there is no client `{client_ref}`; `patchbay client list` lists all clients"))
}

pub(super) async fn clients(db: &Db, client_ref: Option<&str>) -> anyhow::Result<Value> {
    let mut db = db.acquire().await?;
    let above = match client_ref {
        Some(client_ref) => Some(client(&mut db, client_ref).await?),
        None => None,
    };
    let found = clients::with_descendants(&mut db, above).await?;
    let names: HashMap<ClientId, &str> = found.iter().map(|one| (one.id, one.client_ref.as_str())).collect();
    let shown = found.iter().map(|one| {
        json!({
            "clientRef": one.client_ref,
            "displayName": one.display_name,
            "parentRef": one.parent.and_then(|parent| names.get(&parent)),
            "test": one.sandbox_of.is_some(),
            "createdTime": time(one.created_at),
            "disabledTime": time(one.disabled_at),
        })
    });
    Ok(json!({ "clients": shown.collect::<Vec<_>>() }))
}

pub(super) async fn users(db: &Db, client_ref: &str) -> anyhow::Result<Value> {
    let mut db = db.acquire().await?;
    let client = client(&mut db, client_ref).await?;
    let disabled = disablement::times(&mut db, client).await?;
    let shown = all_users(&mut db, client).await?.into_iter().map(|user| {
        json!({
            "userId": user.id,
            "email": user.email,
            "name": user.name,
            "role": user.role.as_str(),
            "team": user.team.map(|(_, name)| name),
            "createdTime": time(user.created_at),
            "disabledTime": time(disabled.of("user", &user.id.to_string())),
        })
    });
    Ok(json!({ "clientRef": client_ref, "users": shown.collect::<Vec<_>>() }))
}

pub(super) async fn keys(db: &Db, client_ref: &str) -> anyhow::Result<Value> {
    let mut db = db.acquire().await?;
    let client = client(&mut db, client_ref).await?;
    let mut shown = keys_of(&mut db, client, false).await?;
    if let Some(sandbox) = sandboxes::of(&mut db, client).await? {
        shown.extend(keys_of(&mut db, sandbox, true).await?);
    }
    Ok(json!({ "clientRef": client_ref, "keys": shown }))
}

/// The keys of a client, or the test keys of a sandbox, which have names and no e-mail addresses.
async fn keys_of(db: &mut PgConnection, client: ClientId, test: bool) -> anyhow::Result<Vec<Value>> {
    let created: HashMap<UserId, _> = api_keys::creation_times(db, client).await?.into_iter().collect();
    let disabled = disablement::times(db, client).await?;
    let shown = all_users(db, client).await?.into_iter().filter_map(|user| {
        let created = created.get(&user.id)?;
        let disabled_at = disabled.of("key", &user.id.to_string());
        Some(match test {
            true => json!({
                "id": user.id,
                "name": user.name,
                "test": true,
                "createdTime": time(*created),
                "disabledTime": time(disabled_at),
            }),
            false => json!({
                "userId": user.id,
                "email": user.email,
                "role": user.role.as_str(),
                "test": false,
                "createdTime": time(*created),
                "disabledTime": time(disabled_at),
            }),
        })
    });
    Ok(shown.collect())
}

async fn all_users(db: &mut PgConnection, client: ClientId) -> anyhow::Result<Vec<Profile>> {
    let (mut found, mut at) = (Vec::new(), PAGE);
    loop {
        let wanted = profiles::ProfileFilter { search: "", team: None };
        let (page, _) = profiles::page(db, client, wanted, at).await?;
        if page.is_empty() {
            return Ok(found);
        }
        found.extend(page);
        at = at.next();
    }
}

/// All inboxes of a channel, each with the time at which it was disabled.
pub(super) async fn all_inboxes(
    db: &Db,
    client_ref: &str,
    channel: Channel,
) -> anyhow::Result<Vec<(Inbox, Option<DateTime<Utc>>)>> {
    let mut db = db.acquire().await?;
    let client = client(&mut db, client_ref).await?;
    let disabled = disablement::times(&mut db, client).await?;
    let (mut found, mut at) = (Vec::new(), PAGE);
    loop {
        let (page, _) = inboxes::page(&mut db, client, channel, "", at).await?;
        if page.is_empty() {
            return Ok(found);
        }
        found.extend(page.into_iter().map(|inbox| {
            let disabled_at = disabled.of("inbox", &inbox.id.to_string());
            (inbox, disabled_at)
        }));
        at = at.next();
    }
}
