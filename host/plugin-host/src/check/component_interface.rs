//! Checks the names of imports and exports and lists all faults. The linker stops at the first one.

use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::{ComponentInstance, ComponentItem};

use crate::World;

pub(super) const PACKAGE: &str = "patchbay:plugin";
const VERSION: &str = "0.3.0";
pub(super) const OURS: &str = "patchbay:plugin@0.3.0";
/// The interface that plugins of any world may export in addition to their own, and its function.
const CONFIGURATION: (&str, &str) = ("configuration", "schema");
/// Another one, since track 0.3.
const VALIDATION: (&str, &str) = ("validation", "validate");
/// WASI packages that are linked without any grants, and their track.
const WASI: [&str; 6] = ["wasi:io", "wasi:cli", "wasi:clocks", "wasi:random", "wasi:filesystem", "wasi:sockets"];
const WASI_TRACK: (&str, &str) = ("0", "2");

/// A track of versions. Within a track, types and functions are only added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ApiTrack {
    First,
    Second,
    Newest,
}

impl ApiTrack {
    const ALL: [Self; 3] = [Self::First, Self::Second, Self::Newest];

    fn versions(self) -> (&'static str, &'static str) {
        match self {
            Self::First => ("0", "1"),
            Self::Second => ("0", "2"),
            Self::Newest => ("0", "3"),
        }
    }

    fn of(version: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|track| on_track(version, track.versions()))
    }
}

pub(super) fn is_newest(version: &str) -> bool {
    ApiTrack::of(version) == Some(ApiTrack::Newest)
}

pub(super) fn is_known(version: &str) -> bool {
    ApiTrack::of(version).is_some()
}

struct Item {
    name: String,
    functions: Option<Vec<String>>,
}

impl Item {
    fn of(engine: &Engine, name: &str, item: &ComponentItem) -> Self {
        let functions = match item {
            ComponentItem::ComponentInstance(interface) => Some(functions(engine, interface)),
            _ => None,
        };
        Self { name: name.to_owned(), functions }
    }

    fn ours(&self) -> Option<(&str, &str)> {
        let interface = self.name.strip_prefix(PACKAGE)?.strip_prefix('/')?;
        Some(interface.split_once('@').unwrap_or((interface, "")))
    }

    fn has(&self, function: &str) -> bool {
        self.functions.as_ref().is_some_and(|functions| functions.iter().any(|has| has == function))
    }
}

fn functions(engine: &Engine, interface: &ComponentInstance) -> Vec<String> {
    let is_function = |item: &ComponentItem| matches!(item, ComponentItem::ComponentFunc(_));
    interface.exports(engine).filter(|(_, item)| is_function(&item.ty)).map(|(name, _)| name.to_owned()).collect()
}

pub(crate) struct ComponentInterface {
    imports: Vec<Item>,
    exports: Vec<Item>,
}

impl ComponentInterface {
    pub(crate) fn of(engine: &Engine, component: &Component) -> Self {
        let outside = component.component_type();
        Self {
            imports: outside.imports(engine).map(|(name, item)| Item::of(engine, name, &item.ty)).collect(),
            exports: outside.exports(engine).map(|(name, item)| Item::of(engine, name, &item.ty)).collect(),
        }
    }

    pub(crate) fn imports(&self) -> Vec<String> {
        self.imports.iter().map(|item| item.name.clone()).collect()
    }

    pub(crate) fn exports(&self) -> Vec<String> {
        self.exports.iter().map(|item| item.name.clone()).collect()
    }

    pub(crate) fn world(&self) -> Option<World> {
        match self.worlds().as_slice() {
            [(world, _)] => Some(*world),
            _ => None,
        }
    }

    pub(crate) fn api_version(&self) -> Option<&str> {
        self.worlds().first().and_then(|(_, export)| export.ours()).map(|(_, version)| version)
    }

    pub(crate) fn main_export(&self) -> Option<&str> {
        self.worlds().first().map(|(_, export)| export.name.as_str())
    }

    pub(crate) fn track(&self) -> ApiTrack {
        self.api_version().and_then(ApiTrack::of).unwrap_or(ApiTrack::Newest)
    }

    pub(crate) fn configuration_export(&self) -> Option<&str> {
        self.configuration().map(|export| export.name.as_str())
    }

    pub(crate) fn validation_export(&self) -> Option<&str> {
        self.validation().map(|export| export.name.as_str())
    }

    pub(crate) fn is_configurable(&self) -> bool {
        self.configuration().is_some()
    }

    fn configuration(&self) -> Option<&Item> {
        self.export_of(CONFIGURATION.0)
    }

    fn validation(&self) -> Option<&Item> {
        self.export_of(VALIDATION.0)
    }

    fn export_of(&self, wanted: &str) -> Option<&Item> {
        self.exports.iter().find(|item| item.ours().is_some_and(|(interface, _)| interface == wanted))
    }

    fn worlds(&self) -> Vec<(World, &Item)> {
        let world = |item: &Item| {
            let (interface, _) = item.ours()?;
            World::ALL.into_iter().find(|world| world.row().interface == interface)
        };
        self.exports.iter().filter_map(|item| Some((world(item)?, item))).collect()
    }

    pub(crate) fn judge(&self) -> Result<World, Vec<String>> {
        let mut problems = vec![];
        match self.worlds().as_slice() {
            [(world, export)] => problems.extend(judge_export(export, world.row().function)),
            [] => problems.push(self.no_world()),
            several => {
                let names: Vec<_> = several.iter().map(|(world, _)| world.as_str()).collect();
                problems.push(format!("it exports the interfaces of several worlds ({}); split it", names.join(", ")));
            }
        }
        for (export, function) in [(self.configuration(), CONFIGURATION.1), (self.validation(), VALIDATION.1)] {
            let Some(export) = export else { continue };
            problems.extend(judge_export(export, function));
            problems.extend(self.of_two_tracks(export));
        }
        let world = self.world();
        problems.extend(self.imports.iter().filter_map(|import| judge_import(import, world)));
        match world {
            Some(world) if problems.is_empty() => Ok(world),
            _ => Err(problems),
        }
    }

    /// The fault if a plugin exports interfaces of two tracks. The host calls all exports through one track.
    fn of_two_tracks(&self, further: &Item) -> Option<String> {
        let (_, export) = *self.worlds().first()?;
        let track = |item: &Item| item.ours().and_then(|(_, version)| ApiTrack::of(version));
        (track(export) != track(further)).then(|| {
            let (one, other) = (&export.name, &further.name);
            format!("exports `{one}` and `{other}` are of two tracks: build both against one version")
        })
    }

    fn no_world(&self) -> String {
        let wanted = World::ALL.map(|world| format!("`{PACKAGE}/{}` ({world})", world.row().interface)).join(", ");
        let found: Vec<_> = self.exports.iter().map(|item| format!("`{}`", item.name)).collect();
        let found = if found.is_empty() { "nothing".to_owned() } else { found.join(", ") };
        let hint = self.exports.iter().find_map(probable_intention).unwrap_or_default();
        format!("it exports none of the interfaces that make a plugin: {wanted}; it exports {found}{hint}")
    }
}

/// The probable intention of an export that is not one of ours.
fn probable_intention(item: &Item) -> Option<String> {
    let of_interface = |name: &str| {
        let interface = name.rsplit('/').next()?.split('@').next()?;
        World::ALL.into_iter().find(|world| world.row().interface == interface)
    };
    let (world, why) = match &item.functions {
        Some(_) => (of_interface(&item.name)?, "is of another package"),
        None => {
            let world = World::ALL.into_iter().find(|world| world.row().function == item.name)?;
            (world, "is a bare function, which carries no version")
        }
    };
    let (name, interface) = (&item.name, world.row().interface);
    Some(format!("; `{name}` {why}: export `{PACKAGE}/{interface}@{VERSION}` for world `{world}`"))
}

fn judge_export(export: &Item, function: &str) -> Vec<String> {
    let (interface, version) = export.ours().unwrap_or_default();
    let mut problems: Vec<String> = wrong_version(&format!("export `{interface}`"), version).into_iter().collect();
    if !export.has(function) {
        problems.push(format!("export `{}` lacks the function `{function}`", export.name));
    }
    problems
}

fn judge_import(import: &Item, world: Option<World>) -> Option<String> {
    if let Some((interface, version)) = import.ours() {
        return wrong_version(&format!("import `{interface}`"), version)
            .map(|problem| problem + &unknown_functions(import, interface))
            .or_else(|| judge_own_import(import, interface, version, world));
    }
    let (name, version) = import.name.split_once('@').unwrap_or((&import.name, ""));
    let package = name.split_once('/').map_or(name, |(package, _)| package);
    let import = &import.name;
    if WASI.contains(&package) {
        let fits = on_track(version, WASI_TRACK);
        return (!fits).then(|| format!("import `{import}`: this host offers WASI 0.2; build for wasm32-wasip2"));
    }
    if package == "wasi:http" {
        return Some(format!("import `{import}` is not granted: use the interface `{PACKAGE}/http` instead"));
    }
    Some(format!("import `{import}` is not offered by this host"))
}

fn judge_own_import(import: &Item, interface: &str, version: &str, world: Option<World>) -> Option<String> {
    let name = &import.name;
    let Some(offered) = functions_of(interface, version) else {
        return Some(format!("import `{name}`: {PACKAGE}@{VERSION} has no interface `{interface}` to import"));
    };
    if let Some(world) = world.filter(|world| !world.row().grants.contains(&interface)) {
        let granted = world.row().grants.join(", ");
        return Some(format!("import `{name}` is not granted to world `{world}`; granted are: {granted}"));
    }
    let wanted = import.functions.iter().flatten().map(String::as_str);
    let missing: Vec<_> = wanted.filter(|function| !offered.contains(function)).collect();
    (!missing.is_empty()).then(|| {
        format!("import `{name}` asks for {}, which this host does not have (it is at {VERSION})", missing.join(", "))
    })
}

/// The functions of an import of another version that this host does not have, as the end of a sentence.
fn unknown_functions(import: &Item, interface: &str) -> String {
    let Some(offered) = functions_of(interface, VERSION) else {
        return format!("; this host has no interface `{interface}` to import");
    };
    let wanted = import.functions.iter().flatten().map(String::as_str);
    let unknown: Vec<_> =
        wanted.filter(|function| !offered.contains(function)).map(|function| format!("`{function}`")).collect();
    match unknown.as_slice() {
        [] => String::new(),
        unknown => format!("; this host does not have its {}", unknown.join(", ")),
    }
}

fn functions_of(interface: &str, version: &str) -> Option<&'static [&'static str]> {
    let track = ApiTrack::of(version).unwrap_or(ApiTrack::Newest);
    match interface {
        "types" => Some(&[]),
        "log" => Some(&["write"]),
        "kv" if track == ApiTrack::First => Some(&["get", "set", "delete"]),
        "kv" => Some(&["get", "set", "set-expiring", "delete", "list-keys"]),
        "config" => Some(&["get"]),
        "http" if track == ApiTrack::Newest => Some(&["send", "start"]),
        "http" => Some(&["send"]),
        "files" if track == ApiTrack::Newest => Some(&["read", "write"]),
        "conversation" if track == ApiTrack::Newest => Some(&["tags", "history", "timers"]),
        _ => None,
    }
}

fn wrong_version(what: &str, version: &str) -> Option<String> {
    (!is_known(version)).then(|| {
        let found = if version.is_empty() { "no version".to_owned() } else { format!("version {version}") };
        format!("{what} is of {found} of {PACKAGE}; this host runs {VERSION}: build against `wit/plugin-{VERSION}`")
    })
}

fn on_track(version: &str, (major, minor): (&str, &str)) -> bool {
    let mut parts = version.split('.');
    parts.next() == Some(major) && parts.next() == Some(minor)
}
