//! Snapshots of Go plugins: their initialisation runs at the build (ADR 0074).

use std::{collections::HashSet, path::Path};

use plugin_host::{CallLimits, SNAPSHOT_NOTE};
use wasm_encoder::{CodeSection, ComponentSection, CustomSection, Function, Module, RawSection};
use wasmparser::{KnownCustom, Name, Parser, Payload, TypeRef};

use super::{
    error::BuildError,
    run::{read, write},
};

/// Continues the program in each call with new seeds.
const PACKAGE: [(&str, &str); 2] = [
    ("snapshot.go", include_str!("runtime/snapshot/snapshot.go")),
    ("empty.s", include_str!("runtime/snapshot/empty.s")),
];
/// The versions of Go for which the package is written.
const GO: [u32; 2] = [1, 27];
/// Functions that draw random numbers of the runtime, which is no import. The linker of Go writes `_` for each character
/// of a name that is not a letter, a digit, `_` or a full stop: `math/rand.(*runtimeSource).Int63`.
const DRAWING: [&str; 3] =
    ["math_rand.__runtimeSource_.", "math_rand_v2.__runtimeSource_.", "math_rand_v2.runtimeSource."];
/// The line before a function that the host calls, in generated code.
const EXPORT: &str = "//go:wasmexport patchbay:plugin/";
const IMPORTS: &str = "\nimport (\n";

/// Whether a program of this version of Go can be continued.
pub(super) fn knows(version: [u32; 3]) -> bool {
    version.starts_with(&GO)
}

/// Writes the package that continues the program, and lets generated code call it at the beginning of each call.
pub(super) struct Continuation {
    package: String,
}

impl Continuation {
    /// `bindings` is the path of the package of generated code.
    pub(super) fn write(folder: &Path, bindings: &str) -> Result<Self, BuildError> {
        PACKAGE.iter().try_for_each(|(path, text)| write(&folder.join("snapshot").join(path), text))?;
        Ok(Self { package: format!("{bindings}/snapshot") })
    }

    /// Generated code of the exports, with the calls. `None` if it has no exports.
    pub(super) fn insert(&self, code: &[u8]) -> Option<Vec<u8>> {
        let code = std::str::from_utf8(code).ok()?;
        if !code.contains(EXPORT) {
            return None;
        }
        let mut is_next = false;
        let mut lines = code.replacen(IMPORTS, &format!("{IMPORTS}\t\"{}\"\n", self.package), 1);
        lines = lines.lines().fold(String::new(), |mut text, line| {
            text.push_str(line);
            text.push('\n');
            if std::mem::replace(&mut is_next, line.starts_with(EXPORT)) {
                text.push_str("\tsnapshot.Resume()\n");
            }
            text
        });
        Some(lines.into_bytes())
    }
}

/// The result of the attempt to take a snapshot.
pub(super) enum GoSnapshot {
    /// The component after its initialisation.
    Component(Vec<u8>),
    /// The program must start in each call. The reason ends the sentence "the program has no snapshot, because ..".
    Refusal(String),
}

/// Runs the initialisation of a module. `wrap` makes components of modules.
pub(super) fn take(
    module: &[u8],
    wrap: impl Fn(Vec<u8>) -> Result<Vec<u8>, BuildError>,
) -> Result<GoSnapshot, BuildError> {
    let unknown_form = |fault: wasmparser::BinaryReaderError| BuildError::Failed {
        step: "the snapshot of the program".to_owned(),
        output: fault.to_string(),
    };
    let guarded = wrap(guard(module).map_err(unknown_form)?)?;
    let component = wrap(without_names(module).map_err(unknown_form)?)?;
    Ok(match plugin_host::snapshot(&component, &guarded, &CallLimits::default()) {
        Ok(taken) => GoSnapshot::Component(taken),
        Err(refusal) => GoSnapshot::Refusal(refusal.to_string()),
    })
}

/// Keeps the reason in the component, for `patchbay plugin check`.
pub(super) fn keep_reason(component: &Path, reason: &str) -> Result<(), BuildError> {
    let mut bytes = read(component)?;
    let note = CustomSection { name: SNAPSHOT_NOTE.into(), data: reason.as_bytes().into() };
    note.append_to_component(&mut bytes);
    write(component, bytes)
}

/// The module with a trap in each function that draws random numbers.
fn guard(module: &[u8]) -> wasmparser::Result<Vec<u8>> {
    let drawing = drawing(module)?;
    let mut trap = Function::new([]);
    trap.instructions().unreachable().end();
    let mut guarded = Module::new();
    let (mut code, mut next, mut bodies) = (CodeSection::new(), 0, 0);
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::CodeSectionStart { count, .. } => bodies = count,
            Payload::CodeSectionEntry(body) => {
                match drawing.contains(&next) {
                    true => code.function(&trap),
                    false => code.raw(body.as_bytes()),
                };
                next += 1;
                if code.len() == bodies {
                    guarded.section(&code);
                }
            }
            payload => {
                if let Payload::ImportSection(section) = &payload {
                    for import in section.clone().into_imports() {
                        next += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                    }
                }
                add(&mut guarded, &payload, module);
            }
        }
    }
    Ok(guarded.finish())
}

/// The indices of the functions that draw random numbers.
fn drawing(module: &[u8]) -> wasmparser::Result<HashSet<u32>> {
    let mut found = HashSet::new();
    for payload in Parser::new(0).parse_all(module) {
        let Payload::CustomSection(section) = payload? else { continue };
        let KnownCustom::Name(names) = section.as_known() else { continue };
        for group in names {
            let Name::Function(names) = group? else { continue };
            for naming in names {
                let naming = naming?;
                let name = naming.name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '.', "_");
                if DRAWING.iter().any(|prefix| name.starts_with(prefix)) {
                    found.insert(naming.index);
                }
            }
        }
    }
    Ok(found)
}

fn without_names(module: &[u8]) -> wasmparser::Result<Vec<u8>> {
    let mut plain = Module::new();
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::CustomSection(section) if section.name() == "name" => {}
            Payload::CodeSectionEntry(_) => {}
            payload => add(&mut plain, &payload, module),
        }
    }
    Ok(plain.finish())
}

fn add(to: &mut Module, payload: &Payload<'_>, module: &[u8]) {
    let Some((id, range)) = payload.as_section() else { return };
    let place = |offset| usize::try_from(offset).unwrap_or(usize::MAX);
    let data = module.get(place(range.start)..place(range.end)).unwrap_or_default();
    to.section(&RawSection { id, data });
}
