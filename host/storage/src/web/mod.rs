//! Web chat: sites, visitors, and what a visitor sees of the chat.

pub mod sites;
pub mod threads;
pub mod visitors;
