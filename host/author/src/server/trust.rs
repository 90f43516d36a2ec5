//! The keys that may sign uploads, and the policy of the client.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{RemoteServer, ServerAnswer, ServerError, TIMEOUT};

const TRUST: &str = "/plugin-service/api/v1/plugin-trust";

/// The signature of a version.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SignatureEntry {
    pub key: String,
    pub key_id: String,
    pub comment: String,
}

impl fmt::Display for SignatureEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "key {} ({}), {}", self.key, self.key_id, self.comment.replace('\t', " "))
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyEntry {
    pub name: String,
    pub key_id: String,
    pub public_key: String,
    pub fingerprint: String,
}

impl fmt::Display for KeyEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, key_id, public_key, fingerprint } = self;
        write!(f, "{name:<24} {key_id} {public_key}\n  sha256 {fingerprint}")
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TrustReport {
    pub signed_only: bool,
    pub keys: Vec<KeyEntry>,
}

impl fmt::Display for TrustReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.signed_only {
            true => write!(f, "uploads must be signed with one of these keys:")?,
            false => write!(f, "uploads need no signature; keys:")?,
        }
        if self.keys.is_empty() {
            write!(f, " none")?;
        }
        self.keys.iter().try_for_each(|key| write!(f, "\n{key}"))
    }
}

impl RemoteServer {
    pub async fn trust(&self) -> Result<ServerAnswer<TrustReport>, ServerError> {
        self.answer("GET", TRUST.to_owned(), None).await
    }

    pub async fn set_signed_only(&self, signed_only: bool) -> Result<ServerAnswer<TrustReport>, ServerError> {
        self.answer("PUT", TRUST.to_owned(), Some(&json!({"signedOnly": signed_only}))).await
    }

    /// `public_key` is the file of minisign or its second line.
    pub async fn add_key(&self, name: &str, public_key: &str) -> Result<ServerAnswer<KeyEntry>, ServerError> {
        let body = json!({"name": name, "publicKey": public_key});
        self.answer("POST", format!("{TRUST}/keys"), Some(&body)).await
    }

    pub async fn remove_key(&self, name: &str) -> Result<(), ServerError> {
        crate::project::check_name(name).map_err(ServerError::Name)?;
        self.raw("DELETE", format!("{TRUST}/keys/{name}"), None, TIMEOUT).await.map(drop)
    }
}
