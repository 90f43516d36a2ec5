//! The reasons against a snapshot.

use std::time::Duration;

use wasmtime::{Trap, WasmBacktrace};

/// Packages of Go whose functions a guarded component traps in (see [`super::snapshot`]), each with the beginning of the
/// names that the linker gives these functions.
const DRAWING: [(&str, &str); 2] = [("math_rand.", "math/rand"), ("math_rand_v2.", "math/rand/v2")];

/// The reason why a component has no snapshot, as the end of "the program ..".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotRefusal {
    #[error("it reads the time while it starts (import `wasi:clocks/wall-clock#now`)")]
    Time,
    #[error("it draws random numbers while it starts ({0})")]
    Randomness(String),
    #[error("it calls the import `{0}` while it starts")]
    Import(String),
    #[error("it prints while it starts, which no call would repeat:\n{0}")]
    Output(String),
    #[error("its initialisation failed: {0}")]
    Failed(String),
    #[error("its initialisation did not end within {} seconds", .0.as_secs())]
    TooLong(Duration),
    #[error("its form is not known: {0}")]
    Form(String),
}

impl SnapshotRefusal {
    pub(super) fn of_trap(fault: &wasmtime::Error, printed: &str, time: Duration) -> Self {
        if let Some(refusal) = fault.downcast_ref::<Self>() {
            return refusal.clone();
        }
        let place = fault.downcast_ref::<WasmBacktrace>().and_then(|trace| trace.frames().first()?.func_name());
        let drawing = place.and_then(|name| DRAWING.iter().find(|(linked, _)| name.starts_with(linked)));
        match drawing {
            Some((_, package)) => Self::Randomness(format!("package `{package}`")),
            _ if fault.downcast_ref::<Trap>() == Some(&Trap::Interrupt) => Self::TooLong(time),
            _ if printed.is_empty() => Self::Failed(format!("{fault:#}")),
            _ => Self::Failed(printed.to_owned()),
        }
    }
}

impl From<wasmtime::Error> for SnapshotRefusal {
    fn from(fault: wasmtime::Error) -> Self {
        Self::Form(format!("{fault:#}"))
    }
}
