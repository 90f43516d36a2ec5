//! The parent's request to the child: one command-line argument in JSON.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::calling::limits::CallLimits;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CompileRequest {
    /// Destination of the code and its engine. If `None`, the component is only checked.
    pub(super) output: Option<CodeOutput>,
    pub(super) cpu_seconds: u64,
    pub(super) memory_bytes: u64,
    pub(super) most_bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeOutput {
    pub(super) file: PathBuf,
    /// Whether the engine takes its instances from a pool.
    pub(super) pooled: bool,
    /// Distinguishes engines with incompatible code.
    pub(super) engine_key: String,
}

impl CompileRequest {
    pub(super) fn new(limits: &CallLimits, output: Option<CodeOutput>) -> Self {
        Self {
            output,
            cpu_seconds: limits.compile_cpu.as_secs().max(1),
            memory_bytes: limits.compile_memory_bytes as u64,
            most_bytes: limits.component_bytes as u64,
        }
    }

    pub(super) fn too_much(&self) -> String {
        let mebibytes = self.memory_bytes >> 20;
        format!(
            "compiling it takes more than {} s of processor time or {mebibytes} MiB of memory: it has functions that \
             are too large, or too many of them; build it with optimisation, split large functions and leave out what \
             it does not use",
            self.cpu_seconds
        )
    }
}
