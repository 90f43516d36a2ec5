//! Clients and their data: accounts, users, keys, roles, teams, contacts and inboxes; the log of their requests and their audit trail.

pub mod accounts;
pub mod audit_trail;
pub mod client_removal;
pub mod clients;
pub mod contact_attributes;
pub mod contact_facts;
pub mod contact_import;
pub mod contact_merges;
pub mod contacts;
pub mod credits;
pub mod disabling;
pub mod email_senders;
pub mod inboxes;
pub mod person;
pub mod request_log;
pub(crate) mod sandbox;
mod sandbox_inboxes;
pub mod sites;
pub mod teams;
