//! The number of parts of a schema.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::{cost::MOST_LEVELS, reference::target};

/// Number of parts of a schema with every reference followed, except references back to an enclosing part.
/// `None` if there are more than `most`.
pub(super) fn parts(schema: &Value, most: u64) -> Option<u64> {
    let mut known = HashMap::new();
    expanded_size(schema, schema, most, &mut known, &mut HashSet::new())
}

pub(super) fn expanded_size(
    schema: &Value,
    root: &Value,
    most: u64,
    known: &mut HashMap<usize, u64>,
    open: &mut HashSet<usize>,
) -> Option<u64> {
    let place = std::ptr::from_ref(schema).addr();
    if let Some(found) = known.get(&place) {
        return Some(*found);
    }
    if open.len() > MOST_LEVELS as usize * 10 {
        return None;
    }
    if !open.insert(place) {
        return Some(0);
    }
    let mut sum = 1_u64;
    let mut add = |part: &Value, known: &mut HashMap<usize, u64>, open: &mut HashSet<usize>| {
        sum = sum.saturating_add(expanded_size(part, root, most, known, open)?);
        (sum <= most).then_some(())
    };
    match schema {
        Value::Object(object) => {
            if let Some(target) = object.get("$ref").and_then(Value::as_str).and_then(|to| target(root, to)) {
                add(target, known, open)?;
            }
            object.values().try_for_each(|part| add(part, known, open))?;
        }
        Value::Array(items) => items.iter().try_for_each(|part| add(part, known, open))?,
        _ => {}
    }
    open.remove(&place);
    known.insert(place, sum);
    Some(sum)
}
