//! Reading JSON request bodies: every fault names its field, and no text gets in that a database or a client could not
//! take.

mod faults;
mod object;
#[cfg(test)]
mod tests;
mod text_scan;

use serde::de::{DeserializeOwned, IgnoredAny};

pub use faults::{FAULTS_LISTED, Faults, FieldFault};
use object::Object;
pub use object::{LIST_MAX, few_objects, few_texts, given, given_object, object, objects, optional_word, word};

/// The `field` of a fault of the whole body.
pub const WHOLE_BODY: &str = "body";

/// Deepest nesting of a body, in levels.
pub const DEPTH_MAX: usize = 64;

/// Parses a JSON object. Refused with the field named: a wrong type, an unknown enum value, and a NUL character or a
/// lone surrogate in any text, also in fields that are otherwise ignored (the body is echoed and stored as a whole).
/// Fields of `T` that hold objects need [`object`], [`objects`] or [`few_objects`], those that hold enum values [`word`] or
/// [`optional_word`].
pub fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, FieldFault> {
    let text = std::str::from_utf8(body)
        .map_err(|fault| FieldFault::new(WHOLE_BODY, format!("is not UTF-8 text: {fault}")))?;
    text_scan::check_depth(text)?;
    text_scan::check_characters(text)?;
    let mut json = serde_json::Deserializer::from_str(text);
    let Object(value) = serde_path_to_error::deserialize(&mut json).map_err(|fault| fault_of(text, &fault))?;
    json.end().map_err(|fault| FieldFault::new(WHOLE_BODY, format!("is not valid JSON: {fault}")))?;
    Ok(value)
}

fn fault_of(text: &str, fault: &serde_path_to_error::Error<serde_json::Error>) -> FieldFault {
    let cause = fault.inner();
    // A field may be at fault before the parser comes to where the text is no JSON, which says more.
    let broken = if cause.is_data() { serde_json::from_str::<IgnoredAny>(text).err() } else { None };
    if let Some(no_json) = broken.as_ref().or_else(|| (!cause.is_data()).then_some(cause)) {
        return FieldFault::new(WHOLE_BODY, format!("is not valid JSON: {no_json}"));
    }
    FieldFault::new(field_of(fault.path()), in_words(without_position(&cause.to_string())))
}

/// What was expected, in the words of JSON and not in those of our types.
fn in_words(message: &str) -> String {
    let Some((said, expected)) = message.rsplit_once(", expected ") else { return message.to_owned() };
    let expected = match expected {
        "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number",
        "f32" | "f64" => "a number",
        "a sequence" => "an array",
        other if other.starts_with("struct ") || other == "a map" => "an object",
        other => other,
    };
    format!("{said}, expected {expected}")
}

fn field_of(path: &serde_path_to_error::Path) -> String {
    match path.to_string().as_str() {
        "." => WHOLE_BODY.to_owned(),
        path => path.to_owned(),
    }
}

/// The path says where; line and column of a body that is mostly one line say nothing more.
fn without_position(message: &str) -> &str {
    message.rsplit_once(" at line ").map_or(message, |(said, _)| said)
}
