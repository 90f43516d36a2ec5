//! Compiles a schema within bounds of memory.

use std::collections::HashMap;

use jsonschema::{Draft, Validator};
use serde_json::{Value, json};

use super::{
    compiled_schema::CompiledSchema,
    mark_names,
    message::shorten,
    patterns::{self, Patterns},
    size,
};

/// Most parts of a schema, with its references followed.
const MOST_PARTS: u64 = 100_000;
/// Memory of one part of a schema in the checker.
const BYTES_OF_A_PART: u64 = 256;

impl CompiledSchema {
    /// The error is the fault that the author has to fix.
    pub fn new(schema: Value) -> Result<Self, String> {
        let Some(parts) = size::parts(&schema, MOST_PARTS) else {
            return Err(format!(
                "the schema of its configuration has more than {MOST_PARTS} parts once its references are followed; refer less often"
            ));
        };
        let patterns = Patterns::of(&schema)?;
        let validator = validator(&schema)?;
        let mut names = HashMap::new();
        if mark_names::has_marks(&schema) {
            for pattern in mark_names::patterns_of_names(&schema) {
                names.insert(pattern.to_owned(), self::validator(&json!({ "pattern": pattern }))?);
            }
        }
        // The checkers of names contain these parts once more.
        let parts = usize::try_from(parts.saturating_mul(BYTES_OF_A_PART)).unwrap_or(usize::MAX);
        let weight = parts.saturating_add(patterns.bytes().saturating_mul(if names.is_empty() { 1 } else { 2 }));
        Ok(Self { schema, validator, patterns, names, weight })
    }
}

fn validator(schema: &Value) -> Result<Validator, String> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .with_pattern_options(patterns::options())
        .should_validate_formats(true)
        // To check it means to compile an expression from a configuration, whose size is not bounded.
        .with_format("regex", |_: &str| true)
        .build(schema)
        .map_err(|fault| format!("the schema of its configuration cannot be used: {}", shorten(&fault.to_string())))
}
