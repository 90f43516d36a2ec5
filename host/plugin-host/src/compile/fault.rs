//! Faults of compilations.

use std::fmt;

use super::{budget::BudgetExceeded, turns::CompileQueueFull};

#[derive(Debug)]
pub(crate) enum CompileFault {
    Problems(Vec<String>),
    /// The queue is full, or this client already has an upload under way.
    Busy,
    UsedUp(BudgetExceeded),
    /// A failure of the host. The component is not to blame.
    Host(String),
}

impl From<CompileQueueFull> for CompileFault {
    fn from(_: CompileQueueFull) -> Self {
        Self::Busy
    }
}

impl fmt::Display for CompileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Problems(problems) => f.write_str(&problems.join("; ")),
            Self::Busy => f.write_str("too many components are being compiled"),
            Self::UsedUp(_) => f.write_str("the processor time for compiling is used up"),
            Self::Host(reason) => f.write_str(reason),
        }
    }
}
