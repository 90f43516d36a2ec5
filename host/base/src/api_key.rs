//! Keys in the header `Authorization`: of users, sessions, links and operators.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::secrets::{self, SealError};

/// A key in plain text: a UUID in lower case. `Debug` hides it, and there is no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    pub fn generate() -> Result<Self, SealError> {
        let bytes = secrets::random::<16>()?;
        Ok(Self(uuid::Builder::from_random_bytes(bytes).into_uuid().hyphenated().to_string()))
    }

    /// A key that was stored encrypted.
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The key in plain text. Keep it out of logs.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey")
    }
}

/// SHA-256 of a key, for lookups. Keys are random, so they need no salt.
pub fn key_hash(key: &[u8]) -> Vec<u8> {
    Sha256::digest(key).to_vec()
}
