//! Any other language: the command in `plugin.toml` makes a component, or a module, which is then wrapped.

use std::process::Command;

use super::{
    error::BuildError,
    interface::{self, Imports},
    run::{read, run_with_warnings, write},
    wrap,
};
use crate::{Project, project::BuildCommand};

/// The command runs in the folder of the project and finds the interface in `build/wit`.
pub(super) fn build(project: &Project, own: &BuildCommand, progress: &mut dyn FnMut(&str)) -> Result<(), BuildError> {
    let wit = interface::lay_out(project, Imports::Every)?;
    progress(&format!("building with {}", own.command));
    run_with_warnings("the command of plugin.toml", shell(&own.command).current_dir(&project.root), progress)?;
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

fn shell(line: &str) -> Command {
    let (program, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut command = Command::new(program);
    command.arg(flag).arg(line);
    command
}
