//! Parts of files that a plugin may ask for.

use serde::{Deserialize, Serialize};

use crate::replaying::base64_bytes;

/// Bytes of files that one call may read, so that a recording of the call stays small.
pub(crate) const CALL_BYTES: u32 = 8 << 20;

/// A part of the file of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FilePart {
    /// The id of the message, as the plugin gave it.
    pub message: String,
    pub offset: u64,
    /// Most bytes, at least one.
    pub most: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileAnswer {
    /// The bytes of the part, or its beginning. Empty at the end of the file.
    Bytes(#[serde(with = "base64_bytes")] Vec<u8>),
    /// No message of the customer in this conversation has this file.
    NotFound,
    /// The file has not arrived yet, or its store does not answer.
    Unavailable,
}

impl FilePart {
    /// The bytes of this part that another read of the same file returned.
    pub(crate) fn within(&self, other: &Self, bytes: &[u8]) -> Option<Vec<u8>> {
        if self.message != other.message {
            return None;
        }
        let from = usize::try_from(self.offset.checked_sub(other.offset)?).ok()?;
        let most = usize::try_from(self.most).unwrap_or(usize::MAX);
        let found: Vec<u8> = bytes.get(from..)?.iter().take(most).copied().collect();
        // Behind a full part the file may continue, behind a shorter one it does not.
        let is_end = bytes.len() < usize::try_from(other.most).unwrap_or(usize::MAX);
        (!found.is_empty() || is_end).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(offset: u64, most: u32) -> FilePart {
        FilePart { message: "m".to_owned(), offset, most }
    }

    #[test]
    fn a_part_lies_within_another_read_of_the_same_file() {
        let read = part(10, 4);
        assert_eq!(part(10, 4).within(&read, b"abcd"), Some(b"abcd".to_vec()));
        assert_eq!(part(11, 2).within(&read, b"abcd"), Some(b"bc".to_vec()));
        assert_eq!(part(13, 9).within(&read, b"abcd"), Some(b"d".to_vec()), "fewer bytes are possible");
        for outside in [part(9, 4), part(14, 1), FilePart { message: "other".to_owned(), ..read.clone() }] {
            assert_eq!(outside.within(&read, b"abcd"), None, "{outside:?}");
        }
    }

    #[test]
    fn the_end_of_a_file_is_the_end_for_every_size_of_a_part() {
        assert_eq!(part(14, 9).within(&part(14, 4), b""), Some(vec![]));
        assert_eq!(part(15, 9).within(&part(14, 4), b""), None);
        assert_eq!(part(14, 1).within(&part(10, 5), b"abcd"), Some(vec![]), "a part that is not full is the last");
    }
}
