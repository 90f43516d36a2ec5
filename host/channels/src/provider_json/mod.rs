//! JSON of providers: the one place where their bytes become values. Providers repeat the same bytes when a callback is refused, so
//! one character that no text can hold must not lose the rest of it.
//!
//! Read as far as it can be: a lone surrogate, invalid UTF-8 and NUL become U+FFFD; control characters may stand in strings; a number
//! that fits no number of ours is kept as its digits; what is nested more deeply than [`DEPTH_MAX`] becomes `null`. An error is only
//! what has no end, or is no JSON at all.

mod reader;

use serde_json::Value;

pub(crate) use reader::Reader;

/// Levels of lists and objects at most. Callbacks have ten. What is stored stands in some levels of ours, and is read again by
/// a parser that takes 128.
pub const DEPTH_MAX: usize = 64;

/// Bytes that are no JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotJson {
    /// Something else stands where JSON has to go on.
    #[error("an unexpected byte at position {0}")]
    Unexpected(usize),
    /// It ends too early.
    #[error("it ends before it is complete")]
    Incomplete,
    /// Something follows after the end.
    #[error("something follows after its end, at position {0}")]
    Trailing(usize),
}

/// Reads the whole of `raw`, in time that grows with its length and no faster.
pub fn read(raw: &[u8]) -> Result<Value, NotJson> {
    let mut reader = Reader::new(raw);
    let value = reader.value()?;
    reader.end()?;
    Ok(value)
}

#[cfg(test)]
mod tests;
