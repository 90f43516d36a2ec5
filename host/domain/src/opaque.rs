//! JSON of others.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// JSON whose shape belongs to a provider or to the configuration of a plugin. It is kept and given back unchanged, and
/// has no version of ours. Code that reads it must expect any shape.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Opaque(pub Value);

impl From<Value> for Opaque {
    fn from(value: Value) -> Self {
        Self(value)
    }
}
