use rand::{Rng, SeedableRng, rngs::StdRng};

use super::*;

fn sizes(text: &str, unicode: bool) -> (Encoding, Vec<usize>) {
    let segmented = split(text, unicode).unwrap();
    (segmented.encoding, segmented.parts.iter().map(|part| part.units).collect())
}

fn gsm(text: &str) -> Vec<usize> {
    let (encoding, sizes) = sizes(text, false);
    assert_eq!(encoding, Encoding::Gsm7);
    sizes
}

fn ucs2(text: &str) -> Vec<usize> {
    let (encoding, sizes) = sizes(text, false);
    assert_eq!(encoding, Encoding::Ucs2);
    sizes
}

#[test]
fn a_gsm_text_fits_160_septets_in_one_segment_and_153_in_each_of_several() {
    assert_eq!(gsm(&"a".repeat(160)), [160]);
    assert_eq!(gsm(&"a".repeat(161)), [153, 8]);
    assert_eq!(gsm(&"a".repeat(306)), [153, 153]);
    assert_eq!(gsm(&"a".repeat(307)), [153, 153, 1]);
    assert_eq!(gsm(&"a".repeat(1377)), [153; 9]);
    assert_eq!(gsm(&"a".repeat(1378)).len(), 10);
}

#[test]
fn a_unicode_text_fits_70_units_in_one_segment_and_67_in_each_of_several() {
    assert_eq!(ucs2(&"ж".repeat(70)), [70]);
    assert_eq!(ucs2(&"ж".repeat(71)), [67, 4]);
    assert_eq!(ucs2(&"ж".repeat(134)), [67, 67]);
    assert_eq!(ucs2(&"ж".repeat(135)), [67, 67, 1]);
}

#[test]
fn an_extension_character_costs_two_septets() {
    assert_eq!(gsm(&"€".repeat(80)), [160]);
    assert_eq!(gsm(&"€".repeat(81)), [152, 10]);
    for character in "^{}\\[~]|€\u{c}".chars() {
        assert_eq!(gsm(&character.to_string()), [2], "{character:?}");
    }
}

#[test]
fn an_escape_is_never_parted_from_its_character() {
    let fits = format!("{}€{}", "a".repeat(151), "a".repeat(20));
    assert_eq!(gsm(&fits), [153, 20]);
    let moves = format!("{}€{}", "a".repeat(152), "a".repeat(20));
    assert_eq!(gsm(&moves), [152, 22]);
    let parts = split(&moves, false).unwrap().parts;
    assert_eq!(parts[1].octets[..2], [0x1b, 0x65]);
}

#[test]
fn a_surrogate_pair_is_never_parted() {
    assert_eq!(ucs2(&"😀".repeat(35)), [70]);
    assert_eq!(ucs2(&"😀".repeat(36)), [66, 6]);
    let moves = format!("{}😀{}", "ж".repeat(66), "ж".repeat(10));
    assert_eq!(ucs2(&moves), [66, 12]);
}

#[test]
fn one_character_outside_the_alphabet_switches_the_whole_text() {
    assert_eq!(ucs2(&format!("{}ç", "a".repeat(69))), [70]);
    assert_eq!(ucs2(&format!("{}ж", "a".repeat(159))), [67, 67, 26]);
    assert_eq!(ucs2("`"), [1]);
    assert_eq!(ucs2("\u{1b}"), [1]);
    assert_eq!(ucs2("\t"), [1]);
}

#[test]
fn unicode_on_request_even_for_plain_letters() {
    assert_eq!(sizes(&"a".repeat(70), true), (Encoding::Ucs2, vec![70]));
    assert_eq!(sizes(&"a".repeat(71), true), (Encoding::Ucs2, vec![67, 4]));
}

#[test]
fn an_empty_text_is_one_empty_part() {
    assert_eq!(split("", false).unwrap().parts, [Segment::default()]);
    assert_eq!(sizes("", true), (Encoding::Ucs2, vec![0]));
}

#[test]
fn octets_are_unpacked_septets_or_big_endian_units() {
    assert_eq!(split("@£Ωà§{", false).unwrap().parts[0].octets, [0x00, 0x01, 0x15, 0x7f, 0x5f, 0x1b, 0x28]);
    assert_eq!(split("aж😀", false).unwrap().parts[0].octets, [0x00, 0x61, 0x04, 0x36, 0xd8, 0x3d, 0xde, 0x00]);
}

#[test]
fn every_septet_of_the_basic_table_is_reached_by_exactly_one_character() {
    let mut reached = [0_usize; 128];
    for character in ('\u{0}'..='\u{ffff}').filter(|c| split(&c.to_string(), false).unwrap().encoding == Encoding::Gsm7)
    {
        let octets = &split(&character.to_string(), false).unwrap().parts[0].octets;
        if octets.len() == 1 {
            reached[usize::from(octets[0])] += 1;
        }
    }
    let escape = usize::from(0x1b_u8);
    assert!(reached.iter().enumerate().all(|(septet, count)| *count == usize::from(septet != escape)));
}

#[test]
fn up_to_255_parts_can_be_joined_and_no_more() {
    assert_eq!(gsm(&"a".repeat(255 * 153)).len(), 255);
    assert_eq!(split(&"a".repeat(255 * 153 + 1), false), Err(TooManySegments { parts: 256 }));
    assert_eq!(ucs2(&"ж".repeat(255 * 67)).len(), 255);
    assert_eq!(split(&"ж".repeat(255 * 67 + 1), false), Err(TooManySegments { parts: 256 }));
}

#[test]
fn the_joining_header_names_reference_total_and_position() {
    assert_eq!(udh(0xab, 3, 2), [0x05, 0x00, 0x03, 0xab, 3, 2]);
}

#[test]
fn unicode_parts_joined_give_the_text_back() {
    let mut randomness = StdRng::seed_from_u64(11);
    let alphabet: Vec<char> = "aZ 9ж中😀🇿🇦é\n".chars().collect();
    for _ in 0..500 {
        let length = randomness.random_range(0..300);
        let text: String = (0..length).map(|_| alphabet[randomness.random_range(0..alphabet.len())]).collect();
        let parts = split(&text, true).unwrap().parts;
        let each_is_text = parts.iter().map(|part| {
            let units: Vec<u16> = part.octets.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
            assert_eq!(units.len(), part.units);
            String::from_utf16(&units).unwrap()
        });
        assert_eq!(each_is_text.collect::<String>(), text);
    }
}

#[test]
fn no_part_is_over_its_limit_or_ends_in_an_escape() {
    let mut randomness = StdRng::seed_from_u64(12);
    let alphabet: Vec<char> = "abc€[]Ω\r~".chars().collect();
    for _ in 0..500 {
        let length = randomness.random_range(0..700);
        let text: String = (0..length).map(|_| alphabet[randomness.random_range(0..alphabet.len())]).collect();
        let SegmentedText { encoding, parts } = split(&text, false).unwrap();
        let limit = if parts.len() == 1 { encoding.single_limit() } else { encoding.part_limit() };
        assert!(parts.iter().all(|part| part.units <= limit && part.octets.last() != Some(&0x1b)));
        // A part is short only where the next character would not have fitted.
        let full = parts.iter().rev().skip(1).all(|part| part.units >= limit - 1);
        assert!(full, "{text}");
    }
}
