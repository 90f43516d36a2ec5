//! JSON whose shape Patchbay does not define.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// JSON whose shape a provider or a plugin defines. It is stored and returned unchanged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OpaqueJson(pub Value);

impl From<Value> for OpaqueJson {
    fn from(value: Value) -> Self {
        Self(value)
    }
}
