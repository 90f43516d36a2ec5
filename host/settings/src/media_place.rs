use std::path::PathBuf;

use url::Url;

use super::value::SettingValue;

/// The place of customers' files (`media.store`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediaPlace {
    Auto,
    Database,
    Folder(PathBuf),
    /// In a bucket: `s3://bucket` or `s3://bucket/prefix`.
    Bucket(Url),
}

impl SettingValue for MediaPlace {
    fn expected() -> String {
        "\"database\", the path of a folder such as \"/srv/media\", or \"s3://bucket/prefix\"".to_owned()
    }
    fn from_text(text: &str) -> Option<Self> {
        match text.trim() {
            "" => Some(Self::Auto),
            "database" => Some(Self::Database),
            url if url.starts_with("s3://") => Url::parse(url)
                .ok()
                .filter(|url| url.host_str().is_some_and(|bucket| !bucket.is_empty()))
                .map(Self::Bucket),
            // A word without a slash is probably misspelt.
            path if path.contains('/') && !path.contains("://") => Some(Self::Folder(PathBuf::from(path))),
            _ => None,
        }
    }
    fn to_shown_toml(&self) -> toml::Value {
        toml::Value::String(match self {
            Self::Auto => String::new(),
            Self::Database => "database".to_owned(),
            Self::Folder(path) => path.display().to_string(),
            Self::Bucket(url) => url.to_string(),
        })
    }
}
