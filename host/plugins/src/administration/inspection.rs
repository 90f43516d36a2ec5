//! The first part of an upload, which needs no compiler: name, size, hash, signature, source, and whether the bytes are
//! known.

use domain::{
    ids::ClientId,
    plugin_origin::{OciSource, VersionSignature},
};
use plugin_host::{PLUGIN_NAME_RULE, ProgramSource, is_plugin_name};
use sha2::{Digest, Sha256};
use storage::plugins::{
    activations,
    versions::{self, UploadedVersion},
};

use super::{EventNote, PluginError, note, source::NewSource, trust, upload_places::UploadPlace};
use crate::slots::NO_CHATBOT;
use base::{
    Context, Result,
    audit::{Actor, Administration, AuditObject, audit},
    heavy_work::{self, BodyOwner},
};

/// The URL `POST /plugins/check` has another meaning.
const RESERVED: &str = "check";

/// A component to store.
#[derive(Debug)]
pub struct NewUpload {
    pub name: String,
    pub bytes: Vec<u8>,
    /// The signature file of minisign over these bytes.
    pub signature: Option<String>,
    pub source: Option<NewSource>,
    pub actor: Actor,
    /// Held until the upload ends.
    pub place: UploadPlace,
}

/// An upload with a valid name, size, signature and source.
pub(super) struct InspectedUpload {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) actor: Actor,
    pub(super) sha256: String,
    pub(super) signature: Option<VersionSignature>,
    pub(super) source: Option<OciSource>,
    pub(super) place: UploadPlace,
}

pub(super) async fn inspect(ctx: &Context, client: ClientId, new: NewUpload) -> Result<InspectedUpload, PluginError> {
    let NewUpload { name, bytes, signature, source, actor, place } = new;
    check_name(ctx, &name)?;
    check_size(ctx, bytes.len())?;
    let trust = trust::read(&mut *ctx.db.acquire().await?, client).await?;
    let size = bytes.len();
    let judge = move || {
        let sha256 = hex::encode(Sha256::digest(&bytes));
        let signature = trust.judge(&bytes, signature.as_deref());
        (bytes, sha256, signature)
    };
    let (bytes, sha256, signature) = heavy_work::work(size, BodyOwner::Client(client), judge).await?;
    let source = source.map(|source| source.verify(&sha256)).transpose()?;
    Ok(InspectedUpload { name, bytes, actor, sha256, signature: signature?, source, place })
}

/// The version with these bytes, if there is one. It takes over a new signature.
pub(super) async fn known_version(
    ctx: &Context,
    client: ClientId,
    new: &InspectedUpload,
) -> Result<Option<UploadedVersion>, PluginError> {
    let found = versions::with_bytes(&mut *ctx.db.acquire().await?, client, &new.name, &new.sha256).await?;
    match (found, &new.signature) {
        (Some(version), Some(signature)) if version.signature.as_ref() != Some(signature) => {
            sign(ctx, client, version, signature, new.actor).await
        }
        (found, _) => Ok(found),
    }
}

async fn sign(
    ctx: &Context,
    client: ClientId,
    version: UploadedVersion,
    signature: &VersionSignature,
    actor: Actor,
) -> Result<Option<UploadedVersion>, PluginError> {
    let mut tx = ctx.db.begin().await?;
    activations::lock(&mut tx, client).await?;
    trust::read(&mut tx, client).await?.accepts(Some(signature))?;
    let number = version.version;
    if versions::one(&mut tx, client, &version.name, Some(number)).await?.is_none() {
        return Ok(None);
    }
    versions::sign(&mut tx, client, &version.name, number, signature).await?;
    let reason = Some(format!("with the key {}", signature.key));
    let new = EventNote { plugin: &version.name, version: Some(number), kind: "SIGNED", reason };
    note(ctx, &mut tx, client, new).await?;
    let object = format!("{} version {number}", version.name);
    audit(&Administration::from(ctx), &mut tx, client, actor, "sign", AuditObject::new("plugin", &object)).await?;
    tx.commit().await?;
    Ok(Some(UploadedVersion { signature: Some(signature.clone()), ..version }))
}

pub(super) fn check_name(ctx: &Context, name: &str) -> Result<(), PluginError> {
    if name.is_empty() {
        return Err(PluginError::fault("name", "is required: POST /plugins?name=NAME"));
    }
    if !is_plugin_name(name) {
        return Err(PluginError::fault("name", PLUGIN_NAME_RULE));
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
