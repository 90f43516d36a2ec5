//! The place of a test's configuration, for messages.

use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ConfigPlace {
    /// Neither the test nor its file has one, so it is `{}`.
    Absent,
    Line(u64),
    /// A JSON file that this line of the test file names.
    File {
        path: PathBuf,
        line: u64,
    },
}

impl ConfigPlace {
    /// The place in words that follow a noun. `file` is the test file.
    pub(super) fn words(&self, file: &Path) -> String {
        let file = file.display();
        match self {
            Self::Absent => format!("`{{}}` of {file}, which gives no other,"),
            Self::Line(line) => format!("in {file}, line {line},"),
            Self::File { path, line } => format!("in {} (named in {file}, line {line})", path.display()),
        }
    }
}
