//! Merges the core modules of a component into one (ADR 0069).
//!
//! The runtimes of some languages are linked from many modules. Each call would make an instance of each, and a module
//! that imports its table would fill it again. In one module, functions call each other directly, and the table is
//! filled when a function is needed.

mod core_module;
mod error;
mod merged_module;
mod plan;
mod rewrite;
mod structure;

use std::borrow::Cow;

use wasmparser::{Validator, WasmFeatures};

use error::Unmergeable;
use structure::ComponentItem;

/// The component with fewer core modules. `None` if there is nothing to gain.
pub(super) fn merge(component: &[u8]) -> Result<Option<Vec<u8>>, Unmergeable> {
    let Some(merged) = merge_parts(component)? else { return Ok(None) };
    Validator::new_with_features(WasmFeatures::default()).validate_all(&merged)?;
    Ok(Some(merged))
}

/// The number of core modules that [`merge`] would join.
pub(super) fn joinable(component: &[u8]) -> Result<usize, Unmergeable> {
    let items = structure::items(component)?;
    let mut count = plan::plan(&items)?.map_or(0, |plan| plan.members.len());
    for item in &items {
        if let ComponentItem::Other { id, bytes } = item
            && *id == structure::COMPONENT
        {
            count += joinable(bytes)?;
        }
    }
    Ok(count)
}

fn merge_parts(component: &[u8]) -> Result<Option<Vec<u8>>, Unmergeable> {
    let mut items = structure::items(component)?;
    let mut is_changed = false;
    for item in &mut items {
        if let ComponentItem::Other { id, bytes } = item
            && *id == structure::COMPONENT
            && let Some(merged) = merge_parts(bytes)?
        {
            *bytes = Cow::Owned(merged);
            is_changed = true;
        }
    }
    match plan::plan(&items)? {
        Some(plan) => rewrite::rewrite(&items, Some(&plan)).map(Some),
        None if is_changed => rewrite::rewrite(&items, None).map(Some),
        None => Ok(None),
    }
}
