//! `X-Hub-Signature-256` (PROVIDERS A.7).

use hmac::{Hmac, Mac};
use sha2::Sha256;

const PREFIX: &str = "sha256=";

/// True if a header has the form of a signature. Other headers need no comparison.
pub fn is_signature(header: &str) -> bool {
    decoded(header).is_some()
}

fn decoded(header: &str) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
    hex::decode_to_slice(header.trim().strip_prefix(PREFIX)?, &mut digest).ok()?;
    Some(digest)
}

/// Compared in constant time. A missing or malformed header and an empty secret are refused.
pub fn verify_signature(app_secret: &str, raw: &[u8], header: Option<&str>) -> bool {
    let Some(digest) = header.and_then(decoded) else { return false };
    mac(app_secret, raw).is_some_and(|mac| mac.verify_slice(&digest).is_ok())
}

pub fn signature(app_secret: &str, raw: &[u8]) -> String {
    mac(app_secret, raw).map_or_else(String::new, |mac| format!("{PREFIX}{}", hex::encode(mac.finalize().into_bytes())))
}

fn mac(app_secret: &str, raw: &[u8]) -> Option<Hmac<Sha256>> {
    if app_secret.is_empty() {
        return None;
    }
    let mut mac = Hmac::<Sha256>::new_from_slice(app_secret.as_bytes()).ok()?;
    mac.update(raw);
    Some(mac)
}
