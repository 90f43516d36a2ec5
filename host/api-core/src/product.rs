//! The products behind one address. They differ in the header of the key and in the form of errors.

use axum::http::{HeaderMap, HeaderName, header};

use crate::error::format::ErrorFormat;

/// Length of a hyphenated UUID.
const KEY_LENGTH: usize = 36;

/// One of the products of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiProduct {
    /// Messaging, live chat, conversations, webhooks, plugins (SPEC 4.1 to 4.7).
    Omnichannel,
    /// The JSON SMS gateway (SPEC 4.8).
    SmsGateway,
    /// The batch SMS gateway (SPEC 4.9).
    BatchGateway,
}

impl ApiProduct {
    /// Returns the product of a path. It also holds for unknown paths, so their errors have the form of their product.
    pub fn of(path: &str) -> Self {
        match path.split('/').nth(1) {
            Some("sms") => Self::SmsGateway,
            Some("smsbatch") => Self::BatchGateway,
            _ => Self::Omnichannel,
        }
    }

    pub fn credential(self) -> Credential {
        match self {
            Self::Omnichannel => Credential::Authorization,
            Self::SmsGateway | Self::BatchGateway => Credential::ApiKey,
        }
    }

    pub fn error_format(self) -> ErrorFormat {
        match self {
            Self::Omnichannel | Self::SmsGateway => ErrorFormat::Json,
            Self::BatchGateway => ErrorFormat::Xml,
        }
    }
}

/// The header with the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credential {
    /// `Authorization`, with only the key.
    Authorization,
    /// `X-API-Key`.
    ApiKey,
}

impl Credential {
    pub fn header(self) -> HeaderName {
        match self {
            Self::Authorization => header::AUTHORIZATION,
            Self::ApiKey => HeaderName::from_static("x-api-key"),
        }
    }

    /// Returns the value of the one header with the key: without `Bearer`, not trimmed, and no second header.
    pub fn key(self, headers: &HeaderMap) -> Option<&[u8]> {
        let mut values = headers.get_all(self.header()).iter();
        let key = values.next()?.as_bytes();
        (values.next().is_none() && is_uuid(key)).then_some(key)
    }

    /// The text of a 401. It never says if the key was missing or unknown.
    pub fn wanted(self) -> &'static str {
        match self {
            Self::Authorization => {
                "the header Authorization must carry the API key itself: 36 characters, without Bearer"
            }
            Self::ApiKey => "the header X-API-Key must carry the API key: 36 characters and nothing else",
        }
    }
}

fn is_uuid(key: &[u8]) -> bool {
    key.len() == KEY_LENGTH
        && key.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// True if a path is one of the callbacks of providers.
pub(crate) fn is_callback(path: &str) -> bool {
    path.starts_with("/providers/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "b8b8f4b2-6a53-4c6f-9a4e-0b6f4a1c2d3e";

    fn headers(name: &'static str, values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name, value.parse().unwrap());
        }
        headers
    }

    fn accepted(values: &[&str]) -> bool {
        Credential::Authorization.key(&headers("authorization", values)).is_some()
    }

    #[test]
    fn the_raw_key_is_taken() {
        assert!(accepted(&[KEY]));
    }

    #[test]
    fn anything_around_the_key_is_refused() {
        assert!(!accepted(&[&format!("Bearer {KEY}")]));
        assert!(!accepted(&[&format!("{KEY} ")]));
        assert!(!accepted(&[&format!(" {KEY}")]));
        assert!(!accepted(&[&KEY[..35]]));
        assert!(!accepted(&[""]));
        assert!(!accepted(&[]));
    }

    #[test]
    fn two_headers_are_refused_even_when_both_are_right() {
        assert!(!accepted(&[KEY, KEY]));
    }

    #[test]
    fn other_text_of_the_same_length_is_refused() {
        assert!(!accepted(&[&KEY.replace('-', "0")]));
        assert!(!accepted(&[&KEY.replace('b', "g")]));
    }

    #[test]
    fn each_product_reads_its_own_header_and_no_other() {
        for (path, header) in [
            ("/whatsapp-api-service/v2/messages", "authorization"),
            ("/sms/json", "x-api-key"),
            ("/smsbatch/sms", "x-api-key"),
            ("/", "authorization"),
        ] {
            let credential = ApiProduct::of(path).credential();
            for name in ["authorization", "x-api-key"] {
                assert_eq!(credential.key(&headers(name, &[KEY])).is_some(), name == header, "{path} with {name}");
            }
            assert!(credential.wanted().to_lowercase().contains(header), "{path}");
        }
    }
}
