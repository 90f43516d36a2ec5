//! Shows the configuration: as TOML for `patchbay config`, as tables for `docs/operations.md`.

use std::fmt::Write;

use super::{Settings, join};

/// A table of `docs/operations.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsTable {
    Settings,
    /// `limits.*`
    Limits,
    /// `retention.*`
    Retention,
}

impl SettingsTable {
    /// The word in the markers around the table: `<!-- settings:begin -->`.
    pub fn marker(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Limits => "limits",
            Self::Retention => "retention",
        }
    }

    fn holds(self, section: &str) -> bool {
        match section {
            "limits" => self == Self::Limits,
            "retention" => self == Self::Retention,
            _ => self == Self::Settings,
        }
    }

    /// The table in Markdown, with the defaults of this version.
    pub fn markdown(self) -> String {
        let mut table = "| key | default | meaning |\n|---|---|---|\n".to_owned();
        for (section, settings) in Settings::default().sections() {
            if !self.holds(section) {
                continue;
            }
            for setting in settings.settings() {
                let default = match setting.value.as_str() {
                    Some("") => String::new(),
                    Some(text) => format!("`{text}`"),
                    None => format!("`{}`", setting.value),
                };
                let (key, meaning) = (join(section, setting.name), setting.meaning.trim());
                // Writing to a String cannot fail.
                let _ = writeln!(table, "| `{key}` | {default} | {meaning} |");
            }
        }
        table
    }
}

impl Settings {
    /// All settings as TOML, with secrets and passwords in URLs masked.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        for (section, settings) in self.sections() {
            if !section.is_empty() {
                let _ = writeln!(text, "\n[{section}]");
            }
            for setting in settings.settings() {
                let _ = writeln!(text, "{} = {}", setting.name, setting.value);
            }
        }
        text
    }
}
