//! A project: a folder with a `plugin.toml` that describes the plugin.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use plugin_host::World;
use serde::{Deserialize, Serialize};

pub const FILE: &str = "plugin.toml";
const NAME_LENGTH: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    Rust,
    Ts,
    Js,
    Python,
    Go,
    C,
    /// Built by the command in `plugin.toml`. There is no template.
    Other,
}

impl Lang {
    pub const ALL: [Self; 6] = [Self::Rust, Self::Ts, Self::Js, Self::Python, Self::Go, Self::C];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Ts => "ts",
            Self::Js => "js",
            Self::Python => "python",
            Self::Go => "go",
            Self::C => "c",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for Lang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Lang {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.map(Self::as_str).join(", ");
        let found = Self::ALL.into_iter().find(|lang| lang.as_str() == text);
        found.ok_or_else(|| format!("`{text}` is not a language of templates; there are: {known}"))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub root: PathBuf,
    pub name: String,
    pub lang: Lang,
    pub world: World,
    /// The JSON Schema of its configuration, a file below [`Project::root`]. The component exports it.
    pub schema: Option<PathBuf>,
    /// The author's own way to build it. `None` = the way of the language.
    pub command: Option<BuildCommand>,
    /// The built-in plugin that is its component.
    pub built_in: Option<String>,
    /// The configuration of the built-in plugin, a JSON file below [`Project::root`].
    pub config: Option<PathBuf>,
    /// Folders of conversation files, relative to [`Project::root`].
    pub tests: Vec<PathBuf>,
    /// Whether the build runs the initialisation of the program and keeps the state after it. For Go.
    pub snapshot: bool,
    /// Whether the component exports `validation`, with which it judges its configurations.
    pub validates: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildCommand {
    /// A line for the shell, which runs in [`Project::root`].
    pub command: String,
    /// The component or module that it makes, relative to [`Project::root`].
    pub output: PathBuf,
    /// Bindings that are written to `build/bindings` before the command runs.
    pub bindings: Option<CommandBindings>,
    /// Tools that the command finds on its path. A missing one is installed.
    pub tools: Vec<CommandTool>,
}

/// Bindings that the programs of other languages can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CommandBindings {
    C,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CommandTool {
    Go,
    Zig,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    #[serde(default = "other")]
    lang: Lang,
    world: World,
    build: Option<String>,
    output: Option<PathBuf>,
    bindings: Option<CommandBindings>,
    #[serde(default)]
    tools: Vec<CommandTool>,
    schema: Option<PathBuf>,
    #[serde(rename = "built-in")]
    built_in: Option<String>,
    config: Option<PathBuf>,
    #[serde(default = "tests")]
    tests: Vec<PathBuf>,
    #[serde(default)]
    snapshot: bool,
    #[serde(default)]
    validates: bool,
}

fn other() -> Lang {
    Lang::Other
}

fn tests() -> Vec<PathBuf> {
    vec![PathBuf::from("tests")]
}

#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error("{} is not a plugin project: it has no {FILE}; make one with `patchbay plugin new`", .0.display())]
    NotAProject(PathBuf),
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("{}: {reason}", path.display())]
    Wrong { path: PathBuf, reason: String },
}

impl Project {
    pub fn open(root: &Path) -> Result<Self, ProjectError> {
        let path = root.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => {
                return Err(ProjectError::NotAProject(root.to_owned()));
            }
            Err(source) => return Err(ProjectError::Unreadable { path, source }),
        };
        let wrong = |reason| ProjectError::Wrong { path: path.clone(), reason };
        let written: Written = toml::from_str(&text).map_err(|fault| wrong(fault.to_string()))?;
        check_name(&written.name).map_err(wrong)?;
        let Written {
            name,
            lang,
            world,
            schema,
            built_in,
            config,
            tests,
            build,
            output,
            bindings,
            tools,
            snapshot,
            validates,
        } = written;
        if build.is_none() && (bindings.is_some() || !tools.is_empty()) {
            return Err(wrong("`bindings` and `tools` are for the command in `build`, which is missing".to_owned()));
        }
        if snapshot && (lang != Lang::Go || build.is_some()) {
            let reason = "`snapshot` is for lang = \"go\" without `build`; programs of other languages start at once";
            return Err(wrong(reason.to_owned()));
        }
        if validates && build.is_none() && (lang == Lang::Rust || built_in.is_some()) {
            let reason =
                "`validates` is not for Rust and built-in plugins; in Rust, use the macro `export_config_check!`";
            return Err(wrong(reason.to_owned()));
        }
        let command = match (build, output) {
            (Some(command), Some(output)) => Some(BuildCommand { command, output, bindings, tools }),
            (Some(_), None) => return Err(wrong("`build` needs `output`: the file that the command makes".to_owned())),
            (None, Some(_)) => return Err(wrong("`output` needs `build`: the command that makes the file".to_owned())),
            (None, None) if lang == Lang::Other && built_in.is_none() => {
                return Err(wrong("give `lang`, or `build` and `output` for a language without a template".to_owned()));
            }
            (None, None) => None,
        };
        Ok(Self {
            root: root.to_owned(),
            name,
            lang,
            world,
            schema,
            command,
            built_in,
            config,
            tests,
            snapshot,
            validates,
        })
    }

    /// Path of the built component: `build/NAME.wasm`.
    pub fn component(&self) -> PathBuf {
        self.root.join("build").join(format!("{}.wasm", self.name))
    }

    /// The configuration file, if there is one.
    pub fn config_file(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|file| self.root.join(file))
    }

    /// The name as an identifier of programming languages: `order-bot` becomes `order_bot`.
    pub fn crate_name(&self) -> String {
        identifier(&self.name)
    }
}

/// A name as an identifier: lower case, with `_` for every character that is not a letter or digit.
pub(crate) fn identifier(name: &str) -> String {
    let word: String = name
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' })
        .collect();
    match word.starts_with(|first: char| first.is_ascii_digit()) {
        true => format!("p{word}"),
        false => word,
    }
}

/// The error is the fault in words.
pub fn check_name(name: &str) -> Result<(), String> {
    let fits = name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.len() <= NAME_LENGTH
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter));
    match fits {
        true => Ok(()),
        false => Err(format!(
            "`{name}` cannot be the name of a plugin: it takes 1 to {NAME_LENGTH} letters, digits, `.`, `_` and `-`, \
             and begins with a letter or digit"
        )),
    }
}
