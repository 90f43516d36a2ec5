//! Snapshots of components after their initialisation.

use std::time::Duration;

use plugin_host::{CallLimits, SnapshotRefusal};
use wasmparser::{Parser, Payload};
use wasmtime::{
    Engine, Store,
    component::{Component, Linker},
};

/// A component that works while it starts, and answers with the result.
fn starting(work: &str) -> Vec<u8> {
    let text = format!(
        r#"(component
            (import "patchbay:plugin/count@0.3.0" (instance $host (export "get" (func (result u32)))))
            (core func $get (canon lower (func $host "get")))
            (core module $main
                (import "host" "get" (func $get (result i32)))
                (memory (export "memory") 1)
                (global $runs (mut i32) (i32.const 0))
                (func $start
                    (global.set $runs (i32.add (global.get $runs) (i32.const 1)))
                    (i32.store (i32.const 8) (i32.const 42))
                    {work})
                (start $start)
                (func (export "answer") (result i32) (i32.add (i32.load (i32.const 8)) (global.get $runs))))
            (core instance $main (instantiate $main (with "host" (instance (export "get" (func $get))))))
            (func (export "answer") (result u32) (canon lift (core func $main "answer"))))"#
    );
    wat::parse_str(text).unwrap()
}

fn snapshot(component: &[u8]) -> Result<Vec<u8>, SnapshotRefusal> {
    plugin_host::snapshot(component, component, &CallLimits::default())
}

fn refusal(work: &str) -> SnapshotRefusal {
    snapshot(&starting(work)).unwrap_err()
}

#[test]
fn a_snapshot_has_the_state_after_the_start_and_does_not_start_again() {
    let component = starting("");
    let taken = snapshot(&component).unwrap();
    let starts = |bytes: &[u8]| {
        Parser::new(0).parse_all(bytes).any(|payload| matches!(payload, Ok(Payload::StartSection { .. })))
    };
    assert!(starts(&component) && !starts(&taken));

    let engine = Engine::default();
    let program = Component::new(&engine, &taken).unwrap();
    let mut linker = Linker::<()>::new(&engine);
    linker.define_unknown_imports_as_traps(&program).unwrap();
    let mut store = Store::new(&engine, ());
    let instance = linker.instantiate(&mut store, &program).unwrap();
    let answer = instance.get_typed_func::<(), (u32,)>(&mut store, "answer").unwrap();
    assert_eq!(answer.call(&mut store, ()).unwrap(), (43,));
}

#[test]
fn the_same_component_has_the_same_snapshot() {
    let component = starting("");
    assert_eq!(snapshot(&component), snapshot(&component));
}

#[test]
fn a_start_that_calls_the_host_is_refused_with_the_name_of_the_import() {
    let refusal = refusal("(drop (call $get))");
    assert_eq!(refusal, SnapshotRefusal::Import("patchbay:plugin/count@0.3.0#get".to_owned()));
}

#[test]
fn a_start_that_needs_more_memory_than_a_call_has_is_refused() {
    // Pages of 64 KiB: 96 MiB are allowed, with the page that is there already.
    let grow =
        |pages: u32| format!("(if (i32.eq (memory.grow (i32.const {pages})) (i32.const -1)) (then (unreachable)))");
    assert!(matches!(refusal(&grow(1_536)), SnapshotRefusal::Failed(_)));
    let component = starting(&grow(1_000));
    snapshot(&component).unwrap();
}

#[test]
fn a_start_that_fails_is_refused() {
    assert!(matches!(refusal("(unreachable)"), SnapshotRefusal::Failed(_)));
}

#[test]
fn a_start_that_does_not_end_is_refused() {
    let compile_cpu = Duration::from_millis(200);
    let limits = CallLimits { compile_cpu, ..CallLimits::default() };
    let component = starting("(loop $forever (br $forever))");
    let refusal = plugin_host::snapshot(&component, &component, &limits).unwrap_err();
    assert_eq!(refusal, SnapshotRefusal::TooLong(compile_cpu));
}

#[test]
fn bytes_that_are_no_component_are_refused() {
    assert!(matches!(snapshot(b"no"), Err(SnapshotRefusal::Form(_))));
}
