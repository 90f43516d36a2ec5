use std::collections::BTreeSet;

use domain::{
    address::{Address, LID_SERVER},
    channel_table::AddressForm,
};
use uuid::Uuid;

/// An encoded character before a mark: `%2B` of a form, `\303` of bytes shown as text.
const ENCODED: &str = r"%[0-9A-Fa-f]{2}|\\[0-7]{3}";

/// A regular expression for one of these addresses or ids as a whole: `27820000001` is not in `278200000012`. Its two
/// groups hold the character before, for [`REPLACEMENT`].
pub(super) fn mention<'a>(addresses: impl IntoIterator<Item = &'a Address>, ids: &BTreeSet<Uuid>) -> String {
    let (mut digits, mut words) = (BTreeSet::new(), BTreeSet::new());
    for address in addresses {
        let value = address.value();
        match address.kind().facts().form {
            AddressForm::Phone | AddressForm::Digits => digits.insert(escaped(value)),
            // The id of a device of the person has a suffix before the server: `123:4@lid`.
            AddressForm::Lid => digits.insert(escaped(value.strip_suffix(LID_SERVER).unwrap_or(value))),
            AddressForm::Bsuid | AddressForm::Word | AddressForm::Email => words.insert(escaped(value)),
        };
    }
    words.extend(ids.iter().map(Uuid::to_string).map(|id| escaped(&id)));
    let mut alternatives = Vec::new();
    for (marks, alphabet) in [(digits, "0-9"), (words, "0-9A-Za-z")] {
        let marks: Vec<String> = marks.into_iter().collect();
        // Nothing follows the end of a text.
        let any = if marks.is_empty() { "$x".to_owned() } else { marks.join("|") };
        alternatives.push(format!("(^|[^{alphabet}]|{ENCODED})(?:{any})(?![{alphabet}])"));
    }
    alternatives.join("|")
}

/// A regular expression for one of these addresses as sender or recipient: in our JSON, or in a form.
pub(super) fn party<'a>(addresses: impl IntoIterator<Item = &'a Address>) -> String {
    let values: Vec<String> = addresses.into_iter().map(|address| escaped(address.value())).collect();
    let any = values.join("|");
    format!(
        r#""(?:from|fromUserId|recipient|recipientUserId|value)": ?"\+?(?:{any})"|(?:^|[?&])(?:from|to)=(?:%2B)?(?:{any})(?:&|$)"#
    )
}

/// The text in place of a match of [`mention`].
pub(super) const REPLACEMENT: &str = r"\1\2erased";

fn escaped(mark: &str) -> String {
    let escape = |c: char| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("\\{c}") };
    mark.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_special_character_of_a_mark_is_escaped() {
        assert_eq!(escaped("US.12|3"), r"US\.12\|3");
        let address = Address::parse("LID", "1001@lid").unwrap();
        let pattern = mention([&address], &BTreeSet::new());
        assert!(pattern.contains("(?:1001)") && !pattern.contains("lid"), "{pattern}");
    }
}
