//! Unescapes JSON and URL escapes in a text, and maps positions back to the original text.

use std::ops::Range;

#[derive(Clone, Copy)]
pub(super) enum Escape {
    Json,
    Percent,
}

pub(super) const ESCAPES: [Escape; 2] = [Escape::Json, Escape::Percent];

pub(super) struct UnescapedText {
    pub(super) bytes: Vec<u8>,
    /// The end of each escape: in the unescaped bytes, and in the original text.
    ends: Vec<(usize, usize)>,
}

impl UnescapedText {
    /// `None` if the text has no escape. If the text was cut, an incomplete escape stands for nothing.
    pub(super) fn of(text: &[u8], escape: Escape, was_cut: bool) -> Option<Self> {
        let sign = match escape {
            Escape::Json => b'\\',
            Escape::Percent => b'%',
        };
        if !text.contains(&sign) {
            return None;
        }
        let (mut bytes, mut ends, mut rest) = (Vec::new(), Vec::new(), text);
        while let Some((plain, escaped)) = rest.iter().position(|byte| *byte == sign).map(|at| rest.split_at(at)) {
            bytes.extend_from_slice(plain);
            let read = match escape {
                Escape::Json => json(escaped, &mut bytes),
                Escape::Percent => percent(escaped, &mut bytes),
            };
            let taken = match read {
                Some(taken) => taken,
                None if was_cut && is_incomplete(escaped, escape) => escaped.len(),
                None => {
                    bytes.push(sign);
                    1
                }
            };
            rest = escaped.get(taken..).unwrap_or_default();
            ends.push((bytes.len(), text.len() - rest.len()));
        }
        bytes.extend_from_slice(rest);
        (bytes.len() < text.len()).then_some(Self { bytes, ends })
    }

    /// The range of the original text for a range of the unescaped text.
    pub(super) fn origin(&self, at: Range<usize>) -> Range<usize> {
        self.place(at.start)..self.place(at.end)
    }

    fn place(&self, at: usize) -> usize {
        let behind = self.ends.partition_point(|(end, _)| *end <= at);
        let last = behind.checked_sub(1).and_then(|last| self.ends.get(last));
        last.map_or(at, |(end, origin)| origin + (at - end))
    }
}

fn json(escaped: &[u8], into: &mut Vec<u8>) -> Option<usize> {
    let said = match escaped.get(1)? {
        b'u' => return unicode(escaped, into),
        b'b' => b'\x08',
        b'f' => b'\x0c',
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        other @ (b'"' | b'\\' | b'/') => *other,
        _ => return None,
    };
    into.push(said);
    Some(2)
}

fn unicode(escaped: &[u8], into: &mut Vec<u8>) -> Option<usize> {
    let unit = |from: usize| {
        let digits = escaped.get(from..from + 6)?.strip_prefix(b"\\u")?;
        let mut digits = digits.iter().map(|digit| char::from(*digit).to_digit(16));
        digits.try_fold(0, |unit, digit| Some(unit * 16 + digit?))
    };
    let first = unit(0)?;
    let (code, taken) = match (first, unit(6)) {
        (0xd800..=0xdbff, Some(second @ 0xdc00..=0xdfff)) => {
            (0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00), 12)
        }
        _ => (first, 6),
    };
    let letter = char::from_u32(code)?;
    into.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    Some(taken)
}

fn percent(escaped: &[u8], into: &mut Vec<u8>) -> Option<usize> {
    let digit = |at: usize| escaped.get(at).and_then(|digit| char::from(*digit).to_digit(16));
    let byte = digit(1)? * 16 + digit(2)?;
    into.push(u8::try_from(byte).ok()?);
    Some(3)
}

/// Whether `escaped` is the beginning of an escape that the end of the text cuts off.
fn is_incomplete(escaped: &[u8], escape: Escape) -> bool {
    match escape {
        Escape::Json => escaped.len() == 1 || (escaped.starts_with(b"\\u") && escaped.len() < 6),
        Escape::Percent => escaped.len() < 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, escape: Escape) -> Option<String> {
        UnescapedText::of(text.as_bytes(), escape, false).map(|said| String::from_utf8(said.bytes).unwrap())
    }

    #[test]
    fn escapes_are_decoded_and_other_text_stays() {
        assert_eq!(said(r#"a\"\\\/\n\u00e9\ud83d\ude00\x"#, Escape::Json).unwrap(), "a\"\\/\n\u{e9}\u{1f600}\\x");
        assert_eq!(said("a%2Fb%c3%a9%zz%", Escape::Percent).unwrap(), "a/b\u{e9}%zz%");
        assert_eq!(said("plain", Escape::Json), None);
        assert_eq!(said("100% of it \\o", Escape::Percent), None);
        assert_eq!(said(r"\ud83d", Escape::Json), None, "half a letter");
    }

    #[test]
    fn a_part_of_the_decoded_text_is_found_in_the_escaped_text() {
        let text = "x%2Fab%2Fc%zz/d";
        let said = UnescapedText::of(text.as_bytes(), Escape::Percent, false).unwrap();
        let origin = |part: &str| {
            let from = String::from_utf8_lossy(&said.bytes).find(part).unwrap();
            text[said.origin(from..from + part.len())].to_owned()
        };
        assert_eq!(
            (origin("/ab"), origin("ab"), origin("b/"), origin("c%zz/d")),
            ("%2Fab".into(), "ab".into(), "b%2F".into(), "c%zz/d".into())
        );
    }

    #[test]
    fn a_cut_escape_has_no_meaning() {
        for (text, escape) in
            [("ab%2", Escape::Percent), ("ab%", Escape::Percent), ("ab\\", Escape::Json), ("ab\\u00", Escape::Json)]
        {
            let said = UnescapedText::of(text.as_bytes(), escape, true).unwrap();
            assert_eq!((said.bytes.as_slice(), said.origin(0..2)), (&b"ab"[..], 0..text.len()), "{text}");
        }
    }
}
