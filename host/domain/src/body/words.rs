//! What the parser says of a body, in the words of JSON and not in those of our types.

/// What is wrong, and where below the path that the parser names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Said<'a> {
    /// The field of the object at the path, where it is that field and not the object.
    pub(super) name: Option<&'a str>,
    /// What is wrong and what was expected.
    pub(super) message: String,
}

/// Reads a message of serde, without the position that follows it.
pub(super) fn in_words(message: &str) -> Said<'_> {
    let of_field = |before: &str| message.strip_prefix(before).and_then(|rest| rest.strip_suffix('`'));
    if let Some(name) = of_field("missing field `") {
        return Said { name: Some(name), message: "is required".to_owned() };
    }
    if let Some(name) = of_field("duplicate field `") {
        return Said { name: Some(name), message: "is given twice".to_owned() };
    }
    Said { name: None, message: expected(message).unwrap_or_else(|| message.to_owned()) }
}

fn expected(message: &str) -> Option<String> {
    let (said, expected) = message.rsplit_once(", expected ")?;
    let (kind, found) = said.split_once([':', '`'])?;
    match kind.trim_end() {
        "unknown field" => Some(format!("is not a field here; expected {expected}")),
        "unknown variant" => Some(format!("`{found} is not an allowed value; expected {expected}")),
        "invalid type" => Some(format!("expected {}, got {}", wanted(expected), got(found.trim_start()))),
        "invalid value" => {
            Some(format!("expected {}, got {}, which is out of range", wanted(expected), got(found.trim_start())))
        }
        _ => Some(format!("{said}, expected {}", wanted(expected))),
    }
}

fn wanted(expected: &str) -> &str {
    match expected {
        "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number",
        "f32" | "f64" => "a number",
        "a sequence" => "an array",
        other if other.starts_with("struct ") || other == "a map" => "an object",
        other => other,
    }
}

fn got(found: &str) -> String {
    let quoted = |kind: &str| found.strip_prefix(kind)?.strip_prefix(" `")?.strip_suffix('`');
    match found {
        "sequence" => "an array".to_owned(),
        "map" => "an object".to_owned(),
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
