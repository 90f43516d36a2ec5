//! Builds the component of a project with the tools of its language.

mod background;
mod bindings;
mod built_in_plugin;
mod c;
mod command;
mod error;
mod go;
mod interface;
mod merge;
mod python;
mod run;
mod rust;
mod schema;
mod script;
mod snapshot;
mod toolchain;
mod typescript;
mod wrap;

use std::path::{Path, PathBuf};

use crate::{Lang, Project};

pub(crate) use background::BackgroundBuild;
pub use bindings::{BindingsLang, GeneratedBindings, bindings};
pub use error::BuildError;
pub use wrap::wrap;

/// Returns [`Project::component`]. Blocks. `progress` gets each step before it begins, such as `compiling with cargo`.
pub fn build(project: &Project, progress: &mut dyn FnMut(&str)) -> Result<PathBuf, BuildError> {
    // Tools run in the folder of the project, where a relative path would have another meaning.
    let root = project.root.canonicalize().map_err(run::at(&project.root))?;
    let project = &Project { root, ..project.clone() };
    let component = project.component();
    if let Some(folder) = component.parent() {
        std::fs::create_dir_all(folder).map_err(run::at(folder))?;
    }
    let mut no_snapshot = None;
    match (&project.command, project.lang) {
        (Some(own), _) => command::build(project, own, progress)?,
        (None, Lang::Rust) => rust::build(project, progress)?,
        (None, Lang::Ts | Lang::Js) => script::build(project, progress)?,
        (None, Lang::Python) => python::build(project, progress)?,
        (None, Lang::Go) => no_snapshot = go::build(project, progress)?,
        (None, Lang::C) => c::build(project, progress)?,
        (None, Lang::Other) => match &project.built_in {
            Some(name) => built_in_plugin::build(project, name)?,
            None => return Err(BuildError::NoCommand),
        },
    }
    merge_modules(&component, progress)?;
    schema::attach(project, &component)?;
    if let Some(reason) = no_snapshot {
        snapshot::keep_reason(&component, &reason)?;
    }
    Ok(component)
}

/// The number of core modules in a component that [`build`] would merge. 0 if the component is merged, or has an unknown
/// form.
pub fn unmerged_modules(component: &[u8]) -> usize {
    merge::joinable(component).unwrap_or_default()
}

/// Merges the core modules of a component, because each call makes an instance of each. A component in an unknown form
/// stays as it is.
fn merge_modules(component: &Path, progress: &mut dyn FnMut(&str)) -> Result<(), BuildError> {
    match merge::merge(&run::read(component)?) {
        Ok(Some(merged)) => run::write(component, merged),
        Ok(None) => Ok(()),
        Err(reason) => {
            progress(&format!("its core modules stay apart: {reason}"));
            Ok(())
        }
    }
}
