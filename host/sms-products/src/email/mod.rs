//! E-mail to SMS (SPEC 4.9): mails of registered senders become SMS, and what becomes of them is mailed back.

mod outgoing;
mod take;

pub use outgoing::work;
pub(crate) use outgoing::{Mailed, tell_reply, tell_taken};
pub use take::Mails;
