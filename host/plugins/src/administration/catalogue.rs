//! The plugins that a client can activate: its uploads, built-in plugins, and files of the operator.

use chrono::{DateTime, Utc};
use domain::{ids::ClientId, plugin_origin::VersionSignature, search::fold};
use plugin_host::{PluginInfo, PluginRef, ProgramSource, ProgramState, World, config_schema};
use serde_json::Value;
use storage::{
    PgConnection,
    plugins::{
        activations,
        versions::{self, UploadedVersion},
    },
};

use super::{PluginError, schema};
use crate::slots::{NO_CHATBOT, SlotActivation};
use base::{Context, Error, Result};
use domain::page::{Page, PageRequest};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PluginOrigin {
    Uploaded,
    BuiltIn,
    /// The operator put it into the plugins directory.
    Directory,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CataloguePlugin {
    pub name: String,
    pub origin: PluginOrigin,
    pub world: Option<World>,
    /// The newest version. For a built-in or directory plugin, its generation in this process.
    pub version: u64,
    pub sha256: String,
    pub size: u64,
    pub imports: Vec<String>,
    /// Version of the interfaces that it was built for. Only of an uploaded plugin.
    pub api_version: Option<String>,
    /// JSON Schema of its configuration, if it exports one.
    pub config_schema: Option<Value>,
    pub ready: bool,
    pub last_error: Option<String>,
    pub created_at: Option<DateTime<Utc>>,
    /// Of the newest version.
    pub signature: Option<VersionSignature>,
    pub activations: Vec<SlotActivation>,
}

#[derive(Debug, Clone)]
pub struct Detail {
    pub plugin: CataloguePlugin,
    /// Versions of an uploaded plugin, newest first. Empty for other plugins.
    pub versions: Page<UploadedVersion>,
}

pub(super) enum FoundPlugin {
    /// The newest version that the client uploaded.
    Upload(Box<UploadedVersion>),
    Shipped(PluginInfo),
}

/// Finds a plugin by name. The client's uploads come first.
pub(super) async fn find(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    name: &str,
) -> Result<Option<FoundPlugin>> {
    // No plugin has such a name, and PostgreSQL cannot store it.
    if name.contains('\0') {
        return Ok(None);
    }
    Ok(match versions::one(db, client, name, None).await? {
        Some(version) => Some(FoundPlugin::Upload(Box::new(version))),
        None if name == NO_CHATBOT => Some(FoundPlugin::Shipped(no_chatbot())),
        None => ctx.plugins.find(name).map(FoundPlugin::Shipped),
    })
}

/// Describes "no chatbot" like a built-in plugin.
fn no_chatbot() -> PluginInfo {
    PluginInfo {
        name: NO_CHATBOT.to_owned(),
        world: Some(World::Chatbot),
        source: ProgramSource::BuiltIn,
        state: ProgramState::Ready,
        version: 1,
        sha256: String::new(),
        size: 0,
        imports: Vec::new(),
        last_error: None,
    }
}

pub(super) struct ChosenPlugin {
    pub(super) world: World,
    pub(super) plugin: PluginRef,
    /// For a built-in or directory plugin, only [`with_schema`] sets this.
    pub(super) config_schema: Option<Value>,
}

/// The version of a plugin that a request names; `None` = the newest.
pub(super) async fn choose(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    name: &str,
    version: Option<u64>,
) -> Result<ChosenPlugin, PluginError> {
    match find(ctx, db, client, name).await? {
        None => Err(PluginError::NotFound),
        Some(FoundPlugin::Shipped(info)) => shipped_version(info, version),
        Some(FoundPlugin::Upload(newest)) => {
            let last = newest.version;
            let found = match version.map(i32::try_from) {
                None => Some(*newest),
                Some(Ok(version)) => versions::one(db, client, name, Some(version)).await?,
                Some(Err(_)) => None,
            };
            let Some(found) = found else {
                let oldest = versions::oldest(db, client, name).await?.unwrap_or(last);
                let said = format!("is not there: `{name}` has versions {oldest} to {last}");
                return Err(PluginError::fault("version", said));
            };
            let (world, plugin) = (world_of(&found)?, reference(&found));
            Ok(ChosenPlugin { world, plugin, config_schema: found.config_schema.map(|schema| schema.0) })
        }
    }
}

fn shipped_version(info: PluginInfo, version: Option<u64>) -> Result<ChosenPlugin, PluginError> {
    let (ProgramState::Ready, Some(world)) = (info.state, info.world) else {
        let reason = info.last_error.unwrap_or_else(|| "it does not load".to_owned());
        return Err(PluginError::fault("name", format!("cannot be used: {reason}")));
    };
    if version.is_some_and(|version| version != info.version) {
        let loaded = info.version;
        let said = format!("is not the version that is loaded, which is {loaded}: leave it out to take that one");
        return Err(PluginError::fault("version", said));
    }
    Ok(ChosenPlugin { world, plugin: PluginRef::shipped(info.name), config_schema: None })
}

/// Adds the schema of the configuration of a built-in or directory plugin, which has to be called for it. The caller
/// must not hold a database connection.
pub(super) async fn with_schema(
    ctx: &Context,
    client: ClientId,
    chosen: ChosenPlugin,
) -> Result<ChosenPlugin, PluginError> {
    let PluginRef::Shipped(name) = &chosen.plugin else { return Ok(chosen) };
    let text = ctx.plugins.shipped_config_schema(name).await;
    let config_schema = match text.map_err(|problem| PluginError::fault("name", problem))? {
        Some(text) => Some(schema::read(client, text, "name").await?),
        None => None,
    };
    Ok(ChosenPlugin { config_schema, ..chosen })
}

pub async fn list(ctx: &Context, client: ClientId, search: &str, page: PageRequest) -> Result<Page<CataloguePlugin>> {
    let mut db = ctx.db.acquire().await?;
    let search = fold(search);
    let uploads = versions::newest(&mut db, client, &search).await?;
    let active = active(&mut db, client, None).await?;
    drop(db);
    let mut plugins: Vec<CataloguePlugin> = uploads.into_iter().map(uploaded_plugin).collect::<Result<_>>()?;
    let names: std::collections::HashSet<String> = plugins.iter().map(|plugin| plugin.name.clone()).collect();
    let shipped = ctx.plugins.plugins().into_iter().chain([no_chatbot()]);
    plugins.extend(
        shipped
            .filter(|info| info.name.to_lowercase().contains(&search) && !names.contains(&info.name))
            .map(shipped_one),
    );
    plugins.sort_by(|a, b| a.name.cmp(&b.name));
    let total = u64::try_from(plugins.len()).unwrap_or(u64::MAX);
    let skip = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let take = usize::try_from(page.limit()).unwrap_or(usize::MAX);
    let mut items: Vec<CataloguePlugin> = plugins.into_iter().skip(skip).take(take).collect();
    for plugin in &mut items {
        plugin.activations = active.iter().filter(|active| active.plugin.name() == plugin.name).cloned().collect();
    }
    Ok(Page { items, total })
}

pub async fn one(ctx: &Context, client: ClientId, name: &str, page: PageRequest) -> Result<Option<Detail>> {
    let mut db = ctx.db.acquire().await?;
    let Some(found) = find(ctx, &mut db, client, name).await? else { return Ok(None) };
    let (mut plugin, versions) = match found {
        FoundPlugin::Shipped(info) => (shipped_one(info), Page { items: Vec::new(), total: 0 }),
        FoundPlugin::Upload(newest) => {
            let (items, total) = versions::page(&mut db, client, name, page).await?;
            (uploaded_plugin(*newest)?, Page::of(items, total))
        }
    };
    plugin.activations = active(&mut db, client, Some(name)).await?;
    drop(db);
    if plugin.origin != PluginOrigin::Uploaded {
        // If the schema cannot be read, the activation that needs it reports the error.
        let text = ctx.plugins.shipped_config_schema(name).await.ok().flatten();
        plugin.config_schema = text.and_then(|text| config_schema::parse(&text).ok());
    }
    Ok(Some(Detail { plugin, versions }))
}

pub(super) async fn active(
    db: &mut PgConnection,
    client: ClientId,
    plugin: Option<&str>,
) -> Result<Vec<SlotActivation>> {
    let rows = activations::list(db, client, plugin).await?;
    rows.into_iter().map(SlotActivation::try_from).collect()
}

pub(super) fn world_of(version: &UploadedVersion) -> Result<World> {
    let known = World::ALL.into_iter().find(|world| world.as_str() == version.world);
    known.ok_or_else(|| {
        let value = version.world.clone();
        Error::from(storage::Error::Inconsistent { table: "plugin", column: "world", value })
    })
}

pub(super) fn reference(version: &UploadedVersion) -> PluginRef {
    PluginRef::uploaded(&version.name, version.version.unsigned_abs(), &version.sha256)
}

fn uploaded_plugin(version: UploadedVersion) -> Result<CataloguePlugin> {
    Ok(CataloguePlugin {
        origin: PluginOrigin::Uploaded,
        world: Some(world_of(&version)?),
        version: u64::from(version.version.unsigned_abs()),
        size: version.size.unsigned_abs(),
        name: version.name,
        sha256: version.sha256,
        imports: version.imports,
        api_version: Some(version.api_version),
        config_schema: version.config_schema.map(|schema| schema.0),
        ready: true,
        last_error: None,
        created_at: Some(version.created_at),
        signature: version.signature,
        activations: Vec::new(),
    })
}

fn shipped_one(info: PluginInfo) -> CataloguePlugin {
    CataloguePlugin {
        name: info.name,
        origin: match info.source {
            ProgramSource::BuiltIn => PluginOrigin::BuiltIn,
            ProgramSource::Directory(_) => PluginOrigin::Directory,
        },
        world: info.world,
        version: info.version,
        sha256: info.sha256,
        size: info.size,
        imports: info.imports,
        api_version: None,
        config_schema: None,
        ready: info.state == ProgramState::Ready,
        last_error: info.last_error,
        created_at: None,
        signature: None,
        activations: Vec::new(),
    }
}
