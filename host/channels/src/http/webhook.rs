//! A webhook call: its address and its content.

use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use url::Url;

use super::{address_policy::AddressPolicy, post_error::PostError};

/// A checked address of webhooks. The check costs some microseconds and is the same for every call until the address
/// changes. The resolved addresses of its name are checked for every connection.
#[derive(Debug, Clone)]
pub struct WebhookAddress {
    pub(super) url: Url,
    pub(super) allow_private: bool,
}

impl WebhookAddress {
    /// Checks a URL. `allow_private`: this client may reach loopback and private addresses.
    ///
    /// # Errors
    /// [`PostError::Refused`], which every call to it would end with.
    pub fn judged(url: &str, allow_private: bool) -> Result<Self, PostError> {
        let url = AddressPolicy { allow_private }.judge_url(url).map_err(PostError::Refused)?;
        Ok(Self { url, allow_private })
    }
}

/// A webhook call.
#[derive(Debug, Clone)]
pub struct WebhookPost {
    /// Its address.
    pub to: WebhookAddress,
    /// All headers, content type and signature included.
    pub headers: HeaderMap,
    /// The exact bytes that were signed.
    pub body: Bytes,
}

impl WebhookPost {
    /// A call with JSON and without a signature.
    pub fn json(to: WebhookAddress, body: Bytes) -> Self {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        Self { to, headers, body }
    }
}
