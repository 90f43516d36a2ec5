//! Clients and their data: accounts, users, keys, roles, teams, contacts and inboxes.

pub mod accounts;
pub mod clients;
pub mod contacts;
pub mod credits;
pub mod email_senders;
pub mod inboxes;
pub mod person;
pub mod sites;
pub mod teams;
