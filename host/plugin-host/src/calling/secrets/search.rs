//! Finds secrets in a text or bytes in one pass: in plain, JSON-escaped and URL-encoded form, also in nested forms.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::escapes::{ESCAPES, UnescapedText};

/// Levels of unescaping. Two are enough for a URL in JSON and for JSON in JSON.
const LEVELS: u32 = 2;
/// Replaces a whole text that cannot be searched.
const WHOLE_TEXT: &str = "(secret)";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConfigSecret {
    pub(super) text: String,
    pub(super) placeholder: String,
}

pub(super) struct TextCut<'a> {
    pub(super) at: Range<usize>,
    pub(super) with: Cow<'a, str>,
}

/// The side at which a text was cut to a limit. There the text may have only a part of a secret, which is removed too.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Edges {
    Whole,
    EndCut,
    BeginningCut,
}

type Found<'a, 's> = dyn FnMut(Range<usize>, &'s str) + 'a;

/// The secrets of a configuration. Most calls leave nothing to search, so the automaton is built at its first use.
pub(super) struct SecretSearch {
    secrets: Vec<ConfigSecret>,
    machine: OnceLock<Option<AhoCorasick>>,
}

impl SecretSearch {
    /// If two secrets have the same text, the first counts.
    pub(super) fn new(mut secrets: Vec<ConfigSecret>) -> Self {
        // In a posted form, a space is a plus sign.
        let in_forms = secrets.iter().filter(|secret| secret.text.contains(' '));
        let in_forms = in_forms.map(|secret| ConfigSecret { text: secret.text.replace(' ', "+"), ..secret.clone() });
        secrets.extend(in_forms.collect::<Vec<_>>());
        // A placeholder stays unchanged, even if its name contains a secret, so a second pass gives the same text.
        let placeholders = secrets.iter().map(|ConfigSecret { placeholder, .. }| placeholder.clone());
        let placeholders = placeholders.map(|placeholder| ConfigSecret { text: placeholder.clone(), placeholder });
        secrets.extend(placeholders.collect::<Vec<_>>());
        let mut known = HashSet::new();
        secrets.retain(|secret| known.insert(secret.text.clone()));
        Self { secrets, machine: OnceLock::new() }
    }

    pub(super) fn leave_out(&self, text: &mut String, edges: Edges) {
        let cuts = self.cuts(text.as_bytes(), edges);
        if !cuts.is_empty() {
            *text = String::from_utf8_lossy(&replace(text.as_bytes(), &cuts)).into_owned();
        }
    }

    pub(super) fn leave_out_of_bytes(&self, bytes: &mut Vec<u8>) -> bool {
        let cuts = self.cuts(bytes, Edges::Whole);
        if cuts.is_empty() {
            return false;
        }
        *bytes = replace(bytes, &cuts);
        true
    }

    pub(super) fn cuts(&self, bytes: &[u8], edges: Edges) -> Vec<TextCut<'_>> {
        if bytes.is_empty() {
            return Vec::new();
        }
        let machine = self.machine.get_or_init(|| {
            let mut builder = AhoCorasick::builder();
            // The smallest automaton, because a secret may be as long as a configuration.
            builder.match_kind(MatchKind::LeftmostLongest).kind(Some(AhoCorasickKind::ContiguousNFA));
            builder.build(self.secrets.iter().map(|secret| &secret.text)).ok()
        });
        let Some(machine) = machine else {
            return vec![TextCut { at: 0..bytes.len(), with: Cow::Borrowed(WHOLE_TEXT) }];
        };
        let mut cuts = Vec::new();
        self.look(machine, edges, bytes, LEVELS, &mut |at, with| cuts.push(TextCut { at, with: Cow::Borrowed(with) }));
        in_order(cuts)
    }

    fn real(&self) -> impl Iterator<Item = &str> {
        self.secrets.iter().filter(|secret| secret.text != secret.placeholder).map(|secret| secret.text.as_str())
    }

    /// Searches the bytes as they are, then their unescaped forms.
    fn look<'s>(&'s self, machine: &AhoCorasick, edges: Edges, bytes: &[u8], levels: u32, found: &mut Found<'_, 's>) {
        for place in machine.find_iter(bytes) {
            // Existing placeholders are skipped.
            if let Some(secret) = self.secrets.get(place.pattern().as_usize())
                && secret.text != secret.placeholder
            {
                found(place.range(), &secret.placeholder);
            }
        }
        if edges == Edges::EndCut {
            let begun = self.real().map(|secret| suffix_overlap(bytes, secret.as_bytes())).max().unwrap_or(0);
            if begun > 0 {
                found(bytes.len() - begun..bytes.len(), "");
            }
        }
        if edges == Edges::BeginningCut {
            let ended = self.real().map(|secret| prefix_overlap(bytes, secret.as_bytes())).max().unwrap_or(0);
            if ended > 0 {
                found(0..ended, "");
            }
        }
        if levels == 0 {
            return;
        }
        for escape in ESCAPES {
            if let Some(said) = UnescapedText::of(bytes, escape, edges == Edges::EndCut) {
                self.look(machine, edges, &said.bytes, levels - 1, &mut |at, with| found(said.origin(at), with));
            }
        }
    }
}

pub(super) fn in_order(mut cuts: Vec<TextCut<'_>>) -> Vec<TextCut<'_>> {
    cuts.sort_by_key(|cut| (cut.at.start, Reverse(cut.at.end)));
    let mut kept: Vec<TextCut<'_>> = Vec::with_capacity(cuts.len());
    for cut in cuts {
        match kept.last_mut() {
            Some(last) if cut.at.start < last.at.end => last.at.end = last.at.end.max(cut.at.end),
            _ => kept.push(cut),
        }
    }
    kept
}

pub(super) fn replace(bytes: &[u8], cuts: &[TextCut<'_>]) -> Vec<u8> {
    let (mut left, mut from) = (Vec::with_capacity(bytes.len()), 0);
    for cut in cuts {
        left.extend_from_slice(bytes.get(from..cut.at.start).unwrap_or_default());
        left.extend_from_slice(cut.with.as_bytes());
        from = cut.at.end;
    }
    left.extend_from_slice(bytes.get(from..).unwrap_or_default());
    left
}

/// Length of the longest suffix of a text that is a proper prefix of another (Knuth, Morris and Pratt).
fn suffix_overlap(text: &[u8], other: &[u8]) -> usize {
    let from = text.len().saturating_sub(other.len().saturating_sub(1));
    let end = text.get(from..).unwrap_or_default();
    let between = std::iter::once(None);
    let joined: Vec<Option<u8>> =
        other.iter().map(|byte| Some(*byte)).chain(between).chain(end.iter().map(|byte| Some(*byte))).collect();
    let (mut lengths, mut length) = (vec![0], 0);
    for byte in joined.iter().skip(1) {
        while length > 0 && joined.get(length) != Some(byte) {
            length = lengths.get(length - 1).copied().unwrap_or(0);
        }
        length += usize::from(joined.get(length) == Some(byte));
        lengths.push(length);
    }
    length
}

/// Length of the longest prefix of a text that is a proper suffix of another.
fn prefix_overlap(text: &[u8], other: &[u8]) -> usize {
    let start = text.get(..text.len().min(other.len())).unwrap_or_default();
    let backwards = |bytes: &[u8]| bytes.iter().rev().copied().collect::<Vec<u8>>();
    suffix_overlap(&backwards(start), &backwards(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The search for secrets, each with its placeholder.
    fn search_for(secrets: &[(&str, &str)]) -> SecretSearch {
        let secret = |(text, placeholder): &(&str, &str)| ConfigSecret {
            text: (*text).into(),
            placeholder: (*placeholder).into(),
        };
        SecretSearch::new(secrets.iter().map(secret).collect())
    }

    fn without_secrets(search: &SecretSearch, text: &str, edges: Edges) -> String {
        let mut text = text.to_owned();
        search.leave_out(&mut text, edges);
        text
    }

    #[test]
    fn a_secret_is_found_in_every_spelling() {
        let search = search_for(&[("key/a \"b\"~(é)", "*")]);
        for written in [
            "key/a \"b\"~(é)",
            r#"key/a \"b\"~(é)"#,
            r#"key\/a \"b\"~(\u00e9)"#,
            "key%2Fa+%22b%22%7E%28%C3%A9%29",
            "key%2fa%20%22b%22%7e%28%c3%a9%29",
            "key/a%20%22b%22~%28%C3%A9%29",
            "key%2Fa%20%22b%22~(%C3%A9)",
            r#"key/a \\\"b\\\"~(é)"#,
            r"key%2Fa%20%5C%22b%5C%22~(%C3%A9)",
        ] {
            assert_eq!(without_secrets(&search, &format!("<{written}>"), Edges::Whole), "<*>", "{written}");
        }
        assert_eq!(without_secrets(&search, "key/a 'b'~(é) 100% \\o/", Edges::Whole), "key/a 'b'~(é) 100% \\o/");
    }

    #[test]
    fn the_placeholder_of_a_secret_is_not_searched_again() {
        let name = "abcd".repeat(7_000);
        let search = search_for(&[("abcd", &format!("({name})")), ("(abcd", "-")]);
        assert_eq!(without_secrets(&search, "abcd.abcd", Edges::Whole).len(), 2 * (name.len() + 2) + 1);
        assert_eq!(without_secrets(&search, "(abcd", Edges::Whole), "-", "the longest secret counts");
        let once = without_secrets(&search, "an abcd", Edges::Whole);
        assert_eq!(without_secrets(&search, &once, Edges::Whole), once, "a second pass changes nothing");
    }

    #[test]
    fn a_nested_or_adjacent_secret_leaves_no_part_of_either() {
        let search = search_for(&[("user", "1"), ("user:pass", "2"), ("pass", "3")]);
        assert_eq!(without_secrets(&search, "user:pass userpass user", Edges::Whole), "2 13 1");
        let twice = search_for(&[("same", "first"), ("same", "second")]);
        assert_eq!(without_secrets(&twice, "same", Edges::Whole), "first");
    }

    #[test]
    fn bytes_that_are_no_text_are_searched_too() {
        let mut bytes = b"\xff\xfe secret \xff".to_vec();
        assert!(search_for(&[("secret", "*")]).leave_out_of_bytes(&mut bytes));
        assert_eq!(bytes, b"\xff\xfe * \xff");
        assert!(!search_for(&[("secret", "*")]).leave_out_of_bytes(&mut bytes));
    }

    #[test]
    fn a_text_that_was_cut_does_not_end_with_the_beginning_of_a_secret() {
        let search = search_for(&[("key \"one\" of two", "*")]);
        for (text, left) in [
            ("the key \"one\" of tw", "the "),
            ("the key \"one\" of two", "the *"),
            (r#"the key \"one\" o"#, "the "),
            (r#"the key \"one\"#, "the "),
            ("the key%20%22one%2", "the "),
            ("the key +", "the key +"),
            ("the end", "the end"),
        ] {
            assert_eq!(without_secrets(&search, text, Edges::EndCut), left, "{text}");
        }
        assert_eq!(without_secrets(&search, "the key \"one", Edges::Whole), "the key \"one");
    }

    #[test]
    fn a_text_that_was_cut_does_not_begin_with_the_end_of_a_secret() {
        let search = search_for(&[("key \"one\"\nof two", "*")]);
        for (text, left) in [
            ("of two and so on", " and so on"),
            ("one\"\nof two", ""),
            ("key \"one\"\nof two.", "*."),
            (r#"one\"\nof two."#, "."),
            ("e%22%0Aof two.", "."),
            ("the end", "the end"),
        ] {
            assert_eq!(without_secrets(&search, text, Edges::BeginningCut), left, "{text}");
        }
        assert_eq!(without_secrets(&search, "of two", Edges::Whole), "of two");
    }

    #[test]
    fn the_end_of_a_text_is_found_at_the_beginning_of_another() {
        assert_eq!(prefix_overlap(b"babxx", b"abab"), 3);
        assert_eq!(prefix_overlap(b"abab", b"abab"), 2, "the whole text is no proper end");
        assert_eq!(prefix_overlap(b"", b"ab"), 0);
    }

    #[test]
    fn the_beginning_of_a_text_is_found_at_the_end_of_another() {
        assert_eq!(suffix_overlap(b"xxabab", b"ababc"), 4);
        assert_eq!(suffix_overlap(b"ababc", b"ababc"), 0, "the whole text is no proper beginning");
        assert_eq!(suffix_overlap(b"aaaaaaa", b"aaab"), 3);
        assert_eq!(suffix_overlap(b"", b"ab"), 0);
    }
}
