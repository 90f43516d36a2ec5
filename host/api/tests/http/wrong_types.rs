//! Every wrong JSON type in every field of the document: each fault uses the terms of JSON, and names no type of ours.

use std::collections::BTreeSet;

use axum::http::Method;
use serde_json::{Map, Value, json};

use super::service::{Call, Options, Service};

/// Deeper fields are those of another object.
const DEEPEST: usize = 7;
/// One of each type, and lists and objects with something in them.
fn values() -> [Value; 9] {
    [Value::Null, json!(true), json!(7), json!(-2.5), json!("x"), json!([]), json!([7]), json!({}), json!({ "x": 7 })]
}

/// Words of the parser for types of a program.
const OURS: [&str; 18] = [
    "enum", "struct", "untagged", "variant", "tuple", "unit", "newtype", "Option", "String", "Vec", "str", "i16",
    "i32", "i64", "u8", "u32", "u64", "f64",
];

fn resolved<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    match schema["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => schema,
    }
}

/// The schemas that a schema may stand for.
fn alternatives<'d>(document: &'d Value, schema: &'d Value) -> Vec<&'d Value> {
    let schema = resolved(document, schema);
    let mut found = vec![schema];
    for way in ["oneOf", "anyOf", "allOf"] {
        for one in schema[way].as_array().into_iter().flatten() {
            found.extend(alternatives(document, one));
        }
    }
    found
}

/// A way to a field: names of fields, and `None` for an entry of a list.
type Way = Vec<Option<String>>;

fn ways(document: &Value, schema: &Value, way: &Way, found: &mut BTreeSet<Way>) {
    found.insert(way.clone());
    if way.len() == DEEPEST {
        return;
    }
    for schema in alternatives(document, schema) {
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            ways(document, field, &[way.as_slice(), &[Some(name.clone())]].concat(), found);
        }
        if schema["items"].is_object() {
            ways(document, &schema["items"], &[way.as_slice(), &[None]].concat(), found);
        }
    }
}

/// A body that has `value` at the end of a way, and on the way nothing else.
fn body(way: &[Option<String>], value: &Value) -> Value {
    match way.split_first() {
        None => value.clone(),
        Some((None, rest)) => json!([body(rest, value)]),
        Some((Some(name), rest)) => Value::Object(Map::from_iter([(name.clone(), body(rest, value))])),
    }
}

/// Names of our types in an answer.
fn named(answer: &Value) -> Vec<String> {
    let details = answer["details"].as_array().into_iter().flatten().map(|fault| &fault["message"]);
    let texts = [&answer["message"], &answer["statusDescription"]].into_iter().chain(details).filter_map(Value::as_str);
    let words = texts.flat_map(|text| text.split(|letter: char| !letter.is_ascii_alphanumeric()));
    words.filter(|word| OURS.contains(word)).map(str::to_owned).collect()
}

#[tokio::test]
async fn no_answer_to_a_wrong_type_names_an_internal_type() {
    let mut options = Options::default();
    options.admission.requests_per_second = 1_000_000;
    let service = Service::with(options).await;
    let document = service.send(Call::get("/openapi.json")).await.json();
    let (mut asked, mut refused) = (0, 0);
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in ["post", "put"] {
            let Some(schema) = item[method].pointer("/requestBody/content/application~1json/schema") else { continue };
            let mut found = BTreeSet::new();
            ways(&document, schema, &Way::new(), &mut found);
            let place = path.split('/').map(|part| if part.starts_with('{') { "x" } else { part });
            let place = place.collect::<Vec<_>>().join("/");
            for way in &found {
                for value in values() {
                    let mut call = Call::post(&place, body(way, &value).to_string()).key(&service.key);
                    call = call.header("x-api-key", &service.key);
                    *call.0.method_mut() = if method == "put" { Method::PUT } else { Method::POST };
                    let answer = service.send(call).await;
                    asked += 1;
                    assert_ne!(answer.status.as_u16(), 500, "{method} {path} {way:?} {value}");
                    let Ok(said) = serde_json::from_slice::<Value>(&answer.bytes) else { continue };
                    refused += usize::from(answer.status == 400);
                    let named = named(&said);
                    assert!(named.is_empty(), "{method} {path} {way:?} {value}: {named:?} in {said}");
                }
            }
        }
    }
    assert!(asked > 2_000 && refused > asked / 3, "{refused} of {asked} were refused");
}
