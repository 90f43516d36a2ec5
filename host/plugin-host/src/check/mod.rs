//! Determines the kind and the imports of a file, and lists all its faults in words for the author. The linker stops at
//! the first problem, so this module compares names first.

mod shapes;
mod surface;

use std::fmt;

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::World;
use crate::engine;
use crate::loading::loader;

pub(crate) use shapes::{other_type, remember_type};
pub(crate) use surface::Surface;
use surface::{OURS, PACKAGE};

/// The report of `patchbay plugin check`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// The world of the plugin; `None` if the file is not a plugin.
    pub world: Option<World>,
    /// Version of `patchbay:plugin` that it was built for.
    pub api_version: Option<String>,
    pub size: u64,
    pub sha256: String,
    pub imports: Vec<String>,
    pub exports: Vec<String>,
    /// All faults. Empty if the plugin can be loaded.
    pub problems: Vec<String>,
}

impl CheckReport {
    /// The report for a file that was not parsed.
    pub(crate) fn unread(bytes: &[u8]) -> Self {
        Self {
            world: None,
            api_version: None,
            size: bytes.len() as u64,
            sha256: sha256(bytes),
            imports: vec![],
            exports: vec![],
            problems: vec![],
        }
    }

    pub fn is_ok(&self) -> bool {
        self.problems.is_empty()
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.world, &self.api_version) {
            (Some(world), Some(version)) => writeln!(f, "world:   {world} ({PACKAGE}@{version})")?,
            _ => writeln!(f, "world:   none")?,
        }
        writeln!(f, "size:    {} bytes", self.size)?;
        writeln!(f, "sha256:  {}", self.sha256)?;
        writeln!(f, "imports: {}", if self.imports.is_empty() { "nothing" } else { "" })?;
        for import in &self.imports {
            writeln!(f, "  {import}")?;
        }
        if self.problems.is_empty() {
            return write!(f, "This plugin can be loaded.");
        }
        write!(f, "This plugin cannot be loaded:")?;
        self.problems.iter().try_for_each(|problem| write!(f, "\n  - {problem}"))
    }
}

/// Checks a file with the host's rules for loading. Compiles it in this process, so this blocks.
pub fn check(bytes: &[u8]) -> CheckReport {
    match engine::on_demand() {
        Ok(engine) => {
            let (mut report, compiled) = compile(&engine, bytes);
            let is_newest = report.api_version.as_deref().is_some_and(surface::is_newest);
            if let (Some(world), Some(component), true) = (report.world, compiled, is_newest) {
                report.problems.extend(other_type(world, &engine, &component));
            }
            report
        }
        Err(fault) => {
            let problems = vec![format!("the WebAssembly engine does not start: {fault:#}")];
            CheckReport { problems, ..CheckReport::unread(bytes) }
        }
    }
}

/// Checks and compiles a component. `None` if it cannot be used. [`other_type`] checks the type of the exported
/// function.
pub(crate) fn compile(engine: &Engine, bytes: &[u8]) -> (CheckReport, Option<Component>) {
    let mut report = CheckReport::unread(bytes);
    match examine(engine, bytes, &mut report) {
        Ok(component) => (report, Some(component)),
        Err(problems) => {
            report.problems = problems;
            (report, None)
        }
    }
}

fn examine(engine: &Engine, bytes: &[u8], report: &mut CheckReport) -> Result<Component, Vec<String>> {
    header(bytes).map_err(|problem| vec![problem])?;
    let component = Component::new(engine, bytes).map_err(|fault| vec![invalid(&fault)])?;
    let surface = Surface::of(engine, &component);
    report.imports = surface.imports();
    report.exports = surface.exports();
    report.world = surface.world();
    report.api_version = surface.api_version().map(str::to_owned);
    let world = surface.judge().map_err(|mut problems| {
        problems.extend(unknown_type(engine, &surface, &component));
        problems
    })?;
    let linked = loader::link(engine, world, &surface, &component);
    linked.map_err(|fault| vec![mismatch(world, &fault)])?;
    Ok(component)
}

/// The difference in the main function of a plugin that was built against an unknown version of the interface.
fn unknown_type(engine: &Engine, surface: &Surface, component: &Component) -> Option<String> {
    let (world, version) = (surface.world()?, surface.api_version()?);
    if surface::is_known(version) || !shapes::has_function(world, engine, component) {
        return None;
    }
    Some(other_type(world, engine, component).unwrap_or_else(|| {
        let (interface, function) = (world.exported_interface(), world.exported_function());
        format!("export `{interface}`: the function `{function}` has the same type as in {OURS}, so only the version differs")
    }))
}

/// The hash by which components are known, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

pub(crate) fn too_large(size: usize, most: usize) -> String {
    format!("the file has {size} bytes; {most} are allowed")
}

/// Checks the kind of file by its first eight bytes.
pub(crate) fn header(bytes: &[u8]) -> Result<(), String> {
    let Some((magic, rest)) = bytes.split_first_chunk::<4>() else {
        return Err("this is not a WebAssembly file: it is empty or cut off".into());
    };
    if magic != b"\0asm" {
        return Err("this is not a WebAssembly file: it does not begin with the bytes 00 61 73 6d".into());
    }
    match rest.first_chunk::<4>() {
        Some([0x0d, 0, 1, 0]) => Ok(()),
        Some([1, 0, 0, 0]) => Err("this is a core WebAssembly module, not a component: build it for the target \
            wasm32-wasip2, or wrap it with `patchbay plugin wrap`"
            .into()),
        Some(other) => {
            Err(format!("this is neither a component nor a core module: its version bytes are {other:02x?}"))
        }
        None => Err("this WebAssembly file is cut off after its first bytes".into()),
    }
}

pub(crate) fn invalid(fault: &wasmtime::Error) -> String {
    format!("the component is damaged or uses a feature that is switched off: {}", one_line(fault))
}

/// The error text for types that do not match, from the linker.
pub(crate) fn mismatch(world: World, fault: &wasmtime::Error) -> String {
    format!("the component does not fit world `{world}` of {OURS}: {}", one_line(fault))
}

fn one_line(fault: &wasmtime::Error) -> String {
    format!("{fault:#}").replace('\n', " ")
}
