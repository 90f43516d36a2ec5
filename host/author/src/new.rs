//! Makes a project from a template: the files of language and world, the interface, and for Rust the SDK.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io,
    path::{Path, PathBuf},
};

use plugin_host::World;

use crate::{
    Lang,
    embedded_files::{EmbeddedFile, SDK, SDK_VERSIONS, TEMPLATES, WIT},
    project::{self, identifier},
};

const WIT_FOLDER: &str = "wit/deps/patchbay-plugin";
const SDK_FOLDER: &str = "sdk";
const SDK_WIT: (&str, &str) = ("../../wit/plugin-0.3.0", "../wit/deps/patchbay-plugin");

#[derive(Debug, Clone)]
pub struct NewProject {
    /// Folder to make. Its last part is the name of the plugin.
    pub folder: PathBuf,
    pub lang: Lang,
    pub world: World,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedProject {
    pub folder: PathBuf,
    pub world: World,
    pub files: Vec<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum NewError {
    #[error("{0}")]
    Name(String),
    #[error("{} exists and is not empty; give another name, or empty it first", .0.display())]
    NotEmpty(PathBuf),
    #[error("there is no ready flow `{name}`; there are: {known}")]
    NoFlow { name: String, known: String },
    #[error("there is no template for {lang} and world {world}")]
    NoTemplate { lang: Lang, world: World },
    #[error("{} cannot be written: {source}", path.display())]
    Unwritable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the SDK in this program cannot be unpacked: {0}")]
    Sdk(String),
}

/// If the folder is not free, nothing is written.
pub fn create(wanted: &NewProject) -> Result<CreatedProject, NewError> {
    let name = wanted.folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    project::check_name(name).map_err(NewError::Name)?;
    if !is_free(&wanted.folder)? {
        return Err(NewError::NotEmpty(wanted.folder.clone()));
    }
    let files = contents(name, wanted)?;
    for (path, bytes) in &files {
        write(&wanted.folder.join(path), bytes)?;
    }
    Ok(CreatedProject {
        folder: wanted.folder.clone(),
        world: wanted.world,
        files: files.into_keys().map(PathBuf::from).collect(),
    })
}

impl CreatedProject {
    pub fn next_steps(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "Made {} with {} files. Next:\n", self.folder.display(), self.files.len());
        let enter = format!("cd {}", self.folder.display());
        let is_bot = self.world == World::Chatbot;
        let played = if is_bot { "conversations" } else { "cases" };
        let test = format!("build it and play the {played} in tests/");
        let push = ("patchbay plugin push", "upload it to PATCHBAY_URL with PATCHBAY_API_KEY");
        // Only a chatbot can be used in a chat.
        let run = is_bot.then_some(("patchbay plugin run", "talk to it; it reloads when you save"));
        let steps =
            [(enter.as_str(), ""), ("patchbay plugin test", test.as_str())].into_iter().chain(run).chain([push]);
        for (command, why) in steps {
            let _ = match why {
                "" => writeln!(text, "  {command}"),
                why => writeln!(text, "  {command:<24} # {why}"),
            };
        }
        text
    }
}

pub(crate) fn is_free(folder: &Path) -> Result<bool, NewError> {
    let unwritable = |source| NewError::Unwritable { path: folder.to_owned(), source };
    match std::fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(fault) if fault.kind() == io::ErrorKind::NotADirectory => Ok(false),
        Err(fault) => Err(unwritable(fault)),
    }
}

fn contents(name: &str, wanted: &NewProject) -> Result<BTreeMap<String, Vec<u8>>, NewError> {
    let words = [
        ("{{name}}", name.to_owned()),
        ("{{crate_name}}", identifier(name)),
        ("{{world}}", wanted.world.as_str().to_owned()),
        ("{{lang}}", wanted.lang.as_str().to_owned()),
    ];
    let mut files = BTreeMap::new();
    let of_world = below(TEMPLATES, &format!("{}/{}/", wanted.lang, wanted.world));
    if of_world.is_empty() {
        return Err(NewError::NoTemplate { lang: wanted.lang, world: wanted.world });
    }
    for (path, bytes) in below(TEMPLATES, &format!("{}/common/", wanted.lang)).into_iter().chain(of_world) {
        files.insert(fill_text(&visible(path), &words), fill(bytes, &words));
    }
    let manifest = format!("name = \"{name}\"\nlang = \"{}\"\nworld = \"{}\"\n", wanted.lang, wanted.world);
    let snapshot = if wanted.lang == Lang::Go { "snapshot = true\n" } else { "" };
    let manifest = manifest + snapshot;
    files.entry(project::FILE.to_owned()).or_insert_with(|| manifest.into_bytes());
    files.extend(WIT.iter().map(|file| (format!("{WIT_FOLDER}/{}", file.path), file.bytes.to_vec())));
    if wanted.lang == Lang::Rust {
        for file in SDK {
            files.insert(format!("{SDK_FOLDER}/{}", file.path), sdk_file(file)?);
        }
    }
    Ok(files)
}

pub(crate) fn below(tree: &'static [EmbeddedFile], folder: &str) -> Vec<(&'static str, &'static [u8])> {
    tree.iter().filter_map(|file| Some((file.path.strip_prefix(folder)?, file.bytes))).collect()
}

/// In the templates `gitignore` has no dot, because with a dot it would hide files of our repository.
fn visible(path: &str) -> String {
    match path.rsplit_once('/') {
        Some((folder, "gitignore")) => format!("{folder}/.gitignore"),
        None if path == "gitignore" => ".gitignore".to_owned(),
        _ => path.to_owned(),
    }
}

fn fill(bytes: &[u8], words: &[(&str, String)]) -> Vec<u8> {
    match std::str::from_utf8(bytes) {
        Ok(text) => fill_text(text, words).into_bytes(),
        Err(_) => bytes.to_vec(),
    }
}

fn fill_text(text: &str, words: &[(&str, String)]) -> String {
    words.iter().fold(text.to_owned(), |text, (mark, word)| text.replace(mark, word))
}

/// A file of the SDK with explicit versions, and with the project's path of the interface.
fn sdk_file(file: &EmbeddedFile) -> Result<Vec<u8>, NewError> {
    let Ok(text) = std::str::from_utf8(file.bytes) else { return Ok(file.bytes.to_vec()) };
    match file.path {
        "Cargo.toml" => standalone(text).map(String::into_bytes).map_err(NewError::Sdk),
        _ => Ok(text.replace(SDK_WIT.0, SDK_WIT.1).into_bytes()),
    }
}

/// The manifest with all values that it inherits from its workspace written out.
fn standalone(manifest: &str) -> Result<String, String> {
    let mut manifest: toml::Table = toml::from_str(manifest).map_err(|fault| fault.to_string())?;
    let workspace: toml::Table = toml::from_str(SDK_VERSIONS).map_err(|fault| fault.to_string())?;
    let workspace = workspace.get("workspace").and_then(toml::Value::as_table).ok_or("no [workspace]")?;
    for (section, source) in [("package", "package"), ("dependencies", "dependencies")] {
        let source = workspace.get(source).and_then(toml::Value::as_table);
        let Some(entries) = manifest.get_mut(section).and_then(toml::Value::as_table_mut) else { continue };
        for (key, value) in entries.iter_mut() {
            let Some(own) = value.as_table().filter(|value| inherits(value)).cloned() else { continue };
            let inherited = source.and_then(|source| source.get(key));
            *value = merge(inherited.ok_or_else(|| format!("`{key}` is not in the workspace"))?, own);
        }
    }
    manifest.remove("lints");
    manifest.remove("dev-dependencies");
    toml::to_string(&manifest).map_err(|fault| fault.to_string())
}

fn inherits(value: &toml::Table) -> bool {
    value.get("workspace").and_then(toml::Value::as_bool) == Some(true)
}

/// The value of the workspace with the additions of the crate.
fn merge(inherited: &toml::Value, mut own: toml::Table) -> toml::Value {
    own.remove("workspace");
    if own.is_empty() {
        return inherited.clone();
    }
    let mut all = match inherited {
        toml::Value::Table(table) => table.clone(),
        version => toml::Table::from_iter([("version".to_owned(), version.clone())]),
    };
    all.extend(own);
    toml::Value::Table(all)
}

pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), NewError> {
    let unwritable = |source| NewError::Unwritable { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(unwritable)?;
    }
    std::fs::write(path, bytes).map_err(unwritable)
}
