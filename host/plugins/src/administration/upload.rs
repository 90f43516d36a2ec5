//! Uploads of components. A component is checked before anything is stored, and the same bytes are stored only once.

use std::{collections::HashMap, sync::Arc, time::Duration};

use domain::{
    body::FieldFault,
    ids::{ClientId, UserId},
};
use parking_lot::Mutex;
use plugin_host::{ComponentFacts, ComponentRefusal, ProgramSource, is_plugin_name};
use serde_json::Value;
use sha2::{Digest, Sha256};
use storage::plugins::{
    activations,
    versions::{self, UploadedVersion},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::{EventNote, PluginError, note, schema};
use crate::slots::NO_CHATBOT;
use base::HostFailed;
use base::{
    Context, Result,
    audit::{Actor, Administration, audit},
};

/// Uploads that this process handles at once. Each may hold a component in memory.
const AT_ONCE: usize = 8;
/// Uploads of one client that wait for the one before them.
const WAITING_PER_CLIENT: usize = 4;
/// Longest wait of an upload for its turn.
const TURN_WAIT: Duration = Duration::from_secs(60);

/// The URL `POST /plugins/check` has another meaning.
const RESERVED: &str = "check";

#[derive(Debug)]
pub struct UploadPlaces {
    all: Arc<Semaphore>,
    clients: Arc<Mutex<HashMap<ClientId, Arc<Semaphore>>>>,
}

impl Default for UploadPlaces {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(AT_ONCE)), clients: Arc::default() }
    }
}

/// The turn of an upload. Take it before the component is read.
#[derive(Debug)]
pub struct UploadPlace {
    _all: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
}

impl UploadPlaces {
    /// Waits for a turn. Fails if too many uploads of this client wait, or the wait is too long.
    pub async fn enter(&self, client: ClientId) -> Result<UploadPlace, PluginError> {
        let busy = || PluginError::Busy("too many uploads at once: try again in a few seconds".to_owned());
        let own = {
            let mut clients = self.clients.lock();
            // An entry with one reference has no holder and no waiter.
            clients.retain(|_, own| Arc::strong_count(own) > 1);
            let own = clients.entry(client).or_insert_with(|| Arc::new(Semaphore::new(1)));
            // One reference of this table, one of the holder, and one per waiter.
            if Arc::strong_count(own) > 1 + WAITING_PER_CLIENT {
                return Err(busy());
            }
            Arc::clone(own)
        };
        let turn = async {
            let own = own.acquire_owned().await.ok()?;
            let all = Arc::clone(&self.all).acquire_owned().await.ok()?;
            Some(UploadPlace { _all: all, _own: own })
        };
        timeout(TURN_WAIT, turn).await.ok().flatten().ok_or_else(busy)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct UploadResult {
    pub version: UploadedVersion,
    /// `false` if the same bytes were stored before.
    pub new: bool,
}

/// A component to store.
#[derive(Debug)]
pub struct NewUpload {
    pub name: String,
    pub bytes: Vec<u8>,
    pub actor: Actor,
    /// Held until the upload ends.
    pub place: UploadPlace,
}

/// Stores a component as the next version of `name`, unless its bytes are stored already.
pub async fn upload(ctx: &Context, client: ClientId, new: NewUpload) -> Result<UploadResult, PluginError> {
    let NewUpload { name, bytes, actor, place: _place } = new;
    check_name(ctx, &name)?;
    check_size(ctx, bytes.len())?;
    let sha256 = hex::encode(Sha256::digest(&bytes));
    {
        let mut db = ctx.db.acquire().await?;
        if let Some(version) = versions::with_bytes(&mut db, client, &name, &sha256).await? {
            return Ok(UploadResult { version, new: false });
        }
        check_quota(ctx, versions::stored_bytes_beside(&mut db, client, &sha256).await?, bytes.len())?;
    }
    let mut examined = ctx.plugins.examine(client, &name, bytes.clone()).await.map_err(plugin_error)?;
    let config_schema = read_schema(client, examined.config_schema.take()).await?;
    let version = UploadedVersion {
        name,
        world: examined.world.as_str().to_owned(),
        version: 0,
        size: i64::try_from(examined.size).unwrap_or(i64::MAX),
        config_schema: config_schema.map(Into::into),
        sha256: examined.sha256,
        api_version: examined.api_version,
        imports: examined.imports,
        created_by: uploader(actor),
        created_at: ctx.now(),
    };
    store(ctx, client, version, &bytes, actor).await
}

async fn store(
    ctx: &Context,
    client: ClientId,
    version: UploadedVersion,
    bytes: &[u8],
    actor: Actor,
) -> Result<UploadResult, PluginError> {
    let mut tx = ctx.db.begin().await?;
    activations::lock(&mut tx, client).await?;
    if let Some(version) = versions::with_bytes(&mut tx, client, &version.name, &version.sha256).await? {
        return Ok(UploadResult { version, new: false });
    }
    match versions::plugin(&mut tx, client, &version.name).await? {
        Some(plugin) if plugin.world != version.world => {
            let said = format!(
                "is a {}, and the other versions of `{}` are a {}: upload it under another name",
                version.world, version.name, plugin.world
            );
            return Err(PluginError::fault("file", said));
        }
        Some(_) => {}
        None => {
            let most = ctx.settings.limits.plugins_per_client;
            if u64::try_from(versions::count(&mut tx, client).await?).is_ok_and(|count| count >= most) {
                let said = format!("there are {most} plugins already, which is all that is allowed: delete some");
                return Err(PluginError::Conflict(said));
            }
        }
    }
    check_quota(ctx, versions::stored_bytes_beside(&mut tx, client, &version.sha256).await?, bytes.len())?;
    let number = versions::insert(&mut tx, client, &version, bytes).await?;
    let keep = i32::try_from(ctx.settings.limits.plugin_versions_kept()).unwrap_or(i32::MAX);
    for removed in versions::remove_old(&mut tx, client, &version.name, keep).await? {
        let kind = "VERSION_REMOVED";
        let new = EventNote { plugin: &version.name, version: Some(removed), kind, reason: None };
        note(ctx, &mut tx, client, new).await?;
    }
    let new = EventNote { plugin: &version.name, version: Some(number), kind: "UPLOADED", reason: None };
    note(ctx, &mut tx, client, new).await?;
    let object = format!("{} version {number}", version.name);
    audit(&Administration::from(ctx), &mut tx, client, actor, "upload", ("plugin", &object)).await?;
    tx.commit().await?;
    Ok(UploadResult { version: UploadedVersion { version: number, ..version }, new: true })
}

/// Checks a component like an upload, but stores nothing.
pub async fn check(
    ctx: &Context,
    client: ClientId,
    name: Option<&str>,
    bytes: Vec<u8>,
    _place: &UploadPlace,
) -> Result<ComponentFacts, PluginError> {
    if let Some(name) = name {
        check_name(ctx, name)?;
    }
    check_size(ctx, bytes.len())?;
    let examined = ctx.plugins.examine(client, name.unwrap_or("plugin"), bytes).await.map_err(plugin_error)?;
    read_schema(client, examined.config_schema.clone()).await?;
    Ok(examined)
}

async fn read_schema(client: ClientId, text: Option<String>) -> Result<Option<Value>, PluginError> {
    match text {
        Some(text) => Ok(Some(schema::read(client, text, "file").await?)),
        None => Ok(None),
    }
}

fn uploader(actor: Actor) -> Option<UserId> {
    match actor {
        Actor::User(user) => Some(user),
        Actor::Operator | Actor::Platform => None,
    }
}

pub(super) fn check_name(ctx: &Context, name: &str) -> Result<(), PluginError> {
    if name.is_empty() {
        return Err(PluginError::fault("name", "is required: POST /plugins?name=NAME"));
    }
    if !is_plugin_name(name) {
        let said = "must be 1 to 64 letters, digits, `.`, `_` or `-`, beginning with a letter or digit";
        return Err(PluginError::fault("name", said));
    }
    if name == RESERVED {
        return Err(PluginError::fault("name", "is taken by a path of this API: choose another"));
    }
    let is_built_in = ctx.plugins.find(name).is_some_and(|shipped| shipped.source == ProgramSource::BuiltIn);
    if is_built_in || name == NO_CHATBOT {
        let said = "is the name of a plugin that ships with Patchbay: choose another, and activate it in its place";
        return Err(PluginError::fault("name", said));
    }
    Ok(())
}

pub(super) fn check_size(ctx: &Context, size: usize) -> Result<(), PluginError> {
    let most = ctx.settings.limits.plugin_bytes();
    if size > most {
        return Err(PluginError::TooLarge(format!("the component has {size} bytes; {most} are allowed")));
    }
    Ok(())
}

fn check_quota(ctx: &Context, stored: i64, size: usize) -> Result<(), PluginError> {
    let (stored, size) = (u64::try_from(stored).unwrap_or(0), size as u64);
    let most = ctx.settings.limits.plugin_storage_bytes_per_client;
    if stored.saturating_add(size) > most {
        return Err(PluginError::TooLarge(format!(
            "your other plugins have {stored} bytes, this component {size}, and {most} are allowed in all: delete plugins that \
             you no longer need"
        )));
    }
    Ok(())
}

pub(super) fn plugin_error(refusal: ComponentRefusal) -> PluginError {
    match refusal {
        ComponentRefusal::Problems(problems) => {
            PluginError::Faults(problems.into_iter().map(|problem| FieldFault::new("file", problem)).collect())
        }
        ComponentRefusal::TooLarge { .. } => PluginError::TooLarge(refusal.to_string()),
        ComponentRefusal::Busy => PluginError::Busy(refusal.to_string()),
        ComponentRefusal::UsedUp { wait, .. } => PluginError::NotYet { said: refusal.to_string(), wait },
        ComponentRefusal::Failed(reason) => PluginError::Failed(HostFailed(reason).into()),
    }
}
