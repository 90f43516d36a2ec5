//! A schema that is ready for checks.

use std::{collections::HashMap, fmt};

use jsonschema::Validator;
use serde_json::Value;

use super::patterns::Patterns;

pub struct CompiledSchema {
    pub(super) schema: Value,
    pub(super) validator: Validator,
    pub(super) patterns: Patterns,
    /// Checkers of member names, to find secrets: one for each key of a `patternProperties`.
    pub(super) names: HashMap<String, Validator>,
    pub(super) weight: usize,
}

impl CompiledSchema {
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Upper bound of its memory in bytes.
    pub fn weight(&self) -> usize {
        self.weight
    }
}

/// Without the compiled parts, which no reader can use.
impl fmt::Debug for CompiledSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledSchema")
            .field("schema", &self.schema)
            .field("weight", &self.weight)
            .finish_non_exhaustive()
    }
}
