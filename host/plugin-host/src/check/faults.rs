//! Faults of components, in words.

use super::component_interface::OURS;
use crate::World;

pub(crate) fn too_large(size: usize, most: usize) -> String {
    format!("the file has {size} bytes; {most} are allowed")
}

pub(crate) fn header(bytes: &[u8]) -> Result<(), String> {
    let Some((magic, rest)) = bytes.split_first_chunk::<4>() else {
        return Err("this is not a WebAssembly file: it is empty or cut off".into());
    };
    if magic != b"\0asm" {
        return Err("this is not a WebAssembly file: it does not begin with the bytes 00 61 73 6d".into());
    }
    match rest.first_chunk::<4>() {
        Some([0x0d, 0, 1, 0]) => Ok(()),
        Some([1, 0, 0, 0]) => Err("this is a core WebAssembly module, not a component: build it for the target \
            wasm32-wasip2, or wrap it with `patchbay plugin wrap`"
            .into()),
        Some(other) => {
            Err(format!("this is neither a component nor a core module: its version bytes are {other:02x?}"))
        }
        None => Err("this WebAssembly file is cut off after its first bytes".into()),
    }
}

pub(crate) fn invalid(fault: &wasmtime::Error) -> String {
    format!("the component is damaged or uses a feature that is switched off: {}", one_line(fault))
}

pub(crate) fn mismatch(world: World, fault: &wasmtime::Error) -> String {
    format!("the component does not fit world `{world}` of {OURS}: {}", one_line(fault))
}

pub(crate) fn one_line(fault: &wasmtime::Error) -> String {
    format!("{fault:#}").replace('\n', " ")
}
