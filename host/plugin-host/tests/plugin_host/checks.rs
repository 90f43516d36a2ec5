//! The check of files that are not plugins, and of files that are.

use plugin_host::{World, check};

use crate::support::guest;

fn problems(bytes: &[u8]) -> String {
    let report = check(bytes);
    assert!(!report.is_ok());
    report.problems.join("\n")
}

pub fn component(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap()
}

/// Exports an interface with the right name and no functions.
const EMPTY_SHAPER: &str = r#"(instance $empty) (export "patchbay:plugin/shaper@0.3.0" (instance $empty))"#;
/// Exports an interface with a function of the right name and the wrong type.
const WRONG_SHAPER: &str = r#"
    (core module $m (func (export "shape")))
    (core instance $i (instantiate $m))
    (func $shape (canon lift (core func $i "shape")))
    (instance $shaper (export "shape" (func $shape)))
    (export "patchbay:plugin/shaper@0.3.0" (instance $shaper))"#;

/// Exports a shaper that takes a string in place of the event.
pub const SHAPER_OF_STRINGS: &str = r#"(component
    (core module $m
        (memory (export "m") 1)
        (func (export "realloc") (param i32 i32 i32 i32) (result i32) i32.const 0)
        (func (export "shape") (param i32 i32) (result i32) i32.const 0))
    (core instance $i (instantiate $m))
    (func $shape (param "event" string) (result (result (option string) (error string)))
        (canon lift (core func $i "shape") (memory (core memory $i "m")) (realloc (core func $i "realloc"))))
    (instance $shaper (export "shape" (func $shape)))
    (export "patchbay:plugin/shaper@0.3.0" (instance $shaper)))"#;

#[test]
fn a_good_plugin_is_described() {
    let report = check(&guest("hostile_bot"));
    assert_eq!(report.problems, [""; 0]);
    assert_eq!((report.world, report.api_version.as_deref()), (Some(World::Chatbot), Some("0.3.0")));
    assert_eq!(report.exports, ["patchbay:plugin/bot@0.3.0"]);
    for import in ["log", "kv", "config", "http"] {
        assert!(report.imports.contains(&format!("patchbay:plugin/{import}@0.3.0")), "{:?}", report.imports);
    }
    let shown = report.to_string();
    assert!(shown.contains("world:   chatbot") && shown.ends_with("This plugin can be loaded."), "{shown}");
}

#[test]
fn files_that_are_no_components_are_told_apart() {
    assert!(problems(b"").contains("empty or cut off"));
    assert!(problems(b"#!/bin/sh\necho hello").contains("does not begin with the bytes 00 61 73 6d"));
    assert!(problems(&component("(module)")).contains("core WebAssembly module, not a component"));
    assert!(problems(b"\0asm\x01").contains("cut off"));
    assert!(problems(b"\0asm\x63\0\x02\0").contains("neither a component nor a core module"));
    let random: Vec<u8> = (0..5_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    assert!(problems(&random).contains("not a WebAssembly file"));
    assert!(problems(&[b"\0asm\x0d\0\x01\0".as_slice(), &random].concat()).contains("damaged"));
}

#[test]
fn a_component_truncated_at_any_point_is_damaged() {
    let whole = guest("hostile_shaper");
    for length in [9, 100, whole.len() / 2, whole.len() - 1] {
        let report = check(&whole[..length]);
        assert!(!report.is_ok(), "cut to {length} bytes");
    }
}

#[test]
fn flipped_bits_never_crash_the_host() {
    let whole = guest("hostile_shaper");
    for round in 0..40_usize {
        let mut bytes = whole.clone();
        let at = 8 + round * 7_919 % 4_000;
        bytes[at] ^= 1 << (round % 8);
        drop(check(&bytes));
    }
}

#[test]
fn a_component_without_a_world_gets_a_hint_at_the_needed_exports() {
    let said = problems(&component("(component)"));
    assert!(said.contains("`patchbay:plugin/bot` (chatbot)") && said.contains("it exports nothing"), "{said}");
}

#[test]
fn all_missing_grants_are_named_at_once() {
    let said = problems(&component(&format!(
        r#"(component
            (import "patchbay:plugin/kv@0.3.0" (instance))
            (import "patchbay:plugin/payments@0.3.0" (instance))
            (import "patchbay:plugin/log@0.1.3" (instance (export "erase" (func))))
            (import "wasi:http/types@0.2.3" (instance))
            (import "wasi:cli/environment@0.3.0" (instance))
            (import "acme:extras/magic" (instance))
            {WRONG_SHAPER})"#
    )));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 6, "{said}");
    assert!(lines[0].contains("`patchbay:plugin/kv@0.3.0` is not granted to world `webhook-shaper`"), "{said}");
    assert!(lines[1].contains("has no interface `payments`"), "{said}");
    assert!(lines[2].contains("asks for erase"), "{said}");
    assert!(lines[3].contains("use the interface `patchbay:plugin/http` instead"), "{said}");
    assert!(lines[4].contains("this host offers WASI 0.2"), "{said}");
    assert!(lines[5].contains("`acme:extras/magic` is not offered"), "{said}");
}

#[test]
fn another_version_of_the_interfaces_is_refused_with_both_numbers() {
    let export = r#"(instance $empty) (export "patchbay:plugin/bot@0.4.0" (instance $empty))"#;
    let said = problems(&component(&format!("(component {export})")));
    assert!(said.contains("0.4.0") && said.contains("this host runs 0.3.0"), "{said}");
    let import = r#"(import "patchbay:plugin/log@1.0.0" (instance))"#;
    let said = problems(&component(&format!("(component {import} {EMPTY_SHAPER})")));
    assert!(said.contains("version 1.0.0"), "{said}");
}

#[test]
fn a_component_for_a_future_interface_is_refused_with_the_differing_function() {
    let said = problems(&component(&SHAPER_OF_STRINGS.replace("@0.3.0", "@0.9.0")));
    assert!(said.contains("is of version 0.9.0 of patchbay:plugin; this host runs 0.3.0"), "{said}");
    assert!(said.contains("the function `shape` has another type") && said.ends_with("expected a variant"), "{said}");
    let import = r#"(import "patchbay:plugin/log@0.9.0" (instance (export "write" (func)) (export "span" (func))))"#;
    let said = problems(&component(&format!("(component {import} {EMPTY_SHAPER})")));
    assert!(said.contains("this host does not have its `span`") && !said.contains("`write`"), "{said}");
    let import = r#"(import "patchbay:plugin/payments@0.9.0" (instance))"#;
    let said = problems(&component(&format!("(component {import} {EMPTY_SHAPER})")));
    assert!(said.contains("this host has no interface `payments` to import"), "{said}");
}

#[test]
fn an_export_of_the_right_name_and_the_wrong_shape_is_a_mismatch() {
    let report = check(&component(&format!("(component {WRONG_SHAPER})")));
    assert_eq!(report.world, Some(World::WebhookShaper));
    assert_eq!(
        report.problems,
        ["export `shaper`: the function `shape` has another type than in patchbay:plugin@0.3.0: \
            it takes 0 parameters, expected 1"]
    );
}

#[test]
fn a_component_of_two_worlds_is_refused() {
    let said = problems(&component(&format!(
        r#"(component {EMPTY_SHAPER} (export "patchbay:plugin/bot@0.3.0" (instance $empty)))"#
    )));
    assert!(said.contains("several worlds"), "{said}");
}

#[test]
fn missing_functions_and_imports_that_are_not_granted_are_named_together() {
    let said = problems(&component(&format!(
        r#"(component
            (import "patchbay:plugin/kv@0.3.0" (instance (export "get" (func))))
            (import "surprise" (func))
            {EMPTY_SHAPER}
            (export "patchbay:plugin/configuration@0.3.0" (instance $empty)))"#
    )));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 4, "{said}");
    assert!(lines[0].contains("export `patchbay:plugin/shaper@0.3.0` lacks the function `shape`"), "{said}");
    assert!(lines[1].contains("export `patchbay:plugin/configuration@0.3.0` lacks the function `schema`"), "{said}");
    assert!(lines[2].contains("not granted to world `webhook-shaper`; granted are: types, log, config"), "{said}");
    assert!(lines[3].contains("import `surprise` is not offered by this host"), "{said}");
}

#[test]
fn the_import_faults_of_a_component_without_a_world_are_also_listed() {
    let said = problems(&component(r#"(component (import "acme:extras/magic" (instance)))"#));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(lines[0].contains("`patchbay:plugin/routing` (router)"), "{said}");
    assert!(lines[1].contains("`acme:extras/magic` is not offered"), "{said}");
}

#[test]
fn an_export_that_was_meant_to_make_a_plugin_is_recognised() {
    let other = r#"(component (instance $empty) (export "acme:plugin/bot@0.1.0" (instance $empty)))"#;
    let said = problems(&component(other));
    assert!(
        said.contains("`acme:plugin/bot@0.1.0` is of another package: export `patchbay:plugin/bot@0.3.0`"),
        "{said}"
    );
    let bare = WRONG_SHAPER.replace("(instance $shaper (export \"shape\" (func $shape)))", "");
    let bare = bare
        .replace(r#"(export "patchbay:plugin/shaper@0.3.0" (instance $shaper))"#, r#"(export "shape" (func $shape))"#);
    let said = problems(&component(&format!("(component {bare})")));
    assert!(said.contains("`shape` is a bare function, which carries no version"), "{said}");
}

#[test]
fn a_type_that_differs_inside_is_found_and_its_place_is_named() {
    let said = problems(&component(SHAPER_OF_STRINGS));
    assert!(said.ends_with("event is a string, expected a variant"), "{said}");
}
