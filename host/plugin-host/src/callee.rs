//! What a call runs, kept to its end.

use std::sync::Arc;

use crate::loader::Program;

/// A program under the name and version that traces show.
#[derive(Clone)]
pub(crate) struct Callee {
    pub(crate) name: String,
    pub(crate) version: u64,
    pub(crate) program: Arc<Program>,
}
