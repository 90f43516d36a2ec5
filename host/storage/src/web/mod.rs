//! Web chat: sites, visitors, and the messages that a visitor sees.

pub mod sites;
pub mod threads;
pub mod visitors;
