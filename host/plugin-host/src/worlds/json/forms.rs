//! The JSON forms of plain values, and macros for the forms of records, variants and enumerations.

use serde_json::{Map, Value, json};

use super::{JsonNode, ReadableJson};

impl ReadableJson for String {
    fn read(node: &JsonNode<'_>, _base: Option<&Self>) -> Option<Self> {
        match node.value() {
            Value::String(text) => Some(text.clone()),
            _ => node.expected("a text"),
        }
    }

    fn write(&self) -> Value {
        Value::String(self.clone())
    }
}

impl ReadableJson for bool {
    fn read(node: &JsonNode<'_>, _base: Option<&Self>) -> Option<Self> {
        match node.value() {
            Value::Bool(is) => Some(*is),
            _ => node.expected("true or false"),
        }
    }

    fn write(&self) -> Value {
        Value::Bool(*self)
    }
}

impl ReadableJson for f64 {
    fn read(node: &JsonNode<'_>, _base: Option<&Self>) -> Option<Self> {
        match node.value().as_f64() {
            Some(number) => Some(number),
            None => node.expected("a number"),
        }
    }

    fn write(&self) -> Value {
        json!(self)
    }
}

macro_rules! whole_numbers {
    ($($type:ty),+) => {$(
        impl ReadableJson for $type {
            fn read(node: &JsonNode<'_>, _base: Option<&Self>) -> Option<Self> {
                let number = node.value().as_u64().map(i128::from).or_else(|| node.value().as_i64().map(i128::from));
                match number.map(<$type>::try_from) {
                    Some(Ok(number)) => Some(number),
                    _ => node.problem(format!("must be a whole number from {} to {}", <$type>::MIN, <$type>::MAX)),
                }
            }

            fn write(&self) -> Value {
                json!(self)
            }
        }
    )+};
}
whole_numbers!(u8, u16, u32, u64, i16);

impl<T: ReadableJson> ReadableJson for Option<T> {
    fn read(node: &JsonNode<'_>, base: Option<&Self>) -> Option<Self> {
        match node.value() {
            Value::Null => Some(None),
            _ => T::read(node, base.and_then(Option::as_ref)).map(Some),
        }
    }

    fn write(&self) -> Value {
        self.as_ref().map_or(Value::Null, ReadableJson::write)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// Named values, such as metadata: an object, or a list of pairs if the order or a repeated name matters.
impl ReadableJson for Vec<(String, String)> {
    fn read(node: &JsonNode<'_>, _base: Option<&Self>) -> Option<Self> {
        let pair = |node: JsonNode<'_>| match node.value() {
            Value::Array(pair) => match pair.as_slice() {
                [Value::String(name), Value::String(value)] => Some((name.clone(), value.clone())),
                _ => node.problem("must be a pair of texts"),
            },
            _ => node.expected("a pair of texts"),
        };
        match node.value() {
            Value::Object(map) => {
                let named = map.iter().map(|(name, value)| match value {
                    Value::String(value) => Some((name.clone(), value.clone())),
                    _ => node.problem(format!("the value of `{name}` must be a text")),
                });
                // Reads all of them, so that every fault is noted.
                named.collect::<Vec<_>>().into_iter().collect()
            }
            Value::Array(_) => node.items()?.map(pair).collect::<Vec<_>>().into_iter().collect(),
            _ => node.expected("an object of texts"),
        }
    }

    fn write(&self) -> Value {
        let map: Map<String, Value> = self.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let same = map.len() == self.len() && map.keys().zip(self).all(|(key, (name, _))| key == name);
        if same { Value::Object(map) } else { json!(self) }
    }

    fn absent() -> Option<Self> {
        Some(Vec::new())
    }
}

macro_rules! lists {
    ($($type:ty),+ $(,)?) => {$(
        impl crate::worlds::json::ReadableJson for Vec<$type> {
            fn read(node: &crate::worlds::json::JsonNode<'_>, _base: Option<&Self>) -> Option<Self> {
                let read = node.items()?.map(|item| <$type as crate::worlds::json::ReadableJson>::read(&item, None));
                read.collect::<Vec<_>>().into_iter().collect()
            }

            fn write(&self) -> serde_json::Value {
                serde_json::Value::Array(self.iter().map(crate::worlds::json::ReadableJson::write).collect())
            }

            fn absent() -> Option<Self> {
                Some(Vec::new())
            }
        }
    )+};
}
pub(crate) use lists;

lists!(String);

/// An object whose fields have the names of the type's fields.
macro_rules! record {
    ($type:ty { $($field:ident),+ $(,)? }) => {
        impl crate::worlds::json::JsonRecord for $type {
            fn read_fields(object: &mut crate::worlds::json::JsonObject<'_>, base: Option<&Self>) -> Option<Self> {
                $(let $field = object.field(stringify!($field), base.map(|base| &base.$field));)+
                Some(Self { $($field: $field?),+ })
            }

            fn write_fields(&self, into: &mut serde_json::Map<String, serde_json::Value>) {
                $(into.insert(crate::worlds::json::read::camel(stringify!($field)), crate::worlds::json::ReadableJson::write(&self.$field));)+
            }
        }

        crate::worlds::json::forms::record_form!($type);
    };
}
pub(crate) use record;

/// The JSON form of a type with known fields.
macro_rules! record_form {
    ($type:ty) => {
        impl crate::worlds::json::ReadableJson for $type {
            fn read(node: &crate::worlds::json::JsonNode<'_>, base: Option<&Self>) -> Option<Self> {
                let mut object = node.object()?;
                let read = <Self as crate::worlds::json::JsonRecord>::read_fields(&mut object, base);
                object.finish();
                read
            }

            fn write(&self) -> serde_json::Value {
                let mut map = serde_json::Map::new();
                crate::worlds::json::JsonRecord::write_fields(self, &mut map);
                serde_json::Value::Object(map)
            }
        }
    };
}
pub(crate) use record_form;

/// An enumeration of words.
macro_rules! words {
    ($type:ty { $($word:literal => $case:ident),+ $(,)? }) => {
        impl crate::worlds::json::ReadableJson for $type {
            fn read(node: &crate::worlds::json::JsonNode<'_>, _base: Option<&Self>) -> Option<Self> {
                match node.value().as_str() {
                    $(Some($word) => Some(Self::$case),)+
                    _ => node.problem(format!("must be one of `{}`", [$($word),+].join("`, `"))),
                }
            }

            fn write(&self) -> serde_json::Value {
                serde_json::Value::from(match self {
                    $(Self::$case => $word,)+
                })
            }
        }
    };
}
pub(crate) use words;

/// An object whose `type` names the case: cases without a value, with one value under a name, with the fields of a
/// record, or with a JSON text under a name.
macro_rules! variant {
    ($type:ty {
        $(alone { $($alone:literal => $alone_case:ident),+ $(,)? })?
        $(value { $($value:literal => $value_case:ident as $name:literal),+ $(,)? })?
        $(record { $($record:literal => $record_case:ident),+ $(,)? })?
        $(json { $($json:literal => $json_case:ident as $json_name:literal),+ $(,)? })?
    }) => {
        impl crate::worlds::json::ReadableJson for $type {
            fn read(node: &crate::worlds::json::JsonNode<'_>, _base: Option<&Self>) -> Option<Self> {
                const KINDS: &[&str] =
                    &[$($($alone,)+)? $($($value,)+)? $($($record,)+)? $($($json,)+)?];
                let mut object = node.object()?;
                let read = match object.kind() {
                    $($(Some($alone) => Some(Self::$alone_case),)+)?
                    $($(Some($value) => object.field($name, None).map(Self::$value_case),)+)?
                    $($(Some($record) => crate::worlds::json::JsonRecord::read_fields(&mut object, None).map(Self::$record_case),)+)?
                    $($(Some($json) => object.json_text($json_name).map(Self::$json_case),)+)?
                    _ => return object.unknown_kind(KINDS),
                };
                object.finish();
                read
            }

            fn write(&self) -> serde_json::Value {
                let mut map = serde_json::Map::new();
                let kind = match self {
                    $($(Self::$alone_case => $alone,)+)?
                    $($(Self::$value_case(value) => {
                        map.insert($name.into(), crate::worlds::json::ReadableJson::write(value));
                        $value
                    })+)?
                    $($(Self::$record_case(record) => {
                        crate::worlds::json::JsonRecord::write_fields(record, &mut map);
                        $record
                    })+)?
                    $($(Self::$json_case(text) => {
                        map.insert($json_name.into(), crate::worlds::json::ReadableJson::write(text));
                        $json
                    })+)?
                };
                map.insert("type".into(), kind.into());
                serde_json::Value::Object(map)
            }
        }
    };
}
pub(crate) use variant;
