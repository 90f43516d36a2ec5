use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use url::Url;

use super::{address_policy::AddressPolicy, post_error::PostError};

/// A checked address. The check is the same until the address changes; the addresses of its name are checked per connection.
#[derive(Debug, Clone)]
pub struct WebhookAddress {
    pub(super) url: Url,
    pub(super) allow_private: bool,
}

impl WebhookAddress {
    /// `allow_private`: this client may reach loopback and private addresses. Refusal: every call would end with it.
    pub fn checked(url: &str, allow_private: bool) -> Result<Self, PostError> {
        let url = AddressPolicy { allow_private }.judge_url(url).map_err(PostError::Refused)?;
        Ok(Self { url, allow_private })
    }
}

#[derive(Debug, Clone)]
pub struct WebhookPost {
    pub to: WebhookAddress,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl WebhookPost {
    pub fn json(to: WebhookAddress, body: Bytes) -> Self {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        Self { to, headers, body }
    }
}
