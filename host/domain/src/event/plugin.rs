//! Plugins: which version is in force, and which is not asked for a while.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::world::World;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginVersion {
    pub name: String,
    /// Version of an upload. Absent for a plugin of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginSwapped {
    pub activation: Uuid,
    pub plugin: PluginVersion,
    pub world: World,
    /// How it is, or was, in force.
    pub mode: PluginMode,
    pub swap: Swap,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Swap {
    Activated {
        /// The live activation that made way for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instead_of: Option<Uuid>,
    },
    /// Its successor was taken back, so it is in force again.
    BroughtBack,
    RolledBack,
    Deactivated,
    /// It was on trial and failed too often.
    TakenBack {
        reason: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PluginMode {
    Live,
    /// It is called in addition to the live one.
    Shadow,
    /// It answers for a share.
    Canary,
}

/// A plugin failed so often that it is not asked for a while. Recorded for each inbox that it serves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginSuspended {
    pub plugin: PluginVersion,
    /// Why, in one sentence for the client.
    pub reason: String,
}
