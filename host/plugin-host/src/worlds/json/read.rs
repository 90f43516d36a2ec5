//! From readable JSON to the form of recordings.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use plugin_bindings::wit::{WitRecord, WitType, WitVariant};
use serde_json::{Map, Value, json};

use super::{
    form::{self, CaseForm, pascal, snake},
    node::{JsonNode, JsonObject},
    samples,
};

/// The recorded form of a value; left-out parts come from `base`. `None` if it does not fit; the fault is noted.
pub(super) fn read(ty: WitType, node: &JsonNode<'_>, base: Option<&Value>) -> Option<Value> {
    let value = node.value();
    match ty {
        WitType::Bool if value.is_boolean() => Some(value.clone()),
        WitType::Bool => node.expected("true or false"),
        WitType::Integer(least, most) => {
            let number = value.as_u64().map(i128::from).or_else(|| value.as_i64().map(i128::from));
            match number.filter(|number| (least..=most).contains(number)) {
                Some(_) => Some(value.clone()),
                None => node.problem(format!("must be a whole number from {least} to {most}")),
            }
        }
        WitType::Float => value.as_f64().map(|number| json!(number)).or_else(|| node.expected("a number")),
        WitType::String if value.is_string() => Some(value.clone()),
        WitType::String => node.expected("a text"),
        WitType::Option(_) if value.is_null() => Some(Value::Null),
        WitType::Option(inner) => read(*inner, node, base.filter(|base| !base.is_null())),
        WitType::List(item) if form::is_string_pair(item) => read_pairs(node),
        WitType::List(item) => read_items(*item, node, None),
        WitType::Tuple(_) => node.expected("a value with a form"),
        WitType::Record(record) => {
            let mut object = node.object()?;
            let fields = read_fields(record, &mut object, base);
            object.finish();
            fields.map(Value::Object)
        }
        WitType::Variant(variant) => {
            let mut object = node.object()?;
            let kind = object.kind();
            let Some(case) = case_of(variant, kind) else { return object.unknown_kind(&form::kinds(variant)) };
            let read = read_case(variant, case, &mut object, base);
            object.finish();
            read
        }
        WitType::Enum(of) => match of.words.iter().find(|word| value.as_str() == Some(word)) {
            Some(word) => Some(pascal(word).into()),
            None => node.problem(format!("must be one of `{}`", of.words.join("`, `"))),
        },
    }
}

fn absent(ty: WitType) -> Option<Value> {
    match ty {
        WitType::Option(_) => Some(Value::Null),
        WitType::List(_) => Some(json!([])),
        _ => None,
    }
}

/// Reads all items, so that every fault is noted.
pub(super) fn read_items(item: WitType, node: &JsonNode<'_>, base: Option<&Value>) -> Option<Value> {
    let read: Vec<Option<Value>> = node.items()?.map(|node| read(item, &node, base)).collect();
    read.into_iter().collect()
}

/// Named values, such as metadata: an object, or a list of pairs if the order or a repeated name matters.
fn read_pairs(node: &JsonNode<'_>) -> Option<Value> {
    let pair = |node: JsonNode<'_>| match node.value() {
        Value::Array(pair) => match pair.as_slice() {
            [Value::String(_), Value::String(_)] => Some(node.value().clone()),
            _ => node.problem("must be a pair of texts"),
        },
        _ => node.expected("a pair of texts"),
    };
    let pairs: Vec<Option<Value>> = match node.value() {
        Value::Object(map) => {
            let named = map.iter().map(|(name, value)| match value {
                Value::String(_) => Some(json!([name, value])),
                _ => node.problem(format!("the value of `{name}` must be a text")),
            });
            named.collect()
        }
        Value::Array(_) => node.items()?.map(pair).collect(),
        _ => return node.expected("an object of texts"),
    };
    pairs.into_iter().collect()
}

type WitField = (&'static str, WitType);

/// Reads the fields of a record. The caller checks for unknown ones.
fn read_fields(record: &WitRecord, object: &mut JsonObject<'_>, base: Option<&Value>) -> Option<Map<String, Value>> {
    let is_flat = |(name, ty): &&WitField| form::flat(record, (name, *ty)).is_some();
    // The fields of a variant are read last, because they are next to those of the record.
    let (flat, plain): (Vec<WitField>, Vec<WitField>) = record.fields.iter().partition(is_flat);
    let mut fields = Map::new();
    let mut fits = true;
    for (name, ty) in plain.into_iter().chain(flat) {
        let base = base.and_then(|base| base.get(snake(name)));
        let read = match form::flat(record, (name, ty)) {
            Some(variant) => read_flat(variant, object, base),
            None => read_field(record, (name, ty), object, base),
        };
        match read {
            Some(value) => drop(fields.insert(snake(name), value)),
            None => fits = false,
        }
    }
    fits.then_some(fields)
}

fn read_field(
    record: &WitRecord,
    (name, ty): WitField,
    object: &mut JsonObject<'_>,
    base: Option<&Value>,
) -> Option<Value> {
    if form::is_json_text(record, name) {
        return Some(object.json_text(name).unwrap_or_else(|| "{}".to_owned()).into());
    }
    if form::is_bytes(&ty) {
        return read_bytes(name, object, base);
    }
    // The content of a message may be given as `"text": "hi"`.
    if (record.name, name) == (MESSAGE, "content") && object.has("text") {
        return required("text", WitType::String, object, None).map(|text| json!({ "Text": text }));
    }
    required(name, ty, object, base)
}

/// Bytes as a text or another JSON value, which is serialised, or in base64.
fn read_bytes(name: &str, object: &mut JsonObject<'_>, base: Option<&Value>) -> Option<Value> {
    let encoded = format!("{name}{}", form::BASE64);
    let bytes = if object.has(&encoded) {
        let node = object.take(&encoded)?;
        let decoded = node.value().as_str().and_then(|text| STANDARD.decode(text).ok());
        return decoded.map(|bytes| json!(bytes)).or_else(|| node.expected("a text in base64"));
    } else {
        object.json_text(name)
    };
    Some(bytes.map(|text| json!(text.into_bytes())).or_else(|| base.cloned()).unwrap_or_else(|| json!([])))
}

fn required(name: &str, ty: WitType, object: &mut JsonObject<'_>, base: Option<&Value>) -> Option<Value> {
    match object.take(name) {
        Some(node) => read(ty, &node, base),
        None => base.cloned().or_else(|| absent(ty)).or_else(|| object.at(name).problem("is missing")),
    }
}

fn case_of(variant: &WitVariant, kind: Option<&str>) -> Option<(&'static str, Option<WitType>)> {
    variant.cases.iter().find(|(name, _)| kind == Some(name)).copied()
}

fn read_case(
    variant: &WitVariant,
    case: (&'static str, Option<WitType>),
    object: &mut JsonObject<'_>,
    base: Option<&Value>,
) -> Option<Value> {
    let value = match form::of_case(variant, case) {
        CaseForm::Alone => return Some(pascal(case.0).into()),
        CaseForm::Fields(record) => {
            // The base may be another case.
            let sample = base.and_then(|_| samples::of_case(variant.name, case.0));
            Value::Object(read_fields(record, object, sample.as_ref())?)
        }
        CaseForm::Value(name, WitType::Record(record)) if record.name == MESSAGE => {
            read_message(name, record, object, base.and_then(|base| base.get(pascal(case.0))))?
        }
        CaseForm::Value(name, ty) => required(name, ty, object, None)?,
        CaseForm::Text(name) => match object.json_text(name) {
            Some(text) => text.into(),
            None => return object.at(name).problem("is missing"),
        },
    };
    Some(json!({ pascal(case.0): value }))
}

const MESSAGE: &str = "types/incoming-message";
/// Fields by which an event without a `type` is a message.
const OF_MESSAGES: [&str; 3] = ["message", "text", "content"];

/// A variant whose fields are next to those of its record.
fn read_flat(variant: &WitVariant, object: &mut JsonObject<'_>, base: Option<&Value>) -> Option<Value> {
    let is_message = !object.has("type") && OF_MESSAGES.iter().any(|name| object.has(name));
    let kind = object.kind();
    match case_of(variant, if is_message { Some("message") } else { kind }) {
        Some(case) => read_case(variant, case, object, base),
        None => object.unknown_kind(&form::kinds(variant)),
    }
}

/// A message under its name, or without its id in the object itself.
fn read_message(
    name: &str,
    record: &'static WitRecord,
    object: &mut JsonObject<'_>,
    base: Option<&Value>,
) -> Option<Value> {
    if object.has(name) {
        return required(name, WitType::Record(record), object, base);
    }
    let mut fields = Map::new();
    fields.insert("id".into(), base.and_then(|base| base.get("id")).cloned().unwrap_or_else(|| "sample".into()));
    let mut fits = true;
    for (name, ty) in record.fields.iter().filter(|(name, _)| *name != "id") {
        match read_field(record, (name, *ty), object, None) {
            Some(value) => drop(fields.insert(snake(name), value)),
            None => fits = false,
        }
    }
    fits.then_some(Value::Object(fields))
}
