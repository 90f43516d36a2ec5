//! C: the C compiler of Zig, or clang with wasi-libc, makes a module, which is then wrapped.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    bindings,
    error::BuildError,
    interface::{self, Imports},
    run::{at, on_path, read, run_with_warnings, write},
    toolchain::ZIG,
    wrap,
};
use crate::Project;

/// The stack of Rust plugins. Zig would reserve 16 MiB, which count as memory of each call.
const STACK_BYTES: u32 = 1024 * 1024;
const WASI_HEADERS: &str = "/usr/include/wasm32-wasi";

pub(super) fn build(project: &Project, progress: &mut dyn FnMut(&str)) -> Result<(), BuildError> {
    let mut compiler = compiler(progress)?;
    let wit = interface::lay_out(project, Imports::Every)?;
    let place = project.root.join("build");
    bindings::generate_c(&wit, &place.join("bindings"))?;

    progress("compiling (the first time compiles the C library too: up to a minute)");
    let module = place.join("module.wasm");
    compiler.args(["-std=c11", "-Os", "-Wall", "-Wextra", "-mexec-model=reactor", "-Wl,--strip-debug"]);
    compiler.arg(format!("-Wl,-z,stack-size={STACK_BYTES}"));
    compiler.args(["-I.", "-Ibuild/bindings"]).args(sources(&project.root)?);
    compiler.args(["build/bindings/plugin.c", "build/bindings/plugin_component_type.o"]);
    compiler.arg("-o").arg(&module).current_dir(&project.root);
    run_with_warnings("compiling", &mut compiler, progress)?;

    progress("making a component of it");
    let component = wrap::wrap_described(&read(&module)?)?;
    std::fs::remove_file(&module).map_err(at(&module))?;
    write(&project.component(), component)
}

fn sources(root: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let mut sources = vec![];
    for entry in std::fs::read_dir(root).map_err(at(root))? {
        let name = PathBuf::from(entry.map_err(at(root))?.file_name());
        if name.extension().is_some_and(|extension| extension == "c") {
            sources.push(name);
        }
    }
    sources.sort();
    Ok(sources)
}

/// An installed `zig`, an installed `clang` that finds a C library, or our own Zig.
fn compiler(progress: &mut dyn FnMut(&str)) -> Result<Command, BuildError> {
    if on_path("zig").is_some() {
        return Ok(zig_compiler(zig(progress)?));
    }
    if let Some(clang) = on_path("clang").filter(|_| Path::new(WASI_HEADERS).is_dir() && on_path("wasm-ld").is_some()) {
        let mut command = Command::new(clang);
        command.arg("--target=wasm32-wasi");
        return Ok(command);
    }
    Ok(zig_compiler(zig(progress)?))
}

fn zig_compiler(zig: PathBuf) -> Command {
    let mut command = Command::new(zig);
    command.args(["cc", "-target", "wasm32-wasi"]);
    command
}

/// An installed `zig`, or our own.
pub(super) fn zig(progress: &mut dyn FnMut(&str)) -> Result<PathBuf, BuildError> {
    match on_path("zig") {
        Some(installed) => Ok(installed),
        None => Ok(ZIG.ready(progress)?.join("ziglang").join(format!("zig{}", std::env::consts::EXE_SUFFIX))),
    }
}
