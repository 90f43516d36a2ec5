//! The compiler as a separate program, for tests and for tools other than `patchbay`.

use std::process::ExitCode;

fn main() -> ExitCode {
    plugin_host::compile_child(&std::env::args().nth(1).unwrap_or_default())
}
