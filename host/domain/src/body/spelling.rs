//! Names of fields that are nearly right. Where fields that there are not are ignored, a slip of the fingers, or a field in the wrong
//! object, is not heard: an SMS that was to wait leaves at once, a text that was to be forgotten is kept. Bodies for which that is too
//! dear refuse such a name, and ignore others as before: clients written for another version go on.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, MapAccess, Visitor, value::MapAccessDeserializer, value::StrDeserializer},
};

/// An object whose fields are to be spelled right.
pub trait Spelling {
    /// The names of its fields.
    const FIELDS: &'static [&'static str];
    /// What belongs elsewhere: its name, and how it is written where it belongs.
    const ELSEWHERE: &'static [(&'static str, &'static str)];
}

/// What is to be said of a name that is none of `fields`, and is nearly one of them or belongs elsewhere; `None` of every other name.
pub fn slip(name: &str, fields: &[&str], elsewhere: &[(&str, &str)]) -> Option<String> {
    if fields.contains(&name) {
        return None;
    }
    let given = letters(name);
    let own = fields.iter().map(|field| (*field, format!("`{field}`")));
    let others = elsewhere.iter().map(|(field, written)| (*field, (*written).to_owned()));
    let near = own.chain(others).filter_map(|(field, written)| {
        let wanted = letters(field);
        let allowed = slips_allowed(&wanted);
        // A name of megabytes is not measured.
        let alike = given.len().abs_diff(wanted.len()) <= allowed;
        let slips = alike.then(|| strsim::osa_distance(&given, &wanted))?;
        (slips <= allowed).then_some((slips, written))
    });
    let (_, meant) = near.min_by_key(|(slips, _)| *slips)?;
    Some(format!("is not a field here; did you mean {meant}?"))
}

/// A name without what people write in different ways.
fn letters(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Short names are near to many others.
fn slips_allowed(letters: &str) -> usize {
    match letters.len() {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    }
}

/// A value that was written as a JSON object without a slip in the names of its fields.
pub(super) struct Spelled<T>(pub(super) T);

impl<'de, T: Deserialize<'de> + Spelling> Deserialize<'de> for Spelled<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SpelledVisitor(PhantomData))
    }
}

struct SpelledVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Spelling> Visitor<'de> for SpelledVisitor<T> {
    type Value = Spelled<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Self::Value, A::Error> {
        let entries = Entries { entries, of: PhantomData::<T> };
        T::deserialize(MapAccessDeserializer::new(entries)).map(Spelled)
    }
}

/// The entries of an object, each name looked at before anybody reads it.
struct Entries<A, T> {
    entries: A,
    of: PhantomData<T>,
}

impl<'de, A: MapAccess<'de>, T: Spelling> MapAccess<'de> for Entries<A, T> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        self.entries.next_key_seed(Name { seed, of: PhantomData::<T> })
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.entries.next_value_seed(seed)
    }
}

/// The name of a field on its way to whoever reads it.
struct Name<K, T> {
    seed: K,
    of: PhantomData<T>,
}

impl<'de, K: DeserializeSeed<'de>, T: Spelling> DeserializeSeed<'de> for Name<K, T> {
    type Value = K::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<K::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de, K: DeserializeSeed<'de>, T: Spelling> Visitor<'de> for Name<K, T> {
    type Value = K::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<K::Value, E> {
        match slip(name, T::FIELDS, T::ELSEWHERE) {
            Some(said) => Err(E::custom(said)),
            None => self.seed.deserialize(StrDeserializer::new(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: [&str; 4] = ["to", "ctid", "messageText", "unicode"];

    fn meant(name: &str) -> Option<String> {
        let said = slip(name, &FIELDS, &[("dsm", "`settings.dsm`")])?;
        said.split('`').nth(1).map(str::to_owned)
    }

    #[test]
    fn a_name_that_is_written_in_another_way_is_a_slip() {
        for name in ["messagetext", "MessageText", "message_text", "message-text", "messgaeText", "mesageTxt"] {
            assert_eq!(meant(name).as_deref(), Some("messageText"), "{name}");
        }
        assert_eq!(meant("ctId").as_deref(), Some("ctid"));
        assert_eq!(meant("To").as_deref(), Some("to"));
    }

    #[test]
    fn a_field_of_another_object_is_told_where_it_belongs() {
        assert_eq!(meant("dsm").as_deref(), Some("settings.dsm"));
        assert_eq!(meant("DSM").as_deref(), Some("settings.dsm"));
    }

    #[test]
    fn other_names_are_none_of_our_business() {
        for name in ["to", "ctid", "unicode", "from", "text", "so", "campaign", "validityPeriod", "id", ""] {
            assert_eq!(meant(name), None, "{name}");
        }
    }
}
