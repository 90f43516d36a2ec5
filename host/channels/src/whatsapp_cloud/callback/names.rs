//! Whom a callback is about, as far as must be known before its signature can be checked: one number and one account, found
//! in one pass that keeps nothing else.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, SeqAccess, Visitor},
};

/// Meta's ids have some twenty digits; what is longer is none.
pub(super) const ID_MAX_BYTES: usize = 64;

/// The first number and the first business account that a callback names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FirstNames {
    /// `metadata.phone_number_id`.
    pub phone_number_id: Option<String>,
    /// `entry[].id`.
    pub waba_id: Option<String>,
}

/// Finds them, in time that grows with the length of the body and no faster. A body that is no callback names nobody.
pub fn first_names(raw: &[u8]) -> FirstNames {
    #[derive(Deserialize)]
    struct Body {
        #[serde(default)]
        entry: Entries,
    }
    serde_json::from_slice(raw).map_or_else(|_| FirstNames::default(), |Body { entry: Entries(names) }| names)
}

fn id(text: Option<String>) -> Option<String> {
    text.filter(|text| (1..=ID_MAX_BYTES).contains(&text.len()))
}

#[derive(Default)]
struct Entries(FirstNames);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Entry {
            id: Option<String>,
            #[serde(default)]
            changes: Changes,
        }
        let names = FirstNames::default();
        let names = fold_list(deserializer, names, |names: &mut FirstNames, entry: Entry| {
            if names.waba_id.is_none() {
                names.waba_id = id(entry.id);
            }
            if names.phone_number_id.is_none() {
                names.phone_number_id = entry.changes.0;
            }
            names.waba_id.is_some() && names.phone_number_id.is_some()
        })?;
        Ok(Self(names))
    }
}

/// The first number of an entry.
#[derive(Default)]
struct Changes(Option<String>);

impl<'de> Deserialize<'de> for Changes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Change {
            value: Option<Content>,
        }
        #[derive(Deserialize)]
        struct Content {
            metadata: Option<Metadata>,
        }
        #[derive(Deserialize)]
        struct Metadata {
            phone_number_id: Option<String>,
        }
        let number = fold_list(deserializer, None, |number: &mut Option<String>, change: Change| {
            *number = id(change.value.and_then(|value| value.metadata?.phone_number_id));
            number.is_some()
        })?;
        Ok(Self(number))
    }
}

/// Looks at the elements of a list one after the other, until `look` has seen enough.
fn fold_list<'de, D: Deserializer<'de>, T: Deserialize<'de>, S>(
    deserializer: D,
    seen: S,
    look: impl FnMut(&mut S, T) -> bool,
) -> Result<S, D::Error> {
    struct List<S, L, T>(S, L, std::marker::PhantomData<T>);

    impl<'de, S, L: FnMut(&mut S, T) -> bool, T: Deserialize<'de>> Visitor<'de> for List<S, L, T> {
        type Value = S;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<S, A::Error> {
            while let Some(element) = elements.next_element()? {
                if (self.1)(&mut self.0, element) {
                    break;
                }
            }
            while elements.next_element::<IgnoredAny>()?.is_some() {}
            Ok(self.0)
        }
    }
    deserializer.deserialize_seq(List(seen, look, std::marker::PhantomData))
}
