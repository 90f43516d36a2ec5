//! Addresses: of senders, as they are compared, and of phones, as they are written to.

use std::fmt;

use unicode_normalization::UnicodeNormalization;

/// Longest address, in bytes (RFC 5321 4.5.3.1.3).
const ADDRESS_MAX: usize = 254;
/// The part before the domain of the test addresses.
const TEST: &str = "test.";

/// An e-mail address in the form in which it is compared: composed, in lower case. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// Reads an address; `None` when it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let text: String = text.trim().nfc().collect::<String>().to_lowercase();
        let (local, domain) = text.rsplit_once('@')?;
        let plain = !text.chars().any(|one| one.is_control() || one.is_whitespace() || "<>,;()[]\\\"".contains(one));
        let labels = domain.split('.').all(|label| !label.is_empty());
        let whole = !local.is_empty() && !local.contains('@') && !domain.is_empty() && labels;
        (plain && whole && text.len() <= ADDRESS_MAX).then_some(Self(text))
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part after the @.
    fn domain(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(_, domain)| domain)
    }
}

impl fmt::Debug for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EmailAddress")
    }
}

/// The handling of a mail to an address of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// It is sent as SMS.
    Phone,
    /// It is judged and answered, and nothing is sent and charged: the test domain.
    Test,
}

/// The domain of the addresses that become SMS (`email.domain`), and that of trials: the same with `test.` before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailDomain(String);

impl EmailDomain {
    /// Reads a domain; `None` when it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_end_matches('.').to_lowercase();
        let label = |label: &str| {
            let known = label.bytes().all(|one| one.is_ascii_alphanumeric() || one == b'-');
            known && (1..=63).contains(&label.len()) && !label.starts_with('-') && !label.ends_with('-')
        };
        let whole = text.len() <= 200 && text.split('.').all(label);
        whole.then_some(Self(text))
    }

    /// The domain.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The handling of a mail to an address, and the part before the @. `None` if the address is not ours.
    pub fn route(&self, address: &str) -> Option<(Route, String)> {
        let (mailbox, domain) = address.trim().rsplit_once('@')?;
        let domain = domain.to_lowercase();
        let route = match domain.strip_prefix(TEST) {
            _ if domain == self.0 => Route::Phone,
            Some(domain) if domain == self.0 => Route::Test,
            _ => return None,
        };
        Some((route, mailbox.to_owned()))
    }

    /// True if an address belongs to this domain or to one below it. No mail comes from there.
    pub fn owns(&self, address: &EmailAddress) -> bool {
        let domain = address.domain();
        domain == self.0 || domain.strip_suffix(&self.0).is_some_and(|above| above.ends_with('.'))
    }
}
