//! The JSON of the origin of a version.

use domain::plugin_origin::{ComponentNotes, OciSource, VersionOrigin, VersionSignature};
use plugins::SignatureFacts;
use serde::Serialize;
use utoipa::ToSchema;

/// The signature of a version by minisign.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PluginSignature)]
pub(super) struct SignatureBody {
    /// Name of the key at the upload.
    #[schema(examples("ci"))]
    key: String,
    /// Id of the key, as minisign shows it.
    #[schema(examples("E7620F1842B4E81F"))]
    key_id: String,
    /// SHA-256 of the public key.
    fingerprint: String,
    /// The comment that the signature covers.
    #[schema(examples("timestamp:1794873600 file:bot.wasm hashed"))]
    comment: String,
    /// The signature file.
    text: String,
}

impl From<VersionSignature> for SignatureBody {
    fn from(signature: VersionSignature) -> Self {
        // A stored signature was read before, so it has both.
        let (key_id, comment) =
            SignatureFacts::of(&signature).map(|facts| (facts.key_id, facts.comment)).unwrap_or_default();
        let VersionSignature { text, key, fingerprint } = signature;
        Self { key, key_id, fingerprint, comment, text }
    }
}

/// The origin of a version.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PluginOrigin)]
pub(super) struct OriginBody {
    /// Notes of the author and the tools in the component.
    notes: ComponentNotes,
    /// The artifact of an OCI registry. Absent if the bytes came from the uploader alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<OciSource>,
}

impl From<VersionOrigin> for OriginBody {
    fn from(origin: VersionOrigin) -> Self {
        Self { notes: origin.notes, source: origin.source }
    }
}
