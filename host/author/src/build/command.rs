//! Any other language: the command in `plugin.toml` makes a component, or a module, which is then wrapped.

use std::{ffi::OsString, path::PathBuf, process::Command};

use super::{
    bindings, c,
    error::BuildError,
    go,
    interface::{self, Imports},
    run::{read, run_with_warnings, write},
    wrap,
};
use crate::{
    Project,
    project::{BuildCommand, CommandBindings, CommandTool},
};

/// The command runs in the folder of the project. It finds the interface in `build/wit`, and the bindings that the project
/// names in `build/bindings`.
pub(super) fn build(project: &Project, own: &BuildCommand, progress: &mut dyn FnMut(&str)) -> Result<(), BuildError> {
    let wit = interface::lay_out(project, Imports::Every)?;
    match own.bindings {
        Some(CommandBindings::C) => drop(bindings::generate_c(&wit, &project.root.join("build/bindings"))?),
        None => {}
    }
    let path = search_path(&own.tools, progress)?;
    progress(&format!("building with {}", own.command.trim()));
    let mut command = shell(&own.command);
    command.current_dir(&project.root).env("PATH", path);
    run_with_warnings("the command of plugin.toml", &mut command, progress)?;
    let output = project.root.join(&own.output);
    let mut made = read(&output)?;
    if wrap::is_module(&made) {
        progress("making a component of it");
        made = match wrap::is_described(&made) {
            true => wrap::wrap_described(&made)?,
            false => {
                let (resolve, world) = interface::resolve(&wit)?;
                wrap::wrap_undescribed(made, &resolve, world)?
            }
        };
    }
    write(&project.component(), made)
}

/// The folders of the tools, before those of the environment.
fn search_path(tools: &[CommandTool], progress: &mut dyn FnMut(&str)) -> Result<OsString, BuildError> {
    let mut folders: Vec<PathBuf> = vec![];
    for tool in tools {
        let program = match tool {
            CommandTool::Go => go::compiler(progress)?,
            CommandTool::Zig => c::zig(progress)?,
        };
        folders.extend(program.parent().map(PathBuf::from));
    }
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    folders.extend(std::env::split_paths(&inherited));
    let failed = |fault: std::env::JoinPathsError| BuildError::Failed {
        step: "finding the tools of plugin.toml".to_owned(),
        output: fault.to_string(),
    };
    std::env::join_paths(folders).map_err(failed)
}

fn shell(line: &str) -> Command {
    let (program, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut command = Command::new(program);
    command.arg(flag).arg(line);
    command
}
