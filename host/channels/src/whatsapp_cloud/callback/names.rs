//! The subject of a callback, which is needed before its signature can be checked, found in one pass that stores nothing else.

use crate::provider_json::{JsonFault, JsonReader};

/// Meta's ids have some twenty digits; a longer text is not an id.
pub(super) const ID_MAX_BYTES: usize = 64;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FirstNames {
    pub phone_number_id: Option<String>,
    pub waba_id: Option<String>,
}

pub fn first_names(raw: &[u8]) -> FirstNames {
    let mut names = FirstNames::default();
    let mut reader = JsonReader::new(raw);
    let passed = reader.fields(|reader, name| match name {
        "entry" => reader.elements(|reader| entry(reader, &mut names)),
        _ => reader.skip(),
    });
    if passed.and_then(|()| reader.end()).is_ok() { names } else { FirstNames::default() }
}

fn entry(reader: &mut JsonReader<'_>, names: &mut FirstNames) -> Result<(), JsonFault> {
    reader.fields(|reader, name| match name {
        "id" => first_id(reader, &mut names.waba_id),
        "changes" => reader.elements(|reader| change(reader, &mut names.phone_number_id)),
        _ => reader.skip(),
    })
}

fn change(reader: &mut JsonReader<'_>, number: &mut Option<String>) -> Result<(), JsonFault> {
    inner(reader, "value", |reader| {
        inner(reader, "metadata", |reader| inner(reader, "phone_number_id", |reader| first_id(reader, number)))
    })
}

/// Reads the field `wanted` of the object here and skips the others.
fn inner(
    reader: &mut JsonReader<'_>,
    wanted: &str,
    mut look: impl FnMut(&mut JsonReader<'_>) -> Result<(), JsonFault>,
) -> Result<(), JsonFault> {
    reader.fields(|reader, name| if name == wanted { look(reader) } else { reader.skip() })
}

fn first_id(reader: &mut JsonReader<'_>, found: &mut Option<String>) -> Result<(), JsonFault> {
    let id = reader.text()?.filter(|id| (1..=ID_MAX_BYTES).contains(&id.len()));
    if found.is_none() {
        *found = id.map(std::borrow::Cow::into_owned);
    }
    Ok(())
}
