//! Finding parts of names and numbers in any case and any script, whatever the locale of the database: texts are folded here,
//! and what is looked up are hashes of their parts.

use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;

use crate::ids::ClientId;

/// Longest part that is looked up, in characters. Longer searches name all of their parts of this length.
const PART: usize = 3;

/// A text as it is compared: composed, small letters in every script, one space between words, none around them.
pub fn fold(text: &str) -> String {
    // Up and down again: `ß` and `SS`, `ς` and `σ` are the same then.
    let small = text.nfkc().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfkc().collect::<String>();
    small.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a text is of: parts of names are not found among those of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// A name, folded.
    Name,
    /// A phone number in digits.
    Number,
}

/// Everything that a search of a text may look up. The client is part of each hash, so nobody finds what is another one's.
pub fn parts(client: ClientId, of: Of, text: &str) -> Vec<i64> {
    let letters: Vec<char> = text.chars().collect();
    let mut parts: Vec<i64> = (1..=PART)
        .flat_map(|length| letters.windows(length).map(|part| hash(client, of, part)).collect::<Vec<_>>())
        .collect();
    parts.sort_unstable();
    parts.dedup();
    parts
}

/// What a text must have all of to contain `searched`. Empty for an empty search.
pub fn wanted(client: ClientId, of: Of, searched: &str) -> Vec<i64> {
    let letters: Vec<char> = searched.chars().collect();
    let length = letters.len().min(PART);
    if length == 0 {
        return Vec::new();
    }
    let mut wanted: Vec<i64> = letters.windows(length).map(|part| hash(client, of, part)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    wanted
}

fn hash(client: ClientId, of: Of, part: &[char]) -> i64 {
    let mut digest = Sha256::new();
    digest.update(client.0.as_bytes());
    digest.update(match of {
        Of::Name => b"a",
        Of::Number => b"0",
    });
    part.iter().for_each(|letter| digest.update(u32::from(*letter).to_be_bytes()));
    digest.finalize().iter().take(8).fold(0, |hash: i64, byte| hash.wrapping_shl(8) | i64::from(*byte))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const ONE: ClientId = ClientId(Uuid::from_u128(1));
    const OTHER: ClientId = ClientId(Uuid::from_u128(2));

    fn found(text: &str, searched: &str) -> bool {
        let parts = parts(ONE, Of::Name, &fold(text));
        wanted(ONE, Of::Name, &fold(searched)).iter().all(|part| parts.binary_search(part).is_ok())
    }

    #[test]
    fn case_and_composition_do_not_matter_in_any_script() {
        for (one, other) in [
            ("Thandi  MOKOENA ", "thandi mokoena"),
            ("Straße", "STRASSE"),
            ("ΟΔΥΣΣΕΥΣ", "οδυσσευς"),
            ("Юлия", "юЛИЯ"),
            ("e\u{301}lodie", "Élodie"),
            ("ｆｕｌｌ", "full"),
        ] {
            assert_eq!(fold(one), fold(other));
        }
    }

    #[test]
    fn every_part_of_a_name_is_found_from_one_letter_on() {
        for searched in ["t", "ha", "Tha", "DI MO", "thandi mokoena", "नेहा"] {
            assert!(found("Thandi Mokoena नेहा", searched), "{searched}");
        }
        for searched in ["x", "ht", "thandii", "moka"] {
            assert!(!found("Thandi Mokoena", searched), "{searched}");
        }
    }

    #[test]
    fn parts_belong_to_a_client_and_to_what_they_are_of() {
        assert_ne!(parts(ONE, Of::Name, "123"), parts(OTHER, Of::Name, "123"));
        assert_ne!(parts(ONE, Of::Name, "123"), parts(ONE, Of::Number, "123"));
        assert!(wanted(ONE, Of::Name, "").is_empty());
    }
}
