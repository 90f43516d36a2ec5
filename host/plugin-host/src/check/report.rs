//! The report of a check.

use std::fmt;

use super::{component_interface::PACKAGE, hash::sha256};
use crate::World;

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    pub world: Option<World>,
    /// Version of `patchbay:plugin` that it was built for.
    pub api_version: Option<String>,
    pub size: u64,
    pub sha256: String,
    pub imports: Vec<String>,
    pub exports: Vec<String>,
    pub problems: Vec<String>,
    /// The compilation reached a limit before the component was read. World, imports and exports are unknown then.
    #[serde(default)]
    pub is_cut_short: bool,
}

impl CheckReport {
    pub(crate) fn unread(bytes: &[u8]) -> Self {
        Self {
            world: None,
            api_version: None,
            size: bytes.len() as u64,
            sha256: sha256(bytes),
            imports: vec![],
            exports: vec![],
            problems: vec![],
            is_cut_short: false,
        }
    }

    pub(crate) fn cut_short(bytes: &[u8], problems: Vec<String>) -> Self {
        Self { problems, is_cut_short: true, ..Self::unread(bytes) }
    }

    pub fn is_ok(&self) -> bool {
        self.problems.is_empty()
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.world, &self.api_version) {
            (Some(world), Some(version)) => writeln!(f, "world:   {world} ({PACKAGE}@{version})")?,
            _ if self.is_cut_short => writeln!(f, "world:   unknown, because the compilation did not end")?,
            _ => writeln!(f, "world:   none")?,
        }
        writeln!(f, "size:    {} bytes", self.size)?;
        writeln!(f, "sha256:  {}", self.sha256)?;
        let imports = match self.imports.is_empty() {
            true if self.is_cut_short => "unknown",
            true => "nothing",
            false => "",
        };
        writeln!(f, "imports: {imports}")?;
        for import in &self.imports {
            writeln!(f, "  {import}")?;
        }
        if self.problems.is_empty() {
            return write!(f, "This plugin can be loaded.");
        }
        f.write_str(if self.is_cut_short {
            "This plugin could not be compiled:"
        } else {
            "This plugin cannot be loaded:"
        })?;
        self.problems.iter().try_for_each(|problem| write!(f, "\n  - {problem}"))
    }
}
