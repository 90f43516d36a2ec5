//! The interface in `wit/`, for tools that read it from files and for those that run in this process.

use std::path::{Path, PathBuf};

use plugin_host::World;
use wit_parser::{Resolve, WorldId};

use super::{
    BuildError,
    run::{read, write},
};
use crate::{Project, embedded};

/// Version of the interface that this program carries.
pub(super) const VERSION: &str = "0.1.1";
/// Name of the world that a project targets: the world of the interface under a name that is always the same, so that
/// generated code is called the same in every project.
pub(super) const WORLD: &str = "plugin";
/// Where the files of the interface lie below a `wit` folder.
const PACKAGE: &str = "deps/patchbay-plugin";

/// Which imports the world has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Imports {
    /// Those of the project's world: for tools that take every import of the world into the component.
    Granted,
    /// All that there are: for compilers that keep only what is used, so that one layer of helpers serves all worlds.
    Every,
}

/// Writes the interface to `build/wit` and answers that folder. A project that has an interface of its own (`new` puts
/// it there) is built against that one.
pub(super) fn lay_out(project: &Project, imports: Imports) -> Result<PathBuf, BuildError> {
    let folder = project.root.join("build/wit");
    let own = project.root.join("wit").join(PACKAGE);
    for file in embedded::WIT {
        let path = own.join(file.path);
        let contents = if path.is_file() { read(&path)? } else { file.bytes.to_vec() };
        write(&folder.join(PACKAGE).join(file.path), contents)?;
    }
    write(&folder.join("world.wit"), world(project.world, imports))?;
    Ok(folder)
}

fn world(world: World, imports: Imports) -> String {
    let more: &[&str] = match imports {
        Imports::Granted => &[],
        Imports::Every => &["log", "kv", "config", "http"],
    };
    let more: String = more.iter().map(|name| format!("    import patchbay:plugin/{name}@{VERSION};\n")).collect();
    format!("package local:plugin;\n\nworld {WORLD} {{\n    include patchbay:plugin/{world}@{VERSION};\n{more}}}\n")
}

/// Reads a folder that [`lay_out`] wrote.
pub(super) fn resolve(folder: &Path) -> Result<(Resolve, WorldId), BuildError> {
    let failed = |fault| BuildError::Failed { step: "reading the interface".to_owned(), output: format!("{fault:#}") };
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(folder).map_err(failed)?;
    let world = resolve.select_world(&[package], Some(WORLD)).map_err(failed)?;
    Ok((resolve, world))
}
