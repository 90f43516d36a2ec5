//! E-mail to SMS (SPEC 4.9): a mail to `<cellnumber>@{email_sms_domain}` with the account's password as its subject and
//! the message as its body. This module decides about addresses, the text to send, and the answers.

mod address;
mod answer;
mod text;

use std::collections::HashSet;

pub use address::{EmailAddress, EmailDomain, Route};
pub use answer::{Answer, Reply};
pub use text::{Flow, text_of};

use super::{batch::BatchFault, cell};
use crate::segments;

/// Characters of a message at most (SPEC 8).
pub const TEXT_MAX: usize = 160;
/// Recipients of one mail at most.
pub const RECIPIENTS_MAX: usize = 10;

/// A mail that can be sent as SMS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailSend {
    /// The text.
    pub text: String,
    /// How many SMS it is.
    pub parts: usize,
    /// Numbers that can be written to, in order, each once.
    pub numbers: Vec<String>,
    /// Mailboxes that are no numbers.
    pub invalid: Vec<String>,
}

impl EmailSend {
    /// Judges a mail. `mailboxes` are the parts before the @ of its recipients, `body` is its text.
    pub fn of(mailboxes: &[String], body: &str, flow: Flow) -> Result<Self, BatchFault> {
        let text = text_of(body, flow);
        if text.is_empty() {
            return Err(BatchFault::new(1021, "the message is missing: write it at the top of the mail"));
        }
        let characters = text.chars().count();
        if characters > TEXT_MAX {
            let said = format!(
                "the message has {characters} characters: {TEXT_MAX} at most. An empty line ends it; what follows is not sent"
            );
            return Err(BatchFault::new(1022, said));
        }
        let (mut numbers, mut invalid, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        for mailbox in mailboxes {
            match number(mailbox) {
                Some(number) if seen.insert(number.clone()) => numbers.push(number),
                Some(_) => {}
                None => invalid.push(mailbox.clone()),
            }
        }
        if numbers.is_empty() {
            return Err(BatchFault::new(1071, "all numbers are invalid: write to a number such as 27821234567"));
        }
        let parts = segments::split(&text, false).map_or(1, |segmented| segmented.parts.len());
        Ok(Self { text, parts, numbers, invalid })
    }

    /// 0, or 1 where some numbers are not sent to.
    pub fn code(&self) -> u16 {
        u16::from(!self.invalid.is_empty())
    }

    /// The numbers that were written to, valid or not.
    pub fn total(&self) -> usize {
        self.numbers.len() + self.invalid.len()
    }
}

/// The number of a mailbox: digits, and at most a `+` before them. A name with digits in it is no number.
fn number(mailbox: &str) -> Option<String> {
    let digits = mailbox.strip_prefix('+').unwrap_or(mailbox);
    let only_digits = !digits.is_empty() && digits.bytes().all(|one| one.is_ascii_digit());
    if only_digits { cell::number(digits) } else { None }
}

#[cfg(test)]
mod tests;
