//! Makes components from core modules, in this process.

use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wit_component::{ComponentEncoder, StringEncoding};
use wit_parser::{Resolve, WorldId};

use plugin_host::World;
use wasmparser::{Parser, Payload};

use super::{error::BuildError, interface};

const MODULE: [u8; 8] = *b"\0asm\x01\0\0\0";
const COMPONENT: [u8; 8] = *b"\0asm\x0d\0\x01\0";
/// Prefix of the sections with the description of a world.
const DESCRIPTION: &str = "component-type";

/// `world` is given exactly if the module does not carry the description of its world, which it must fit.
pub fn wrap(module: Vec<u8>, world: Option<World>) -> Result<Vec<u8>, BuildError> {
    if module.starts_with(&COMPONENT) {
        return Err(BuildError::NoModule("this is a component already; it needs no wrapping"));
    }
    if !is_module(&module) {
        return Err(BuildError::NoModule(
            "this is not a core WebAssembly module: it does not begin with its magic bytes",
        ));
    }
    if is_described(&module) {
        return match world {
            Some(_) => Err(BuildError::NoModule("this module describes its world; leave --world out")),
            None => wrap_described(&module),
        };
    }
    let (resolve, world) = interface::resolve_own(world.ok_or(BuildError::NoWorld)?)?;
    wrap_undescribed(module, &resolve, world)
}

pub(super) fn is_module(bytes: &[u8]) -> bool {
    bytes.starts_with(&MODULE)
}

pub(super) fn is_described(module: &[u8]) -> bool {
    Parser::new(0).parse_all(module).any(
        |payload| matches!(payload, Ok(Payload::CustomSection(section)) if section.name().starts_with(DESCRIPTION)),
    )
}

/// A component from a module that carries the description of its world, as C bindings add it.
pub(super) fn wrap_described(module: &[u8]) -> Result<Vec<u8>, BuildError> {
    let encoded = ComponentEncoder::default()
        .module(module)
        .and_then(|encoder| {
            encoder.adapter(WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER)
        })
        .and_then(|encoder| encoder.validate(true).encode());
    encoded.map_err(build_error)
}

/// A component from a module without the description of its world, as Go makes it.
pub(super) fn wrap_undescribed(mut module: Vec<u8>, resolve: &Resolve, world: WorldId) -> Result<Vec<u8>, BuildError> {
    wit_component::embed_component_metadata(&mut module, resolve, world, StringEncoding::UTF8, false)
        .map_err(build_error)?;
    wrap_described(&module)
}

fn build_error(fault: impl std::fmt::Debug) -> BuildError {
    BuildError::Failed { step: "making a component of the compiled module".to_owned(), output: format!("{fault:?}") }
}
