//! Compiles components of clients in a child process under limits, because a component of less than a megabyte can cost
//! minutes of processor time and gigabytes of memory (RECIPES 6). The server itself never compiles one.

mod budget;
mod child;
mod parent;
mod request;
mod scheduler;
mod turns;

use std::path::PathBuf;
use std::sync::Arc;

pub(crate) use budget::UsedUp;
pub use child::compile_child;
pub(crate) use scheduler::{CompileScheduler, Fault, Purpose};

use crate::calling::limits::Limits;
use crate::check::{self, CheckReport};
use request::CompileRequest;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compiler {
    /// A child process: this program with these arguments and one more for [`compile_child`].
    Child {
        program: PathBuf,
        /// The arguments before the one for [`compile_child`].
        arguments: Vec<String>,
    },
    /// This process, without limits: for tools that compile their user's own plugins, and for tests.
    InProcess,
}

/// Checks a file with the host's rules for loading and lists all its faults. Compiles it in the process that `compiler`
/// names, under `limits`.
///
/// # Errors
/// If the compiler could not be run, in words. The file is not to blame.
pub async fn check_apart(compiler: &Compiler, limits: &Limits, bytes: Vec<u8>) -> Result<CheckReport, String> {
    match compiler {
        Compiler::InProcess => {
            let checked = tokio::task::spawn_blocking(move || check::check(&bytes)).await;
            checked.map_err(|fault| format!("the compiler failed on this component: {fault}"))
        }
        Compiler::Child { program, arguments } => {
            let bytes = Arc::new(bytes);
            let request = CompileRequest::new(limits, None);
            let wall_clock = limits.compile_wall_clock;
            match parent::send((program, arguments), &request, Arc::clone(&bytes), wall_clock, None).await {
                Ok(report) => Ok(report),
                Err(Fault::Problems(problems)) => Ok(CheckReport { problems, ..CheckReport::unread(&bytes) }),
                Err(fault @ (Fault::Busy | Fault::UsedUp(_) | Fault::Host(_))) => Err(fault.to_string()),
            }
        }
    }
}
