//! The build merges the core modules of a component.

use std::path::Path;

use author::{Project, build};
use wasmparser::{Parser, Payload, Validator};

/// A memory and a table, a library that fills and uses them, and a part of the host that the library calls.
const LINKED: &str = r#"(component
    (import "host" (func $host (result u32)))
    (core module $main
        (memory (export "memory") 1)
        (table (export "table") 4 funcref)
        (global (export "memory-base") i32 (i32.const 1024))
        (global (export "table-base") i32 (i32.const 1)))
    (core module $library
        (type $number (func (result i32)))
        (import "env" "memory" (memory 1))
        (import "env" "table" (table 4 funcref))
        (import "env" "memory-base" (global $memory i32))
        (import "env" "table-base" (global $table i32))
        (import "outside" "host" (func $host (result i32)))
        (func $load (result i32) (i32.add (i32.load (global.get $memory)) (call $host)))
        (elem (global.get $table) func $load)
        (data (global.get $memory) "\2a")
        (func (export "answer") (result i32) (call_indirect (type $number) (global.get $table))))
    (core instance $main (instantiate $main))
    (core func $host (canon lower (func $host)))
    (core instance $outside (export "host" (func $host)))
    (core instance $library (instantiate $library
        (with "env" (instance $main)) (with "outside" (instance $outside))))
    (func (export "answer") (result u32) (canon lift (core func $library "answer"))))"#;

/// The component in another one.
fn nested() -> String {
    let inner = LINKED.replacen("(component", "(component $inner", 1);
    format!(
        r#"(component (import "host" (func $host (result u32))) {inner}
            (instance $inner (instantiate $inner (with "host" (func $host))))
            (export "answer" (func $inner "answer")))"#
    )
}

/// Builds a project whose command copies a component.
fn built(component: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let manifest = "name = \"copy\"\nworld = \"router\"\nbuild = \"cp made.wasm build/copied.wasm\"\n\
        output = \"build/copied.wasm\"\n";
    std::fs::write(folder.path().join("plugin.toml"), manifest).unwrap();
    std::fs::write(folder.path().join("made.wasm"), component).unwrap();
    let built = build::build(&Project::open(folder.path()).unwrap(), &mut |_| {}).unwrap();
    std::fs::read::<&Path>(built.as_ref()).unwrap()
}

fn modules(component: &[u8]) -> usize {
    let payloads = Parser::new(0).parse_all(component);
    payloads.filter(|payload| matches!(payload, Ok(Payload::ModuleSection { .. }))).count()
}

/// The operators of all offsets of segments.
fn offsets(component: &[u8]) -> Vec<String> {
    let mut offsets = vec![];
    for payload in Parser::new(0).parse_all(component) {
        match payload.unwrap() {
            Payload::ElementSection(section) => {
                for element in section {
                    if let wasmparser::ElementKind::Active { offset_expr, .. } = element.unwrap().kind {
                        offsets.push(format!("{:?}", offset_expr.get_operators_reader().read().unwrap()));
                    }
                }
            }
            Payload::DataSection(section) => {
                for data in section {
                    if let wasmparser::DataKind::Active { offset_expr, .. } = data.unwrap().kind {
                        offsets.push(format!("{:?}", offset_expr.get_operators_reader().read().unwrap()));
                    }
                }
            }
            _ => {}
        }
    }
    offsets
}

#[test]
fn linked_modules_become_one_with_constant_places_of_their_segments() {
    let linked = wat::parse_str(LINKED).unwrap();
    let merged = built(&linked);
    assert_eq!((modules(&linked), modules(&merged)), (2, 1));
    Validator::new().validate_all(&merged).unwrap();
    assert_eq!(offsets(&merged), ["I32Const { value: 1 }", "I32Const { value: 1024 }"]);
}

#[test]
fn the_modules_that_a_build_would_merge_are_counted() {
    let linked = wat::parse_str(LINKED).unwrap();
    let starts = LINKED.replace("(func $load", "(func $begin) (start $begin) (func $load");
    for (component, modules) in [
        (linked.clone(), 2),
        (wat::parse_str(nested()).unwrap(), 2),
        (built(&linked), 0),
        (wat::parse_str(starts).unwrap(), 0),
        (b"no component".to_vec(), 0),
    ] {
        assert_eq!(build::unmerged_modules(&component), modules);
    }
}

#[test]
fn two_builds_of_the_same_modules_give_the_same_bytes() {
    let linked = wat::parse_str(LINKED).unwrap();
    assert!(built(&linked) == built(&linked));
}

#[test]
fn a_nested_component_is_merged_too() {
    let merged = built(&wat::parse_str(nested()).unwrap());
    assert_eq!(modules(&merged), 1);
    Validator::new().validate_all(&merged).unwrap();
}

#[test]
fn a_module_that_starts_by_itself_stays_apart() {
    let starts = LINKED.replace("(func $load", "(func $begin) (start $begin) (func $load");
    let component = wat::parse_str(starts).unwrap();
    assert_eq!(built(&component), component);
}

#[test]
fn a_library_that_needs_a_function_of_its_own_memory_comes_after_it() {
    let late = LINKED
        .replace(
            "(import \"host\" (func $host (result u32)))",
            "(import \"host\" (func $host (param \"a\" string) (result u32)))",
        )
        .replace("(func $host (result i32))", "(func $host (param i32 i32) (result i32))")
        .replace("(call $host)", "(call $host (i32.const 0) (i32.const 0))")
        .replace("(canon lower (func $host))", "(canon lower (func $host) (memory (core memory $main \"memory\")))");
    let component = wat::parse_str(late).unwrap();
    assert_eq!(built(&component), component, "only one module could be merged");
}

#[test]
fn a_component_in_an_unknown_form_stays_as_it_is() {
    let with_types = LINKED.replacen("(component", "(component (core type (func))", 1);
    let component = wat::parse_str(with_types).unwrap();
    assert_eq!(built(&component), component);
}
