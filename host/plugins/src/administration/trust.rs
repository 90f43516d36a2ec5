//! The keys of a client that may sign its uploads, and whether it accepts others (ADR 0070).

use domain::{ids::ClientId, plugin_origin::VersionSignature};
use plugin_host::{PLUGIN_NAME_RULE, is_plugin_name};
use storage::{
    PgConnection,
    plugins::{
        activations,
        signing_keys::{self, SigningKey},
    },
};

use super::{PluginError, signature};
use base::{
    Context, Result,
    audit::{Actor, Administration, AuditObject, audit},
};

const MOST_KEYS: usize = 50;

/// The terms under which a client accepts uploads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadTrust {
    pub signed_only: bool,
    /// By name.
    pub keys: Vec<SigningKey>,
}

/// The state of the signature of a stored version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureState {
    Valid,
    Absent,
    /// The key is no longer a key of the client, so the signature proves nothing.
    KeyRemoved,
    Mismatch,
}

impl UploadTrust {
    /// Checks the signature of an upload.
    pub(super) fn judge(&self, bytes: &[u8], text: Option<&str>) -> Result<Option<VersionSignature>, PluginError> {
        let verify = |text| signature::verify(bytes, text, &self.keys);
        let signature = text.map(verify).transpose();
        let signature = signature.map_err(|fault| PluginError::fault("signature", fault.to_string()))?;
        self.accepts(signature.as_ref())?;
        Ok(signature)
    }

    /// Refuses an upload that these terms do not allow. The signature was valid for one of the keys.
    pub(super) fn accepts(&self, signature: Option<&VersionSignature>) -> Result<(), PluginError> {
        match signature {
            Some(signature) if self.key_of(signature).is_none() => {
                let said =
                    format!("was made with the key `{}`, which was removed: sign with another key", signature.key);
                Err(PluginError::fault("signature", said))
            }
            None if self.signed_only => Err(PluginError::fault("signature", self.unsigned())),
            _ => Ok(()),
        }
    }

    /// Checks the signature of a stored version. The text names a problem and its cure.
    pub(super) fn verify_stored(
        &self,
        bytes: &[u8],
        signature: Option<&VersionSignature>,
    ) -> (SignatureState, Option<String>) {
        let Some(signature) = signature else {
            let said = "it has no signature, and the client accepts only signed uploads: sign it and push it again";
            return (SignatureState::Absent, self.signed_only.then(|| said.to_owned()));
        };
        let VersionSignature { text, key: name, fingerprint } = signature;
        let Some(key) = self.key_of(signature) else {
            let said = format!(
                "it was signed with the key `{name}` (SHA-256 {fingerprint}), which is no longer a key of the client: sign it \
                 with another key and push it again"
            );
            return (SignatureState::KeyRemoved, Some(said));
        };
        match signature::verify(bytes, text, std::slice::from_ref(key)) {
            Ok(_) => (SignatureState::Valid, None),
            Err(_) => {
                let said = format!("the signature with the key `{}` does not match the stored component", key.name);
                (SignatureState::Mismatch, Some(said))
            }
        }
    }

    fn key_of(&self, signature: &VersionSignature) -> Option<&SigningKey> {
        self.keys.iter().find(|key| key.fingerprint == signature.fingerprint)
    }

    fn unsigned(&self) -> String {
        let names: Vec<String> = self.keys.iter().map(|key| format!("`{}`", key.name)).collect();
        format!(
            "is missing, and the client accepts only signed uploads: sign the component with a key of the client ({}), for \
             example `minisign -Sm bot.wasm`, and upload it with `patchbay plugin push bot.wasm --signature bot.wasm.minisig`",
            names.join(", ")
        )
    }
}

pub(super) async fn read(db: &mut PgConnection, client: ClientId) -> Result<UploadTrust> {
    let signed_only = signing_keys::signed_only(db, client).await?;
    Ok(UploadTrust { signed_only, keys: signing_keys::list(db, client).await? })
}

pub async fn upload_trust(ctx: &Context, client: ClientId) -> Result<UploadTrust> {
    read(&mut *ctx.db.acquire().await?, client).await
}

/// Sets the policy. A client without keys cannot demand signatures.
pub async fn set_signed_only(
    ctx: &Context,
    client: ClientId,
    signed_only: bool,
    actor: Actor,
) -> Result<UploadTrust, PluginError> {
    let mut tx = ctx.db.begin().await?;
    activations::lock(&mut tx, client).await?;
    let trust = read(&mut tx, client).await?;
    if signed_only && trust.keys.is_empty() {
        let said = "there is no key yet, so no upload would be accepted: add a key first";
        return Err(PluginError::Conflict(said.to_owned()));
    }
    if signed_only != trust.signed_only {
        signing_keys::set_signed_only(&mut tx, client, signed_only).await?;
        let policy = if signed_only { "signed only" } else { "any" };
        audit(&Administration::from(ctx), &mut tx, client, actor, "change", AuditObject::new("plugin-policy", policy))
            .await?;
        tx.commit().await?;
    }
    Ok(UploadTrust { signed_only, ..trust })
}

/// Adds a key. `public_key` is the file of minisign or its second line.
pub async fn add_signing_key(
    ctx: &Context,
    client: ClientId,
    name: &str,
    public_key: &str,
    actor: Actor,
) -> Result<SigningKey, PluginError> {
    if !is_plugin_name(name) {
        return Err(PluginError::fault("name", PLUGIN_NAME_RULE));
    }
    let Some((public_key, fingerprint)) = signature::read_key(public_key) else {
        let said =
            "is not a public key of minisign: send the file minisign.pub or its second line, which begins with RW";
        return Err(PluginError::fault("publicKey", said));
    };
    let (name, created_by, created_at) = (name.to_owned(), actor.user(), ctx.now());
    let key = SigningKey { name, public_key, fingerprint, created_by, created_at };
    let mut tx = ctx.db.begin().await?;
    activations::lock(&mut tx, client).await?;
    let known = signing_keys::list(&mut tx, client).await?;
    if let Some(same) = known.iter().find(|one| one.fingerprint == key.fingerprint) {
        return Err(PluginError::Conflict(format!("the client has this key already, under the name `{}`", same.name)));
    }
    if known.iter().any(|one| one.name == key.name) {
        return Err(PluginError::Conflict(format!("there is a key `{}` already: remove it first", key.name)));
    }
    if known.len() >= MOST_KEYS {
        let said = format!("there are {MOST_KEYS} keys already, which is all that is allowed: remove some");
        return Err(PluginError::Conflict(said));
    }
    signing_keys::insert(&mut tx, client, &key).await?;
    let object = format!("{} {}", key.name, key.fingerprint);
    audit(&Administration::from(ctx), &mut tx, client, actor, "add", AuditObject::new("plugin-key", &object)).await?;
    tx.commit().await?;
    Ok(key)
}

/// Removes a key. Versions that it signed stay usable, and their verification says that the key is gone.
pub async fn remove_signing_key(ctx: &Context, client: ClientId, name: &str, actor: Actor) -> Result<(), PluginError> {
    if !is_plugin_name(name) {
        return Err(PluginError::NotFound);
    }
    let mut tx = ctx.db.begin().await?;
    activations::lock(&mut tx, client).await?;
    let trust = read(&mut tx, client).await?;
    let key = trust.keys.iter().find(|key| key.name == name).ok_or(PluginError::NotFound)?;
    if trust.signed_only && trust.keys.len() == 1 {
        let said =
            "is the last key, and the client accepts only signed uploads: change the policy or add another key first";
        return Err(PluginError::Conflict(format!("`{name}` {said}")));
    }
    signing_keys::remove(&mut tx, client, name).await?;
    let object = format!("{name} {}", key.fingerprint);
    audit(&Administration::from(ctx), &mut tx, client, actor, "remove", AuditObject::new("plugin-key", &object))
        .await?;
    tx.commit().await?;
    Ok(())
}
