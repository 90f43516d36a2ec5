//! The author's tools that make bindings and components, without a server: the real binary.

use std::{fs::Permissions, os::unix::fs::PermissionsExt};

use harness::guest;
use serde_json::{Value, json};

use crate::plugin_commands::Machine;

/// A module that answers every event of a shaper with nothing to send. It does not describe its world.
const SHAPER: &str = r#"(module
    (memory (export "memory") 1)
    (data (i32.const 2052) "\02") ;; the case `skip`
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) i32.const 4096)
    (func (export "patchbay:plugin/shaper@0.3.0#shape") (param i32) (result i32) i32.const 2048))"#;

fn shaper() -> Vec<u8> {
    wat::parse_str(SHAPER).unwrap()
}

#[test]
fn bindings_are_written_for_each_language_with_a_generator_in_the_program() {
    let machine = Machine::new();
    for (lang, file, words) in [
        ("rust", "plugin.rs", "pub trait Guest"),
        ("c", "plugin.h", "exports_patchbay_plugin_routing_route"),
        ("go", "go-pkg/wit/types/result.go", "type Result["),
        ("ts", "patchbay.d.ts", "declare module 'patchbay:plugin/routing@"),
    ] {
        let out = format!("bindings-{lang}");
        let made = machine.does(&["bindings", lang, "--world", "router", "--out", &out]);
        assert!(made.contains(&format!("interface of world router: {out}/wit")), "{made}");
        let text = std::fs::read_to_string(machine.path(&format!("{out}/{file}"))).unwrap();
        assert!(text.contains(words), "{lang}: {words}");
        let types = machine.path(&format!("{out}/wit/deps/patchbay-plugin/types.wit"));
        assert!(std::path::Path::new(&types).is_file(), "{lang}");
    }
    machine.does(&["bindings", "c", "--world", "router", "--validates", "--out", "judging"]);
    for (folder, judges) in [("bindings-c", false), ("judging", true)] {
        let header = std::fs::read_to_string(machine.path(&format!("{folder}/plugin.h"))).unwrap();
        assert_eq!(header.contains("exports_patchbay_plugin_validation_validate("), judges, "{folder}");
    }
    let made: Value = serde_json::from_str(&machine.does(&["bindings", "c", "--json"])).unwrap();
    assert_eq!((&made["done"], &made["command"]), (&Value::Bool(true), &Value::Null), "{made}");
    assert!(made["files"].as_array().unwrap().iter().any(|file| file == "plugin.h"), "{made}");
}

#[test]
fn the_command_of_a_generator_that_is_not_installed_is_printed() {
    let machine = Machine::new();
    let mut command = machine.command(&["bindings", "csharp", "--out", "b"]);
    let said = command.env("PATH", machine.path("")).output().unwrap();
    let out = String::from_utf8(said.stdout).unwrap();
    assert!(said.status.success() && out.contains("wit-bindgen csharp b/wit --world plugin --out-dir b"), "{out}");
    let unknown = machine.fails(&["bindings", "cobol"]);
    assert!(unknown.contains("rust, c, go, ts, js, python, cpp, csharp, d, moonbit"), "{unknown}");
}

#[test]
fn bindings_are_made_by_the_tool_of_a_language_if_it_is_installed() {
    let machine = Machine::new();
    std::fs::create_dir(machine.path("bin")).unwrap();
    let path = format!("{}:{}", machine.path("bin"), std::env::var("PATH").unwrap());
    for (lang, tool, arguments) in [
        ("python", "componentize-py", "-d made/wit -w plugin bindings made/python"),
        ("csharp", "wit-bindgen", "csharp made/wit --world plugin --out-dir made"),
    ] {
        let file = format!("bin/{tool}");
        machine.write(&file, "#!/bin/sh\necho \"$@\" > typed\n");
        std::fs::set_permissions(machine.path(&file), Permissions::from_mode(0o755)).unwrap();

        let mut command = machine.command(&["bindings", lang, "--world", "router", "--out", "made"]);
        let said = command.env("PATH", &path).output().unwrap();

        let out = String::from_utf8(said.stdout).unwrap();
        assert!(said.status.success() && out.contains(&format!("\nmade with: {tool} {arguments}\n")), "{out}");
        let typed = std::fs::read_to_string(machine.path("typed")).unwrap();
        assert!(typed.trim_end().ends_with(arguments), "{typed}");
    }
}

#[test]
fn a_module_becomes_a_component() {
    let machine = Machine::new();
    machine.write("shaper.wasm", shaper());
    assert!(machine.fails(&["check", "shaper.wasm"]).contains("cannot be used as a plugin"));
    let unnamed = machine.fails(&["wrap", "shaper.wasm"]);
    assert!(unnamed.contains("name the world with --world"), "{unnamed}");
    let made = machine.does(&["wrap", "shaper.wasm", "--world", "webhook-shaper"]);
    assert!(made.starts_with("made shaper.component.wasm ("), "{made}");
    let checked = machine.does(&["check", "shaper.component.wasm"]);
    assert!(checked.contains("world:   webhook-shaper") && checked.contains("of processor time"), "{checked}");
    let twice = machine.fails(&["wrap", "shaper.component.wasm"]);
    assert!(twice.contains("this is a component already"), "{twice}");
    let wrong = machine.fails(&["wrap", "shaper.wasm", "--world", "chatbot"]);
    assert!(wrong.contains("failed:") && wrong.contains("bot"), "{wrong}");
    machine.write("text.wasm", "text");
    assert!(machine.fails(&["wrap", "text.wasm"]).contains("not a core WebAssembly module"));
    machine.write("described.wasm", wat::parse_str(r#"(module (@custom "component-type:bot" "x"))"#).unwrap());
    let described = machine.fails(&["wrap", "described.wasm", "--world", "chatbot"]);
    assert!(described.contains("describes its world; leave --world out"), "{described}");
}

/// A section of notes in the binary format. All lengths are below 128.
fn section(name: &str, text: &str) -> Vec<u8> {
    let byte = |length: usize| vec![u8::try_from(length).unwrap()];
    let content = [byte(name.len()), name.into(), text.into()].concat();
    [vec![0], byte(content.len()), content].concat()
}

#[test]
fn a_check_shows_the_licences_that_the_component_names() {
    let machine = Machine::new();
    machine.write("shaper.wasm", shaper());
    machine.does(&["wrap", "shaper.wasm", "--world", "webhook-shaper"]);
    let component = std::fs::read(machine.path("shaper.component.wasm")).unwrap();
    machine.write("licensed.wasm", [component, section("licenses", "Apache-2.0 OR MIT")].concat());

    let checked = machine.does(&["check", "shaper.component.wasm"]);
    assert!(checked.contains("\nlicences: none named\nmade with: "), "{checked}");
    let checked = machine.does(&["check", "licensed.wasm"]);
    assert!(checked.contains("\nlicences: Apache-2.0 OR MIT\nmade with: "), "{checked}");
}

#[test]
fn a_check_names_the_reason_against_a_snapshot() {
    let machine = Machine::new();
    machine.write("shaper.wasm", shaper());
    machine.does(&["wrap", "shaper.wasm", "--world", "webhook-shaper"]);
    let component = std::fs::read(machine.path("shaper.component.wasm")).unwrap();
    let reason = "it reads the time while it starts";
    machine.write("noted.wasm", [component, section("patchbay:no-snapshot", reason)].concat());

    assert!(!machine.does(&["check", "shaper.component.wasm"]).contains("snapshot"));
    let checked = machine.does(&["check", "noted.wasm"]);
    let warning = format!("Warning: the program has no snapshot, because {reason}.");
    assert!(checked.contains(&warning) && checked.contains("remove `snapshot`"), "{checked}");
}

/// Two modules that share a table.
const LINKED: &str = r#"(component
    (core module (memory 1) (table (export "t") 1 funcref))
    (core module (import "m" "t" (table 1 funcref)))
    (core instance (instantiate 0))
    (core instance (instantiate 1 (with "m" (instance 0)))))"#;

#[test]
fn a_check_warns_of_core_modules_that_a_build_merges() {
    let machine = Machine::new();
    machine.write("shaper.wasm", shaper());
    machine.does(&["wrap", "shaper.wasm", "--world", "webhook-shaper"]);
    let component = std::fs::read(machine.path("shaper.component.wasm")).unwrap();
    let linked = wat::parse_str(LINKED).unwrap();
    // A section with a nested component, whose length is below 128.
    let nested = [vec![4, u8::try_from(linked.len()).unwrap()], linked].concat();
    std::fs::create_dir(machine.path("own")).unwrap();
    machine.write("own/linked.wasm", [component, nested].concat());
    let manifest = "name = \"own\"\nworld = \"webhook-shaper\"\nbuild = \"true\"\noutput = \"linked.wasm\"\n";
    machine.write("own/plugin.toml", manifest);

    assert!(!machine.does(&["check", "shaper.component.wasm"]).contains("core modules"));
    let checked = machine.does(&["check", "own/linked.wasm"]);
    let warning = "Warning: each call makes an instance of 2 core modules that could be one. `patchbay plugin build`";
    assert!(checked.contains(warning), "{checked}");
    machine.does(&["build", "own"]);
    let checked = machine.does(&["check", "own"]);
    assert!(!checked.contains("core modules"), "{checked}");
}

/// Changes the kept costs as if an earlier component had been smaller and had needed no memory.
fn improve_the_past(machine: &Machine) {
    let mut kept: Value = serde_json::from_slice(&std::fs::read(machine.path("clerk.costs.json")).unwrap()).unwrap();
    kept["size"] = json!(1_000);
    for call in kept["calls"].as_object_mut().unwrap().values_mut() {
        call["sha256"] = json!("another component");
        call["memoryBytes"] = json!(0);
    }
    machine.write("clerk.costs.json", kept.to_string());
}

#[test]
fn a_check_and_a_test_print_warnings_of_costs_that_a_change_made_worse() {
    let machine = Machine::new();
    machine.write("clerk.wasm", guest("clerk"));
    machine.write("good.yaml", "steps: [{customer: say x}, {bot: x}]");
    let (check, test) = (["check", "clerk.wasm"], ["test", "good.yaml", "--component", "clerk.wasm"]);
    assert!(!machine.does(&check).contains("the component grew"));
    assert!(!machine.does(&test).contains("the component grew"));

    improve_the_past(&machine);
    let checked = machine.does(&check);
    assert!(checked.contains("Warning: the component grew from "), "{checked}");
    assert!(checked.contains("Warning: its memory rose from "), "{checked}");

    improve_the_past(&machine);
    let tested = machine.does(&test);
    assert!(tested.contains("\nwarning: the component grew from "), "{tested}");
    assert!(tested.contains("      warning: its memory rose from "), "{tested}");
    assert!(!machine.does(&test).contains("warning: "), "these are the costs of the last run");
}

#[test]
fn a_project_of_any_language_is_built_by_its_own_command() {
    let machine = Machine::new();
    std::fs::create_dir_all(machine.path("own/tests")).unwrap();
    machine.write("own/source.wasm", shaper());
    machine.write(
        "own/plugin.toml",
        "name = \"own\"\nworld = \"webhook-shaper\"\nbuild = \"test -d build/wit && cp source.wasm made.wasm\"\n\
         output = \"made.wasm\"\n",
    );
    machine
        .write("own/tests/nothing.yaml", "cases: [{name: nothing is sent, given: {type: incoming}, expect: nothing}]");
    let tested = machine.does(&["test", "own"]);
    assert!(tested.contains("ok    nothing: nothing is sent (1 step, "), "{tested}");
    assert!(tested.contains("1 passed, 0 failed (component of "), "{tested}");

    machine.write(
        "own/plugin.toml",
        "name = \"own\"\nworld = \"webhook-shaper\"\nbuild = \"echo no such tool >&2; exit 3\"\noutput = \"x\"\n",
    );
    let failed = machine.fails(&["build", "own"]);
    assert!(failed.contains("the command of plugin.toml failed:\nno such tool"), "{failed}");
    machine.write("own/plugin.toml", "name = \"own\"\nworld = \"webhook-shaper\"\nbuild = \"true\"\n");
    assert!(machine.fails(&["build", "own"]).contains("`build` needs `output`"));
    machine.write("own/plugin.toml", "name = \"own\"\nworld = \"webhook-shaper\"\n");
    assert!(machine.fails(&["build", "own"]).contains("give `lang`, or `build` and `output`"));
    machine.write("own/plugin.toml", "name = \"own\"\nlang = \"c\"\nworld = \"webhook-shaper\"\ntools = [\"zig\"]\n");
    assert!(machine.fails(&["build", "own"]).contains("`bindings` and `tools` are for the command in `build`"));
    machine.write(
        "own/plugin.toml",
        "name = \"own\"\nworld = \"webhook-shaper\"\nbuild = \"true\"\noutput = \"x\"\ntools = [\"rustc\"]\n",
    );
    let unknown = machine.fails(&["build", "own"]);
    assert!(unknown.contains("unknown variant `rustc`, expected `go` or `zig`"), "{unknown}");
}

#[test]
fn a_fault_in_a_rust_program_is_shown_in_the_words_of_the_compiler_only() {
    let machine = Machine::new();
    machine.does(&["new", "--lang", "rust", "faulty"]);
    machine.write("faulty/src/lib.rs", "fn answer() -> u32 { \"text\" }\n");
    let failed = machine.fails(&["build", "faulty"]);
    assert!(failed.contains("cargo build failed:\n") && failed.contains("mismatched types"), "{failed}");
    assert!(!failed.contains("\"reason\":"), "{failed}");
}

#[test]
fn a_ready_flow_is_copied_checked_and_played() {
    let machine = Machine::new();
    let listed = machine.does(&["flow", "list"]);
    assert!(listed.lines().count() >= 10 && listed.lines().any(|name| name == "appointment"), "{listed}");
    let made = machine.does(&["new", "--flow", "survey", "feedback"]);
    assert!(made.contains("patchbay plugin flow check flow.json"), "{made}");
    assert!(machine.does(&["flow", "check", "feedback/flow.json"]).contains("has no faults"));
    let played = machine.does(&["test", "feedback"]);
    assert!(played.contains("3 passed, 0 failed"), "{played}");

    machine.write("flow.json", r#"{"start": "a", "nodes": {"a": {"type": "message", "text": "Hi", "next": "b"}}}"#);
    let checked = machine.types(&["flow", "check", "flow.json"]);
    assert_eq!((checked.status, checked.out.trim()), (1, "node `a`, next: leads to `b`, and there is no such node"));
    assert!(checked.err.contains("flow.json has 1 fault"), "{}", checked.err);
    let listed = machine.types(&["flow", "check", "flow.json", "--json"]).out;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed[0]["field"], "nodes/a/next");
    assert!(machine.fails(&["new", "--flow", "weather", "w"]).contains("there is no ready flow `weather`"));
    assert!(machine.fails(&["push", "feedback"]).contains("is at every server"));
}
