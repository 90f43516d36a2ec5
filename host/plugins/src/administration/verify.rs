//! Verifies a stored version: its bytes against its recorded hash, size and imports, and its signature.

use base::{
    Context,
    heavy_work::{self, BodyOwner},
};
use domain::ids::ClientId;
use plugin_host::{ComponentRefusal, PluginRef};
use sha2::{Digest, Sha256};
use storage::plugins::versions::{self, UploadedVersion};

use super::{
    PluginError, catalogue,
    trust::{self, SignatureState},
    upload,
};

#[derive(Debug, Clone, PartialEq)]
pub struct VerificationResult {
    /// The version as it was recorded at its upload.
    pub version: UploadedVersion,
    /// SHA-256 of the stored bytes. `None` if there are none.
    pub stored_sha256: Option<String>,
    pub signature: SignatureState,
    pub problems: Vec<String>,
}

/// Hashes and examines a stored version (`None` = the newest) like an upload.
pub async fn verify(
    ctx: &Context,
    client: ClientId,
    plugin: &str,
    version: Option<u64>,
) -> Result<VerificationResult, PluginError> {
    let (version, bytes, trust) = {
        let mut db = ctx.db.acquire().await?;
        let chosen = catalogue::choose(ctx, &mut db, client, plugin, version).await?;
        let PluginRef::Uploaded { sha256, .. } = &chosen.plugin else {
            let said = format!("`{plugin}` was not uploaded by you, so no stored version can be verified");
            return Err(PluginError::Conflict(said));
        };
        let version = versions::with_bytes(&mut db, client, plugin, sha256).await?.ok_or(PluginError::NotFound)?;
        let trust = trust::read(&mut db, client).await?;
        (version, versions::bytes(&mut db, client, sha256).await?, trust)
    };
    let Some(bytes) = bytes else {
        let problems = vec!["the component is not stored: upload it again".to_owned()];
        let (signature, _) = trust.verify_stored(&[], version.signature.as_ref());
        return Ok(VerificationResult { version, stored_sha256: None, signature, problems });
    };
    let signature = version.signature.clone();
    let hash = move || {
        let signature = trust.verify_stored(&bytes, signature.as_ref());
        (hex::encode(Sha256::digest(&bytes)), signature, bytes)
    };
    let size = usize::try_from(version.size).unwrap_or_default();
    let (sha256, (signature, problem), bytes) = heavy_work::work(size, BodyOwner::Client(client), hash).await?;
    let mut problems = vec![];
    if sha256 != version.sha256 {
        problems.push(format!("the stored component has SHA-256 {sha256}, but {} was uploaded", version.sha256));
    }
    problems.extend(problem);
    match ctx.plugins.examine(client, plugin, bytes).await {
        Ok(examined) => {
            let size = i64::try_from(examined.size).unwrap_or(i64::MAX);
            let worlds = (examined.world.as_str(), version.world.as_str());
            let recorded = [
                (size != version.size).then(|| format!("it has {size} bytes, but {} were uploaded", version.size)),
                (worlds.0 != worlds.1).then(|| format!("it is a {}, but a {} was uploaded", worlds.0, worlds.1)),
                different_imports(&version.imports, &examined.imports),
            ];
            problems.extend(recorded.into_iter().flatten());
        }
        Err(ComponentRefusal::Problems(found)) => problems.extend(found),
        Err(refusal) => return Err(upload::plugin_error(refusal)),
    }
    Ok(VerificationResult { version, stored_sha256: Some(sha256), signature, problems })
}

fn different_imports(recorded: &[String], found: &[String]) -> Option<String> {
    let of_one = |these: &[String], those: &[String]| {
        these.iter().filter(|import| !those.contains(import)).cloned().collect::<Vec<_>>().join(", ")
    };
    let (more, fewer) = (of_one(found, recorded), of_one(recorded, found));
    match (more.as_str(), fewer.as_str()) {
        ("", "") => None,
        (more, "") => Some(format!("it imports {more}, which its upload did not")),
        ("", fewer) => Some(format!("it does not import {fewer}, which its upload did")),
        (more, fewer) => Some(format!("it imports {more} in place of {fewer}")),
    }
}
