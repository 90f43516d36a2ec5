//! Long texts of the batch gateway that are not to be joined (SPEC 8): several messages, each of which says its place.

use super::{Encoding, Segment, SegmentedText, TooManySegments, gsm, split};

/// Septets of the text in each of several messages: 160 without `1/9 ` in front.
pub const NUMBERED_LIMIT: usize = 156;
/// Places are told with one digit.
const NUMBERED_MAX: usize = 9;

/// Cuts a text into separate messages that begin with their place, such as `2/3 `. A UTF-16 text is joined by phones.
pub fn split_numbered(text: &str, unicode: bool) -> Result<SegmentedText, TooManySegments> {
    let characters: Option<Vec<gsm::Septets>> = text.chars().map(gsm::septets).collect();
    let Some(characters) = characters.filter(|_| !unicode) else { return split(text, unicode) };
    let total: usize = characters.iter().map(|character| character.len()).sum();
    if total <= Encoding::Gsm7.single_limit() {
        return split(text, unicode);
    }
    let mut parts = vec![Segment::default()];
    for character in characters {
        if parts.last().is_some_and(|part| part.units + character.len() > NUMBERED_LIMIT) {
            parts.push(Segment::default());
        }
        if let Some(part) = parts.last_mut() {
            part.units += character.len();
            part.octets.extend(character.octets());
        }
    }
    let count = parts.len();
    if count > NUMBERED_MAX {
        return Err(TooManySegments { parts: count });
    }
    for (part, place) in parts.iter_mut().zip(1..) {
        // Digits, the slash and the space stand at their ASCII places.
        let mut octets = format!("{place}/{count} ").into_bytes();
        part.units += octets.len();
        octets.append(&mut part.octets);
        part.octets = octets;
    }
    Ok(SegmentedText { encoding: Encoding::Gsm7, parts })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Vec<usize> {
        split_numbered(text, false).unwrap().parts.iter().map(|part| part.units).collect()
    }

    #[test]
    fn a_text_of_160_characters_is_one_message_and_one_of_161_is_two() {
        assert_eq!(units(&"a".repeat(160)), [160]);
        assert_eq!(units(&"a".repeat(161)), [160, 9]);
        assert_eq!(units(&"a".repeat(312)), [160, 160]);
        assert_eq!(units(&"a".repeat(313)), [160, 160, 5]);
    }

    #[test]
    fn each_message_has_its_position() {
        let parts = split_numbered(&"a".repeat(157 + 156), false).unwrap().parts;
        let beginnings: Vec<&[u8]> = parts.iter().map(|part| &part.octets[..5]).collect();
        assert_eq!(beginnings, [b"1/3 a".as_slice(), b"2/3 a", b"3/3 a"]);
    }

    #[test]
    fn an_escape_stays_with_its_character() {
        let parts = split_numbered(&format!("{}€{}", "a".repeat(155), "b".repeat(10)), false).unwrap().parts;
        assert_eq!(parts.iter().map(|part| part.units).collect::<Vec<_>>(), [159, 16]);
        assert_eq!(&parts[1].octets[4..6], [0x1b, 0x65]);
    }

    #[test]
    fn a_text_has_nine_messages_at_most() {
        assert_eq!(units(&"a".repeat(9 * 156)).len(), 9);
        assert_eq!(split_numbered(&"a".repeat(9 * 156 + 1), false), Err(TooManySegments { parts: 10 }));
    }

    #[test]
    fn a_text_outside_the_alphabet_is_joined_as_always() {
        let text = "я".repeat(71);
        assert_eq!(split_numbered(&text, false), split(&text, false));
        assert_eq!(split_numbered(&"a".repeat(71), true), split(&"a".repeat(71), true));
    }
}
