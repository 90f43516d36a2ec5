//! JSON objects and words only: serde also takes an array for a struct, and `{"start":null}` for `"start"`.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{Error, IntoDeserializer, MapAccess, SeqAccess, Visitor},
};

use super::spelling::{FieldHomes, Homes, ObjectDeserializer};

pub(super) struct BodyObject<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for BodyObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor { homes: &[], of: PhantomData }).map(Self)
    }
}

pub(super) struct ObjectWithHomes<T>(pub(super) T);

impl<'de, T: Deserialize<'de> + FieldHomes> Deserialize<'de> for ObjectWithHomes<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor { homes: T::HOMES, of: PhantomData }).map(Self)
    }
}

struct ObjectVisitor<T> {
    homes: Homes,
    of: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Self::Value, A::Error> {
        T::deserialize(ObjectDeserializer { entries, homes: self.homes })
    }
}

/// For a field that holds an object: `#[serde(default, deserialize_with = "body::object")]`.
pub fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(Option::<BodyObject<T>>::deserialize(deserializer)?.map(|object| object.0))
}

pub fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<Vec<T>>, D::Error> {
    let objects = Option::<Vec<BodyObject<T>>>::deserialize(deserializer)?;
    Ok(objects.map(|objects| objects.into_iter().map(|object| object.0).collect()))
}

pub fn object_with_homes<'de, D: Deserializer<'de>, T: Deserialize<'de> + FieldHomes>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<ObjectWithHomes<T>>::deserialize(deserializer)?.map(|object| object.0))
}

pub fn objects_with_homes<'de, D: Deserializer<'de>, T: Deserialize<'de> + FieldHomes>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    let objects = Option::<Vec<ObjectWithHomes<T>>>::deserialize(deserializer)?;
    Ok(objects.map(|objects| objects.into_iter().map(|object| object.0).collect()))
}

/// For a field whose absence has another meaning than `null`: `#[serde(default, deserialize_with = "body::given")]` on
/// an `Option<Option<T>>`, where the outer `None` is an absent field.
pub fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

pub fn given_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    object(deserializer).map(Some)
}

/// Elements of a list at most, where nothing that could be meant has more.
pub const LIST_MAX: usize = 250;

pub fn few_objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    let objects = Option::<Few<BodyObject<T>>>::deserialize(deserializer)?;
    Ok(objects.map(|objects| objects.0.into_iter().map(|object| object.0).collect()))
}

pub fn few_texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    Ok(Option::<Few<String>>::deserialize(deserializer)?.map(|texts| texts.0))
}

struct Few<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Few<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(FewVisitor(PhantomData))
    }
}

struct FewVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for FewVisitor<T> {
    type Value = Few<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut few = Vec::new();
        while let Some(element) = elements.next_element()? {
            if few.len() == LIST_MAX {
                return Err(A::Error::custom(format_args!("has more than {LIST_MAX} elements")));
            }
            few.push(element);
        }
        Ok(Few(few))
    }
}

pub fn word<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::deserialize(String::deserialize(deserializer)?.into_deserializer())
}

pub fn optional_word<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    let word = Option::<String>::deserialize(deserializer)?;
    word.map(|word| T::deserialize(word.into_deserializer())).transpose()
}
