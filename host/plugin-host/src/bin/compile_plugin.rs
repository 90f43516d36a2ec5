//! The compiler as a program of its own, for tests and for tools that are not `patchbay` itself.

use std::process::ExitCode;

fn main() -> ExitCode {
    plugin_host::compile_child(&std::env::args().nth(1).unwrap_or_default())
}
