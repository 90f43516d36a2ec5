//! Finds parts of names and numbers in any case and script. Texts are folded here; the database compares hashes.

use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;

use crate::{ids::ClientId, invisible_characters::is_ignorable, numbering, phone};

/// Longest part that is hashed, in characters. A longer search uses all its parts of this length.
const PART: usize = 3;

/// The form in which texts are compared: without accents and invisible characters, composed, in lower case. The
/// function `folded` of the database (`migrations/0001_clients.sql`) does the same.
pub fn fold(text: &str) -> String {
    let plain = text.nfkd().filter(|one| !is_accent(*one) && !is_ignorable(*one));
    // Upper case, then lower case: this makes `ß` equal to `SS`, `ς` to `σ` and `ı` to `i`.
    let small = plain.flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    let composed = small.flat_map(without_stroke).nfkc().collect::<String>();
    composed.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Marks of Latin, Greek and Cyrillic letters, and optional points of Hebrew and Arabic. Other vowel signs stay.
fn is_accent(one: char) -> bool {
    matches!(one,
        '\u{0300}'..='\u{036F}' | '\u{0591}'..='\u{05BD}' | '\u{05BF}' | '\u{05C1}'..='\u{05C2}'
        | '\u{05C4}'..='\u{05C5}' | '\u{05C7}' | '\u{0610}'..='\u{061A}' | '\u{0640}' | '\u{064B}'..='\u{065F}'
        | '\u{0670}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}'
        | '\u{FE20}'..='\u{FE2F}')
}

/// Letters that Unicode does not decompose but that people type without the stroke.
fn without_stroke(one: char) -> impl Iterator<Item = char> {
    let (first, second) = match one {
        'ø' => ('o', None),
        'ł' => ('l', None),
        'đ' | 'ð' => ('d', None),
        'ħ' => ('h', None),
        'ŧ' => ('t', None),
        'ı' => ('i', None),
        'æ' => ('a', Some('e')),
        'œ' => ('o', Some('e')),
        'þ' => ('t', Some('h')),
        other => (other, None),
    };
    std::iter::once(first).chain(second)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchText {
    /// Part of a name or an id: folded and never empty.
    pub words: String,
    /// Part of a phone number in digits, if the text looks like one ([`phone::as_searched`]).
    pub digits: Option<String>,
}

impl SearchText {
    /// `None` if the text is empty, so everything matches.
    pub fn parse(text: &str) -> Option<Self> {
        let words = fold(text);
        (!words.is_empty()).then(|| Self { digits: phone::as_searched(text), words })
    }

    pub fn digits_or_words(&self) -> &str {
        self.digits.as_deref().unwrap_or(&self.words)
    }

    /// The digits and the other spelling of the number ([`numbering`]). Empty if the text is not a number.
    pub fn spellings(&self) -> Vec<String> {
        self.digits.as_deref().map(numbering::spellings).unwrap_or_default()
    }
}

/// The kind of a text. Parts of names never match parts of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchKind {
    Name,
    Number,
}

/// The hashes of all parts of a text. The client is part of each hash: a search never finds data of another client.
pub fn parts(client: ClientId, of: SearchKind, text: &str) -> Vec<i64> {
    let letters: Vec<char> = text.chars().collect();
    let mut parts: Vec<i64> = (1..=PART)
        .flat_map(|length| letters.windows(length).map(|part| hash(client, of, part)).collect::<Vec<_>>())
        .collect();
    parts.sort_unstable();
    parts.dedup();
    parts
}

/// The hashes that a text must all have to contain `searched`. Empty for an empty search.
pub fn search_hashes(client: ClientId, of: SearchKind, searched: &str) -> Vec<i64> {
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

fn hash(client: ClientId, of: SearchKind, part: &[char]) -> i64 {
    let mut digest = Sha256::new();
    digest.update(client.0.as_bytes());
    digest.update(match of {
        SearchKind::Name => b"a",
        SearchKind::Number => b"0",
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
        let parts = parts(ONE, SearchKind::Name, &fold(text));
        search_hashes(ONE, SearchKind::Name, &fold(searched)).iter().all(|part| parts.binary_search(part).is_ok())
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
            ("ALVARO", "Álvaro"),
            ("İpek", "ipek"),
            ("IŞIK", "ışık"),
            ("jose ramirez", "José Ramírez"),
            ("Nguyễn Thị Đào", "nguyen thi dao"),
            ("Søren Ærø", "soren aero"),
            ("Łukasz", "lukasz"),
            ("Ёлкин", "елкин"),
            ("Άννα", "αννα"),
            ("مُحَمَّد", "محمد"),
            ("th\u{200B}an\u{FEFF}di", "Thandi"),
            ("한글", "한글"),
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
    fn letters_that_differ_by_more_than_an_accent_stay_apart() {
        for (one, other) in [("नेहा", "नह"), ("ばら", "はら"), ("garcia", "garza"), ("ö", "oe")] {
            assert_ne!(fold(one), fold(other));
        }
    }

    #[test]
    fn folding_twice_changes_nothing() {
        for text in ["İpek Straße", "ŒUVRE", "한글 ばら", "Ἀλέξανδρος", "ﬁne  ﷺ"] {
            assert_eq!(fold(&fold(text)), fold(text), "{text}");
        }
    }

    #[test]
    fn a_search_is_words_and_a_number_where_it_is_written_like_one() {
        let sought = SearchText::parse(" (083) 000-0001 ").unwrap();
        assert_eq!((sought.words.as_str(), sought.digits.as_deref()), ("(083) 000-0001", Some("830000001")));
        assert_eq!(sought.digits_or_words(), "830000001");
        let sought = SearchText::parse("ÁLVARO").unwrap();
        assert_eq!((sought.digits_or_words(), sought.spellings()), ("alvaro", vec![]));
        assert_eq!(SearchText::parse("+55 11 98765-4321").unwrap().spellings(), ["5511987654321", "551187654321"]);
        for nothing in ["", "  ", "\u{200B}", "\u{3164}\u{202E}"] {
            assert_eq!(SearchText::parse(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn parts_belong_to_a_client_and_to_their_kind() {
        assert_ne!(parts(ONE, SearchKind::Name, "123"), parts(OTHER, SearchKind::Name, "123"));
        assert_ne!(parts(ONE, SearchKind::Name, "123"), parts(ONE, SearchKind::Number, "123"));
        assert!(search_hashes(ONE, SearchKind::Name, "").is_empty());
    }
}
