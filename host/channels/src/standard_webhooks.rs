//! Signatures of webhooks by Standard Webhooks 1.0 (STYLE 6.1, CONTRACT 7).

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::sandbox::KeyMode;
use hmac::{Hmac, Mac};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use sha2::Sha256;

/// Same on every attempt of one delivery.
pub const ID_HEADER: &str = "webhook-id";
/// Unix seconds of the attempt: new on each.
pub const TIMESTAMP_HEADER: &str = "webhook-timestamp";
pub const SIGNATURE_HEADER: &str = "webhook-signature";
/// `true` on webhooks about the messages of test keys, and absent on others.
pub const TEST_HEADER: &str = "webhook-test";

const SECRET_PREFIX: &str = "whsec_";

/// `id` is the same on every attempt of a delivery, `timestamp` is in Unix seconds.
pub fn signed_headers(secrets: &[&[u8]], id: &str, timestamp: i64, body: &[u8], mode: KeyMode) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(8);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(HeaderName::from_static(TIMESTAMP_HEADER), HeaderValue::from(timestamp));
    if mode.is_test() {
        headers.insert(HeaderName::from_static(TEST_HEADER), HeaderValue::from_static("true"));
    }
    for (name, value) in [(ID_HEADER, id.to_owned()), (SIGNATURE_HEADER, sign(secrets, id, timestamp, body))] {
        // Ids and base64 are valid header values.
        headers.extend(HeaderValue::try_from(value).ok().map(|value| (HeaderName::from_static(name), value)));
    }
    headers
}

/// One `v1,<base64>` for each secret, so that both are valid during a rotation. `timestamp` is that of [`TIMESTAMP_HEADER`].
pub fn sign(secrets: &[&[u8]], id: &str, timestamp: i64, body: &[u8]) -> String {
    let signatures = secrets.iter().filter_map(|secret| {
        // HMAC takes keys of any length, so this cannot fail.
        let mut mac = Hmac::<Sha256>::new_from_slice(secret).ok()?;
        mac.update(format!("{id}.{timestamp}.").as_bytes());
        mac.update(body);
        Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
    });
    signatures.collect::<Vec<_>>().join(" ")
}

pub fn encode_secret(secret: &[u8]) -> String {
    format!("{SECRET_PREFIX}{}", STANDARD.encode(secret))
}

pub fn decode_secret(text: &str) -> Result<Vec<u8>, SecretError> {
    let bare = text.strip_prefix(SECRET_PREFIX).unwrap_or(text);
    let secret = STANDARD.decode(bare).map_err(|_| SecretError::NotBase64)?;
    if (24..=64).contains(&secret.len()) { Ok(secret) } else { Err(SecretError::Length(secret.len())) }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    #[error("the secret is not base64; give it as whsec_ followed by base64")]
    NotBase64,
    /// Standard Webhooks allows 24 to 64 bytes.
    #[error("the secret has {0} bytes; give 24 to 64")]
    Length(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_vector_is_reproduced() {
        let secret = decode_secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let body = br#"{"test": 2432232314}"#;
        assert_eq!(
            sign(&[&secret], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
    }

    #[test]
    fn two_secrets_give_two_signatures_and_each_part_of_the_message_counts() {
        let (old, new) = ([1u8; 32], [2u8; 32]);
        let both = sign(&[&new, &old], "id", 1, b"body");
        assert_eq!(both, format!("{} {}", sign(&[&new], "id", 1, b"body"), sign(&[&old], "id", 1, b"body")));
        let one = sign(&[&old], "id", 1, b"body");
        assert_ne!(one, sign(&[&old], "ie", 1, b"body"));
        assert_ne!(one, sign(&[&old], "id", 2, b"body"));
        assert_ne!(one, sign(&[&old], "id", 1, b"bodz"));
    }

    #[test]
    fn a_secret_survives_its_text_form() {
        let secret = [7u8; 32];
        assert_eq!(decode_secret(&encode_secret(&secret)).unwrap(), secret);
        assert_eq!(decode_secret("whsec_!"), Err(SecretError::NotBase64));
        assert_eq!(decode_secret("whsec_AAAA"), Err(SecretError::Length(3)));
    }
}
