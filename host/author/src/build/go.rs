//! Go: the standard compiler makes a module for WASI preview 1, which is then wrapped.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use plugin_host::World;
use wit_bindgen_core::{Files, WorldGenerator};
use wit_bindgen_go::{Format, Opts};

use super::{
    error::BuildError,
    interface::{self, Imports},
    run::{at, on_path, read, run, write},
    snapshot::{self, Continuation, GoSnapshot},
    toolchain::GO,
    wrap,
};
use crate::{Lang, Project};

const OLDEST: [u32; 3] = [1, 27, 1];
const BINDINGS: &str = "local/build/bindings";
/// Tag of the helpers that need the export `validation`.
const VALIDATES: &str = "validates";

/// The runtime package of generated code, `go.bytecodealliance.org/pkg`, as the generator ships it.
const RUNTIME: [(&str, &str); 12] = [
    ("LICENSE", include_str!("../../vendor/go-pkg/LICENSE")),
    ("go.mod", include_str!("../../vendor/go-pkg/go.mod")),
    ("wit/async/async.go", include_str!("../../vendor/go-pkg/wit/async/async.go")),
    ("wit/async/empty.s", include_str!("../../vendor/go-pkg/wit/async/empty.s")),
    ("wit/runtime/empty.s", include_str!("../../vendor/go-pkg/wit/runtime/empty.s")),
    ("wit/runtime/runtime.go", include_str!("../../vendor/go-pkg/wit/runtime/runtime.go")),
    ("wit/types/future.go", include_str!("../../vendor/go-pkg/wit/types/future.go")),
    ("wit/types/option.go", include_str!("../../vendor/go-pkg/wit/types/option.go")),
    ("wit/types/result.go", include_str!("../../vendor/go-pkg/wit/types/result.go")),
    ("wit/types/stream.go", include_str!("../../vendor/go-pkg/wit/types/stream.go")),
    ("wit/types/tuple.go", include_str!("../../vendor/go-pkg/wit/types/tuple.go")),
    ("wit/types/unit.go", include_str!("../../vendor/go-pkg/wit/types/unit.go")),
];

/// Returns the reason if the project wants a snapshot and the program cannot have one.
pub(super) fn build(project: &Project, progress: &mut dyn FnMut(&str)) -> Result<Option<String>, BuildError> {
    let go = match project.snapshot {
        true => compiler_that(progress, &|version| version >= OLDEST && snapshot::knows(version))?,
        false => compiler(progress)?,
    };
    let wit = interface::lay_out(project, Imports::Every)?;
    let (mut resolve, world) = interface::resolve(&wit)?;
    let place = project.root.join("build");
    write_runtime(&place.join("go-pkg"))?;
    let failed = |fault| BuildError::Failed { step: "making Go bindings".to_owned(), output: format!("{fault:#}") };
    let mut files = Files::default();
    generator(BINDINGS).generate(&mut resolve, world, &mut files).map_err(failed)?;
    let continuation = match project.snapshot {
        true => Some(Continuation::write(&place.join("bindings"), BINDINGS)?),
        false => None,
    };
    // Interface 0.1 has a case `tag`, whose generated name exists twice.
    let version = interface::version_of(project)?;
    let has_tag = version.starts_with("0.1.");
    for (path, contents) in files.iter() {
        let contents = if has_tag { repair(contents) } else { contents.to_vec() };
        let continued = continuation.as_ref().and_then(|continuation| continuation.insert(&contents));
        let contents = continued.unwrap_or(contents);
        write(&place.join("bindings").join(path), contents)?;
    }
    let (path, code) = exports(project.world, has_tag || version.starts_with("0.2."));
    write(&place.join("bindings").join(path), code)?;
    if project.validates {
        let (path, code) = validation();
        write(&place.join("bindings").join(path), code)?;
    }

    progress("compiling with go (the first time compiles Go's own library too: up to a minute)");
    let module = place.join("module.wasm");
    let mut command = Command::new(go);
    // A snapshot needs the names of functions. It drops them.
    let flags = if project.snapshot { "-ldflags=-w -checklinkname=0" } else { "-ldflags=-s -w -checklinkname=0" };
    command.args(["build", "-buildmode=c-shared", "-trimpath", flags]);
    if project.validates {
        command.args(["-tags", VALIDATES]);
    }
    command.arg("-o");
    command.arg(&module).arg(".").current_dir(&project.root);
    // The project uses only the modules of its go.mod, and no folder above is searched.
    command.envs([
        ("GOOS", "wasip1"),
        ("GOARCH", "wasm"),
        ("GOTOOLCHAIN", "local"),
        ("GOWORK", "off"),
        ("GOFLAGS", "-mod=mod"),
    ]);
    run("go build", &mut command)?;

    progress("making a component of it");
    // The generator adds nothing to the world, so the same world describes the module.
    let wrap = |module| wrap::wrap_undescribed(module, &resolve, world);
    let component = match project.snapshot {
        true => {
            progress("running its initialisation for the snapshot");
            match snapshot::take(&read(&module)?, wrap)? {
                GoSnapshot::Component(component) => component,
                GoSnapshot::Refusal(reason) => {
                    progress("compiling again without a snapshot");
                    build(&Project { snapshot: false, ..project.clone() }, progress)?;
                    return Ok(Some(reason));
                }
            }
        }
        false => wrap(read(&module)?)?,
    };
    std::fs::remove_file(&module).map_err(at(&module))?;
    write(&project.component(), component)?;
    Ok(None)
}

pub(super) fn generator(package: &str) -> Box<dyn WorldGenerator> {
    let options = Opts { format: Format::False, pkg_name: Some(package.to_owned()), quiet: true, ..Opts::default() };
    options.build()
}

/// Writes the package that generated code imports, as a module of its own.
pub(super) fn write_runtime(folder: &Path) -> Result<(), BuildError> {
    RUNTIME.iter().try_for_each(|(path, text)| write(&folder.join(path), text))
}

/// In track 0.1, the generator names the payload of the case `tag` like the function that returns the case.
fn repair(code: &[u8]) -> Vec<u8> {
    let lines = String::from_utf8_lossy(code);
    let lines = lines.lines().map(|line| match line.trim_start().starts_with("payload := ") {
        true => line.replace(".Tag()", ".Tag_()"),
        false => line.to_owned(),
    });
    lines.flat_map(|line| [line, "\n".to_owned()]).collect::<String>().into_bytes()
}

/// The package in which generated code looks for the function of the plugin, set by package `patchbay`.
/// Before 0.3, a fallback rule had no error, and a shaper answered with an optional text.
fn exports(world: World, is_before_0_3: bool) -> (String, String) {
    let (interface, name, signature) = match world {
        World::Chatbot => {
            ("bot", "Handle", "func(event types.Event, session types.Session) wit.Result[[]types.Action, types.Error]")
        }
        World::SmsFallback if is_before_0_3 => {
            ("fallback", "Decide", "func(undeliverable types.Undeliverable) types.Decision")
        }
        World::SmsFallback => {
            ("fallback", "Decide", "func(undeliverable types.Undeliverable) wit.Result[types.Decision, types.Error]")
        }
        World::WebhookShaper if is_before_0_3 => {
            ("shaper", "Shape", "func(event types.WebhookEvent) wit.Result[wit.Option[string], types.Error]")
        }
        World::WebhookShaper => {
            ("shaper", "Shape", "func(event types.WebhookEvent) wit.Result[types.Body, types.Error]")
        }
        World::SmsRouter => {
            ("sms_routing", "DecideSms", "func(messages []types.Sms) wit.Result[[]types.Decision, types.Error]")
        }
        World::Router => ("routing", "Route", "func(inbound types.Inbound) wit.Result[types.Decision, types.Error]"),
    };
    let wit = match world {
        World::SmsFallback if is_before_0_3 => "",
        _ => "\twit \"go.bytecodealliance.org/pkg/wit/types\"\n",
    };
    export(interface, name, signature, wit)
}

/// The same for the judge of configurations.
fn validation() -> (String, String) {
    export("validation", "Validate", "func(config string) []types.Finding", "")
}

/// Path and code of the package of an interface. `imports`: the lines of further imports.
fn export(interface: &str, name: &str, signature: &str, imports: &str) -> (String, String) {
    let package = format!("export_patchbay_plugin_{interface}");
    let code = format!(
        "// Generated. DO NOT EDIT!\n\npackage {package}\n\nimport (\n\ttypes \"{BINDINGS}/imports/patchbay_plugin_{interface}\"\n{imports})\n\n\
         // {name} answers the calls of the host.\nvar {name} {signature}\n"
    );
    (format!("exports/{package}/export.go"), code)
}

/// An installed compiler that is new enough, or our own.
pub(super) fn compiler(progress: &mut dyn FnMut(&str)) -> Result<PathBuf, BuildError> {
    compiler_that(progress, &|version| version >= OLDEST)
}

fn compiler_that(progress: &mut dyn FnMut(&str), fits: &dyn Fn([u32; 3]) -> bool) -> Result<PathBuf, BuildError> {
    if let Some(go) = on_path("go") {
        let said = run("go version", Command::new(&go).args(["env", "GOVERSION"]).env("GOTOOLCHAIN", "local"))?;
        if version(&said).is_some_and(fits) {
            return Ok(go);
        }
        progress(&format!("the installed Go is {}, which this build cannot use", said.trim()));
    }
    let go = GO.ready(progress)?.join("go/bin").join(format!("go{}", std::env::consts::EXE_SUFFIX));
    match go.is_file() {
        true => Ok(go),
        false => Err(BuildError::ToolMissing {
            lang: Lang::Go,
            tool: "Go 1.27.1".to_owned(),
            install: format!("install it; the package in {} has none for this machine", go.display()),
        }),
    }
}

fn version(said: &str) -> Option<[u32; 3]> {
    let mut parts = said.trim().strip_prefix("go")?.split('.').map(|part| {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    });
    Some([parts.next()??, parts.next()??, parts.next().flatten().unwrap_or(0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(version("go1.27.3").unwrap() >= OLDEST);
        assert!(version("go1.28").unwrap() >= OLDEST);
        assert!(version("go1.28rc1\n").unwrap() >= OLDEST);
        assert!(version("go1.27").unwrap() < OLDEST);
        assert!(version("go1.9.7").unwrap() < OLDEST);
        assert_eq!(version("devel"), None);
    }
}
