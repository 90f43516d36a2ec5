//! The identity of a component to call.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PluginRef {
    /// A built-in plugin, or a file of the watched directory, by name.
    Shipped(String),
    Uploaded {
        name: String,
        version: u32,
        sha256: String,
    },
}

impl PluginRef {
    pub fn shipped(name: impl Into<String>) -> Self {
        Self::Shipped(name.into())
    }

    pub fn uploaded(name: impl Into<String>, version: u32, sha256: impl Into<String>) -> Self {
        Self::Uploaded { name: name.into(), version, sha256: sha256.into() }
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Shipped(name) | Self::Uploaded { name, .. } => name,
        }
    }

    /// `None` for a built-in or directory plugin, which has no lasting version.
    pub fn version(&self) -> Option<u32> {
        match self {
            Self::Shipped(_) => None,
            Self::Uploaded { version, .. } => Some(*version),
        }
    }

    /// SHA-256 in hexadecimal; `None` for a built-in or directory plugin.
    pub fn sha256(&self) -> Option<&str> {
        match self {
            Self::Shipped(_) => None,
            Self::Uploaded { sha256, .. } => Some(sha256),
        }
    }
}

impl fmt::Display for PluginRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shipped(name) => f.write_str(name),
            Self::Uploaded { name, version, .. } => write!(f, "{name} version {version}"),
        }
    }
}

/// Longest name in characters.
const LONGEST_NAME: usize = 64;

/// The rule of [`is_plugin_name`] in an error.
pub const PLUGIN_NAME_RULE: &str = "must be 1 to 64 letters, digits, `.`, `_` or `-`, beginning with a letter or digit";

/// Whether a plugin can have this name: 1 to 64 letters, digits, `.`, `_` and `-`, beginning with a letter or digit.
pub fn is_plugin_name(name: &str) -> bool {
    let starts_well = name.chars().next().is_some_and(|first| first.is_ascii_alphanumeric());
    starts_well && name.len() <= LONGEST_NAME && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}
