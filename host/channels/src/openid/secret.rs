use std::fmt;

use sha2::{Digest, Sha256};

const BYTES: usize = 32;

/// The secret that binds a login to the browser that began it: 64 hexadecimal digits, which the browser presents at the
/// end. The secret of PKCE and the nonce are made from it, so the server stores neither. `Debug` hides it.
#[derive(Clone)]
pub struct OpenidSecret(String);

impl fmt::Debug for OpenidSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OpenidSecret")
    }
}

impl OpenidSecret {
    pub fn new(random: [u8; BYTES]) -> Self {
        Self(hex::encode(random))
    }

    /// Reads the form of [`expose`](Self::expose).
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        (text.len() == 2 * BYTES && digits).then(|| Self(text.to_owned()))
    }

    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Tells the secret again without revealing it.
    pub fn hash(&self) -> String {
        self.derive("browser")
    }

    pub(super) fn pkce(&self) -> String {
        self.derive("pkce")
    }

    pub(super) fn nonce(&self) -> String {
        self.derive("nonce")
    }

    fn derive(&self, purpose: &str) -> String {
        hex::encode(Sha256::new().chain_update(purpose).chain_update([0]).chain_update(&self.0).finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_64_hexadecimal_digits_in_lower_case_are_a_secret() {
        let secret = OpenidSecret::new([0xab; 32]);
        assert!(OpenidSecret::parse(secret.expose()).is_some());
        for wrong in [String::new(), "ab".repeat(31), "ab".repeat(33), "AB".repeat(32), "xy".repeat(32)] {
            assert!(OpenidSecret::parse(&wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn its_three_uses_share_no_value() {
        let secret = OpenidSecret::new([7; 32]);
        let uses = [secret.hash(), secret.pkce(), secret.nonce(), secret.expose().to_owned()];
        for (at, one) in uses.iter().enumerate() {
            assert!(uses.iter().skip(at + 1).all(|other| other != one));
        }
    }
}
