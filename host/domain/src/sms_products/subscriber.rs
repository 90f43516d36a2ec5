//! Numbers of subscribers as networks deliver them: in international format, or as dialled.

use super::cell::HOME;

/// Fewest digits of a source that is a full number and not a short code.
const WHOLE_NUMBER: usize = 9;
/// Most digits of a number in international format (E.164).
const LONGEST: usize = 15;
/// Countries whose national numbers all have the same length.
const WITHIN_COUNTRY: [(&str, usize); 4] = [("27", 9), ("1", 10), ("44", 10), ("33", 9)];
/// Country codes of two digits (E.164). The codes 1 and 7 have one digit, all others three.
const TWO_DIGITS: [&str; 44] = [
    "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45", "46", "47", "48", "49", "51",
    "52", "53", "54", "55", "56", "57", "58", "60", "61", "62", "63", "64", "65", "66", "81", "82", "84", "86", "90",
    "91", "92", "93", "94", "95", "98",
];

fn separates(one: char) -> bool {
    one.is_whitespace() || "-().\u{2010}\u{2011}\u{2012}\u{2013}\u{200e}\u{202a}\u{202c}\u{feff}".contains(one)
}

/// A number without separators and international prefix (`+`, `00`). A leading `0` marks a national number.
pub fn dialled(text: &str) -> String {
    let text = text.trim();
    let bare: String = text.chars().filter(|one| !separates(*one)).collect();
    let digits = bare.strip_prefix('+').unwrap_or(&bare);
    if digits.is_empty() || !digits.bytes().all(|one| one.is_ascii_digit()) {
        return text.strip_prefix('+').unwrap_or(text).to_owned();
    }
    match digits.strip_prefix("00") {
        Some(rest) if !rest.is_empty() && !rest.starts_with('0') => rest.to_owned(),
        Some(_) | None => digits.to_owned(),
    }
}

/// A number that is known to be national (for example TON 2), in the form of [`dialled`].
pub fn national(text: &str) -> String {
    let dialled = dialled(text);
    let is_number = !dialled.is_empty() && dialled.bytes().all(|one| one.is_ascii_digit());
    if is_number && !dialled.starts_with('0') && !text.trim().starts_with(['+', '0']) {
        return format!("0{dialled}");
    }
    dialled
}

/// The number of a subscriber in international digits. A national number gets the country code of the `source`, or of
/// the home country. Other text is returned unchanged.
pub fn international(text: &str, source: &str) -> String {
    let dialled = dialled(text);
    let Some(within) = dialled.strip_prefix('0') else { return dialled };
    if within.is_empty() || within.starts_with('0') || !within.bytes().all(|one| one.is_ascii_digit()) {
        return dialled;
    }
    let country = country_of(source);
    // A number can have both a `0` and its country code.
    let is_whole = WITHIN_COUNTRY.iter().any(|(code, length)| {
        *code == country && within.starts_with(country) && within.len() == country.len() + length
    });
    match is_whole {
        true => within.to_owned(),
        false if country.len() + within.len() <= LONGEST => format!("{country}{within}"),
        false => dialled,
    }
}

fn country_of(source: &str) -> &str {
    let digits = source.trim().trim_start_matches('+');
    let is_whole =
        digits.len() >= WHOLE_NUMBER && !digits.starts_with('0') && digits.bytes().all(|one| one.is_ascii_digit());
    if !is_whole {
        return HOME;
    }
    let known = |length: usize| digits.get(..length).unwrap_or(HOME);
    let two = known(2);
    match digits.as_bytes() {
        [b'1' | b'7', ..] => known(1),
        _ if TWO_DIGITS.contains(&two) => two,
        _ => known(3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &str = "27820001001";

    #[test]
    fn one_subscriber_is_one_number_however_it_is_written() {
        for text in [
            "27836000001",
            "+27836000001",
            "0027836000001",
            "0836000001",
            "+27 83 600 0001",
            "083 600-0001",
            " (083) 600 0001 ",
            "00 27 83 600 0001",
            "+0027836000001",
            "\u{202a}+27836000001\u{202c}",
        ] {
            assert_eq!(international(text, OURS), "27836000001", "{text}");
        }
        for text in ["836000001", "0836000001", "+27836000001", "0027836000001", "27836000001"] {
            assert_eq!(international(&national(text), OURS), "27836000001", "national {text}");
        }
    }

    #[test]
    fn a_number_without_a_country_is_one_of_the_country_of_its_source() {
        for (source, wanted) in [
            ("264811234567", "264836000001"),
            ("+447700900123", "44836000001"),
            ("12025550123", "1836000001"),
            ("79161234567", "7836000001"),
            ("31500", "27836000001"),
            ("SHOP", "27836000001"),
            ("", "27836000001"),
        ] {
            assert_eq!(international("0836000001", source), wanted, "{source}");
        }
    }

    #[test]
    fn texts_and_short_codes_stay() {
        for text in ["SHOP", "My-Shop 24", "31500", "0", "00", "", "000123", "083x"] {
            assert_eq!(international(text, OURS), text, "{text}");
        }
        assert_eq!(international("+SHOP", OURS), "SHOP");
        assert_eq!(national("SHOP"), "SHOP");
        let long = format!("0{}", "1".repeat(14));
        assert_eq!(international(&long, OURS), long, "no number has so many digits");
    }
}
