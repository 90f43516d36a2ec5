//! Ids of messages: Meta's `mid`, with a position added for the files after the first. If Meta gives none, an id is made.

use sha2::{Digest, Sha256};

/// Separates a `mid` and a position. No `mid` contains it.
const PLACE: char = '#';
/// Separates kind and values in a made id. No `mid` contains it.
const MADE: char = ':';

pub(super) fn at_place(mid: &str, place: usize) -> String {
    if place == 0 { mid.to_owned() } else { format!("{mid}{PLACE}{}", place + 1) }
}

/// An id for an event without an id of Meta's: the same for each repetition.
pub(super) fn event_id(kind: &str, psid: &str, moment: i64, what: &str) -> String {
    let digest = hex::encode(Sha256::digest(format!("{psid}:{moment}:{what}")));
    format!("{kind}{MADE}{digest}")
}

pub(super) fn mid(id: &str) -> Option<&str> {
    let mid = id.split(PLACE).next().unwrap_or(id);
    (!mid.contains(MADE)).then_some(mid)
}

/// Meta's message ids have some hundred characters; a longer text is not an id.
pub(super) const ID_MAX_BYTES: usize = 512;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meta_knows_every_file_of_a_message_by_the_id_of_the_message() {
        let ids = [0, 1, 2].map(|place| at_place("m_1", place));
        assert_eq!(ids, ["m_1", "m_1#2", "m_1#3"]);
        assert!(ids.iter().all(|id| mid(id) == Some("m_1")));
    }

    #[test]
    fn meta_does_not_know_our_own_ids() {
        assert_eq!(mid(&event_id("reaction", "24071234567", 1_790_000_000_123, "m_1:👍")), None);
    }
}
