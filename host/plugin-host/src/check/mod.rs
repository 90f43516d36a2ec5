//! Determines the kind and the imports of a file, and lists all its faults in words for the author.

pub(crate) mod component_interface;
pub(crate) mod faults;
mod hash;
mod notes;
mod report;
mod shapes;

use wasmtime::{Engine, component::Component};

use crate::{engine, loading::link::link};
pub(crate) use component_interface::ComponentInterface;
use component_interface::OURS;
use faults::{header, invalid, mismatch};
pub use hash::sha256;
pub use notes::{SNAPSHOT_NOTE, component_notes, snapshot_note};
pub use report::CheckReport;
pub(crate) use shapes::{other_type, remember_type};

/// Checks a file with the host's rules for loading. Compiles it in this process, so this blocks.
pub fn check(bytes: &[u8]) -> CheckReport {
    match engine::on_demand() {
        Ok(engine) => {
            let (mut report, compiled) = compile(&engine, bytes);
            let is_newest = report.api_version.as_deref().is_some_and(component_interface::is_newest);
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

/// Checks and compiles a component. `None` if it cannot be used. See also [`other_type`].
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
    let surface = ComponentInterface::of(engine, &component);
    report.imports = surface.imports();
    report.exports = surface.exports();
    report.world = surface.world();
    report.api_version = surface.api_version().map(str::to_owned);
    let world = surface.judge().map_err(|mut problems| {
        problems.extend(unknown_type(engine, &surface, &component));
        problems
    })?;
    let linked = link(engine, world, &surface, &component);
    linked.map_err(|fault| vec![mismatch(world, &fault)])?;
    Ok(component)
}

/// The difference in the main function of a plugin that was built against an unknown version of the interface.
fn unknown_type(engine: &Engine, surface: &ComponentInterface, component: &Component) -> Option<String> {
    let (world, version) = (surface.world()?, surface.api_version()?);
    if component_interface::is_known(version) || !shapes::has_function(world, engine, component) {
        return None;
    }
    Some(other_type(world, engine, component).unwrap_or_else(|| {
        let (interface, function) = (world.row().interface, world.row().function);
        format!("export `{interface}`: the function `{function}` has the same type as in {OURS}, so only the version differs")
    }))
}
