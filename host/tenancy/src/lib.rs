//! Clients and what is theirs: accounts, users, keys and roles; the inboxes that they are reached at.

pub mod accounts;
pub mod credits;
pub mod inboxes;
