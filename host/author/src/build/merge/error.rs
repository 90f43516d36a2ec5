//! The reason why core modules stay apart.

use wasm_encoder::reencode;

/// The reason why the modules of a component stay apart.
#[derive(Debug, thiserror::Error)]
pub(in crate::build) enum Unmergeable {
    #[error("{0}")]
    Invalid(#[from] wasmparser::Error),
    #[error("{0}")]
    Unsupported(&'static str),
}

impl From<reencode::Error<Self>> for Unmergeable {
    fn from(fault: reencode::Error<Self>) -> Self {
        match fault {
            reencode::Error::UserError(fault) => fault,
            reencode::Error::ParseError(fault) => Self::Invalid(fault),
            _ => Self::Unsupported("a section has an unknown form"),
        }
    }
}
