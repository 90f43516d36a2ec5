//! What the SMS products keep: requests and their messages, what was asked after them, replies, opt-outs and callbacks.

pub mod callbacks;
pub mod mails;
pub mod messages;
pub mod opt_outs;
pub mod replies;
pub mod requests;
pub mod tracking;
