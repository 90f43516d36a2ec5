//! JSON of providers, which repeat the same bytes after a refusal. A lone surrogate, invalid UTF-8 and NUL become
//! U+FFFD; a number that fits no type is kept as digits; values below [`DEPTH_MAX`] become `null`. Only other text is
//! an error.

mod reader;

use serde_json::Value;

pub(crate) use reader::JsonReader;

/// Most levels of lists and objects. Callbacks have ten. Stored JSON has more of ours; its parser accepts 128.
pub const DEPTH_MAX: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JsonFault {
    #[error("an unexpected byte at position {0}")]
    Unexpected(usize),
    #[error("it ends before it is complete")]
    Incomplete,
    #[error("something follows after its end, at position {0}")]
    Trailing(usize),
}

pub fn read(raw: &[u8]) -> Result<Value, JsonFault> {
    let mut reader = JsonReader::new(raw);
    let value = reader.value()?;
    reader.end()?;
    Ok(value)
}

#[cfg(test)]
mod tests;
