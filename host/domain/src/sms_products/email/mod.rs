//! E-mail to SMS (SPEC 4.9): a mail to `<cellnumber>@{email_sms_domain}` with the account's password as subject and the
//! message as body.

mod address;
mod answer;
mod text;

use std::collections::HashSet;

pub use address::{EmailAddress, EmailDomain, MailRoute};
pub use answer::{AnswerMail, SubscriberReply};
pub use text::{Flow, text_of};

use super::{batch::BatchFault, cell};
use crate::segments;

/// Most characters of a message (SPEC 8).
pub const TEXT_MAX: usize = 160;
pub const RECIPIENTS_MAX: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailSend {
    pub text: String,
    /// Number of SMS per recipient.
    pub parts: usize,
    /// The valid numbers in order, without duplicates.
    pub numbers: Vec<String>,
    pub invalid: Vec<String>,
}

impl EmailSend {
    /// Checks a mail. `mailboxes` are the parts before the @ of its recipients, `body` is its text.
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

    /// 1 if a mailbox is invalid, otherwise 0.
    pub fn code(&self) -> u16 {
        u16::from(!self.invalid.is_empty())
    }

    /// The number of recipients, valid or not.
    pub fn total(&self) -> usize {
        self.numbers.len() + self.invalid.len()
    }
}

/// The number in a mailbox: digits with an optional `+`. A name that contains digits is not a number.
fn number(mailbox: &str) -> Option<String> {
    let digits = mailbox.strip_prefix('+').unwrap_or(mailbox);
    let only_digits = !digits.is_empty() && digits.bytes().all(|one| one.is_ascii_digit());
    if only_digits { cell::number(digits) } else { None }
}

#[cfg(test)]
mod tests;
