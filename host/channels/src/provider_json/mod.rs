//! JSON of providers: the only code that reads their bytes. Providers repeat the same bytes if a callback is refused,
//! so one invalid character must not lose the rest. A lone surrogate, invalid UTF-8 and NUL become U+FFFD; control
//! characters are allowed in strings; a number that fits no number type is kept as its digits; values nested more
//! deeply than [`DEPTH_MAX`] become `null`. Only JSON without an end, or text that is not JSON, is an error.

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

/// Reads the whole of `raw`, in time linear in its length.
pub fn read(raw: &[u8]) -> Result<Value, JsonFault> {
    let mut reader = JsonReader::new(raw);
    let value = reader.value()?;
    reader.end()?;
    Ok(value)
}

#[cfg(test)]
mod tests;
