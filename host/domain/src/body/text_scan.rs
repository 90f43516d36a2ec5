//! Looks for JSON values that the database and clients cannot hold: NUL characters, lone surrogates, very deep nesting.

use serde::{
    Deserialize,
    de::{Deserializer, Error, MapAccess, SeqAccess, Visitor},
};

use super::{
    fault_path::{WHOLE_BODY, field_of},
    faults::FieldFault,
};

const NUL: &str = "contains a NUL character (\\u0000)";
const LONE_SURROGATE: &str = "contains a lone surrogate (half of a \\uD800-\\uDFFF pair), which is no character";

/// Both need a `\u` escape: other bodies cost one search. Bodies that are not JSON pass; the parser says it better.
pub(super) fn check_characters(text: &str) -> Result<(), FieldFault> {
    if !text.contains("\\u") {
        return Ok(());
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let Err(fault) = serde_path_to_error::deserialize::<_, Scanned>(&mut json) else { return Ok(()) };
    let said = fault.inner().to_string();
    if said.contains("NUL character") {
        return Err(FieldFault::new(field_of(fault.path(), None), NUL));
    }
    if said.contains("surrogate") || said.contains("end of hex escape") {
        return Err(FieldFault::new(field_of(fault.path(), None), LONE_SURROGATE));
    }
    Ok(())
}

/// Counts brackets outside texts; says nothing about whether they match.
pub(super) fn check_depth(text: &str) -> Result<(), FieldFault> {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH_MAX {
            return Err(FieldFault::new(WHOLE_BODY, format!("is nested more than {DEPTH_MAX} levels deep")));
        }
    }
    Ok(())
}

struct Scanned;

impl<'de> Deserialize<'de> for Scanned {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Scanner)
    }
}

struct Scanner;

impl<'de> Visitor<'de> for Scanner {
    type Value = Scanned;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Scanned, E> {
        if text.contains('\0') { Err(E::custom("NUL character")) } else { Ok(Scanned) }
    }

    fn visit_unit<E: Error>(self) -> Result<Scanned, E> {
        Ok(Scanned)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Scanned, E> {
        Ok(Scanned)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Scanned, E> {
        Ok(Scanned)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Scanned, E> {
        Ok(Scanned)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Scanned, E> {
        Ok(Scanned)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Scanned, A::Error> {
        while items.next_element::<Scanned>()?.is_some() {}
        Ok(Scanned)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Scanned, A::Error> {
        while let Some(key) = entries.next_key::<String>()? {
            if key.contains('\0') {
                return Err(A::Error::custom("NUL character"));
            }
            entries.next_value::<Scanned>()?;
        }
        Ok(Scanned)
    }
}

pub const DEPTH_MAX: usize = 64;
