use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};

/// A text in one language, or by language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlowText {
    Plain(String),
    Translated(BTreeMap<String, String>),
}

impl FlowText {
    /// The text in a language. If it is missing, the text in another one.
    pub fn in_language(&self, language: &str) -> &str {
        match self {
            Self::Plain(text) => text,
            Self::Translated(texts) => texts.get(language).or_else(|| texts.values().next()).map_or("", String::as_str),
        }
    }

    /// All translations.
    pub fn all(&self) -> Vec<&str> {
        match self {
            Self::Plain(text) => vec![text],
            Self::Translated(texts) => texts.values().map(String::as_str).collect(),
        }
    }
}

/// Not derived: an untagged enum would copy each value first.
impl<'de> Deserialize<'de> for FlowText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl<'de> Visitor<'de> for TextVisitor {
            type Value = FlowText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, or an object with a text for each language")
            }

            fn visit_str<E>(self, text: &str) -> Result<FlowText, E> {
                Ok(FlowText::Plain(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FlowText, A::Error> {
                let mut texts = BTreeMap::new();
                while let Some((language, text)) = map.next_entry()? {
                    texts.insert(language, text);
                }
                Ok(FlowText::Translated(texts))
            }
        }

        deserializer.deserialize_any(TextVisitor)
    }
}
