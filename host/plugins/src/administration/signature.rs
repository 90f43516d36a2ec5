//! Signatures of minisign: reading keys, and checking a signature over a component (ADR 0070).

use std::ops::Range;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::plugin_origin::VersionSignature;
use minisign_verify::{Error, PublicKey, Signature};
use sha2::{Digest, Sha256};
use storage::plugins::signing_keys::SigningKey;

/// Maximum size in bytes of a signature file or a public key file. Both have comments of one line.
const MOST_BYTES: usize = 4 * 1024;
/// Bytes of a public key: the algorithm, the id, the key of Ed25519.
const KEY_BYTES: usize = 42;
/// The place of the key id in a key and in a signature, in little-endian order.
const ID: Range<usize> = 2..10;
const COMMENT: &str = "untrusted comment:";

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum SignatureFault {
    #[error("is not a signature of minisign: send the whole file that `minisign -S` writes")]
    Unreadable,
    #[error(
        "has the older format of minisign, which signs the file itself, not its hash: sign the component with minisign 0.10 \
         or newer"
    )]
    OlderFormat,
    #[error(
        "was made with the key {id}, but {}: add its public key, or sign with a key of the client",
        describe_known_keys(known)
    )]
    UnknownKey {
        id: String,
        /// The keys of the client, each by name and id.
        known: Vec<String>,
    },
    #[error("does not match the component: sign exactly the bytes that you upload")]
    Mismatch,
}

fn describe_known_keys(known: &[String]) -> String {
    match known {
        [] => "the client has no keys".to_owned(),
        known => format!("the client has {}", known.join(", ")),
    }
}

/// Checks a signature over all bytes of a component with the keys of the client.
pub(super) fn verify(bytes: &[u8], text: &str, keys: &[SigningKey]) -> Result<VersionSignature, SignatureFault> {
    let text = normalized_text(text).ok_or(SignatureFault::Unreadable)?;
    let signature = Signature::decode(&text).map_err(|_| SignatureFault::Unreadable)?;
    for key in keys {
        let Ok(public) = PublicKey::from_base64(&key.public_key) else { continue };
        match public.verify(bytes, &signature, false) {
            Ok(()) => {
                let (key, fingerprint) = (key.name.clone(), key.fingerprint.clone());
                return Ok(VersionSignature { text, key, fingerprint });
            }
            Err(Error::UnexpectedKeyId) => {}
            Err(Error::UnexpectedAlgorithm) => return Err(SignatureFault::OlderFormat),
            Err(_) => return Err(SignatureFault::Mismatch),
        }
    }
    let id = second_line(&text).and_then(key_id).ok_or(SignatureFault::Unreadable)?;
    let known = keys.iter().map(|key| format!("`{}` ({})", key.name, key_id(&key.public_key).unwrap_or_default()));
    Err(SignatureFault::UnknownKey { id, known: known.collect() })
}

/// The text with the line ends of minisign; `None` if it cannot be a file of minisign.
fn normalized_text(text: &str) -> Option<String> {
    let is_text = |letter: char| !letter.is_control() || matches!(letter, '\n' | '\r' | '\t');
    let fits = text.len() <= MOST_BYTES && text.chars().all(is_text);
    fits.then(|| text.trim().lines().map(|line| line.to_owned() + "\n").collect())
}

fn second_line(text: &str) -> Option<&str> {
    text.lines().nth(1)
}

/// The id of a key as minisign shows it, from the line of a public key or a signature.
pub fn key_id(line: &str) -> Option<String> {
    let bytes = STANDARD.decode(line.trim()).ok()?;
    let id: [u8; 8] = bytes.get(ID)?.try_into().ok()?;
    Some(format!("{:016X}", u64::from_le_bytes(id)))
}

/// The key id and the trusted comment of a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureFacts {
    pub key_id: String,
    /// The comment that the signature covers.
    pub comment: String,
}

impl SignatureFacts {
    pub fn of(signature: &VersionSignature) -> Option<Self> {
        let read = Signature::decode(&signature.text).ok()?;
        let key_id = key_id(second_line(&signature.text)?)?;
        Some(Self { key_id, comment: read.trusted_comment().to_owned() })
    }
}

/// Reads a public key: the file of minisign, or only its second line. Returns the line and the fingerprint.
pub(super) fn read_key(text: &str) -> Option<(String, String)> {
    let text = normalized_text(text)?;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(COMMENT))?;
    PublicKey::from_base64(line).ok()?;
    let bytes = STANDARD.decode(line).ok().filter(|bytes| bytes.len() == KEY_BYTES)?;
    Some((line.to_owned(), hex::encode(Sha256::digest(&bytes))))
}
