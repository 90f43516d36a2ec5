//! Closed sets in the bodies and parameters of plugins.

use api_core::closed_set;
use plugins::{SignatureState, World, calls::trace, slots::Mode};
use serde::Serialize;
use utoipa::ToSchema;

closed_set! {
    /// The kind of a plugin, by the interface that it exports.
    pub(crate) WorldName as "World" = World::ALL.map(World::as_str);
    /// The mode of an activation. `live`: its decisions take effect. `shadow`: it is called without effects. `canary`: it
    /// decides for a share of the participants.
    pub(crate) ModeName as "Mode" = Mode::ALL.map(Mode::as_str);
    /// The end of a call.
    pub(crate) OutcomeName as "PluginOutcome" = trace::outcomes();
}

/// The state of a plugin.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = PluginState)]
pub(crate) enum LoadState {
    Ready,
    Broken,
}

/// The origin of a plugin: uploaded by the client, part of Patchbay, or in `plugins.dir`.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PluginSource {
    Uploaded,
    BuiltIn,
    Directory,
}

/// The state of an upload in the background.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = PluginUploadState)]
pub(crate) enum UploadStage {
    Compiling,
    Ready,
    Refused,
}

/// The state of the signature of a version. `VALID`: it is of a key of the client and matches the stored component.
/// `ABSENT`: the version is not signed. `KEY_REMOVED`: the client has this key no longer. `MISMATCH`: the stored component
/// is another one.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = PluginSignatureState)]
pub(crate) enum SignatureStateName {
    Valid,
    Absent,
    KeyRemoved,
    Mismatch,
}

impl From<SignatureState> for SignatureStateName {
    fn from(state: SignatureState) -> Self {
        match state {
            SignatureState::Valid => Self::Valid,
            SignatureState::Absent => Self::Absent,
            SignatureState::KeyRemoved => Self::KeyRemoved,
            SignatureState::Mismatch => Self::Mismatch,
        }
    }
}
