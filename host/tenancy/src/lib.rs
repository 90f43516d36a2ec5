//! Clients and what is theirs: accounts, users, keys and roles; the inboxes that they are reached at.

pub mod accounts;
pub mod clients;
pub mod contacts;
pub mod credits;
pub mod email_senders;
pub mod inboxes;
pub mod sites;
pub mod teams;
