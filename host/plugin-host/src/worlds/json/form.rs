//! The JSON form of a type in `wit/`. Without an entry here, names follow from `wit/`, and a record in a case has its
//! fields next to the `type`.

use domain::world::World;
use plugin_bindings::wit::{self, WitFunction, WitRecord, WitType, WitVariant};

/// The names of values of cases that are not the last word of the case.
const VALUES: [(&str, &str, &str); 9] = [
    ("types/content", "contact", "text"),
    ("types/content", "unsupported", "name"),
    ("bot/event-kind", "timer", "name"),
    ("bot/action", "cancel-timer", "name"),
    ("routing/target", "bot", "name"),
    ("routing/target", "team", "name"),
    ("routing/target", "agent", "id"),
    ("fallback/decision", "skip", "reason"),
    ("sms-routing/decision", "refuse", "reason"),
];
/// Cases whose record is one field.
const NESTED: [(&str, &str); 1] = [("bot/event-kind", "message")];
/// Fields whose variant has its `type` and its fields in the record itself.
const FLAT: [(&str, &str); 1] = [("bot/event", "kind")];
/// Fields with a JSON text. They can be given as any JSON value.
const JSON_TEXTS: [(&str, &str); 1] = [("bot/custom-event", "payload")];
/// The case of every variant with a JSON text, and the name of this text.
const CUSTOM: (&str, &str) = ("custom", "payload");

pub(super) enum CaseForm {
    Alone,
    Fields(&'static WitRecord),
    Value(&'static str, WitType),
    Text(&'static str),
}

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

pub(super) fn flat(record: &WitRecord, (field, ty): (&str, WitType)) -> Option<&'static WitVariant> {
    match ty {
        WitType::Variant(variant) if FLAT.contains(&(record.name, field)) => Some(variant),
        _ => None,
    }
}

pub(super) fn is_json_text(record: &WitRecord, field: &str) -> bool {
    JSON_TEXTS.contains(&(record.name, field))
}

pub(super) fn is_pairs(item: &WitType) -> bool {
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
