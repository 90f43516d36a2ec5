//! Mails that Patchbay writes: the result of a mail, and the reply of a subscriber.

use std::fmt::Write;

use chrono::{DateTime, SecondsFormat, Utc};

use super::EmailSend;
use crate::{ids::SmsRequestId, sms_products::batch::BatchFault};

const RESULTS: &str = "sms";
/// Most characters that an answer shows of an invalid mailbox.
const SHOWN_MAX: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerMail {
    /// The sender's address before the @.
    pub mailbox: String,
    pub subject: String,
    pub body: String,
}

impl AnswerMail {
    /// The batch result of an accepted mail. `id` is `None` if the mail was a test. `blocked` are the numbers that have
    /// stopped the client's messages.
    pub fn result(send: &EmailSend, id: Option<SmsRequestId>, blocked: &[String], now: DateTime<Utc>) -> Self {
        let said = if send.code() == 0 { "success" } else { "partial success: some numbers are invalid" };
        let mut body = status(send.code(), said, now);
        match id {
            Some(id) => line(&mut body, "gstid", &id.to_string()),
            None => line(&mut body, "test", "nothing was sent and nothing was charged"),
        }
        line(&mut body, "totalnumbers", &send.total().to_string());
        line(&mut body, "correctnumbers", &send.numbers.len().to_string());
        for number in send.numbers.iter().filter(|number| !blocked.contains(number)) {
            line(&mut body, "number", number);
        }
        for number in blocked {
            line(&mut body, "blocked", &format!("{number} (has stopped your messages; refunded)"));
        }
        for invalid in &send.invalid {
            line(&mut body, "invalid", &printable(invalid));
        }
        Self {
            mailbox: RESULTS.to_owned(),
            subject: format!("SMS: {}", if id.is_some() { said } else { "test" }),
            body,
        }
    }

    pub fn refusal(fault: &BatchFault, now: DateTime<Utc>) -> Self {
        let body = status(fault.code, &fault.said, now) + "\nNothing was sent and nothing was charged.\n";
        Self { mailbox: RESULTS.to_owned(), subject: format!("SMS not sent: error {}", fault.code), body }
    }

    pub fn undelivered(number: &str, receipt: &str, id: SmsRequestId, at: DateTime<Utc>) -> Self {
        let mut body = format!("The SMS to {number} did not arrive.\n\n");
        line(&mut body, "gstid", &id.to_string());
        line(&mut body, "number", number);
        line(&mut body, "receipt", receipt);
        line(&mut body, "time", &time(at));
        Self { mailbox: RESULTS.to_owned(), subject: format!("SMS to {number} not delivered"), body }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct SubscriberReply<'a> {
    pub subscriber: &'a str,
    pub text: &'a str,
}

impl SubscriberReply<'_> {
    /// The mail with the reply. Its sender is the address of the phone.
    pub fn into_mail(self) -> AnswerMail {
        let Self { subscriber, text } = self;
        AnswerMail {
            mailbox: subscriber.to_owned(),
            subject: format!("SMS from {subscriber}"),
            body: format!("{}\n", text.trim_end_matches('\n')),
        }
    }
}

fn status(code: u16, said: &str, now: DateTime<Utc>) -> String {
    let mut body = String::new();
    line(&mut body, "code", &code.to_string());
    line(&mut body, "status", said);
    line(&mut body, "completiontime", &time(now));
    body
}

fn line(body: &mut String, name: &str, value: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(body, "{name}: {value}");
}

fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// A foreign text without control characters, so that it cannot imitate a line of the answer.
fn printable(text: &str) -> String {
    text.chars().filter(|one| !one.is_control()).take(SHOWN_MAX).collect()
}
