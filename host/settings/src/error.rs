//! Errors of the configuration, with their cures.

use std::{fmt, io, path::PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingSource {
    File(PathBuf),
    Credential(PathBuf),
    Environment(String),
}

impl fmt::Display for SettingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "in {}", path.display()),
            Self::Credential(path) => write!(f, "in the credential {}", path.display()),
            Self::Environment(name) => write!(f, "in the environment variable {name}"),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read the credential {}", .path.display())]
    UnreadableCredential {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("there is no configuration file {}; check the path given to --config", .path.display())]
    Missing { path: PathBuf },
    #[error("cannot read the configuration file {}", .path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The file is not TOML. The line is not repeated, because it may contain a secret.
    #[error("{} is not valid TOML: see line {line}, column {column}", .path.display())]
    Syntax { path: PathBuf, line: usize, column: usize },
    #[error("{variable} is not read: two underscores separate the parts of the name of a setting; write {cure}")]
    OneUnderscore { variable: String, cure: String },
    #[error("unknown setting {key} {place}{}", suggestion(.near))]
    Unknown { key: String, place: SettingSource, near: Vec<String> },
    #[error("{key} {place} is a section: write its settings as [{key}] or {key}.NAME = VALUE")]
    NotASection { key: String, place: SettingSource },
    #[error("{key} {place}: expected {expected}{}", got_instead(.got))]
    Wrong { key: String, place: SettingSource, expected: String, got: String },
    #[error("{key}: {reason}")]
    Unusable { key: String, reason: String },
}

impl ConfigError {
    /// The refusal of a value that is valid alone but cannot work.
    pub(super) fn unusable(key: &str, reason: &str) -> Result<(), Self> {
        Err(Self::Unusable { key: key.to_owned(), reason: reason.to_owned() })
    }
}

fn suggestion(near: &[String]) -> String {
    match near {
        [] => "; `patchbay config` lists all settings".to_owned(),
        [one] => format!("; did you mean {one}?"),
        several => format!("; did you mean one of {}?", several.join(", ")),
    }
}

fn got_instead(got: &str) -> String {
    if got.is_empty() { String::new() } else { format!(", got {got}") }
}
