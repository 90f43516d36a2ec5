//! Uploads of components. A component is checked before anything is stored, and the same bytes are stored only once.

use domain::{body::FieldFault, ids::ClientId, plugin_origin::VersionOrigin};
use plugin_host::{ComponentFacts, ComponentRefusal};
use serde_json::Value;
use storage::plugins::{
    activations,
    versions::{self, UploadedVersion},
};

use super::{
    EventNote, PluginError,
    inspection::{InspectedUpload, NewUpload, check_name, check_size, inspect, known_version},
    note, schema, trust,
    upload_places::UploadPlace,
};
use base::HostFailed;
use base::{
    Context, Result,
    audit::{Actor, Administration, AuditObject, audit},
};

#[derive(Debug, Clone, PartialEq)]
pub struct UploadResult {
    pub version: UploadedVersion,
    /// `false` if the same bytes were stored before.
    pub new: bool,
}

/// Stores a component as the next version of `name`, unless its bytes are stored already.
pub async fn upload(ctx: &Context, client: ClientId, new: NewUpload) -> Result<UploadResult, PluginError> {
    let inspected = inspect(ctx, client, new).await?;
    store_inspected(ctx, client, inspected).await
}

pub(super) async fn store_inspected(
    ctx: &Context,
    client: ClientId,
    new: InspectedUpload,
) -> Result<UploadResult, PluginError> {
    if let Some(version) = known_version(ctx, client, &new).await? {
        return Ok(UploadResult { version, new: false });
    }
    let InspectedUpload { name, bytes, actor, sha256, signature, source, place: _place } = new;
    let stored = versions::stored_bytes_of_others(&mut *ctx.db.acquire().await?, client, &sha256).await?;
    check_quota(ctx, stored, bytes.len())?;
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
        created_by: actor.user(),
        created_at: ctx.now(),
        signature,
        origin: Some(VersionOrigin { notes: examined.notes, source }),
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
    // The keys and the policy may have changed during the compilation.
    trust::read(&mut tx, client).await?.accepts(version.signature.as_ref())?;
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
    check_quota(ctx, versions::stored_bytes_of_others(&mut tx, client, &version.sha256).await?, bytes.len())?;
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
    audit(&Administration::from(ctx), &mut tx, client, actor, "upload", AuditObject::new("plugin", &object)).await?;
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
