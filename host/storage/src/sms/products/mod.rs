//! Data of the SMS products: requests and their messages, tracking, replies, opt-outs and callbacks.

pub mod callbacks;
pub mod mails;
pub mod messages;
pub mod opt_outs;
pub mod replies;
pub mod requests;
pub mod tracking;
