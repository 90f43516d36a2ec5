//! Errors of the configuration, with their cures.

use std::{fmt, io, path::PathBuf};

/// The source of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingSource {
    /// A configuration file.
    File(PathBuf),
    /// A file with one value, from the service manager.
    Credential(PathBuf),
    /// An environment variable, with its full name.
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
        /// The file, or the folder of all credentials.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    #[error("there is no configuration file {}; check the path given to --config", .path.display())]
    Missing {
        /// The path as given.
        path: PathBuf,
    },
    #[error("cannot read the configuration file {}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// The file is not TOML. The line is not repeated, because it may contain a secret.
    #[error("{} is not valid TOML: see line {line}, column {column}", .path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line of the fault, from 1.
        line: usize,
        /// The column of the fault, from 1.
        column: usize,
    },
    #[error("{variable} is not read: two underscores follow PATCHBAY in the name of a setting; write {cure}")]
    OneUnderscore {
        /// The name of the environment variable.
        variable: String,
        /// The name that is read.
        cure: String,
    },
    #[error("unknown setting {key} {place}{}", suggestion(.near))]
    Unknown {
        /// The full key.
        key: String,
        /// The source of the setting.
        place: SettingSource,
        /// Similar keys, best first.
        near: Vec<String>,
    },
    #[error("{key} {place} is a section: write its settings as [{key}] or {key}.NAME = VALUE")]
    NotASection {
        /// Name of the section.
        key: String,
        /// The source of the setting.
        place: SettingSource,
    },
    #[error("{key} {place}: expected {expected}{}", got_instead(.got))]
    Wrong {
        /// The full key.
        key: String,
        /// The source of the setting.
        place: SettingSource,
        /// The expected form.
        expected: String,
        /// The given value. Empty for secrets.
        got: String,
    },
    #[error("{key}: {reason}")]
    Unusable {
        /// The setting to change.
        key: String,
        /// The fault and its cure.
        reason: String,
    },
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
