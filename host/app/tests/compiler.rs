//! The program as the compiler of components: a child process of itself, under limits.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, which is what it is for")]

#[path = "../../plugin-host/tests/plugin_host/bombs.rs"]
mod bombs;
mod support;

use std::{
    path::PathBuf,
    process::{Command, Output},
    time::Duration,
};

use plugin_host::{CallLimits, Compiler};
use support::TempDir;

fn patchbay(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_patchbay")).args(arguments).output().unwrap()
}

/// Both bombs, checked by the program with a tenth of the usual processor time.
#[tokio::test(flavor = "multi_thread")]
async fn the_program_refuses_compile_bombs_with_a_readable_message() {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_patchbay"));
    let compiler = Compiler::Child { program, arguments: vec!["compile-plugin".to_owned()] };
    let limits = CallLimits { compile_cpu: Duration::from_secs(2), ..CallLimits::default() };
    for bomb in [bombs::many_functions(900_000), bombs::many_locals(40_000)] {
        let report = plugin_host::check_apart(&compiler, &limits, bomb).await.unwrap();
        let said = report.problems.join("\n");
        assert!(said.contains("2 s of processor time or 2048 MiB of memory"), "{said}");
    }
}

#[test]
fn the_compile_command_is_hidden_and_reports_its_input() {
    let help = String::from_utf8(patchbay(&["--help"]).stdout).unwrap();
    assert!(help.contains("plugin") && !help.contains("compile-plugin"), "{help}");
    let nonsense = patchbay(&["compile-plugin", "nonsense"]);
    assert_eq!(nonsense.status.code(), Some(1));
    let said = String::from_utf8(nonsense.stderr).unwrap();
    assert!(said.contains("this is not a compile request"), "{said}");
}

#[test]
fn a_check_runs_in_a_child_and_names_the_faults() {
    let dir = TempDir::new();
    let file = dir.path().join("module.wasm");
    std::fs::write(&file, b"\0asm\x01\0\0\0").unwrap();
    let checked = patchbay(&["plugin", "check", file.to_str().unwrap()]);
    assert_eq!(checked.status.code(), Some(1));
    let said = String::from_utf8([checked.stdout, checked.stderr].concat()).unwrap();
    assert!(said.contains("core WebAssembly module, not a component"), "{said}");
}
