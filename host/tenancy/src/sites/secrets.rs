//! Keys of sites, which every visitor sees, and secrets, which only their servers know.

use std::fmt::Write;

use base::secrets::{SealError, random};

/// A key that nobody guesses: who knows it can show the widget, on the origins of the site.
pub(super) fn new_key() -> Result<String, SealError> {
    Ok(format!("site_{}", hexadecimal(&random::<16>()?)))
}

/// A secret of 256 bits.
pub(super) fn new_secret() -> Result<String, SealError> {
    Ok(hexadecimal(&random::<32>()?))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a text does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
