//! Builds the component of a project with the tools of its language.

mod c;
mod error;
mod go;
mod interface;
mod python;
mod run;
mod rust;
mod schema;
mod script;
mod toolchain;
mod typescript;
mod wrap;

use std::path::PathBuf;

use crate::{Lang, Project};
pub use error::BuildError;

/// Builds the component and returns its path, [`Project::component`]. Blocks. `progress` gets each step before it
/// begins, such as `compiling with cargo`.
pub fn build(project: &Project, progress: &mut dyn FnMut(&str)) -> Result<PathBuf, BuildError> {
    // Tools run in the folder of the project, where a relative path would have another meaning.
    let root = project.root.canonicalize().map_err(run::at(&project.root))?;
    let project = &Project { root, ..project.clone() };
    let component = project.component();
    if let Some(folder) = component.parent() {
        std::fs::create_dir_all(folder).map_err(run::at(folder))?;
    }
    match project.lang {
        Lang::Rust => rust::build(project, progress)?,
        Lang::Ts | Lang::Js => script::build(project, progress)?,
        Lang::Python => python::build(project, progress)?,
        Lang::Go => go::build(project, progress)?,
        Lang::C => c::build(project, progress)?,
    }
    schema::attach(project, &component)?;
    Ok(component)
}
