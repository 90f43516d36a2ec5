//! The `GET` by which Meta proves that the callback URL is ours (PROVIDERS A.7).

use serde::Deserialize;
use subtle::ConstantTimeEq;

#[derive(Debug, Clone, Default, Deserialize)]
pub struct HandshakeQuery {
    #[serde(rename = "hub.mode", default)]
    pub mode: String,
    #[serde(rename = "hub.verify_token", default)]
    pub verify_token: String,
    #[serde(rename = "hub.challenge", default)]
    pub challenge: String,
}

/// The text of the answer (200, nothing else in the body), or `None` for a 403. An empty token refuses everything.
pub fn handshake(query: &HandshakeQuery, verify_token: &str) -> Option<String> {
    let same = bool::from(query.verify_token.as_bytes().ct_eq(verify_token.as_bytes()));
    (query.mode == "subscribe" && !verify_token.is_empty() && same && !query.challenge.is_empty())
        .then(|| query.challenge.clone())
}
