//! Python: componentize-py puts the program and an interpreter into a component.

use std::{path::PathBuf, process::Command};

use super::{
    error::BuildError,
    interface::{self, Imports},
    run::{at, on_path, read, run, write},
    toolchain::{self, COMPONENTIZE_PY},
};
use crate::Project;

/// The module for the tool. It runs the author's file, which defines the plugin.
const ENTRY: &str = "import patchbay_randomness\nimport main\nfrom patchbay._exports import *\n";
/// The function that judges configurations.
const VALIDATION: &str = "from patchbay.validation import Validation\n";
const END: &str = "\npatchbay_randomness.finish_loading()\n";
const RANDOMNESS: &str = include_str!("runtime/patchbay_randomness.py");

/// Starts the tool from its installation folder.
const START: &str = "import sys, componentize_py; sys.argv[0] = 'componentize-py'; sys.exit(componentize_py.script())";

pub(super) fn build(project: &Project, progress: &mut dyn FnMut(&str)) -> Result<(), BuildError> {
    let tool = tool(progress)?;
    let wit = interface::lay_out(project, Imports::Granted)?;
    let place = project.root.join("build");
    let validation = if project.validates { VALIDATION } else { "" };
    write(&place.join("python/patchbay_entry.py"), [ENTRY, validation, END].concat())?;
    write(&place.join("python/patchbay_randomness.py"), RANDOMNESS)?;

    make_bindings(&wit, &place.join("bindings"), progress)?;

    let mut make = tool.command();
    make.arg("-q").arg("-d").arg(&wit).args(["-w", interface::WORLD, "componentize", "patchbay_entry"]);
    make.args(["-p", "build/python", "-p", "."]);
    let packages = packages(project, progress)?;
    make.arg("-p").arg(packages.join("site-packages"));
    // Without this, the tool would include all packages of its own interpreter.
    make.env("VIRTUAL_ENV", packages);
    progress("packing the program and the interpreter with componentize-py (half a minute or more)");
    make.arg("-o").arg(project.component()).current_dir(&project.root);
    run("componentize-py", &mut make).map(|_| ()).map_err(|fault| fault.with_cure(cure))
}

/// The cure of a failure whose words do not name it.
fn cure(output: &str) -> Option<&'static str> {
    output.contains("called trapping stub: patchbay:plugin/").then_some(
        "main.py calls the host while it is imported: call kv, http, config and log only inside your functions.",
    )
}

pub(super) fn make_bindings(
    wit: &std::path::Path,
    out: &std::path::Path,
    progress: &mut dyn FnMut(&str),
) -> Result<String, BuildError> {
    let tool = tool(progress)?;
    // The tool does not overwrite existing files.
    if out.exists() {
        std::fs::remove_dir_all(out).map_err(at(out))?;
    }
    let mut command = tool.command();
    command.arg("-q").arg("-d").arg(wit).args(["-w", interface::WORLD, "bindings"]).arg(out);
    run("componentize-py", &mut command)?;
    Ok(format!("componentize-py -d {} -w {} bindings {}", wit.display(), interface::WORLD, out.display()))
}

enum Tool {
    Installed(PathBuf),
    Cached { python: PathBuf, folder: PathBuf },
}

impl Tool {
    fn command(&self) -> Command {
        let mut command = match self {
            Self::Installed(program) => Command::new(program),
            Self::Cached { python, folder } => {
                let mut command = Command::new(python);
                command.args(["-c", START]).env("PYTHONPATH", folder);
                command
            }
        };
        // A backtrace of the tool would hide that of the author's code.
        command.env("RUST_BACKTRACE", "0").env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }
}

fn tool(progress: &mut dyn FnMut(&str)) -> Result<Tool, BuildError> {
    if let Some(program) = on_path("componentize-py") {
        return Ok(Tool::Installed(program));
    }
    let python = toolchain::python().ok_or_else(|| COMPONENTIZE_PY.missing("python3"))?;
    Ok(Tool::Cached { python, folder: COMPONENTIZE_PY.ready(progress)? })
}

/// The packages of `requirements.txt` (pure Python only), installed again if that file changes.
fn packages(project: &Project, progress: &mut dyn FnMut(&str)) -> Result<PathBuf, BuildError> {
    let folder = project.root.join("build/packages");
    let (site, mark) = (folder.join("site-packages"), folder.join("requirements.txt"));
    // The tool warns if its environment has no such folder.
    let of_environment = folder.join("lib/site-packages");
    for place in [&site, &of_environment] {
        std::fs::create_dir_all(place).map_err(at(place))?;
    }
    let wanted = project.root.join("requirements.txt");
    let names = if wanted.is_file() { read(&wanted)? } else { vec![] };
    if std::fs::read(&mark).unwrap_or_default() == names {
        return Ok(folder);
    }
    std::fs::remove_dir_all(&site).map_err(at(&site))?;
    std::fs::create_dir_all(&site).map_err(at(&site))?;
    if wanted.is_file() {
        progress("installing the packages of requirements.txt");
        let python = toolchain::python().ok_or_else(|| COMPONENTIZE_PY.missing("python3"))?;
        toolchain::pip(&python, &site, ["-r".as_ref(), wanted.as_os_str()])?;
    }
    write(&mark, names)?;
    Ok(folder)
}
