//! The answer of a webhook shaper.

use plugin_bindings::exports::patchbay::plugin::shaper::Body;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The case of an extension in recordings.
const CUSTOM: &str = "Custom";

/// The body of a webhook. In recordings it is a JSON text, `null` for none, and `true` for the body of the host, because
/// recordings of interfaces before 0.3 have an optional text. An extension is an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShapedBody {
    Json(String),
    /// The body that the built-in shaper writes.
    Unchanged,
    /// The event is not sent.
    Skip,
    /// An extension, as a JSON text. This version knows none.
    Custom(String),
}

impl ShapedBody {
    /// The body that the plugin wrote, if it wrote one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Json(text) => Some(text),
            Self::Unchanged | Self::Skip | Self::Custom(_) => None,
        }
    }
}

impl From<Body> for ShapedBody {
    fn from(body: Body) -> Self {
        match body {
            Body::Json(text) => Self::Json(text),
            Body::Unchanged => Self::Unchanged,
            Body::Skip => Self::Skip,
            Body::Custom(text) => Self::Custom(text),
        }
    }
}

/// The answer on the tracks before 0.3.
impl From<Option<String>> for ShapedBody {
    fn from(body: Option<String>) -> Self {
        body.map_or(Self::Skip, Self::Json)
    }
}

impl Serialize for ShapedBody {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json(text) => to.serialize_str(text),
            Self::Unchanged => to.serialize_bool(true),
            Self::Skip => to.serialize_unit(),
            Self::Custom(text) => to.serialize_newtype_variant("ShapedBody", 3, CUSTOM, text),
        }
    }
}

impl<'a> Deserialize<'a> for ShapedBody {
    fn deserialize<D: Deserializer<'a>>(from: D) -> Result<Self, D::Error> {
        match Value::deserialize(from)? {
            Value::String(text) => Ok(Self::Json(text)),
            Value::Bool(true) => Ok(Self::Unchanged),
            Value::Null => Ok(Self::Skip),
            other => match other.get(CUSTOM).and_then(Value::as_str) {
                Some(text) => Ok(Self::Custom(text.to_owned())),
                None => Err(serde::de::Error::custom(format!("`{other}` is not the body of a webhook"))),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_body_is_read_again() {
        let custom = ShapedBody::Custom(r#"{"a":1}"#.into());
        for body in [ShapedBody::Json("{}".into()), ShapedBody::Unchanged, ShapedBody::Skip, custom] {
            let recorded = serde_json::to_value(&body).unwrap();
            assert_eq!(serde_json::from_value::<ShapedBody>(recorded).unwrap(), body);
        }
        for other in [Value::from(7), serde_json::json!({ "a": 1 })] {
            assert!(serde_json::from_value::<ShapedBody>(other).is_err());
        }
    }
}
