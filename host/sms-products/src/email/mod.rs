//! E-mail to SMS (SPEC 4.9): mails of registered senders become SMS, and results are sent back by mail.

mod outgoing;
mod take;

pub use outgoing::work;
pub(crate) use outgoing::{Mailed, tell_reply, tell_taken};
pub use take::Mails;
