//! The sandbox of test keys: the keys that open it, and the magic numbers whose digits name an outcome
//! (`docs/test-keys.md`).

use crate::{address::Address, address_kind::AddressKind};

/// The messages that a key sends: real ones, or those of the sandbox of its client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyMode {
    #[default]
    Live,
    Test,
}

impl KeyMode {
    /// The mode of the keys of a client.
    pub fn of(is_sandbox: bool) -> Self {
        if is_sandbox { Self::Test } else { Self::Live }
    }

    pub fn is_test(self) -> bool {
        self == Self::Test
    }

    /// True if the key may send to these digits.
    pub fn admits(self, phone: &str) -> bool {
        self == Self::Live || SandboxOutcome::of(phone).is_some()
    }
}

/// Why a test key cannot send to a number.
pub const TEST_NUMBERS_ONLY: &str =
    "a test key sends to test numbers only, such as +9991000001; docs/test-keys.md has the table of numbers";
/// Why a message is not of a test customer.
pub const TEST_CUSTOMERS_ONLY: &str =
    "must be a test number, such as +9991000001; docs/test-keys.md has the table of numbers";
/// Follows the `clientRef` of a client in that of its sandbox. A client cannot choose a reference with a colon.
pub const REF_SUFFIX: &str = ":test";
/// The number that each sandbox has, in addition to copies of the numbers of its client.
pub const OWN_NUMBER: &str = "9990000000";
/// No country has this calling code.
const CALLING_CODE: &str = "999";
/// Digits of a failure code in a number. Further digits tell recipients apart.
const CODE_DIGITS: usize = 6;

/// The outcome of a message in the sandbox. The digit after the calling code names it; the digits behind it are free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxOutcome {
    Delivered,
    Read,
    NotOnWhatsapp,
    /// Fails with this code after the provider took it.
    Failed(i64),
    /// Delivered after a minute.
    Slow,
    /// Delivered, and answered with a text.
    Reply,
    /// Delivered, and answered with a tap on the first button.
    Tap,
}

impl SandboxOutcome {
    /// The same digits are ids of test customers of pages and bots.
    pub fn of_address(address: &Address) -> Option<Self> {
        match address.kind() {
            AddressKind::Phone | AddressKind::Psid | AddressKind::Telegram => Self::of(address.value()),
            AddressKind::Bsuid | AddressKind::Visitor | AddressKind::Email | AddressKind::Lid => None,
        }
    }

    /// True if the recipient answers the message.
    pub fn answers(self) -> bool {
        matches!(self, Self::Reply | Self::Tap)
    }

    /// `None` if the digits are no magic number.
    pub fn of(phone: &str) -> Option<Self> {
        let (outcome, rest) = phone.strip_prefix(CALLING_CODE)?.split_at_checked(1)?;
        match outcome {
            "1" => Some(Self::Delivered),
            "2" => Some(Self::Read),
            "3" => Some(Self::NotOnWhatsapp),
            "4" => {
                let code = rest.get(..CODE_DIGITS).and_then(|code| code.parse().ok());
                code.filter(|code| *code > 0).map(Self::Failed)
            }
            "5" => Some(Self::Slow),
            "6" => Some(Self::Reply),
            "7" => Some(Self::Tap),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digit_after_the_calling_code_names_the_outcome() {
        assert_eq!(SandboxOutcome::of("9991000001"), Some(SandboxOutcome::Delivered));
        assert_eq!(SandboxOutcome::of("99920000000017"), Some(SandboxOutcome::Read));
        assert_eq!(SandboxOutcome::of("9997000"), Some(SandboxOutcome::Tap));
    }

    #[test]
    fn the_next_six_digits_are_the_code_of_a_failure() {
        assert_eq!(SandboxOutcome::of("9994131047"), Some(SandboxOutcome::Failed(131_047)));
        assert_eq!(SandboxOutcome::of("999400013199"), Some(SandboxOutcome::Failed(131)));
        assert_eq!(SandboxOutcome::of("999413104"), None);
        assert_eq!(SandboxOutcome::of("9994000000"), None);
    }

    #[test]
    fn other_numbers_are_not_magic() {
        for number in ["27820000001", "999", OWN_NUMBER, "9998000001", "9999000001"] {
            assert_eq!(SandboxOutcome::of(number), None, "{number}");
        }
    }
}
