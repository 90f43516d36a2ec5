//! Keys of sites, which visitors see, and secrets, which only the servers of a site know.

use std::fmt::Write;

use base::secrets::{SealError, random};

/// An unguessable key. With it, the widget can be shown on the origins of the site.
pub(super) fn new_key() -> Result<String, SealError> {
    Ok(format!("site_{}", hexadecimal(&random::<16>()?)))
}

pub(super) fn new_secret() -> Result<String, SealError> {
    Ok(hexadecimal(&random::<32>()?))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
