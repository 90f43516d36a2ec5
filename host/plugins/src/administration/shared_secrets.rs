//! Keeps the shared secrets of a client (ADR 0072): named values that configurations of plugins refer to.

use std::ops::RangeInclusive;

use base::{
    Context, Error, Result,
    audit::{Actor, Administration, AuditObject, audit},
    secrets::SecretPurpose,
};
use chrono::{DateTime, Utc};
use domain::{body::FieldFault, ids::ClientId};
use plugin_host::{PLUGIN_NAME_RULE, is_plugin_name};
use serde_json::Value;
use storage::{
    PgConnection,
    plugins::{
        activations,
        shared_secrets::{self, StoredSecret},
        versions,
    },
};

use super::{PluginError, catalogue, place_of};
use crate::{
    shared_secrets::{ALL_PLUGINS, allows, names},
    slots::SlotActivation,
};

const MOST_SECRETS: usize = 100;
const MOST_GRANTS: usize = 50;
/// Shorter values are not masked in logs and recordings, because they would hide half of the text.
const VALUE_BYTES: RangeInclusive<usize> = 4..=8 * 1024;

/// A shared secret without its value.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedSecret {
    pub name: String,
    /// The plugins that may use it, by name; only `*`: all plugins.
    pub plugins: Vec<String>,
    pub created_at: DateTime<Utc>,
    /// The last time when the value was set.
    pub value_at: DateTime<Utc>,
    /// The activations in force whose configurations name it.
    pub used_by: Vec<SlotActivation>,
}

/// The wanted state of a secret.
#[derive(Clone)]
pub struct SecretChange {
    pub name: String,
    /// `None` = keep the value.
    pub value: Option<String>,
    /// `None` = keep the grants; a new secret has none.
    pub plugins: Option<Vec<String>>,
}

/// A [`SecretChange`] with its value sealed.
struct SealedChange {
    name: String,
    value: Option<Vec<u8>>,
    plugins: Option<Vec<String>>,
}

impl SharedSecret {
    fn of(stored: StoredSecret, active: &[SlotActivation]) -> Self {
        let StoredSecret { name, plugins, created_at, value_at } = stored;
        let used_by = active.iter().filter(|one| names(&one.config).contains(name.as_str())).cloned().collect();
        Self { name, plugins, created_at, value_at, used_by }
    }
}

/// The secrets of a client by name.
pub async fn list_secrets(ctx: &Context, client: ClientId) -> Result<Vec<SharedSecret>> {
    read(&mut *ctx.db.acquire().await?, client).await
}

async fn read(db: &mut PgConnection, client: ClientId) -> Result<Vec<SharedSecret>> {
    let stored = shared_secrets::list(db, client).await?;
    if stored.is_empty() {
        return Ok(Vec::new());
    }
    let active = catalogue::active(db, client, None).await?;
    Ok(stored.into_iter().map(|one| SharedSecret::of(one, &active)).collect())
}

/// Makes a secret, or replaces its value or its grants. A new value counts from the next call on. `true` = it is new.
pub async fn put_secret(
    ctx: &Context,
    client: ClientId,
    change: SecretChange,
    actor: Actor,
) -> Result<(SharedSecret, bool), PluginError> {
    let SecretChange { name, value, plugins } = change;
    let mut faults = Vec::new();
    if !is_plugin_name(&name) {
        faults.push(FieldFault::new("name", PLUGIN_NAME_RULE));
    }
    if value.as_ref().is_some_and(|value| !VALUE_BYTES.contains(&value.len())) {
        let said = format!("must be a text of {} to {} bytes", VALUE_BYTES.start(), VALUE_BYTES.end());
        faults.push(FieldFault::new("value", said));
    }
    let plugins = plugins.map(|plugins| grants(plugins).map_err(|fault| faults.push(fault)).unwrap_or_default());
    if !faults.is_empty() {
        return Err(PluginError::Faults(faults));
    }
    let mut tx = ctx.db.begin().await?;
    activations::lock(&mut tx, client).await?;
    let present = read(&mut tx, client).await?;
    if let Some(plugins) = &plugins {
        are_plugins(ctx, &mut tx, client, plugins).await?;
    }
    let before = present.iter().find(|one| one.name == name);
    let sealed = value.map(|value| {
        // The form of a text in a configuration.
        ctx.sealer.seal(client, SecretPurpose::PluginSecret, Value::String(value).to_string().as_bytes())
    });
    let sealed = sealed.transpose().map_err(Error::from)?;
    let change = SealedChange { name, value: sealed, plugins };
    let (after, action) = match before {
        None => (insert(ctx, &mut tx, client, change, present.len()).await?, "add"),
        Some(before) => (update(ctx, &mut tx, client, before, change).await?, "change"),
    };
    let object = format!("{} for {}", after.name, granted_to(&after.plugins));
    audit(&Administration::from(ctx), &mut tx, client, actor, action, AuditObject::new("plugin-secret", &object))
        .await?;
    tx.commit().await?;
    Ok((after, action == "add"))
}

async fn insert(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    SealedChange { name, value, plugins }: SealedChange,
    present: usize,
) -> Result<SharedSecret, PluginError> {
    let Some(sealed) = value else {
        return Err(PluginError::fault("value", "is required, because there is no secret of this name yet"));
    };
    if present >= MOST_SECRETS {
        let said = format!("there are {MOST_SECRETS} secrets already, which is all that is allowed: remove some");
        return Err(PluginError::Conflict(said));
    }
    let now = ctx.now();
    let new = StoredSecret { name, plugins: plugins.unwrap_or_default(), created_at: now, value_at: now };
    shared_secrets::insert(db, client, &new, &sealed).await?;
    // A past version of the program may have activated a configuration with this name in it.
    let active = catalogue::active(db, client, None).await?;
    Ok(SharedSecret::of(new, &active))
}

async fn update(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    before: &SharedSecret,
    change: SealedChange,
) -> Result<SharedSecret, PluginError> {
    let plugins = change.plugins.unwrap_or_else(|| before.plugins.clone());
    let lost = before.used_by.iter().filter(|user| !allows(&plugins, user.plugin.name()));
    in_use(&before.name, lost, "keep these grants")?;
    let value_at = if change.value.is_some() { ctx.now() } else { before.value_at };
    let after = SharedSecret { plugins, value_at, ..before.clone() };
    let SharedSecret { name, plugins, created_at, value_at, .. } = after.clone();
    let stored = StoredSecret { name, plugins, created_at, value_at };
    shared_secrets::update(db, client, &stored, change.value.as_deref()).await?;
    Ok(after)
}

/// Removes a secret that no activation in force uses.
pub async fn remove_secret(ctx: &Context, client: ClientId, name: &str, actor: Actor) -> Result<(), PluginError> {
    if !is_plugin_name(name) {
        return Err(PluginError::NotFound);
    }
    let mut tx = ctx.db.begin().await?;
    activations::lock(&mut tx, client).await?;
    let present = read(&mut tx, client).await?;
    let secret = present.iter().find(|one| one.name == name).ok_or(PluginError::NotFound)?;
    in_use(name, secret.used_by.iter(), "deactivate them")?;
    shared_secrets::remove(&mut tx, client, name).await?;
    audit(&Administration::from(ctx), &mut tx, client, actor, "remove", AuditObject::new("plugin-secret", name))
        .await?;
    tx.commit().await?;
    Ok(())
}

/// Refuses a change that takes a secret from these activations.
fn in_use<'a>(name: &str, users: impl Iterator<Item = &'a SlotActivation>, cure: &str) -> Result<(), PluginError> {
    let users: Vec<String> = users.map(|user| format!("{} ({})", user.plugin, place_of(user))).collect();
    if users.is_empty() {
        return Ok(());
    }
    let said = format!(
        "`{name}` is used by {}: {cure}, or activate them with a configuration that does not name it first",
        users.join(", ")
    );
    Err(PluginError::Conflict(said))
}

/// Grants in their stored form: sorted, each once.
fn grants(mut plugins: Vec<String>) -> Result<Vec<String>, FieldFault> {
    plugins.sort();
    plugins.dedup();
    if plugins.len() > MOST_GRANTS {
        let said = format!("must name at most {MOST_GRANTS} plugins; `[\"{ALL_PLUGINS}\"]` names all");
        return Err(FieldFault::new("plugins", said));
    }
    if plugins.len() > 1 && plugins.iter().any(|one| one == ALL_PLUGINS) {
        return Err(FieldFault::new("plugins", format!("must have `{ALL_PLUGINS}` alone, or names of plugins")));
    }
    Ok(plugins)
}

/// Makes sure that each grant is for a plugin that the client can activate.
async fn are_plugins(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    plugins: &[String],
) -> Result<(), PluginError> {
    let named: Vec<String> = plugins.iter().filter(|one| is_plugin_name(one)).cloned().collect();
    let uploaded = versions::known_names(db, client, &named).await?;
    let is_known = |name: &String| name == ALL_PLUGINS || uploaded.contains(name) || ctx.plugins.find(name).is_some();
    match plugins.iter().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(name) => {
            let shown: String = name.chars().take(64).collect();
            let said = format!("names `{shown}`, and there is no plugin of that name: upload it first");
            Err(PluginError::fault("plugins", said))
        }
    }
}

fn granted_to(plugins: &[String]) -> String {
    match plugins {
        [] => "no plugin".to_owned(),
        [all] if all == ALL_PLUGINS => "all plugins".to_owned(),
        plugins => plugins.join(", "),
    }
}
