//! Names of fields that are nearly right. Unknown fields are ignored for clients of another version, but a name that
//! differs from a known one by case, underscores or a slip is a fault, in every JSON body.

use std::marker::PhantomData;

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, MapAccess, Visitor, value::MapAccessDeserializer, value::StrDeserializer},
    forward_to_deserialize_any,
};

/// Fields of other objects of the same request. If a caller writes one of them here, the fault says where it belongs.
pub trait FieldHomes {
    const HOMES: Homes;
}

pub type Homes = &'static [(&'static str, &'static str)];

/// The fault of a name that is nearly one of `fields` or that belongs elsewhere. `None` for every other name.
pub fn slip(name: &str, fields: &[&str], homes: &[(&str, &str)]) -> Option<String> {
    if fields.contains(&name) {
        return None;
    }
    let given = letters(name);
    let own = fields.iter().map(|field| (*field, format!("`{field}`")));
    let others = homes.iter().map(|(field, written)| (*field, (*written).to_owned()));
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

fn letters(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Short names are close to many other names, so they allow fewer slips.
fn slips_allowed(letters: &str) -> usize {
    match letters.len() {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    }
}

/// Deserializes the entries of an object. If the target is a struct, it refuses misspelled names of its fields.
pub(super) struct ObjectDeserializer<A> {
    pub(super) entries: A,
    pub(super) homes: Homes,
}

impl<'de, A: MapAccess<'de>> Deserializer<'de> for ObjectDeserializer<A> {
    type Error = A::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_map(self.entries)
    }

    /// The derived code of serde passes the names of the fields with their aliases.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        visitor.visit_map(Entries { entries: self.entries, fields, homes: self.homes })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        MapAccessDeserializer::new(self.entries).deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq
        tuple tuple_struct map identifier ignored_any
    }
}

struct Entries<A> {
    entries: A,
    fields: &'static [&'static str],
    homes: Homes,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Entries<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        self.entries.next_key_seed(Name { seed, fields: self.fields, homes: self.homes, of: PhantomData })
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.entries.next_value_seed(seed)
    }
}

struct Name<'de, K> {
    seed: K,
    fields: &'static [&'static str],
    homes: Homes,
    of: PhantomData<&'de ()>,
}

impl<'de, K: DeserializeSeed<'de>> DeserializeSeed<'de> for Name<'de, K> {
    type Value = K::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<K::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de, K: DeserializeSeed<'de>> Visitor<'de> for Name<'de, K> {
    type Value = K::Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<K::Value, E> {
        match slip(name, self.fields, self.homes) {
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
    fn a_field_of_another_object_is_refused_with_its_right_place() {
        assert_eq!(meant("dsm").as_deref(), Some("settings.dsm"));
        assert_eq!(meant("DSM").as_deref(), Some("settings.dsm"));
    }

    #[test]
    fn unrelated_names_are_ignored() {
        for name in ["to", "ctid", "unicode", "from", "text", "so", "campaign", "validityPeriod", "id", ""] {
            assert_eq!(meant(name), None, "{name}");
        }
    }
}
