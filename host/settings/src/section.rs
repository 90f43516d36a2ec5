//! A section of the configuration: its settings, their defaults and their meaning, defined once.

use super::{masking::masked_text, value::SettingValue};

/// A setting for display: in `patchbay config` and in the tables of `docs/operations.md`.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The last part of the key, such as `listen`.
    pub name: &'static str,
    /// The doc comment of the field.
    pub meaning: &'static str,
    pub value: toml::Value,
}

#[derive(Debug, Clone, Copy)]
pub enum ValueSource<'a> {
    File(&'a toml::Value),
    Text(&'a str),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingRefusal {
    Unknown,
    /// The value has the wrong type or form.
    Wrong {
        /// The expected form, such as `a whole number`.
        expected: String,
        /// The given value. Empty if it must not be repeated.
        got: String,
    },
}

impl ValueSource<'_> {
    /// Reads the input as a setting of type `T`.
    pub fn read<T: SettingValue>(self) -> Result<T, SettingRefusal> {
        let (read, got) = match self {
            Self::File(value) => (T::from_toml(value), describe(T::refused_part(value))),
            Self::Text(text) => (T::from_text(text), format!("\"{}\"", masked_text(text))),
        };
        let got = if T::SECRET { String::new() } else { got };
        read.ok_or_else(|| SettingRefusal::Wrong { expected: T::expected(), got })
    }
}

/// The value with its type for error messages. Credentials are masked.
fn describe(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => format!("the string \"{}\"", masked_text(text)),
        toml::Value::Integer(number) => format!("the number {number}"),
        toml::Value::Float(number) => format!("the number {number}"),
        toml::Value::Boolean(flag) => format!("the boolean {flag}"),
        toml::Value::Datetime(moment) => format!("the date {moment}"),
        toml::Value::Array(_) => "a list".to_owned(),
        toml::Value::Table(_) => "a table".to_owned(),
    }
}

/// The interface of a section, implemented by [`section!`].
pub trait Section {
    fn settings(&self) -> Vec<Setting>;

    fn set(&mut self, name: &str, input: ValueSource<'_>) -> Result<(), SettingRefusal>;
}

/// Declares a section: a struct, its defaults, and how each setting is read and shown. The doc comments are also the
/// texts for the operator.
macro_rules! section {
    (
        $(#[doc = $about:literal])+
        $section:ident {
            $( $(#[doc = $meaning:literal])+ $name:ident: $kind:ty = $default:expr, )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone)]
        pub struct $section {
            $( $(#[doc = $meaning])+ pub $name: $kind, )+
        }

        impl Default for $section {
            fn default() -> Self {
                Self { $( $name: $default, )+ }
            }
        }

        impl $crate::section::Section for $section {
            fn settings(&self) -> Vec<$crate::section::Setting> {
                vec![ $( $crate::section::Setting {
                    name: stringify!($name),
                    meaning: concat!($($meaning),+),
                    value: $crate::value::SettingValue::to_shown_toml(&self.$name),
                }, )+ ]
            }

            fn set(
                &mut self,
                name: &str,
                input: $crate::section::ValueSource<'_>,
            ) -> Result<(), $crate::section::SettingRefusal> {
                match name {
                    $( stringify!($name) => self.$name = input.read()?, )+
                    _ => return Err($crate::section::SettingRefusal::Unknown),
                }
                Ok(())
            }
        }
    };
}

pub(crate) use section;
