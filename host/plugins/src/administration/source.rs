//! The source of an upload: an artifact of an OCI registry. The uploader fetched it and sends its manifest along, so that
//! the digest in the reference proves which component the artifact has (ADR 0070).

use std::collections::BTreeMap;

use bytes::Bytes;
use domain::plugin_origin::{OciSource, note_line};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::PluginError;

const LONGEST_REFERENCE: usize = 512;
const MOST_MANIFEST_BYTES: usize = 32 * 1024;
const MOST_ANNOTATIONS: usize = 20;
const ANNOTATION: &str = "org.opencontainers.image.";

/// The artifact of an upload, before it is checked.
#[derive(Debug)]
pub struct NewSource {
    /// `oci://REGISTRY/REPOSITORY@sha256:DIGEST`, with the digest of the manifest.
    pub reference: String,
    pub manifest: Bytes,
}

/// The part of a manifest (OCI image specification) that is needed here.
#[derive(Deserialize)]
struct Manifest {
    #[serde(default)]
    layers: Vec<Layer>,
    annotations: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
struct Layer {
    digest: String,
}

impl NewSource {
    /// Checks that the manifest has the digest of the reference, and a component with this SHA-256.
    pub(super) fn verify(self, component: &str) -> Result<OciSource, PluginError> {
        let Self { reference, manifest } = self;
        let Some(digest) = digest(&reference) else {
            let said = "must be oci://REGISTRY/REPOSITORY@sha256:DIGEST, with the digest of the manifest in 64 digits";
            return Err(PluginError::fault("source", said));
        };
        if manifest.len() > MOST_MANIFEST_BYTES {
            let said = format!("has {} bytes; {MOST_MANIFEST_BYTES} are allowed", manifest.len());
            return Err(PluginError::fault("manifest", said));
        }
        let found = hex::encode(Sha256::digest(&manifest));
        if found != digest {
            let said =
                format!("has SHA-256 {found}, but `source` names {digest}: send the bytes of the registry unchanged");
            return Err(PluginError::fault("manifest", said));
        }
        let Ok(Manifest { layers, annotations }) = serde_json::from_slice(&manifest) else {
            return Err(PluginError::fault("manifest", "is not an image manifest of OCI"));
        };
        let wanted = format!("sha256:{component}");
        if !layers.iter().any(|layer| layer.digest == wanted) {
            let said =
                format!("has no layer {wanted}, which is the uploaded component: send the component of this artifact");
            return Err(PluginError::fault("manifest", said));
        }
        let annotations = annotations.unwrap_or_default();
        let shown = annotations.iter().filter_map(|(name, text)| {
            let name = name.strip_prefix(ANNOTATION)?;
            Some((note_line(name), note_line(text)))
        });
        Ok(OciSource { annotations: shown.take(MOST_ANNOTATIONS).collect(), reference })
    }
}

/// The SHA-256 in a reference; `None` if it is not one with a digest.
fn digest(reference: &str) -> Option<&str> {
    let (place, digest) = reference.strip_prefix("oci://")?.split_once("@sha256:")?;
    let (registry, repository) = place.split_once('/')?;
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "._:/-[]".contains(letter);
    let is_digit = |letter: char| letter.is_ascii_digit() || ('a'..='f').contains(&letter);
    let is_whole = reference.len() <= LONGEST_REFERENCE && !registry.is_empty() && !repository.is_empty();
    (is_whole && place.chars().all(is_name) && digest.len() == 64 && digest.chars().all(is_digit)).then_some(digest)
}
