//! Compiles components of clients in a limited child process: a small one can cost minutes and gigabytes (RECIPES 6).

mod budget;
mod child;
mod compiler;
mod fault;
mod parent;
mod request;
mod scheduler;
mod turns;

use std::sync::Arc;

use crate::{
    calling::limits::CallLimits,
    check::{self, CheckReport},
};
pub(crate) use budget::BudgetExceeded;
pub use child::compile_child;
pub use compiler::Compiler;
pub(crate) use fault::CompileFault;
use parent::CompilerProgram;
use request::CompileRequest;
pub(crate) use scheduler::{CompilePurpose, CompileScheduler};

/// Checks a file with the host's rules for loading and lists its faults. An error means that the compiler could not be
/// run.
pub async fn check_apart(compiler: &Compiler, limits: &CallLimits, bytes: Vec<u8>) -> Result<CheckReport, String> {
    match compiler {
        Compiler::InProcess => {
            let checked = tokio::task::spawn_blocking(move || check::check(&bytes)).await;
            checked.map_err(|fault| format!("the compiler failed on this component: {fault}"))
        }
        Compiler::Child { program, arguments } => {
            let bytes = Arc::new(bytes);
            let request = CompileRequest::new(limits, None);
            let wall_clock = limits.compile_wall_clock;
            let program = CompilerProgram { program, arguments };
            match parent::send(program, &request, Arc::clone(&bytes), wall_clock, None).await {
                Ok(report) => Ok(report),
                Err(CompileFault::Problems(problems)) => Ok(CheckReport::cut_short(&bytes, problems)),
                Err(fault @ (CompileFault::Busy | CompileFault::UsedUp(_) | CompileFault::Host(_))) => {
                    Err(fault.to_string())
                }
            }
        }
    }
}
