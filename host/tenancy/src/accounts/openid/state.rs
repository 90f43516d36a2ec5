//! The state of a login between its beginning and its end. It travels through the provider and back as a sealed text,
//! so any node can end the login, and a stranger who begins a million logins fills no table.

use base::{
    audit::Administration,
    secrets::{SealError, SecretPurpose},
};
use channels::openid::OpenidSecret;
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::ClientId;
use sha2::{Digest, Sha256};
use uuid::Uuid;

pub(super) const LIFETIME: TimeDelta = TimeDelta::minutes(10);
/// Longest state that is read, in bytes.
const MOST_BYTES: usize = 2_048;
/// A state is sealed for no client, because the client is looked up only at the end of the login.
const NO_CLIENT: ClientId = ClientId(Uuid::nil());

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LoginState {
    pub client_ref: String,
    pub expires_at: DateTime<Utc>,
    /// Hash of the secret that only the browser that began the login has.
    pub browser: String,
}

impl LoginState {
    /// Returns the text for the provider.
    pub fn seal(&self, admin: &Administration<'_>) -> Result<String, SealError> {
        let plain = format!("{}\n{}\n{}", self.expires_at.timestamp(), self.browser, self.client_ref);
        Ok(hex::encode(admin.sealer.seal(NO_CLIENT, SecretPurpose::OpenidState, plain.as_bytes())?))
    }

    /// Opens the text that came back from the provider. Returns the state, and the hash by which it is used only once.
    /// `None`: the text is not ours, is too old, or belongs to another browser.
    pub fn open(admin: &Administration<'_>, text: &str, secret: &OpenidSecret) -> Option<(Self, Vec<u8>)> {
        if text.len() > MOST_BYTES {
            return None;
        }
        let sealed = hex::decode(text).ok()?;
        let plain = admin.sealer.open_text(NO_CLIENT, SecretPurpose::OpenidState, &sealed).ok()?;
        let mut parts = plain.splitn(3, '\n');
        let expires_at = DateTime::from_timestamp(parts.next()?.parse().ok()?, 0)?;
        let state = Self { expires_at, browser: parts.next()?.to_owned(), client_ref: parts.next()?.to_owned() };
        // A hash of the bytes and not of the text, because hexadecimal digits of either case are the same bytes.
        let hash = Sha256::digest(&sealed).to_vec();
        (state.browser == secret.hash() && state.expires_at > admin.now()).then_some((state, hash))
    }
}
