//! What can be wrong with a configuration, said so that the reader can mend it.

use std::{fmt, io, path::PathBuf};

/// Where a setting was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In a configuration file.
    File(PathBuf),
    /// In an environment variable, named in full.
    Environment(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "in {}", path.display()),
            Self::Environment(name) => write!(f, "in the environment variable {name}"),
        }
    }
}

/// Why the configuration was refused.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// `--config` names a file that is not there.
    #[error("there is no configuration file {}; check the path given to --config", .path.display())]
    Missing {
        /// The path as it was given.
        path: PathBuf,
    },
    /// The file is there and cannot be read.
    #[error("cannot read the configuration file {}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file is not TOML. The line itself is not repeated, because it may hold a secret.
    #[error("{} is not valid TOML: see line {line}, column {column}", .path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line of the fault, from 1.
        line: usize,
        /// The character of the line at which reading ended, from 1.
        column: usize,
    },
    /// A setting of this name does not exist.
    #[error("unknown setting {key} {place}{}", suggestion(.near))]
    Unknown {
        /// The key in full.
        key: String,
        /// Where it was written.
        place: Place,
        /// Keys that look like it, best first.
        near: Vec<String>,
    },
    /// A section was given a value, or a value outside any section was a table.
    #[error("{key} {place} is a section: write its settings as [{key}] or {key}.NAME = VALUE")]
    NotASection {
        /// Name of the section.
        key: String,
        /// Where it was written.
        place: Place,
    },
    /// The value has the wrong type or form.
    #[error("{key} {place}: expected {expected}{}", got_instead(.got))]
    Wrong {
        /// The key in full.
        key: String,
        /// Where it was written.
        place: Place,
        /// What would have been right.
        expected: String,
        /// What was given; empty for secrets.
        got: String,
    },
    /// The values are well-formed and make no sense together.
    #[error("{key}: {reason}")]
    Unusable {
        /// The setting to change.
        key: String,
        /// What is wrong and what to do.
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
