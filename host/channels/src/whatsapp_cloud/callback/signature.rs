//! `X-Hub-Signature-256` (PROVIDERS A.7).

use hmac::{Hmac, Mac};
use sha2::Sha256;

const PREFIX: &str = "sha256=";

/// Whether `header` is the signature of exactly these bytes. Compared in constant time; a missing or malformed header and an
/// empty secret are refused.
pub fn verify_signature(app_secret: &str, raw: &[u8], header: Option<&str>) -> bool {
    let Some(given) = header.and_then(|header| header.trim().strip_prefix(PREFIX)) else {
        return false;
    };
    let (Ok(given), Some(mac)) = (hex::decode(given), mac(app_secret, raw)) else {
        return false;
    };
    mac.verify_slice(&given).is_ok()
}

/// The header value that Meta would send for these bytes; empty when the secret is.
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
