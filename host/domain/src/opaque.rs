//! JSON that belongs to somebody else.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// JSON whose shape is somebody else's: a provider's, or that of a plugin's configuration. It is kept and given back as it
/// came, and has no version of ours; whoever reads into it must be ready for anything.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Opaque(pub Value);

impl From<Value> for Opaque {
    fn from(value: Value) -> Self {
        Self(value)
    }
}
