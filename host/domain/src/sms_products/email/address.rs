//! Addresses of senders, in the form for comparison, and addresses of phones.

use std::fmt;

use unicode_normalization::UnicodeNormalization;

/// Longest address, in bytes (RFC 5321 4.5.3.1.3).
const ADDRESS_MAX: usize = 254;
const TEST: &str = "test.";

/// An e-mail address in the form for comparison: composed and in lower case. `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EmailAddress(String);

impl EmailAddress {
    pub fn parse(text: &str) -> Option<Self> {
        let text: String = text.trim().nfc().collect::<String>().to_lowercase();
        let (local, domain) = text.rsplit_once('@')?;
        let plain = !text.chars().any(|one| one.is_control() || one.is_whitespace() || "<>,;()[]\\\"".contains(one));
        let labels = domain.split('.').all(|label| !label.is_empty());
        let whole = !local.is_empty() && !local.contains('@') && !domain.is_empty() && labels;
        (plain && whole && text.len() <= ADDRESS_MAX).then_some(Self(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn domain(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(_, domain)| domain)
    }
}

impl fmt::Debug for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EmailAddress")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailRoute {
    Phone,
    /// The test domain: the mail is checked and answered. No SMS is sent or charged.
    Test,
}

/// The domain of the addresses that become SMS (`email.domain`). The domain for trials has the prefix `test.`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailDomain(String);

impl EmailDomain {
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_end_matches('.').to_lowercase();
        let label = |label: &str| {
            let known = label.bytes().all(|one| one.is_ascii_alphanumeric() || one == b'-');
            known && (1..=63).contains(&label.len()) && !label.starts_with('-') && !label.ends_with('-')
        };
        let whole = text.len() <= 200 && text.split('.').all(label);
        whole.then_some(Self(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The treatment of a mail to an address, with the part before the @. `None` if the address is not in this domain.
    pub fn route(&self, address: &str) -> Option<(MailRoute, String)> {
        let (mailbox, domain) = address.trim().rsplit_once('@')?;
        let domain = domain.to_lowercase();
        let route = match domain.strip_prefix(TEST) {
            _ if domain == self.0 => MailRoute::Phone,
            Some(domain) if domain == self.0 => MailRoute::Test,
            _ => return None,
        };
        Some((route, mailbox.to_owned()))
    }

    /// True if an address is in this domain or a subdomain. No genuine sender has such an address.
    pub fn owns(&self, address: &EmailAddress) -> bool {
        let domain = address.domain();
        domain == self.0 || domain.strip_suffix(&self.0).is_some_and(|above| above.ends_with('.'))
    }
}
