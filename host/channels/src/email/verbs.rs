use smtp_proto::Error;

use super::{MailVerdict, SIZE_MAX};

pub(super) const BAD_SEQUENCE: &str = "503 5.5.1 not now: say EHLO, MAIL, RCPT and DATA in this order";
pub(super) const NOT_THERE: &str = "502 5.5.1 there is no such command";
pub(super) const OK: &str = "250 2.0.0 ok";
pub(super) const TOO_LARGE: &str = "552 5.3.4 a mail may have 65536 bytes";
pub(super) const NEEDS_TLS: &str = "530 5.7.0 say STARTTLS first";
pub(super) const PLACE_NEEDED: &str = "421 4.7.0 the place is needed by another sender: try again later";
pub(super) const GO_AHEAD: &str = "354 end with a dot on a line of its own";

pub(super) fn extensions(name: &str, offers_tls: bool) -> String {
    let mut said = format!("250-{name}\r\n");
    if offers_tls {
        said.push_str("250-STARTTLS\r\n");
    }
    said + "250-PIPELINING\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-ENHANCEDSTATUSCODES\r\n"
        + &format!("250 SIZE {SIZE_MAX}")
}

pub(super) fn fault(error: &Error) -> String {
    match error {
        Error::UnknownCommand => "500 5.5.1 the command is not known".to_owned(),
        Error::InvalidSenderAddress => "501 5.1.7 the sender is no address".to_owned(),
        Error::InvalidRecipientAddress => "501 5.1.3 the recipient is no address".to_owned(),
        Error::SyntaxError { syntax } => format!("501 5.5.2 say it as: {syntax}"),
        Error::InvalidParameter { param } => format!("501 5.5.4 the parameter {param} is not valid"),
        Error::UnsupportedParameter { .. } => "555 5.5.4 a parameter is not known".to_owned(),
        Error::NeedsMoreData { .. } | Error::ResponseTooLong | Error::InvalidResponse { .. } => {
            "500 5.5.2 the command cannot be read".to_owned()
        }
    }
}

pub(super) fn reply_text(verdict: MailVerdict) -> String {
    let said = match verdict {
        MailVerdict::Refused(code) => return format!("550 5.7.1 error {code}: nothing was sent"),
        MailVerdict::Taken => "250 2.0.0 taken",
        MailVerdict::Dropped => "250 2.0.0 left: it was written by a program",
        MailVerdict::UnknownSender => "550 5.7.1 the sender is not registered: nothing was sent",
        MailVerdict::Forged => "550 5.7.1 From must name the sender of the mail and no other address: nothing was sent",
        MailVerdict::TooManyPasswords => "451 4.7.1 too many wrong passwords from this sender: try again later",
        MailVerdict::NotNow => "451 4.3.0 the mail could not be stored: try again later",
    };
    said.to_owned()
}
