//! A schema that is ready for checks.

use std::collections::HashMap;

use jsonschema::Validator;
use serde_json::Value;

use super::patterns::Patterns;

pub(super) struct CompiledSchema {
    pub(super) schema: Value,
    pub(super) validator: Validator,
    pub(super) patterns: Patterns,
    /// Checkers of member names, to find secrets: one for each key of a `patternProperties`.
    pub(super) names: HashMap<String, Validator>,
    pub(super) weight: usize,
}
