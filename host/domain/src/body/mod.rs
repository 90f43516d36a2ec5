//! Reading JSON request bodies: every fault names its field, and no text that a database or client cannot take gets in.

pub(crate) mod extent;
mod fault_path;
mod faults;
mod object;
mod parser_errors;
mod spelling;
#[cfg(test)]
mod tests;
mod text_scan;

use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny},
};

pub use fault_path::WHOLE_BODY;
use fault_path::field_of;
pub use faults::{FAULTS_LISTED, Faults, FieldFault};
use object::{BodyObject, ObjectWithHomes};
pub use object::{
    LIST_MAX, few_objects, few_texts, given, given_object, object, object_with_homes, objects, objects_with_homes,
    optional_word, word,
};
use parser_errors::{PlacedFault, in_words};
pub use spelling::{FieldHomes, Homes, slip};
pub use text_scan::DEPTH_MAX;

/// Parses a JSON object. Refuses a wrong type, an unknown enum value, a misspelled field name, and a NUL character or a
/// lone surrogate in any text. The fault names the field. Ignored fields are checked too, because the body is echoed.
/// Fields of `T` that hold objects need [`object`], [`objects`] or [`few_objects`], those that hold enum values [`word`] or
/// [`optional_word`].
pub fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, FieldFault> {
    let BodyObject(value) = read(body)?;
    Ok(value)
}

pub fn parse_with_homes<T: DeserializeOwned + FieldHomes>(body: &[u8]) -> Result<T, FieldFault> {
    let ObjectWithHomes(value) = read(body)?;
    Ok(value)
}

fn read<'b, T: Deserialize<'b>>(body: &'b [u8]) -> Result<T, FieldFault> {
    let text = std::str::from_utf8(body)
        .map_err(|fault| FieldFault::new(WHOLE_BODY, format!("is not UTF-8 text: {fault}")))?;
    text_scan::check_depth(text)?;
    text_scan::check_characters(text)?;
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|fault| fault_of(text, &fault))?;
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
    let said = cause.to_string();
    let PlacedFault { name, message } = in_words(without_position(&said));
    FieldFault::new(field_of(fault.path(), name), message)
}

/// The path says where; line and column of a body that is mostly one line say nothing more.
fn without_position(message: &str) -> &str {
    message.rsplit_once(" at line ").map_or(message, |(said, _)| said)
}
