//! Phone numbers that networks and providers spell in two ways (PROVIDERS A.4). Every search for a number treats both
//! spellings as one number.
//!
//! | country | mobile number | the other spelling |
//! |---|---|---|
//! | Brazil | `55`, area, `9`, eight digits | without the ninth digit, introduced between 2012 and 2016 |
//! | Argentina | `54`, `9`, ten digits | without the `9` that marks a mobile phone |
//! | Mexico | `52`, `1`, ten digits | without the `1`, abolished in 2019 |

/// The other spelling of a number in digits. `None` if the number has one spelling only.
pub fn other_spelling(digits: &str) -> Option<String> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match digits.split_at_checked(2)? {
        ("55", rest) => brazil(rest),
        ("54", rest) => with_or_without(rest, '9', '1'..='3').map(|national| format!("54{national}")),
        ("52", rest) => with_or_without(rest, '1', '2'..='9').map(|national| format!("52{national}")),
        _ => None,
    }
}

pub fn spellings(digits: &str) -> Vec<String> {
    std::iter::once(digits.to_owned()).chain(other_spelling(digits)).collect()
}

pub fn is_same(one: &str, other: &str) -> bool {
    one == other || other_spelling(one).as_deref() == Some(other)
}

/// `rest` follows the country code. Mobile numbers began with 6 to 9 before the ninth digit; 2 to 5 are fixed lines.
fn brazil(rest: &str) -> Option<String> {
    let (area, subscriber) = rest.split_at_checked(2)?;
    let is_mobile = |eight: &str| eight.len() == 8 && !eight.starts_with(['0', '2', '3', '4', '5']);
    if area.contains('0') {
        return None;
    }
    match subscriber.strip_prefix('9') {
        Some(eight) if is_mobile(eight) => Some(format!("55{area}{eight}")),
        _ if is_mobile(subscriber) => Some(format!("55{area}9{subscriber}")),
        _ => None,
    }
}

/// National numbers of ten digits that begin with a digit of `first`, with or without the mobile prefix `sign`.
fn with_or_without(rest: &str, sign: char, first: std::ops::RangeInclusive<char>) -> Option<String> {
    let is_national = |ten: &str| ten.len() == 10 && ten.starts_with(|one: char| first.contains(&one));
    match rest.strip_prefix(sign) {
        Some(ten) if is_national(ten) => Some(ten.to_owned()),
        _ if is_national(rest) => Some(format!("{sign}{rest}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: [(&str, &str); 6] = [
        ("5511987654321", "551187654321"),
        ("5531999998888", "553199998888"),
        ("5541912345678", "554112345678"),
        ("5491123456789", "541123456789"),
        ("5492944123456", "542944123456"),
        ("5215512345678", "525512345678"),
    ];

    #[test]
    fn both_spellings_of_a_number_lead_to_each_other() {
        for (with, without) in PAIRS {
            assert_eq!(other_spelling(with).as_deref(), Some(without));
            assert_eq!(other_spelling(without).as_deref(), Some(with));
            assert!(is_same(with, without) && is_same(without, with) && is_same(with, with));
            assert_eq!(spellings(with), [with, without]);
        }
    }

    #[test]
    fn a_number_with_one_spelling_has_no_other() {
        for number in [
            "27820000001",
            "551133334444",
            "5511933334444",
            "551103334444",
            "5501987654321",
            "55119876543210",
            "55118765432",
            "5411234567",
            "5494123456789",
            "521123456789",
            "5211123456789",
            "52551234567",
            "14155550100",
            "55",
            "5",
            "",
            "55ZA87654321",
        ] {
            assert_eq!(other_spelling(number), None, "{number}");
            assert_eq!(spellings(number), [number]);
        }
        assert!(!is_same("5511987654321", "5511987654322"));
    }
}
