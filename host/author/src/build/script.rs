//! TypeScript and JavaScript: checked by the TypeScript compiler, bundled, and put into a component with QuickJS.

use std::{path::PathBuf, process::Command};

use super::{
    error::BuildError,
    interface::{self, Imports},
    run::{on_path, run, write},
    toolchain::SCRIPT,
    typescript,
};
use crate::{Lang, Project};

/// The world of the plugin, with randomness for the functions of the language, and that interface of WASI.
const WORLD: &str = "script";
const INTERFACES: [(&str, &str); 2] = [
    ("script.wit", include_str!("runtime/script.wit")),
    ("deps/wasi-random/random.wit", include_str!("runtime/random.wit")),
];
/// It is evaluated before the modules of the author.
const RANDOMNESS: &str = include_str!("runtime/randomness.js");
const ENTRY: &str = include_str!("runtime/entry.js");
/// The types of the functions that it adds.
const GLOBALS: &str = include_str!("runtime/globals.d.ts");

pub(super) fn build(project: &Project, progress: &mut dyn FnMut(&str)) -> Result<(), BuildError> {
    let mut tools = Tools { project, cached: None };
    let wit = interface::lay_out(project, Imports::Granted)?;
    INTERFACES.iter().try_for_each(|(path, text)| write(&wit.join(path), text))?;
    let (resolve, _) = interface::resolve(&wit)?;
    write(&project.root.join("build/types/patchbay.d.ts"), typescript::declarations(&resolve))?;
    write(&project.root.join("build/types/globals.d.ts"), GLOBALS)?;
    let main = match project.lang {
        Lang::Js => "main.js",
        _ => "main.ts",
    };
    if project.root.join("tsconfig.json").is_file() {
        let mut check = tools.command("tsc", progress)?;
        progress("checking types with tsc");
        run("tsc", check.args(["--noEmit", "--project", "."])).map_err(|fault| fault.with_cure(cure))?;
    }
    write(&project.root.join("build/randomness.js"), RANDOMNESS)?;
    write(&project.root.join("build/entry.js"), ENTRY.replace("MAIN", main))?;
    let mut bundle = tools.command("esbuild", progress)?;
    progress("bundling with esbuild");
    bundle.args(["build/entry.js", "--bundle", "--format=esm", "--target=es2022", "--log-level=warning"]);
    bundle.args(["--external:patchbay:*", "--external:wasi:*", "--outfile=build/main.js"]);
    run("esbuild", &mut bundle)?;

    let mut make = tools.command("componentize-qjs", progress)?;
    progress("packing it with componentize-qjs");
    make.arg("-w").arg(&wit).args(["-n", WORLD, "-j", "build/main.js", "--sync", "--opt-size", "-o"]);
    run("componentize-qjs", make.arg(project.component())).map(|_| ()).map_err(|fault| fault.with_cure(cure_of_loading))
}

/// The cure of a load that calls the host, which ends with a name of the interface only.
fn cure_of_loading(output: &str) -> Option<&'static str> {
    output.contains("unknown import: `patchbay:plugin/").then_some(
        "The program calls the host while it is loaded, at the build: call config, kv, http and log only inside your \
         functions.",
    )
}

/// The cure of a fault for which tsc names another one, or none.
fn cure(output: &str) -> Option<&'static str> {
    if output.contains("Cannot find name 'console'") {
        return Some("There is no `console`: use `log` of ./patchbay.");
    }
    if output.contains("Cannot find name 'setTimeout'") {
        return Some("There is no `setTimeout`: use `startTimer` of ./patchbay/chatbot.");
    }
    output
        .contains("Type 'Promise<Action")
        .then_some("A function that answers returns its actions and is not `async`: `fetch` and `kv` need no `await`.")
}

struct Tools<'a> {
    project: &'a Project,
    cached: Option<PathBuf>,
}

impl Tools<'_> {
    /// A program: the project's own, an installed one, or ours.
    fn command(&mut self, program: &str, progress: &mut dyn FnMut(&str)) -> Result<Command, BuildError> {
        if on_path("node").is_none() {
            return Err(SCRIPT.missing("node"));
        }
        let own = self.project.root.join("node_modules/.bin").join(program);
        let found = if own.exists() { Some(own) } else { on_path(program) };
        let path = match (found, &self.cached) {
            (Some(path), _) => path,
            (None, Some(folder)) => folder.join(program),
            (None, None) => {
                let folder = SCRIPT.ready(progress)?.join("node_modules/.bin");
                self.cached.insert(folder).join(program)
            }
        };
        let mut command = Command::new(path);
        command.current_dir(&self.project.root);
        Ok(command)
    }
}
