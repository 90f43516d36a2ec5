//! The program `patchbay`; see the library of this crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    patchbay_app::run(std::env::args_os())
}
