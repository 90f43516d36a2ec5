//! What a file is, what it needs, and everything that is wrong with it, in words that its author can act on. The
//! linker stops at the first problem, so names are compared here first.

use std::fmt;

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::ComponentItem;

use crate::World;
use crate::engine;
use crate::loader;

/// The package of our interfaces and the version that this host runs.
const PACKAGE: &str = "patchbay:plugin";
const VERSION: &str = "0.1.0";
/// Versions on this track fit: types and functions only ever grow within it.
const TRACK: (&str, &str) = ("0", "1");
/// WASI packages that are linked, with nothing granted behind them, and their track.
const WASI: [&str; 6] = ["wasi:io", "wasi:cli", "wasi:clocks", "wasi:random", "wasi:filesystem", "wasi:sockets"];
const WASI_TRACK: (&str, &str) = ("0", "2");

/// What `patchbay plugin check` shows.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// What the plugin is; `None` when it is not one.
    pub world: Option<World>,
    /// Version of `patchbay:plugin` that it was built for.
    pub api_version: Option<String>,
    /// Bytes.
    pub size: u64,
    /// Hash of the file, in hexadecimal.
    pub sha256: String,
    /// Interfaces that it imports.
    pub imports: Vec<String>,
    /// Interfaces that it exports.
    pub exports: Vec<String>,
    /// Everything that is wrong; empty when the plugin can be loaded.
    pub problems: Vec<String>,
}

impl CheckReport {
    /// Whether the plugin can be loaded.
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

/// Looks at a file as the host would before loading it. Compiles it, so this blocks.
pub fn check(bytes: &[u8]) -> CheckReport {
    let mut report = CheckReport {
        world: None,
        api_version: None,
        size: bytes.len() as u64,
        sha256: hex::encode(Sha256::digest(bytes)),
        imports: vec![],
        exports: vec![],
        problems: vec![],
    };
    if let Err(problems) = examine(bytes, &mut report) {
        report.problems = problems;
    }
    report
}

fn examine(bytes: &[u8], report: &mut CheckReport) -> Result<(), Vec<String>> {
    header(bytes).map_err(|problem| vec![problem])?;
    let engine =
        engine::on_demand().map_err(|fault| vec![format!("the WebAssembly engine does not start: {fault:#}")])?;
    let component = Component::new(&engine, bytes).map_err(|fault| vec![invalid(&fault)])?;
    let surface = Surface::of(&engine, &component);
    report.imports.clone_from(&surface.imports);
    report.exports.clone_from(&surface.exports);
    if let [(world, version)] = surface.worlds.as_slice() {
        report.world = Some(*world);
        report.api_version = Some(version.clone());
    }
    let world = surface.judge()?;
    loader::link(&engine, world, &component).map(drop).map_err(|fault| vec![mismatch(world, &fault)])
}

/// The first eight bytes say what kind of file it is.
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
            wasm32-wasip2, or wrap it with `wasm-tools component new`"
            .into()),
        Some(other) => {
            Err(format!("this is neither a component nor a core module: its version bytes are {other:02x?}"))
        }
        None => Err("this WebAssembly file is cut off after its first bytes".into()),
    }
}

/// The compiler's words about a component that it does not take.
pub(crate) fn invalid(fault: &wasmtime::Error) -> String {
    format!("the component is damaged or uses a feature that is switched off: {}", one_line(fault))
}

/// The linker's words about types that do not fit.
pub(crate) fn mismatch(world: World, fault: &wasmtime::Error) -> String {
    format!("the component does not fit world `{world}` of {PACKAGE}@{VERSION}: {}", one_line(fault))
}

fn one_line(fault: &wasmtime::Error) -> String {
    format!("{fault:#}").replace('\n', " ")
}

/// The names on the outside of a component.
pub(crate) struct Surface {
    pub(crate) imports: Vec<String>,
    pub(crate) exports: Vec<String>,
    worlds: Vec<(World, String)>,
    functions: Vec<(String, String)>,
}

impl Surface {
    pub(crate) fn of(engine: &Engine, component: &Component) -> Self {
        let outside = component.component_type();
        let (mut imports, mut functions) = (vec![], vec![]);
        for (name, import) in outside.imports(engine) {
            imports.push(name.to_owned());
            if let ComponentItem::ComponentInstance(interface) = import.ty {
                let names =
                    interface.exports(engine).filter(|(_, item)| matches!(item.ty, ComponentItem::ComponentFunc(_)));
                functions.extend(names.map(|(function, _)| (name.to_owned(), function.to_owned())));
            }
        }
        let exports: Vec<String> = outside.exports(engine).map(|(name, _)| name.to_owned()).collect();
        let worlds = exports.iter().filter_map(|name| world_of_export(name)).collect();
        Self { imports, exports, worlds, functions }
    }

    /// The world of the component, or everything that its names say against it.
    pub(crate) fn judge(&self) -> Result<World, Vec<String>> {
        let mut problems = vec![];
        let world = match self.worlds.as_slice() {
            [(world, version)] => {
                problems.extend(wrong_version(&format!("export `{}`", world.exported_interface()), version));
                Some(*world)
            }
            [] => {
                problems.push(self.no_world());
                None
            }
            several => {
                let names: Vec<_> = several.iter().map(|(world, _)| world.as_str()).collect();
                problems.push(format!("it exports the interfaces of several worlds ({}); split it", names.join(", ")));
                None
            }
        };
        problems.extend(self.imports.iter().filter_map(|import| self.judge_import(import, world)));
        match world {
            Some(world) if problems.is_empty() => Ok(world),
            _ => Err(problems),
        }
    }

    fn no_world(&self) -> String {
        let wanted = World::ALL.map(|world| format!("`{PACKAGE}/{}` ({world})", world.exported_interface())).join(", ");
        let found = if self.exports.is_empty() { "nothing".to_owned() } else { self.exports.join(", ") };
        format!("it exports none of the interfaces that make a plugin: {wanted}; it exports {found}")
    }

    fn judge_import(&self, import: &str, world: Option<World>) -> Option<String> {
        let (name, version) = import.split_once('@').unwrap_or((import, ""));
        let (package, interface) = name.split_once('/').unwrap_or((name, ""));
        if package == PACKAGE {
            return wrong_version(&format!("import `{interface}`"), version)
                .or_else(|| self.judge_own_import(import, interface, world));
        }
        if WASI.contains(&package) {
            let fits = on_track(version, WASI_TRACK);
            return (!fits).then(|| format!("import `{import}`: this host offers WASI 0.2; build for wasm32-wasip2"));
        }
        if package == "wasi:http" {
            return Some(format!("import `{import}` is not granted: use the interface `{PACKAGE}/http` instead"));
        }
        Some(format!("import `{import}` is not offered by this host"))
    }

    fn judge_own_import(&self, import: &str, interface: &str, world: Option<World>) -> Option<String> {
        let Some(offered) = functions_of(interface) else {
            return Some(format!("import `{import}`: {PACKAGE}@{VERSION} has no interface `{interface}`"));
        };
        if let Some(world) = world.filter(|world| !world.granted_interfaces().contains(&interface)) {
            let granted = world.granted_interfaces().join(", ");
            return Some(format!("import `{import}` is not granted to world `{world}`; granted are: {granted}"));
        }
        let wanted = self.functions.iter().filter(|(of, _)| of == import).map(|(_, function)| function.as_str());
        let missing: Vec<_> = wanted.filter(|function| !offered.contains(function)).collect();
        (!missing.is_empty()).then(|| {
            format!(
                "import `{import}` asks for {}, which this host does not have (it is at {VERSION})",
                missing.join(", ")
            )
        })
    }
}

/// The functions of our imported interfaces.
fn functions_of(interface: &str) -> Option<&'static [&'static str]> {
    match interface {
        "types" => Some(&[]),
        "log" => Some(&["write"]),
        "kv" => Some(&["get", "set", "delete"]),
        "config" => Some(&["get"]),
        "http" => Some(&["send"]),
        _ => None,
    }
}

fn world_of_export(export: &str) -> Option<(World, String)> {
    let interface = export.strip_prefix(PACKAGE)?.strip_prefix('/')?;
    let (interface, version) = interface.split_once('@').unwrap_or((interface, ""));
    let world = World::ALL.into_iter().find(|world| world.exported_interface() == interface)?;
    Some((world, version.to_owned()))
}

fn wrong_version(what: &str, version: &str) -> Option<String> {
    (!on_track(version, TRACK)).then(|| {
        let found = if version.is_empty() { "no version".to_owned() } else { format!("version {version}") };
        format!("{what} is of {found} of {PACKAGE}; this host runs {VERSION}: build against `wit/plugin-{VERSION}`")
    })
}

fn on_track(version: &str, (major, minor): (&str, &str)) -> bool {
    let mut parts = version.split('.');
    parts.next() == Some(major) && parts.next() == Some(minor)
}
