//! Maps WIT types to JSON. The tables below are the exceptions. By default, names come from `wit/`, and the fields of a
//! case's record stand next to `type`.

use domain::world::World;
use plugin_bindings::wit::{self, WitFunction, WitRecord, WitType, WitVariant};

/// Variant, case, JSON field of its value. By default the field is the last word of the case name.
const VALUES: [(&str, &str, &str); 21] = [
    ("types/content", "contact", "text"),
    ("types/content", "other", "name"),
    ("bot/event-kind", "timer", "name"),
    ("bot/action", "cancel-timer", "name"),
    ("bot/action", "cancel-template", "name"),
    ("bot/attribute-value", "text", "value"),
    ("bot/attribute-value", "number", "value"),
    ("bot/attribute-value", "boolean", "value"),
    ("bot/attribute-value", "date", "value"),
    ("bot/attribute-value", "choice", "value"),
    ("bot/attribute-value", "other", "value"),
    ("bot/http-outcome", "failed", "error"),
    ("http/error", "not-granted", "message"),
    ("http/error", "invalid-request", "message"),
    ("http/error", "too-large", "bytes"),
    ("http/error", "failed", "message"),
    ("routing/target", "bot", "name"),
    ("routing/target", "team", "name"),
    ("routing/target", "agent", "id"),
    ("fallback/decision", "skip", "reason"),
    ("sms-routing/decision", "refuse", "reason"),
];
/// Cases whose record is one JSON field. It is not spread next to `type`.
const NESTED: [(&str, &str); 1] = [("bot/event-kind", "message")];
/// Record and field. The variant of this field is spread into the record.
const FLAT: [(&str, &str); 2] = [("bot/event", "kind"), ("bot/attribute", "value")];
/// Record and field. The text of this field is JSON, so it can be given as any JSON value.
const JSON_TEXTS: [(&str, &str); 2] = [("bot/custom-event", "payload"), ("shaper/other-event", "payload")];
/// Case name and field name. In every variant, the value of this case is JSON text.
const CUSTOM: (&str, &str) = ("custom", "payload");

/// The JSON of one case: `type` alone, with the fields of a record, with one field, or with one field of JSON text.
pub(super) enum CaseForm {
    Alone,
    Fields(&'static WitRecord),
    Value(&'static str, WitType),
    Text(&'static str),
}

/// Returns the JSON of a case.
pub(super) fn of_case(variant: &WitVariant, (case, value): (&'static str, Option<WitType>)) -> CaseForm {
    let listed = VALUES.iter().find(|(of, name, _)| *of == variant.name && *name == case).map(|(_, _, name)| *name);
    let name = listed.or_else(|| case.rsplit('-').next()).unwrap_or(case);
    match value {
        None => CaseForm::Alone,
        Some(WitType::String) if case == CUSTOM.0 => CaseForm::Text(CUSTOM.1),
        Some(WitType::Record(record)) if !NESTED.contains(&(variant.name, case)) => CaseForm::Fields(record),
        Some(ty) => CaseForm::Value(name, ty),
    }
}

/// Names of the cases, as an error lists the allowed `type`s: those with one value first, then those without a value.
pub(super) fn kinds(variant: &WitVariant) -> Vec<&'static str> {
    let rank = |case: &(&'static str, Option<WitType>)| match of_case(variant, *case) {
        CaseForm::Value(..) => 0,
        CaseForm::Alone => 1,
        CaseForm::Fields(_) => 2,
        CaseForm::Text(_) => 3,
    };
    let mut cases = variant.cases.to_vec();
    cases.sort_by_key(rank);
    cases.into_iter().map(|(name, _)| name).collect()
}

/// The variant of a field that is spread into its record.
pub(super) fn flat(record: &WitRecord, (field, ty): (&str, WitType)) -> Option<&'static WitVariant> {
    match ty {
        WitType::Variant(variant) if FLAT.contains(&(record.name, field)) => Some(variant),
        _ => None,
    }
}

pub(super) fn is_json_text(record: &WitRecord, field: &str) -> bool {
    JSON_TEXTS.contains(&(record.name, field))
}

/// True for bytes. In JSON they are a text under the name of the field, or base64 under that name with [`BASE64`].
pub(super) fn is_bytes(ty: &WitType) -> bool {
    match ty {
        WitType::List(item) => **item == WitType::Integer(0, 255),
        WitType::Option(inner) => is_bytes(inner),
        _ => false,
    }
}

/// Suffix of the name of a field with bytes that are not text.
pub(super) const BASE64: &str = "-base64";

/// True for a pair of strings. A list of such items is a JSON object.
pub(super) fn is_string_pair(item: &WitType) -> bool {
    *item == WitType::Tuple(&[WitType::String, WitType::String])
}

pub(super) fn function(world: World) -> Option<&'static WitFunction> {
    wit::function(world.row().interface, world.row().function)
}

/// The name of a field in JSON: `after-seconds` becomes `afterSeconds`.
pub(super) fn camel(name: &str) -> String {
    let pascal = pascal(name);
    let mut letters = pascal.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_lowercase().to_string() + letters.as_str())
}

/// The name of a case in a recording: `hand-over` becomes `HandOver`.
pub(super) fn pascal(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
    };
    name.split('-').map(word).collect()
}

/// The name of a field in a recording: `after-seconds` becomes `after_seconds`.
pub(super) fn snake(name: &str) -> String {
    name.replace('-', "_")
}
