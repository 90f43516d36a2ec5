use std::fmt;

use serde::{Deserialize, Serialize};
use url::{Origin as UrlOrigin, Url};

const LONGEST: usize = 300;

/// The origin of a page as browsers send it: `https://shop.example`, with a port if it is not the default one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PageOrigin(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "is not an origin: write https://host or http://host, with :port if it is not the usual one, and nothing after it"
)]
pub struct OriginError;

impl PageOrigin {
    /// Parses an origin. A slash at the end is ignored. A path, a query, a user or a wildcard is refused.
    pub fn parse(text: &str) -> Result<Self, OriginError> {
        if text.len() > LONGEST || text.contains('*') {
            return Err(OriginError);
        }
        let url = Url::parse(text).map_err(|_| OriginError)?;
        let bare = url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        match (url.scheme(), url.origin()) {
            ("https" | "http", origin @ UrlOrigin::Tuple(..)) if bare => Ok(Self(origin.ascii_serialization())),
            _ => Err(OriginError),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for PageOrigin {
    type Error = OriginError;

    fn try_from(text: String) -> Result<Self, OriginError> {
        Self::parse(&text)
    }
}

impl From<PageOrigin> for String {
    fn from(origin: PageOrigin) -> Self {
        origin.0
    }
}

impl fmt::Display for PageOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_kept_as_browsers_write_it() {
        for (given, kept) in [
            ("https://Shop.Example/", "https://shop.example"),
            ("https://shop.example:443", "https://shop.example"),
            ("http://localhost:3000", "http://localhost:3000"),
            ("https://bücher.example", "https://xn--bcher-kva.example"),
            ("http://[::1]:8080", "http://[::1]:8080"),
        ] {
            assert_eq!(PageOrigin::parse(given).unwrap().as_str(), kept, "{given}");
        }
    }

    #[test]
    fn a_value_that_is_not_exactly_an_origin_is_none() {
        for given in [
            "",
            "shop.example",
            "*",
            "https://*.shop.example",
            "https://shop.example/chat",
            "https://shop.example?x",
            "https://shop.example#x",
            "https://me@shop.example",
            "ftp://shop.example",
            "null",
            "javascript:alert(1)",
            "file:///etc/passwd",
        ] {
            assert_eq!(PageOrigin::parse(given), Err(OriginError), "{given}");
        }
        assert_eq!(PageOrigin::parse(&format!("https://{}.example", "a".repeat(300))), Err(OriginError));
    }
}
