//! Reads the file and the environment.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use super::{
    ConfigError, SettingSource, Settings, join,
    section::{SettingRefusal, ValueSource},
};

pub const DEFAULT_FILE: &str = "patchbay.toml";

/// Prefix of environment variables that are settings. `PATCHBAY_URL` and others are not.
const PREFIX: &str = "PATCHBAY__";
/// Prefix of credentials that are settings, `patchbay_security.master_key`: systemd names files so with
/// `LoadCredential=patchbay:FOLDER`.
const CREDENTIAL_PREFIX: &str = "patchbay_";

/// The places of settings. A later one wins.
#[derive(Debug, Default)]
pub struct Sources {
    pub file: Option<(PathBuf, String)>,
    /// A folder of files with one value each, such as secrets that a service manager passes.
    pub credentials: Option<PathBuf>,
    /// Environment variables. Those without the prefix `PATCHBAY__` are ignored.
    pub variables: Vec<(String, String)>,
}

impl Settings {
    /// Reads `file`, or `patchbay.toml` in the working directory if it exists, then `$CREDENTIALS_DIRECTORY`, then the
    /// environment.
    pub fn load(file: Option<&Path>) -> Result<Self, ConfigError> {
        let variables = env::vars_os().filter_map(|(name, value)| {
            let name = name.into_string().ok().filter(|name| name.starts_with("PATCHBAY_"))?;
            Some((name, value.to_string_lossy().into_owned()))
        });
        Self::from_sources(Sources {
            file: read(file)?,
            credentials: env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from),
            variables: variables.collect(),
        })
    }

    pub fn from_sources(sources: Sources) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        if let Some((path, text)) = sources.file {
            config.apply_file(&path, &text)?;
        }
        if let Some(folder) = sources.credentials {
            config.apply_credentials(&folder)?;
        }
        for (name, value) in sources.variables {
            config.apply_variable(&name, &value)?;
        }
        config.check()?;
        Ok(config)
    }

    fn apply_file(&mut self, path: &Path, text: &str) -> Result<(), ConfigError> {
        let place = SettingSource::File(path.to_owned());
        let table: toml::Table = toml::from_str(text).map_err(|error| syntax_error(path, text, &error))?;
        for (name, value) in &table {
            let is_section = self.section_mut(name).is_some();
            match value {
                toml::Value::Table(settings) if is_section => {
                    for (setting, value) in settings {
                        self.apply(name, setting, ValueSource::File(value), &place)?;
                    }
                }
                _ if is_section => {
                    return Err(ConfigError::NotASection { key: name.clone(), place });
                }
                _ => self.apply("", name, ValueSource::File(value), &place)?,
            }
        }
        Ok(())
    }

    /// A line break at the end of a file does not belong to the value.
    fn apply_credentials(&mut self, folder: &Path) -> Result<(), ConfigError> {
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            |source| ConfigError::UnreadableCredential { path, source }
        };
        for entry in fs::read_dir(folder).map_err(unreadable(folder))? {
            let path = entry.map_err(unreadable(folder))?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let Some(key) = name.and_then(|name| name.strip_prefix(CREDENTIAL_PREFIX)) else { continue };
            let value = fs::read_to_string(&path).map_err(unreadable(&path))?;
            let (section, name) = key.split_once('.').unwrap_or(("", key));
            let value = value.strip_suffix('\n').unwrap_or(&value);
            self.apply(section, name, ValueSource::Text(value), &SettingSource::Credential(path.clone()))?;
        }
        Ok(())
    }

    fn apply_variable(&mut self, variable: &str, value: &str) -> Result<(), ConfigError> {
        let Some(key) = variable.strip_prefix(PREFIX) else {
            return match self.meant_setting(variable) {
                Some(rest) => {
                    Err(ConfigError::OneUnderscore { variable: variable.to_owned(), cure: format!("{PREFIX}{rest}") })
                }
                None => Ok(()),
            };
        };
        let key = key.to_ascii_lowercase();
        let (section, name) = key.split_once("__").unwrap_or(("", &key));
        self.apply(section, name, ValueSource::Text(value), &SettingSource::Environment(variable.to_owned()))
    }

    /// Returns the setting that a variable with too few underscores names, without the prefix.
    fn meant_setting(&self, variable: &str) -> Option<String> {
        let rest = variable.strip_prefix("PATCHBAY_")?;
        if rest.contains("__") {
            return Some(rest.to_owned());
        }
        let key = self.keys().into_iter().find(|key| key.replace('.', "_").eq_ignore_ascii_case(rest))?;
        Some(key.replace('.', "__").to_ascii_uppercase())
    }

    fn apply(
        &mut self,
        section: &str,
        name: &str,
        input: ValueSource<'_>,
        place: &SettingSource,
    ) -> Result<(), ConfigError> {
        let set = self.section_mut(section).map_or(Err(SettingRefusal::Unknown), |section| section.set(name, input));
        set.map_err(|refused| {
            let (key, place) = (join(section, name), place.clone());
            match refused {
                SettingRefusal::Unknown => ConfigError::Unknown { near: self.near(section, name), key, place },
                SettingRefusal::Wrong { expected, got } => ConfigError::Wrong { key, place, expected, got },
            }
        })
    }

    /// Up to three keys that the writer may have meant: a typing error, or the right name in another section.
    fn near(&self, section: &str, name: &str) -> Vec<String> {
        let wanted = join(section, name);
        let sections = self.sections().into_iter().map(|(section, _)| section.to_owned());
        let candidates = sections.filter(|candidate| !candidate.is_empty() && section.is_empty()).chain(self.keys());
        let mut near: Vec<(usize, String)> = candidates
            .filter_map(|key| {
                let slips = strsim::damerau_levenshtein(&wanted, &key);
                let same_name = key.rsplit('.').next() == Some(name);
                (slips <= 3 || same_name).then_some((slips, key))
            })
            .collect();
        near.sort();
        near.into_iter().take(3).map(|(_, key)| key).collect()
    }
}

/// The position of the fault, without the text of the line or the parser's message, which can repeat a value.
fn syntax_error(path: &Path, text: &str, error: &toml::de::Error) -> ConfigError {
    let end = error.span().map_or(0, |span| span.start);
    let before = text.get(..end).unwrap_or(text);
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
    ConfigError::Syntax { path: path.to_owned(), line: before.matches('\n').count() + 1, column }
}

fn read(explicit: Option<&Path>) -> Result<Option<(PathBuf, String)>, ConfigError> {
    let path = explicit.unwrap_or(Path::new(DEFAULT_FILE)).to_owned();
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some((path, text))),
        Err(source) if source.kind() == io::ErrorKind::NotFound && explicit.is_none() => Ok(None),
        Err(source) if source.kind() == io::ErrorKind::NotFound => Err(ConfigError::Missing { path }),
        Err(source) => Err(ConfigError::Unreadable { path, source }),
    }
}
