//! The interface in `wit/`, for tools that read it from files and for those that run in this process.

use std::path::{Path, PathBuf};

use plugin_host::World;
use wit_parser::{Resolve, SourceMap, WorldId};

use super::{
    error::BuildError,
    run::{at, read, write},
};
use crate::{Project, embedded_files};

/// The world of the interface under a fixed name, so that generated code has the same names in every project.
pub(super) const WORLD: &str = "plugin";
const PACKAGE: &str = "deps/patchbay-plugin";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Imports {
    /// Those of the project's world: for tools that put every import of the world into the component.
    Granted,
    /// All imports: for compilers that keep only used ones, so that one layer of helpers serves all worlds.
    Every,
}

/// The line that begins the world with the export `validation`.
const VALIDATING: &str = "world validating {";

/// The parts of the generated world.
pub(super) struct WorldParts {
    pub(super) world: World,
    pub(super) imports: Imports,
    /// Adds the export `validation`.
    pub(super) validates: bool,
}

/// Writes the interface to `build/wit`, the project's own if it has one (`new` puts it there). Returns that folder.
pub(super) fn lay_out(project: &Project, imports: Imports) -> Result<PathBuf, BuildError> {
    let folder = project.root.join("build/wit");
    let files = interface(project)?;
    if project.validates && !declares(&files, VALIDATING) {
        let output = "The interface in `wit` has no world `validating`. Use interface 0.3.0, or remove `validates` from \
                      plugin.toml.";
        let step = "adding the export `validation`".to_owned();
        return Err(BuildError::Failed { step, output: output.to_owned() });
    }
    let parts = WorldParts { world: project.world, imports, validates: project.validates };
    lay_out_files(&folder, &files, &parts)?;
    Ok(folder)
}

/// Writes the interface of this program.
pub(super) fn lay_out_own(folder: &Path, parts: &WorldParts) -> Result<(), BuildError> {
    lay_out_files(folder, &embedded_files(), parts)
}

fn lay_out_files(folder: &Path, files: &[(String, Vec<u8>)], parts: &WorldParts) -> Result<(), BuildError> {
    let version = files.iter().find_map(|(_, contents)| version(contents)).unwrap_or_default();
    for (path, contents) in files {
        write(&folder.join(PACKAGE).join(path), contents)?;
    }
    write(&folder.join("world.wit"), world(parts, (&version, files)))
}

fn embedded_files() -> Vec<(String, Vec<u8>)> {
    embedded_files::WIT.iter().map(|file| (file.path.to_owned(), file.bytes.to_vec())).collect()
}

/// The interface of this program with a world, without files.
pub(super) fn resolve_own(of: World) -> Result<(Resolve, WorldId), BuildError> {
    let failed = |fault: String| BuildError::Failed { step: "reading the interface".to_owned(), output: fault };
    let files = embedded_files();
    let version = files.iter().find_map(|(_, contents)| version(contents)).unwrap_or_default();
    let (mut package, mut own) = (SourceMap::default(), SourceMap::default());
    for (path, contents) in &files {
        package.push_str(path, String::from_utf8_lossy(contents));
    }
    let parts = WorldParts { world: of, imports: Imports::Every, validates: false };
    own.push_str("world.wit", world(&parts, (&version, &files)));
    let mut resolve = Resolve::default();
    let mut push = |sources: SourceMap| {
        let group = sources.parse().map_err(|(_, fault)| failed(format!("{fault:?}")))?;
        resolve.push_group(group).map_err(|fault| failed(format!("{fault:?}")))
    };
    push(package)?;
    let package = push(own)?;
    let world = resolve.select_world(&[package], Some(WORLD)).map_err(|fault| failed(format!("{fault:#}")))?;
    Ok((resolve, world))
}

pub(super) fn version_of(project: &Project) -> Result<String, BuildError> {
    Ok(interface(project)?.iter().find_map(|(_, contents)| version(contents)).unwrap_or_default())
}

/// The files of the interface: the project's own, all of one version. If it has none, those of this program.
fn interface(project: &Project) -> Result<Vec<(String, Vec<u8>)>, BuildError> {
    let own = project.root.join("wit").join(PACKAGE);
    let mut files = vec![];
    if own.is_dir() {
        for entry in std::fs::read_dir(&own).map_err(at(&own))? {
            let path = entry.map_err(at(&own))?.path();
            if path.extension().is_some_and(|extension| extension == "wit") {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                files.push((name, read(&path)?));
            }
        }
        files.sort();
    }
    if files.is_empty() {
        files = embedded_files();
    }
    Ok(files)
}

/// The version in `package patchbay:plugin@0.3.0;`.
fn version(file: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(file);
    let package = text.lines().find_map(|line| line.trim().strip_prefix("package patchbay:plugin@"))?;
    Some(package.trim_end().trim_end_matches(';').to_owned())
}

/// `files`: the interface. A copy of an earlier version lacks some imports.
fn world(parts: &WorldParts, (version, files): (&str, &[(String, Vec<u8>)])) -> String {
    let more: &[&str] = match parts.imports {
        Imports::Granted => &[],
        Imports::Every => &["log", "kv", "config", "http", "conversation", "files"],
    };
    let has = |name: &str| declares(files, &format!("interface {name} {{"));
    let imports = more.iter().filter(|name| has(name));
    let imports: String = imports.map(|name| format!("    import patchbay:plugin/{name}@{version};\n")).collect();
    let validating = match parts.validates {
        true => format!("    include patchbay:plugin/validating@{version};\n"),
        false => String::new(),
    };
    let of = parts.world;
    let include = format!("    include patchbay:plugin/{of}@{version};\n");
    format!("package local:plugin;\n\nworld {WORLD} {{\n{include}{validating}{imports}}}\n")
}

/// Whether a file of the interface has this line.
fn declares(files: &[(String, Vec<u8>)], line: &str) -> bool {
    files.iter().any(|(_, contents)| String::from_utf8_lossy(contents).lines().any(|found| found.trim() == line))
}

pub(super) fn resolve(folder: &Path) -> Result<(Resolve, WorldId), BuildError> {
    let failed = |fault| BuildError::Failed { step: "reading the interface".to_owned(), output: format!("{fault:#}") };
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(folder).map_err(failed)?;
    let world = resolve.select_world(&[package], Some(WORLD)).map_err(failed)?;
    Ok((resolve, world))
}
