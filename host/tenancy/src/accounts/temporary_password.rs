use base::secrets::{self, SealError};

/// A generated password. It is shown once and must be changed at the first login. `Debug` hides it.
pub struct TemporaryPassword(pub(super) String);

impl TemporaryPassword {
    pub(super) fn generate() -> Result<Self, SealError> {
        let bytes = secrets::random::<TEMPORARY_LENGTH>()?;
        let letter = |byte: &u8| ALPHABET.get(usize::from(byte & 31)).copied().map_or('x', char::from);
        Ok(Self(bytes.iter().map(letter).collect()))
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for TemporaryPassword {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TemporaryPassword")
    }
}

/// 32 unambiguous letters and digits, so that each is equally likely for a random byte.
pub(super) const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// 100 bits.
pub(super) const TEMPORARY_LENGTH: usize = 20;
