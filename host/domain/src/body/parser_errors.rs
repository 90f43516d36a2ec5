//! Translates errors of the parser: the terms are those of JSON, not of our types.

#[derive(Debug, PartialEq, Eq)]
pub(super) struct PlacedFault<'a> {
    /// The field of the object at the path, where it is that field and not the object.
    pub(super) name: Option<&'a str>,
    pub(super) message: String,
}

/// Reads a message of serde, without the position that follows it.
pub(super) fn in_words(message: &str) -> PlacedFault<'_> {
    let of_field = |before: &str| message.strip_prefix(before).and_then(|rest| rest.strip_suffix('`'));
    if let Some(name) = of_field("missing field `") {
        return PlacedFault { name: Some(name), message: "is required".to_owned() };
    }
    if let Some(name) = of_field("duplicate field `") {
        return PlacedFault { name: Some(name), message: "is given twice".to_owned() };
    }
    if message.contains(" of untagged enum ") {
        return PlacedFault { name: None, message: "is of none of the types that are taken here".to_owned() };
    }
    PlacedFault { name: None, message: expected(message).unwrap_or_else(|| message.to_owned()) }
}

fn expected(message: &str) -> Option<String> {
    let (said, expected) = message.rsplit_once(", expected ")?;
    if said.starts_with("invalid length ") {
        return Some(format!("has the wrong length; expected {}", expected_text(expected)));
    }
    let (kind, found) = said.split_once([':', '`'])?;
    match kind.trim_end() {
        "unknown field" => Some(format!("is not a field here; expected {expected}")),
        "unknown variant" => Some(format!("`{found} is not an allowed value; expected {expected}")),
        "invalid type" => Some(format!("expected {}, got {}", expected_text(expected), found_text(found.trim_start()))),
        "invalid value" => Some(format!(
            "expected {}, got {}, which is out of range",
            expected_text(expected),
            found_text(found.trim_start())
        )),
        _ => Some(format!("{said}, expected {}", expected_text(expected))),
    }
}

fn expected_text(expected: &str) -> &str {
    match expected {
        "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number",
        "f32" | "f64" => "a number",
        "i128" | "u128" => "a whole number",
        "a sequence" => "an array",
        "a map" => "an object",
        "unit" => "null",
        "variant identifier" | "field identifier" | "string or map" => "a string",
        "a character" | "a borrowed string" | "string" | "str" => "a string",
        other => of_our_types(other).unwrap_or(other),
    }
}

/// Replaces serde's names of our types, which tell a caller nothing.
fn of_our_types(expected: &str) -> Option<&'static str> {
    const OURS: [(&str, &str); 11] = [
        ("struct variant ", "an object"),
        ("tuple variant ", "an array"),
        ("unit variant ", "a string"),
        ("newtype variant ", "another value"),
        ("tuple struct ", "another value"),
        ("unit struct ", "null"),
        ("newtype struct ", "another value"),
        ("struct ", "an object"),
        ("tuple ", "an array"),
        ("a tuple of size ", "an array"),
        ("enum ", "a string"),
    ];
    if expected.contains(" tagged enum ") {
        return Some("an object");
    }
    OURS.into_iter().find_map(|(name, said)| expected.starts_with(name).then_some(said))
}

fn found_text(found: &str) -> String {
    let quoted = |kind: &str| found.strip_prefix(kind)?.strip_prefix(" `")?.strip_suffix('`');
    match found {
        "sequence" => "an array".to_owned(),
        "map" => "an object".to_owned(),
        "unit value" | "Option value" => "null".to_owned(),
        "enum" | "unit variant" | "newtype variant" | "tuple variant" | "struct variant" | "newtype struct" => {
            "another value".to_owned()
        }
        _ => match quoted("integer").or_else(|| quoted("floating point")) {
            Some(number) => format!("the number {number}"),
            None => match quoted("boolean") {
                Some(value) => value.to_owned(),
                None if found.starts_with("string ") => format!("the {found}"),
                None => found.to_owned(),
            },
        },
    }
}
