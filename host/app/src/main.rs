//! The program `patchbay`: see the library of this crate.

use std::process::ExitCode;

/// A request allocates hundreds of small objects on one thread and frees them on another.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    app::run(std::env::args_os())
}
