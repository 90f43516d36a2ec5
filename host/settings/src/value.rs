//! The types of settings: how each is read from the file and the environment, and how it is shown.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use ipnet::IpNet;

pub trait SettingValue: Sized {
    /// `true` if an error message must not repeat a wrong value.
    const SECRET: bool = false;

    /// The expected form, for error messages.
    fn expected() -> String;

    fn from_text(text: &str) -> Option<Self>;

    /// Reads a value of the file, where most settings are strings.
    fn from_toml(value: &toml::Value) -> Option<Self> {
        value.as_str().and_then(Self::from_text)
    }

    /// The part of an unreadable value that is the reason: for a list, its first unreadable item.
    fn refused_part(value: &toml::Value) -> &toml::Value {
        value
    }

    /// The value for `patchbay config`, masked if secret.
    fn to_shown_toml(&self) -> toml::Value;
}

impl SettingValue for String {
    fn expected() -> String {
        "a string".to_owned()
    }
    fn from_text(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
    fn to_shown_toml(&self) -> toml::Value {
        toml::Value::String(self.clone())
    }
}

impl SettingValue for bool {
    fn expected() -> String {
        "true or false".to_owned()
    }
    fn from_text(text: &str) -> Option<Self> {
        text.trim().to_ascii_lowercase().parse().ok()
    }
    fn from_toml(value: &toml::Value) -> Option<Self> {
        value.as_bool()
    }
    fn to_shown_toml(&self) -> toml::Value {
        toml::Value::Boolean(*self)
    }
}

macro_rules! whole_number {
    ($($number:ty),+) => { $(
        impl SettingValue for $number {
            fn expected() -> String {
                format!("a whole number from 0 to {}", <$number>::MAX)
            }
            fn from_text(text: &str) -> Option<Self> {
                text.trim().replace('_', "").parse().ok()
            }
            fn from_toml(value: &toml::Value) -> Option<Self> {
                value.as_integer().and_then(|number| Self::try_from(number).ok())
            }
            fn to_shown_toml(&self) -> toml::Value {
                toml::Value::Integer(i64::try_from(*self).unwrap_or(i64::MAX))
            }
        }
    )+ };
}
whole_number!(u32, u64, usize);

impl SettingValue for PathBuf {
    fn expected() -> String {
        "a path".to_owned()
    }
    /// A URL is refused: it may hold a password, and `patchbay config` shows paths.
    fn from_text(text: &str) -> Option<Self> {
        (!text.is_empty() && !text.contains("://")).then(|| Self::from(text))
    }
    fn to_shown_toml(&self) -> toml::Value {
        toml::Value::String(self.display().to_string())
    }
}

impl SettingValue for SocketAddr {
    fn expected() -> String {
        "an address with a port, such as \"127.0.0.1:8080\"".to_owned()
    }
    fn from_text(text: &str) -> Option<Self> {
        text.trim().parse().ok()
    }
    fn to_shown_toml(&self) -> toml::Value {
        toml::Value::String(self.to_string())
    }
}

impl SettingValue for IpNet {
    fn expected() -> String {
        "an address or a network, such as \"10.0.0.0/8\"".to_owned()
    }
    fn from_text(text: &str) -> Option<Self> {
        let text = text.trim();
        text.parse().ok().or_else(|| text.parse().ok().map(|address: std::net::IpAddr| Self::from(address)))
    }
    fn to_shown_toml(&self) -> toml::Value {
        toml::Value::String(self.to_string())
    }
}

/// Units of durations, largest first.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

impl SettingValue for Duration {
    fn expected() -> String {
        "a duration such as \"500ms\", \"5s\", \"5m\", \"2h\" or \"1d\"".to_owned()
    }
    fn from_text(text: &str) -> Option<Self> {
        let text = text.trim();
        let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
        let (_, millis) = UNITS.iter().find(|(name, _)| *name == unit.trim())?;
        number.parse::<u64>().ok()?.checked_mul(*millis).map(Self::from_millis)
    }
    fn to_shown_toml(&self) -> toml::Value {
        toml::Value::String(spell_duration(*self))
    }
}

/// The duration in the largest unit that divides it: `90s`, `2h`, `0s`. A single day is `24h`.
pub fn spell_duration(duration: Duration) -> String {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    if millis == 0 {
        return "0s".to_owned();
    }
    let fits = |(unit, size): &(&str, u64)| millis.is_multiple_of(*size) && (*unit != "d" || millis > *size);
    let (unit, size) = UNITS.into_iter().find(fits).unwrap_or(("ms", 1));
    format!("{}{unit}", millis / size)
}

/// An empty string is "not set".
impl<T: SettingValue> SettingValue for Option<T> {
    const SECRET: bool = T::SECRET;

    fn expected() -> String {
        format!("{}, or \"\"", T::expected())
    }
    fn from_text(text: &str) -> Option<Self> {
        if text.is_empty() { Some(None) } else { T::from_text(text).map(Some) }
    }
    fn from_toml(value: &toml::Value) -> Option<Self> {
        if value.as_str() == Some("") { Some(None) } else { T::from_toml(value).map(Some) }
    }
    fn to_shown_toml(&self) -> toml::Value {
        self.as_ref().map_or_else(|| toml::Value::String(String::new()), SettingValue::to_shown_toml)
    }
}

/// A list. In the file it may be a single string, in the environment it is JSON or separated by commas.
impl<T: SettingValue> SettingValue for Vec<T> {
    const SECRET: bool = T::SECRET;

    fn expected() -> String {
        format!("a list, each item {}", T::expected())
    }
    fn from_text(text: &str) -> Option<Self> {
        if text.trim_start().starts_with('[') {
            let items: Vec<serde_json::Value> = serde_json::from_str(text).ok()?;
            return items
                .iter()
                .map(|item| item.as_str().map_or_else(|| T::from_text(&item.to_string()), T::from_text))
                .collect();
        }
        text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(T::from_text).collect()
    }
    fn from_toml(value: &toml::Value) -> Option<Self> {
        match value {
            toml::Value::Array(items) => items.iter().map(T::from_toml).collect(),
            toml::Value::String(text) => Self::from_text(text),
            _ => None,
        }
    }
    fn refused_part(value: &toml::Value) -> &toml::Value {
        let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
        items.iter().find(|item| T::from_toml(item).is_none()).unwrap_or(value)
    }
    fn to_shown_toml(&self) -> toml::Value {
        toml::Value::Array(self.iter().map(SettingValue::to_shown_toml).collect())
    }
}

/// A switch with an automatic default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    Auto,
    On,
    Off,
}

impl SettingValue for Switch {
    fn expected() -> String {
        "true, false or \"auto\"".to_owned()
    }
    fn from_text(text: &str) -> Option<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "auto" | "" => Some(Self::Auto),
            "true" => Some(Self::On),
            "false" => Some(Self::Off),
            _ => None,
        }
    }
    fn from_toml(value: &toml::Value) -> Option<Self> {
        match value {
            toml::Value::Boolean(true) => Some(Self::On),
            toml::Value::Boolean(false) => Some(Self::Off),
            other => other.as_str().and_then(Self::from_text),
        }
    }
    fn to_shown_toml(&self) -> toml::Value {
        match self {
            Self::Auto => toml::Value::String("auto".to_owned()),
            Self::On => toml::Value::Boolean(true),
            Self::Off => toml::Value::Boolean(false),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    /// One JSON object per line, for log collectors.
    Json,
}

impl SettingValue for LogFormat {
    fn expected() -> String {
        "\"text\" or \"json\"".to_owned()
    }
    fn from_text(text: &str) -> Option<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "text" => Some(Self::Text),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
    fn to_shown_toml(&self) -> toml::Value {
        toml::Value::String(match self {
            Self::Text => "text".to_owned(),
            Self::Json => "json".to_owned(),
        })
    }
}
