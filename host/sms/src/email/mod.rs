//! E-mail to SMS (SPEC 4.9): mails of registered senders become SMS, and results are sent back by mail.

mod outgoing_mail;
mod take;

pub use outgoing_mail::work;
pub(crate) use outgoing_mail::{MailAcceptance, MailedRequest, mail_acceptance, mail_reply, origins};
pub use take::Mails;
