//! Clients and their data: accounts, users, keys, roles, teams, contacts and inboxes; the log of their requests.

pub mod accounts;
pub mod clients;
pub mod contacts;
pub mod credits;
pub mod email_senders;
pub mod inboxes;
pub mod person;
pub mod request_log;
pub mod sites;
pub mod teams;
