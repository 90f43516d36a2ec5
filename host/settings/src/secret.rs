//! Settings that must not appear in logs, errors or the output of `patchbay config`.

use std::{fmt, str::FromStr};

use url::Url;

use super::{
    error::ConfigError,
    masking::{MASK, masked_url},
    value::SettingValue,
};

/// A password, key or token. It has no `Display`, and `Debug` shows only if it is set.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The secret in plain text. Keep it out of logs.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn masked(&self) -> &'static str {
        if self.is_empty() { "" } else { MASK }
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({})", self.masked())
    }
}

impl SettingValue for Secret {
    const SECRET: bool = true;

    fn expected() -> String {
        "a string".to_owned()
    }
    fn from_text(text: &str) -> Option<Self> {
        Some(Self::from(text))
    }
    fn to_shown_toml(&self) -> toml::Value {
        toml::Value::String(self.masked().to_owned())
    }
}

/// A URL that may contain a password and is shown masked: `postgres://app:********@db/patchbay`.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretUrl(Url, String);

impl SecretUrl {
    /// The URL as written, with its password. Keep it out of logs.
    pub fn expose(&self) -> &str {
        &self.1
    }

    pub fn scheme(&self) -> &str {
        self.0.scheme()
    }

    pub fn url(&self) -> &Url {
        &self.0
    }

    pub fn masked(&self) -> String {
        masked_url(&self.0, &self.1)
    }

    pub(super) fn check_scheme(&self, key: &str, allowed: &[&str]) -> Result<(), ConfigError> {
        if allowed.contains(&self.scheme()) {
            return Ok(());
        }
        let reason =
            format!("expected a URL that starts with {}://, got {}://", allowed.join(":// or "), self.scheme());
        ConfigError::unusable(key, &reason)
    }
}

impl fmt::Debug for SecretUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.masked())
    }
}

impl SettingValue for SecretUrl {
    const SECRET: bool = true;

    fn expected() -> String {
        "a URL, in which a password stands after a user: SCHEME://USER:PASSWORD@HOST".to_owned()
    }
    fn from_text(text: &str) -> Option<Self> {
        let text = text.trim();
        let url = Url::parse(text).ok()?;
        let has_user = !url.username().is_empty() || url.password().is_none();
        has_user.then(|| Self(url, text.to_owned()))
    }
    fn to_shown_toml(&self) -> toml::Value {
        toml::Value::String(self.masked())
    }
}

/// The base of other URLs: `http` or `https`, without a trailing slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl(String);

impl BaseUrl {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// `Err` has the expected form.
impl FromStr for BaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::from_text(text).ok_or_else(Self::expected)
    }
}

impl SettingValue for BaseUrl {
    fn expected() -> String {
        "an http or https URL without user, password and query".to_owned()
    }
    fn from_text(text: &str) -> Option<Self> {
        let text = text.trim();
        let url = Url::parse(text).ok()?;
        let open = url.username().is_empty() && url.password().is_none();
        let plain = url.query().is_none() && url.fragment().is_none() && open;
        (matches!(url.scheme(), "http" | "https") && url.has_host() && plain)
            .then(|| Self(text.trim_end_matches('/').to_owned()))
    }
    fn to_shown_toml(&self) -> toml::Value {
        toml::Value::String(self.0.clone())
    }
}
