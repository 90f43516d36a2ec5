//! The simulator's own clock and randomness, independent of the host.
#![expect(clippy::disallowed_methods, reason = "a simulated outside world keeps its own time and throws its own dice")]

use chrono::{DateTime, Utc};

pub(crate) fn now() -> DateTime<Utc> {
    Utc::now()
}

pub(crate) fn seconds_as_text() -> String {
    now().timestamp().to_string()
}

/// Random bytes for ids and signing keys.
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    for byte in &mut bytes {
        *byte = rand::random();
    }
    bytes
}
