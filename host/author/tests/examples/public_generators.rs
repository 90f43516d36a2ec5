//! The tools of each language accept the output of public generators for `wit/` itself, in every world, without a copy
//! of the interface or a layer of helpers. `scripts/test-peers.sh` installs the tools. Go is in `bindings.rs`, where a
//! whole project is compared. TypeScript has no generator, because its declarations are ours. `make soak` packs JavaScript
//! of every world.

use std::{path::PathBuf, process::Command};

use author::Lang;
use wit_bindgen_core::Files;
use wit_parser::Resolve;

use crate::{bindings::NEWEST, root, worlds};

/// The worlds, each with a program in JavaScript.
const WORLDS: [(&str, &str); 5] = [
    ("chatbot", "export const bot = { handle: (event) => [{ tag: 'add-tag', val: event.id }] };"),
    ("sms-fallback", "export const fallback = { decide: () => ({ tag: 'skip', val: 'never' }) };"),
    ("webhook-shaper", "export const shaper = { shape: () => null };"),
    ("router", "export const routing = { route: () => ({ target: { tag: 'queue' }, reason: 'always' }) };"),
    ("sms-router", "export const smsRouting = { decideSms: (messages) => messages.map(() => ({ tag: 'as-is' })) };"),
];

/// The folder of an installed toolchain whose name has this prefix. If `CI` is set, a missing toolchain is a failure.
fn toolchain(name: &str) -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let of_user = || set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let all = set("PATCHBAY_TOOLCHAINS").or_else(|| Some(of_user()?.join("patchbay/toolchains")))?;
    let mut folders = std::fs::read_dir(all).ok()?.map(|entry| entry.unwrap().path());
    let found = folders.find(|folder| folder.file_name().unwrap().to_str().unwrap().starts_with(name));
    assert!(found.is_some() || std::env::var_os("CI").is_none(), "{name} is missing: run scripts/test-peers.sh");
    if found.is_none() {
        println!("skipped: {name} is missing: run scripts/test-peers.sh");
    }
    found
}

fn runs(command: &mut Command, world: &str) {
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{world}: {command:?}\n{}", String::from_utf8_lossy(&said));
}

fn newest() -> PathBuf {
    root().join(NEWEST)
}

#[test]
fn the_sdk_for_rust_is_generated_from_the_newest_interface() {
    let sdk = std::fs::read_to_string(root().join("plugins/sdk/src/lib.rs")).unwrap();
    let paths: Vec<&str> = sdk.lines().filter_map(|line| line.trim().strip_prefix("path: ")).collect();
    let newest = format!("\"../../{NEWEST}\",");
    assert!(paths.len() > WORLDS.len() && paths.iter().all(|path| *path == newest), "{paths:?}");
}

#[test]
fn c_code_made_from_the_interface_compiles_without_a_warning() {
    let Some(zig) = toolchain("zig-") else { return };
    let folder = tempfile::tempdir().unwrap();
    for (world, _) in WORLDS {
        let place = folder.path().join(world);
        std::fs::create_dir(&place).unwrap();
        let mut resolve = Resolve::default();
        let (package, _) = resolve.push_path(newest()).unwrap();
        let selected = resolve.select_world(&[package], Some(world)).unwrap();
        let mut files = Files::default();
        wit_bindgen_c::Opts::default().build().generate(&mut resolve, selected, &mut files).unwrap();
        for (path, contents) in files.iter() {
            std::fs::write(place.join(path), contents).unwrap();
        }
        let source = format!("{}.c", world.replace('-', "_"));
        let mut compile = Command::new(zig.join("ziglang/zig"));
        compile.args(["cc", "-target", "wasm32-wasi", "-std=c11", "-Wall", "-Wextra", "-Werror", "-c", &source]);
        runs(compile.args(["-o", "bindings.o"]).current_dir(&place), world);
    }
}

#[test]
fn python_code_made_from_the_interface_compiles() {
    let Some(tool) = toolchain("componentize-py-") else { return };
    let python = |arguments: &[&str]| {
        let mut command = Command::new("python3");
        command.args(arguments).env("PYTHONPATH", &tool);
        command
    };
    let start = "import sys, componentize_py; sys.argv[0] = 'componentize-py'; sys.exit(componentize_py.script())";
    let folder = tempfile::tempdir().unwrap();
    for (world, _) in WORLDS {
        let place = folder.path().join(world);
        let mut generate = python(&["-c", start, "-q", "-w", world]);
        runs(generate.arg("-d").arg(newest()).arg("bindings").arg(&place), world);
        // Next to it are the files that are the same for all interfaces. They need the interpreter that is packed.
        let made = place.join("wit_world");
        assert!(made.join("exports").is_dir(), "{world}: nothing was made");
        runs(python(&["-m", "compileall", "-q"]).arg(made), world);
    }
}

#[test]
fn javascript_is_packed_with_the_interface_as_it_is() {
    let Some(tools) = toolchain("script-") else { return };
    let folder = tempfile::tempdir().unwrap();
    let chosen: Vec<String> = worlds(Lang::Js).iter().map(ToString::to_string).collect();
    for (world, program) in WORLDS.into_iter().filter(|(world, _)| chosen.iter().any(|name| name == world)) {
        let (main, component) = (folder.path().join("main.js"), folder.path().join(format!("{world}.wasm")));
        std::fs::write(&main, program).unwrap();
        let mut pack = Command::new(tools.join("node_modules/.bin/componentize-qjs"));
        pack.arg("-w").arg(newest()).args(["-n", world, "--sync", "-j"]).arg(&main).arg("-o").arg(&component);
        runs(&mut pack, world);
        let report = plugin_host::check(&std::fs::read(component).unwrap());
        assert_eq!((report.problems.as_slice(), report.api_version.as_deref()), (&[][..], Some("0.3.0")), "{world}");
    }
}
