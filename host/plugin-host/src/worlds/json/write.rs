//! From the form of recordings to readable JSON.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use plugin_bindings::wit::{WitRecord, WitType, WitVariant};
use serde_json::{Map, Value};

use super::form::{self, CaseForm, camel, pascal, snake};

pub(super) fn write(ty: WitType, recorded: Value) -> Value {
    match (ty, recorded) {
        (_, Value::Null) => Value::Null,
        (WitType::Option(inner), some) => write(*inner, some),
        (WitType::List(item), Value::Array(pairs)) if form::is_string_pair(item) => write_pairs(pairs),
        (WitType::List(item), Value::Array(items)) => items.into_iter().map(|value| write(*item, value)).collect(),
        (WitType::Tuple(parts), Value::Array(values)) => {
            parts.iter().zip(values).map(|(part, value)| write(*part, value)).collect()
        }
        (WitType::Record(record), Value::Object(fields)) => {
            let mut map = Map::new();
            write_fields(record, fields, &mut map);
            Value::Object(map)
        }
        (WitType::Variant(variant), case) => {
            let mut map = Map::new();
            write_case(variant, case, &mut map);
            Value::Object(map)
        }
        (WitType::Enum(of), Value::String(case)) => {
            let word = of.words.iter().find(|word| pascal(word) == case);
            word.map_or(Value::Null, |word| Value::from(*word))
        }
        (_, plain) => plain,
    }
}

/// An object, or a list of pairs if the order or a repeated name matters.
fn write_pairs(pairs: Vec<Value>) -> Value {
    let named = |pair: &Value| Some((pair.get(0)?.as_str()?.to_owned(), pair.get(1)?.clone()));
    let map: Map<String, Value> = pairs.iter().filter_map(named).collect();
    let same = map.len() == pairs.len()
        && map.keys().zip(&pairs).all(|(name, pair)| pair.get(0) == Some(&Value::from(name.as_str())));
    if same { Value::Object(map) } else { Value::Array(pairs) }
}

fn write_fields(record: &WitRecord, mut fields: Map<String, Value>, into: &mut Map<String, Value>) {
    for (name, ty) in record.fields {
        let value = fields.remove(&snake(name)).unwrap_or_default();
        match form::flat(record, (name, *ty)) {
            Some(variant) => write_case(variant, value, into),
            None if form::is_bytes(ty) => write_bytes(name, &value, into),
            None => drop(into.insert(camel(name), write(*ty, value))),
        }
    }
}

fn write_bytes(name: &str, recorded: &Value, into: &mut Map<String, Value>) {
    let byte = |value: &Value| value.as_u64().and_then(|byte| u8::try_from(byte).ok());
    let bytes: Option<Vec<u8>> = recorded.as_array().map(|bytes| bytes.iter().filter_map(byte).collect());
    match bytes.map(String::from_utf8) {
        None => drop(into.insert(camel(name), Value::Null)),
        Some(Ok(text)) => drop(into.insert(camel(name), text.into())),
        Some(Err(other)) => {
            drop(into.insert(camel(&format!("{name}{}", form::BASE64)), STANDARD.encode(other.as_bytes()).into()));
        }
    }
}

fn write_case(variant: &WitVariant, recorded: Value, into: &mut Map<String, Value>) {
    let (recorded, value) = match recorded {
        Value::String(case) => (case, Value::Null),
        Value::Object(case) => case.into_iter().next().unwrap_or_default(),
        _ => return,
    };
    let Some(case) = variant.cases.iter().find(|(name, _)| pascal(name) == recorded) else { return };
    match (form::of_case(variant, *case), value) {
        (CaseForm::Alone, _) => {}
        (CaseForm::Fields(record), Value::Object(fields)) => write_fields(record, fields, into),
        (CaseForm::Fields(_), _) => {}
        (CaseForm::Value(name, ty), value) => drop(into.insert(name.into(), write(ty, value))),
        (CaseForm::Text(name), value) => drop(into.insert(name.into(), value)),
    }
    into.insert("type".into(), case.0.into());
}
