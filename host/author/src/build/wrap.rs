//! Makes components from core modules, in this process.

use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wit_component::{ComponentEncoder, StringEncoding};
use wit_parser::{Resolve, WorldId};

use super::error::BuildError;

/// A component from a module that carries the description of its world, as C bindings add it.
pub(super) fn described(module: &[u8]) -> Result<Vec<u8>, BuildError> {
    let encoded = ComponentEncoder::default()
        .module(module)
        .and_then(|encoder| {
            encoder.adapter(WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER)
        })
        .and_then(|encoder| encoder.validate(true).encode());
    encoded.map_err(failed)
}

/// A component from a module without the description of its world, as Go makes it.
pub(super) fn undescribed(mut module: Vec<u8>, resolve: &Resolve, world: WorldId) -> Result<Vec<u8>, BuildError> {
    wit_component::embed_component_metadata(&mut module, resolve, world, StringEncoding::UTF8, false)
        .map_err(failed)?;
    described(&module)
}

fn failed(fault: impl std::fmt::Debug) -> BuildError {
    BuildError::Failed { step: "making a component of the compiled module".to_owned(), output: format!("{fault:?}") }
}
