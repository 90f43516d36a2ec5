//! What the parent tells the child: one argument on its command line, in JSON.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::calling::limits::Limits;

/// What to do, and with how much.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CompileRequest {
    /// Where the code goes, and for which engine; without it the component is only checked.
    pub(super) output: Option<Output>,
    /// Seconds of processor time.
    pub(super) cpu_seconds: u64,
    /// Bytes of address space.
    pub(super) memory_bytes: u64,
    /// Bytes of a component.
    pub(super) most_bytes: u64,
}

/// Where the code goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    /// An empty file that is there already.
    pub(super) file: PathBuf,
    /// The engine takes its instances from a pool.
    pub(super) pooled: bool,
    /// Tells engines apart whose code does not fit each other.
    pub(super) engine_key: String,
}

impl CompileRequest {
    pub(super) fn new(limits: &Limits, output: Option<Output>) -> Self {
        Self {
            output,
            cpu_seconds: limits.compile_cpu.as_secs().max(1),
            memory_bytes: limits.compile_memory_bytes as u64,
            most_bytes: limits.component_bytes as u64,
        }
    }

    /// What a component is told that needs more than its share.
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
